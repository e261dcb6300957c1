// Generates the page and the schema of the operators file, with the options of each connector.
import { z } from 'zod'
import { CONNECTORS } from '../operators/connectors/all.ts'
import { FILE } from '../service/operators-file.ts'

const SECRET = z
  .union([z.strictObject({ env: z.string() }), z.strictObject({ file: z.string() })])
  .describe('A secret: {"env": "NAME"} or {"file": "path"}.') as unknown as z.ZodType<string>

interface Schema {
  type?: string
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
}

const schemaOf = (type: z.ZodType): Schema =>
  z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema

export const operatorsFileSchema = (): object => ({
  ...schemaOf(FILE),
  $defs: Object.fromEntries(CONNECTORS.map((each) => [each.name, schemaOf(each.options(SECRET))])),
})

export function operatorsFileLines(): string[] {
  const part = (schemaOf(FILE).properties?.live ?? {}) as Schema
  const { connections, routes } = part.properties ?? {}
  return [
    '`KARBA_OPERATORS_FILE` names a JSON file with a part for each environment that it connects, `live` and `sandbox`. A mistake stops the start with its',
    'place. Defaults are in parentheses. A secret is `{"env": "NAME"}` or `{"file": "path"}`. [Schema for editors](operators-file.schema.json). [Going live](operators.md).',
    '',
    '```json',
    EXAMPLE,
    '```',
    '',
    '## A connection',
    '',
    ...rowsOf(connections?.items),
    '',
    '## A route',
    '',
    routes?.description ?? '',
    '',
    ...(routes?.items?.anyOf ?? []).flatMap((form) => rowsOf(form)),
    '',
    ...CONNECTORS.flatMap(connectorLines),
  ]
}

const EXAMPLE = `{
  "live": {
    "connections": [
      {
        "name": "mtn-benin",
        "connector": "mtn-momo",
        "limits": { "request": { "atOnce": 20 } },
        "options": {
          "subscriptionKey": { "env": "MTN_SUBSCRIPTION_KEY" },
          "apiUser": { "env": "MTN_API_USER" },
          "apiKey": { "file": "/run/secrets/mtn-api-key" }
        }
      },
      { "name": "fedapay-shop", "connector": "fedapay", "options": { "secretKey": { "file": "/run/secrets/fedapay-key" } } }
    ],
    "routes": [
      { "operator": "mtn_bj", "connection": "mtn-benin" },
      { "operator": "airtel_ne", "connection": "fedapay-shop" },
      { "method": "bank_card", "connection": "fedapay-shop" }
    ]
  }
}`

function connectorLines({
  name,
  addresses,
  prompts,
  pages,
  options,
}: (typeof CONNECTORS)[number]): string[] {
  const address = ([environment, url]: [string, string]): string => `\`${url}\` (${environment})`
  const known = Object.entries(addresses).map(address)
  return [
    `## ${name}`,
    '',
    `Prompts: ${prompts.join(', ')}.${pages.length === 0 ? '' : ` Page: ${pages.join(', ')}.`}`,
    known.length === 0 ? 'Address: by contract.' : `Address: ${known.join(', ')}.`,
    `[Facts and sources](../server/src/operators/connectors/${name}/facts.md).`,
    '',
    ...rowsOf(schemaOf(options(SECRET))),
    '',
  ]
}

function rowsOf({ properties = {}, required = [] }: Schema = {}, under = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${under}${name}`
    const isNeeded = required.includes(name) && field.default === undefined
    const mark = isNeeded ? ' (required)' : ''
    const byDefault = field.default === undefined ? mark : ` (\`${JSON.stringify(field.default)}\`)`
    const about = [field.description ?? '', choicesOf(field)]
      .filter((text) => text !== '')
      .join(' ')
    const nested = rowsOf(field, `${path}.`)
    // A field without a description has no row.
    if (about === '') return nested
    return [`- \`${path}\`${byDefault}: ${about}`, ...nested]
  })
}

function choicesOf({ enum: values, anyOf }: Schema): string {
  const choices =
    values ?? anyOf?.flatMap((each) => (each.const === undefined ? [] : [each.const])) ?? []
  return choices.length === 0
    ? ''
    : `One of ${choices.map((each) => `\`${String(each)}\``).join(', ')}.`
}
