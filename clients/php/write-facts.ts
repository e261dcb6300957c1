// The PHP client's facts of the API: codes, states and bodies as types of docblocks. `npm run docs`
// writes them to src/Facts.php.
import { writeFileSync } from 'node:fs'
import { type ApiFacts, apiFacts, listOf, nameIn, type Schema } from '../api-facts.ts'

export const FACTS = new URL('src/Facts.php', import.meta.url)
const LINE = 100

const HEAD = `<?php

// Generated from the OpenAPI description by \`npm run docs\`: do not edit.

declare(strict_types=1);

namespace Karba;
`

export function phpFacts(): string {
  const facts = apiFacts()
  const { errorCodes, lists, bodies, operations } = facts
  const typeLine = (name: string, schema: Schema): string =>
    `@phpstan-type ${name} ${typeOf(facts, schema, '')}`
  const types = [
    ...lists.map(({ name, values }) => `@phpstan-type ${name} ${unionOf(values)}`),
    ...bodies.map(({ name, schema }) => typeLine(name, schema)),
    ...operations.flatMap(({ id, query }) => {
      if (query.length === 0) return []
      const properties = Object.fromEntries(query.map((each) => [each.name, each.schema]))
      return [typeLine(`${id[0]?.toUpperCase()}${id.slice(1)}Query`, { properties, required: [] })]
    }),
  ]
  const constants = [
    { name: 'ErrorCode', about: 'The codes of the API’s errors.', values: errorCodes },
    ...lists,
  ].map(
    ({ name, about, values }) =>
      `    /** ${about} */\n    public const ${constantOf(name)} = [\n${values
        .map((value) => `        '${value}',\n`)
        .join('')}    ];\n`,
  )
  const about = [
    'The facts of the API: codes of errors, states, and the bodies of requests and answers.',
    '',
    ...types.flatMap((type) => type.split('\n')),
  ]
  const comment = about.map((line) => ` * ${line}`.trimEnd()).join('\n')
  return `${HEAD}\n/**\n${comment}\n */\nfinal class Facts\n{\n${constants.join('\n')}}\n`
}

const unionOf = (values: readonly string[]): string => values.map((value) => `'${value}'`).join('|')

/** A shape whose fields are on lines of their own where one line is too long. */
function typeOf(facts: ApiFacts, schema: Schema, indent: string): string {
  const { $ref, type, items, properties, additionalProperties, oneOf } = schema
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if ($ref !== undefined) return nameIn($ref)
  if (oneOf !== undefined) return oneOf.map((one) => typeOf(facts, one, indent)).join('|')
  if (values !== undefined) return listOf(facts, values)?.name ?? unionOf(values)
  if (Array.isArray(type)) return type.map(simple).join('|')
  if (items !== undefined) return `list<${typeOf(facts, items, indent)}>`
  if (properties !== undefined && Object.keys(properties).length > 0)
    return shapeOf(facts, schema, indent)
  if (type !== 'object') return simple(type ?? '')
  const value = typeof additionalProperties === 'object' ? additionalProperties : {}
  return `array<string, ${value.type === undefined ? 'mixed' : typeOf(facts, value, indent)}>`
}

function shapeOf(
  facts: ApiFacts,
  { properties = {}, required = [] }: Schema,
  indent: string,
): string {
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(
    ([name, value]) =>
      `${name}${required.includes(name) ? '' : '?'}: ${typeOf(facts, value, inner)}`,
  )
  const line = `array{${fields.join(', ')}}`
  return line.length <= LINE / 2
    ? line
    : `array{\n${fields.map((field) => `${inner}${field},\n`).join('')}${indent}}`
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'int',
  boolean: 'bool',
  null: 'null',
}

function simple(type: string): string {
  const known = SIMPLE[type]
  if (known === undefined) throw new Error(`${type} has no PHP type`)
  return known
}

/** `PaymentStatus` → `PAYMENT_STATUS`. */
const constantOf = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()

if (import.meta.main) {
  writeFileSync(FACTS, phpFacts())
  process.stdout.write('clients/php/src/Facts.php\n')
}
