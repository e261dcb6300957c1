// The SDK's types and the codes of the API's errors, generated from docs/openapi.json. `npm run docs` writes them to
// src/api-types.ts and src/error-codes.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import openapiTS, { astToString, type OpenAPI3, type SchemaObject } from 'openapi-typescript'

const DESCRIPTION = new URL('../docs/openapi.json', import.meta.url)
const TYPES = new URL('src/api-types.ts', import.meta.url)
const CODES = new URL('src/error-codes.ts', import.meta.url)
const NOTICE = '// Generated from the OpenAPI description by `npm run docs`: do not edit. The bodies of the API.\n'

/** Names that JavaScript already uses. */
const RENAMED = new Map([
  ['Error', 'ErrorBody'],
  ['Failure', 'FailureBody'],
  ['Event', 'KarbaEvent'],
])

export async function apiTypes(): Promise<string> {
  const { openapi, info, components } = JSON.parse(readFileSync(DESCRIPTION, 'utf8')) as OpenAPI3
  const schemas = Object.entries(components?.schemas ?? {}).map(([name, schema]) => {
    // The generator turns an object with `anyOf: [{ required }]` into `unknown`.
    if ('properties' in schema) delete (schema as SchemaObject).anyOf
    return [RENAMED.get(name) ?? name, schema]
  })
  const renamed = JSON.stringify(Object.fromEntries(schemas)).replace(
    /(#\/components\/schemas\/)(\w+)/g,
    (_whole, path: string, name: string) => path + (RENAMED.get(name) ?? name),
  )
  const document: OpenAPI3 = { openapi, info, paths: {}, components: { schemas: JSON.parse(renamed) } }
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true, defaultNonNullable: false }
  return NOTICE + shortened(astToString(await openapiTS(document, options)))
}

/** Every code that `Svc-Error-Code` can have. */
export function errorCodes(): string {
  const document = JSON.parse(readFileSync(DESCRIPTION, 'utf8')) as object
  const codes = [...new Set(codesIn(document))].sort().map((code) => `  '${code}',\n`)
  return `// Generated from the OpenAPI description by \`npm run docs\`: do not edit. The codes of the API's errors.\nexport const API_ERROR_CODES = [\n${codes.join('')}] as const\n`
}

function codesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) =>
    name === 'Svc-Error-Code' ? (value as { schema: { enum: string[] } }).schema.enum : codesIn(value),
  )
}

/** Without empty types and tags that repeat an enumeration; comments and maps are on one line each. */
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
