// The Python client's facts of the API: codes, states and bodies as types. `npm run docs` writes
// them to karba/facts.py.
import { writeFileSync } from 'node:fs'
import { type ApiFacts, apiFacts, listOf, nameIn, type Schema } from '../api-facts.ts'

export const FACTS = new URL('karba/facts.py', import.meta.url)
const LINE = 99

/** Names that mean something else in Python. */
const RENAMED = new Map([
  ['Error', 'ErrorBody'],
  ['Failure', 'FailureBody'],
  ['Event', 'KarbaEvent'],
])
/** These cannot be the name of a class attribute. */
const KEYWORDS = ['from']

const HEAD = `# Generated from the OpenAPI description by \`npm run docs\`: do not edit.
"""The facts of the API: codes of errors, states, and the bodies of requests and answers."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Literal, Optional, Tuple, TypedDict, Union, get_args
`

interface TypedField {
  name: string
  about: string
  type: string
  isRequired: boolean
}

interface PythonFacts extends ApiFacts {
  /** The classes of objects inside of bodies, by what they hold: equal ones are one class. */
  objects: Map<string, string>
}

export function pythonFacts(): string {
  const facts: PythonFacts = { ...apiFacts(), objects: new Map() }
  const parts = [
    HEAD,
    literal('ApiErrorCode', 'The codes of the API’s errors, as Svc-Error-Code has them.', [
      ...facts.errorCodes,
    ]),
    'API_ERROR_CODES: FrozenSet[str] = frozenset(get_args(ApiErrorCode))\n',
    ...facts.lists.flatMap(({ name, about, values }) => [
      literal(name, about, values),
      `${pluralOf(name)}: Tuple[${name}, ...] = get_args(${name})\n`,
    ]),
    ...facts.bodies.flatMap(({ name, schema }) => bodyOf(facts, pythonName(name), schema)),
    ...facts.operations.flatMap(({ id, about, query }) => {
      if (query.length === 0) return []
      const properties = Object.fromEntries(query.map((each) => [each.name, each.schema]))
      const name = `${id[0]?.toUpperCase()}${id.slice(1)}Query`
      const description = `The parameters of: ${about}.`
      return bodyOf(facts, name, { properties, description, required: [] })
    }),
  ]
  return parts.join('\n')
}

/** The definitions of a body and of the objects in it, which come first. */
function bodyOf(facts: PythonFacts, name: string, schema: Schema): string[] {
  const { description = '', properties = {}, required = [], oneOf } = schema
  if (oneOf !== undefined) {
    const members = oneOf.map(({ $ref = '' }) => pythonName(nameIn($ref)))
    return [`${commentOf(description)}${name} = Union[${members.join(', ')}]\n`]
  }
  const inner: string[] = []
  const fields = Object.entries(properties).map(([field, value]) => ({
    name: field,
    about: value.description ?? '',
    type: typeOf(facts, value, `${name}${camel(field)}`, inner),
    isRequired: required.includes(field),
  }))
  return [...inner, ...classesOf(name, description, fields)]
}

/**
 * TypedDict of Python 3.9 is required or optional as a whole, and its classes have no field named
 * by a keyword: those are in a base of their own.
 */
function classesOf(name: string, about: string, fields: TypedField[]): string[] {
  const isKeyword = (field: TypedField): boolean => KEYWORDS.includes(field.name)
  const bases: string[] = []
  const parts: string[] = []
  for (const isRequired of [true, false]) {
    const named = fields.filter((field) => isKeyword(field) && field.isRequired === isRequired)
    if (named.length === 0) continue
    const base = `_${name}${isRequired ? '' : 'Optional'}Keywords`
    const items = named.map((field) => `        "${field.name}": ${field.type},\n`).join('')
    const total = isRequired ? '' : '    total=False,\n'
    parts.push(`\n${base} = TypedDict(\n    "${base}",\n    {\n${items}    },\n${total})\n`)
    bases.push(base)
  }
  const plain = fields.filter((field) => !isKeyword(field))
  const required = plain.filter((field) => field.isRequired)
  const optional = plain.filter((field) => !field.isRequired)
  if (required.length > 0 && optional.length > 0) {
    parts.push(classOf(`_${name}Required`, undefined, bases, required, true))
    return [...parts, classOf(name, about, [`_${name}Required`], optional, false)]
  }
  return [...parts, classOf(name, about, bases, plain, required.length > 0)]
}

function classOf(
  name: string,
  about: string | undefined,
  bases: string[],
  fields: TypedField[],
  isTotal: boolean,
): string {
  const parents = [
    ...(bases.length === 0 ? ['TypedDict'] : bases),
    ...(isTotal ? [] : ['total=False']),
  ]
  const doc = about === undefined ? [] : wrapped(`"""${about}"""`, '    ')
  const rows = fields.flatMap((field) => [
    ...wrapped(`${field.about}`, '    #: '),
    `    ${field.name}: ${field.type}`,
  ])
  return `\nclass ${name}(${parents.join(', ')}):\n${[...doc, ...(doc.length > 0 ? [''] : []), ...rows].join('\n')}\n`
}

/** Objects inside become classes of their own, which are added to `inner`. */
function typeOf(facts: PythonFacts, schema: Schema, name: string, inner: string[]): string {
  const { $ref, type, items, properties, additionalProperties } = schema
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if ($ref !== undefined) return pythonName(nameIn($ref))
  if (values !== undefined) return listOf(facts, values)?.name ?? inlineLiteral(values)
  if (Array.isArray(type)) {
    const types = type.filter((each) => each !== 'null').map((each) => SIMPLE[each] as string)
    const one = types.length === 1 ? (types[0] as string) : `Union[${types.join(', ')}]`
    return type.includes('null') ? `Optional[${one}]` : one
  }
  if (items !== undefined) return `List[${typeOf(facts, items, name.replace(/s$/, ''), inner)}]`
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const same = JSON.stringify([properties, schema.required])
    const known = facts.objects.get(same)
    if (known !== undefined) return known
    facts.objects.set(same, name)
    inner.push(...bodyOf(facts, name, schema))
    return name
  }
  if (type === 'object') {
    const value = typeof additionalProperties === 'object' ? additionalProperties : undefined
    const valueType = value?.type === undefined ? 'Any' : typeOf(facts, value, name, inner)
    return `Dict[str, ${valueType}]`
  }
  const simple = SIMPLE[type ?? '']
  if (simple === undefined) throw new Error(`${name} has a type without a Python type`)
  return simple
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  boolean: 'bool',
}

const pythonName = (name: string): string => RENAMED.get(name) ?? name

const camel = (field: string): string =>
  field.replace(/(?:^|_)(\w)/g, (_whole, letter: string) => letter.toUpperCase())

/** `PaymentStatus` → `PAYMENT_STATUSES`. */
const pluralOf = (name: string): string => {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
  return words.endsWith('S') ? `${words}ES` : `${words}S`
}

function literal(name: string, about: string, values: readonly string[]): string {
  const rows = values.map((value) => `    "${value}",\n`)
  return `\n${commentOf(about)}${name} = Literal[\n${rows.join('')}]`
}

function inlineLiteral(values: readonly string[]): string {
  const quoted = values.map((each) => `"${each}"`)
  const line = `Literal[${quoted.join(', ')}]`
  return line.length < LINE / 2 ? line : `Literal[\n        ${quoted.join(',\n        ')},\n    ]`
}

const commentOf = (about: string): string => `${wrapped(about, '#: ').join('\n')}\n`

/** Lines of at most LINE columns, each with the prefix. */
function wrapped(text: string, prefix: string): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) as string
    const longer = last === '' ? word : `${last} ${word}`
    if (prefix.length + longer.length > LINE && last !== '') lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines.map((line) => prefix + line)
}

if (import.meta.main) {
  writeFileSync(FACTS, pythonFacts())
  process.stdout.write('clients/python/karba/facts.py\n')
}
