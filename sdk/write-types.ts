// The SDK's types and the codes of the API's errors, generated from docs/openapi.json. `npm run
// docs` writes them to src/api-types.ts and src/error-codes.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import openapiTS, { astToString, type OpenAPI3, type SchemaObject } from 'openapi-typescript'
import { apiFacts } from '../clients/api-facts.ts'

const DESCRIPTION = new URL('../docs/openapi.json', import.meta.url)
const TYPES = new URL('src/api-types.ts', import.meta.url)
const CODES = new URL('src/error-codes.ts', import.meta.url)
const NOTICE =
  '// Generated from the OpenAPI description by `npm run docs`: do not edit. The bodies of the API.\n'

/** Names that JavaScript already uses. */
const RENAMED = new Map([
  ['Error', 'ErrorBody'],
  ['Failure', 'FailureBody'],
  ['Event', 'KarbaEvent'],
])

export async function apiTypes(): Promise<string> {
  const { openapi, info, paths, components } = JSON.parse(
    readFileSync(DESCRIPTION, 'utf8'),
  ) as OpenAPI3
  const bodies = Object.entries(components?.schemas ?? {}) as [name: string, body: Body][]
  // The generator turns an object with `anyOf: [{ required }]` into `unknown`.
  for (const [, body] of bodies) if (body.properties !== undefined) delete body.anyOf
  const schemas = bodies.map(([name, body]) => [
    RENAMED.get(name) ?? name,
    asExtension(body, bodies),
  ])
  const renamed = JSON.stringify(Object.fromEntries(schemas)).replace(
    /(#\/components\/schemas\/)(\w+)/g,
    (_whole, path: string, name: string) => path + (RENAMED.get(name) ?? name),
  )
  const document: OpenAPI3 = {
    openapi,
    info,
    paths: {},
    components: { schemas: JSON.parse(renamed) },
  }
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true, defaultNonNullable: false }
  return NOTICE + shortened(astToString(await openapiTS(document, options))) + queryTypes(paths)
}

/** The queries of lists, by the operations that take them. */
const QUERIES = {
  PaymentsQuery: 'listPayments',
  RefundsQuery: 'listRefunds',
  SettlementsQuery: 'listSettlements',
  PageQuery: 'readSettlement',
  EntriesQuery: 'listEntries',
}

function queryTypes(paths: OpenAPI3['paths']): string {
  const operations = Object.values(paths ?? {}).flatMap((item) => Object.values(item)) as Called[]
  return Object.entries(QUERIES)
    .map(([name, id]) => {
      const { parameters = [] } = operations.find(({ operationId }) => operationId === id) ?? {}
      const lines = parameters
        .filter((each) => each.in === 'query')
        .map(
          (each) => `    /** ${each.description} */\n    ${each.name}?: ${typeOf(each.schema)};\n`,
        )
      return `export interface ${name} {\n${lines.join('')}}\n`
    })
    .join('')
}

interface Called {
  operationId?: string
  parameters?: {
    name: string
    in: string
    description: string
    schema: { type: string; enum?: string[] }
  }[]
}

function typeOf({ type, enum: names }: { type: string; enum?: string[] }): string {
  if (names !== undefined) return names.map((name) => JSON.stringify(name)).join(' | ')
  return type === 'integer' ? 'number' : 'string'
}

type Body = SchemaObject & { properties?: Record<string, object>; required?: string[] }

/**
 * A body with all fields of another is that one and its own fields, so that none is written twice.
 */
function asExtension(body: Body, bodies: readonly [name: string, body: Body][]): SchemaObject {
  const { properties = {}, required = [], ...about } = body
  const isRequired = (each: Body, field: string): boolean => each.required?.includes(field) ?? false
  const isPart = (part: Body): boolean =>
    Object.entries(part.properties ?? {}).every(
      ([field, value]) =>
        isDeepStrictEqual(properties[field], value) &&
        isRequired(body, field) === isRequired(part, field),
    )
  const sizeOf = (part: Body): number => Object.keys(part.properties ?? {}).length
  const [base] = bodies
    .filter(
      ([, part]) => sizeOf(part) >= LEAST_SHARED && sizeOf(part) < sizeOf(body) && isPart(part),
    )
    .sort(([, one], [, other]) => sizeOf(other) - sizeOf(one))
  if (base === undefined) return body
  const [name, shared] = base
  const own = Object.fromEntries(
    Object.entries(properties).filter(([field]) => !Object.hasOwn(shared.properties ?? {}, field)),
  )
  const rest = {
    type: 'object',
    properties: own,
    required: required.filter((field) => Object.hasOwn(own, field)),
  }
  return { ...about, allOf: [{ $ref: `#/components/schemas/${name}` }, rest] } as SchemaObject
}

const LEAST_SHARED = 4

/** Every code that `Svc-Error-Code` can have. */
export function errorCodes(): string {
  const codes = apiFacts().errorCodes.map((code) => `  '${code}',\n`)
  return `// Generated from the OpenAPI description by \`npm run docs\`: do not edit. The codes of the API's errors.\nexport const API_ERROR_CODES = [\n${codes.join('')}] as const\n`
}

/**
 * Without empty types and tags that repeat an enumeration; comments and maps are on one line each.
 */
const shortened = (types: string): string =>
  types
    .replace(/^export type \S+ = Record<string, never>;\n/gm, '')
    .replace(/^ *(?:\/\*\* @enum \{string\} \*\/|\* @enum \{string\})\n/gm, '')
    .replace(/\* (Format: [\w-]+)\n *\* @description (.*)\n/g, '* $2 $1.\n')
    .replace(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */')
    .replace(/\/\*\* @description /g, '/** ')
    .replace(/\{\n *(\[key: string\]: \w+;)\n *\}/g, '{ $1 }')

if (import.meta.main) {
  writeFileSync(TYPES, await apiTypes())
  writeFileSync(CODES, errorCodes())
  process.stdout.write('sdk/src/api-types.ts\nsdk/src/error-codes.ts\n')
}
