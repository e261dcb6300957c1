// Generates the page and the schema of the operators file, with the options of each connector.
import { z } from 'zod'
import { CONNECTORS } from '../operators/connectors/all.ts'
import { FILE } from '../service/operators-file.ts'

/** A credential, as the file has it. */
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

const schemaOf = (type: z.ZodType): Schema => z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema

export function operatorsFileSchema(): string {
  const options = Object.fromEntries(CONNECTORS.map((each) => [each.name, schemaOf(each.options(SECRET))]))
  return `${JSON.stringify({ ...schemaOf(FILE), $defs: options }, null, 2)}\n`
}

export function operatorsFileLines(): string[] {
  const part = (schemaOf(FILE).properties?.live ?? {}) as Schema
  const { connections, routes } = part.properties ?? {}
  return [
    '`KARBA_OPERATORS_FILE` names a JSON file with a part for each environment that it connects, `live` and `sandbox`; the other keeps the simulated',
    'network (in production, live then has none). A mistake stops the start and names its place. Secrets are read from elsewhere: `{"env": "NAME"}`',
    'or `{"file": "path"}`. Schema for editors: [operators-file.schema.json](operators-file.schema.json). Going live: [operators.md](operators.md).',
    '',
    '```json',
    JSON.stringify(EXAMPLE, null, 2),
    '```',
    '',
    '## A connection',
    '',
    ...table(connections?.items),
    '',
    '## A route',
    '',
    routes?.description ?? '',
    '',
    ...(routes?.items?.anyOf ?? []).flatMap((form) => [...table(form), '']),
    ...CONNECTORS.flatMap(connectorLines),
  ]
}

const EXAMPLE = {
  live: {
    connections: [
      {
        name: 'mtn-benin',
        connector: 'mtn-momo',
        limits: { request: { atOnce: 20 }, status: { atOnce: 5, perSecond: 10 } },
        options: {
          subscriptionKey: { env: 'MTN_SUBSCRIPTION_KEY' },
          apiUser: { env: 'MTN_API_USER' },
          apiKey: { file: '/run/secrets/mtn-api-key' },
        },
      },
      {
        name: 'fedapay-shop',
        connector: 'fedapay',
        options: {
          secretKey: { file: '/run/secrets/fedapay-key' },
          webhookSecret: { file: '/run/secrets/fedapay-webhook' },
        },
      },
    ],
    routes: [
      { operator: 'mtn_bj', connection: 'mtn-benin' },
      { operator: 'moov_bj', connection: 'fedapay-shop' },
      { operator: 'airtel_ne', connection: 'fedapay-shop' },
      { method: 'bank_card', connection: 'fedapay-shop' },
    ],
  },
}

function connectorLines({ name, addresses, prompts, pages, options }: (typeof CONNECTORS)[number]): string[] {
  const address = ([environment, url]: [string, string]): string => `\`${url}\` (${environment})`
  const known = Object.entries(addresses).map(address)
  return [
    `## ${name}`,
    '',
    `Prompts customers of ${prompts.join(', ')}${pages.length === 0 ? '' : `; its page takes ${pages.join(', ')}`}.`,
    known.length === 0 ? 'Its address is the one of the contract.' : `Its address is ${known.join(', ')}.`,
    `[Facts and sources](../server/src/operators/connectors/${name}/facts.md).`,
    '',
    ...table(schemaOf(options(SECRET))),
    '',
  ]
}

function table(schema: Schema = {}): string[] {
  const rows = rowsOf(schema)
  return rows.length === 0 ? [] : ['| field | what it is | default |', '|---|---|---|', ...rows]
}

function rowsOf({ properties = {}, required = [] }: Schema, under = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${under}${name}`
    const isNeeded = required.includes(name) && field.default === undefined
    const byDefault = field.default === undefined ? (isNeeded ? 'needed' : '') : `\`${JSON.stringify(field.default)}\``
    const about = [field.description ?? '', choicesOf(field)].filter((text) => text !== '').join(' ')
    return [`| \`${path}\` | ${about.replaceAll('|', '\\|')} | ${byDefault} |`, ...rowsOf(field, `${path}.`)]
  })
}

function choicesOf({ enum: values, anyOf }: Schema): string {
  const choices = values ?? anyOf?.flatMap((each) => (each.const === undefined ? [] : [each.const])) ?? []
  return choices.length === 0 ? '' : `One of ${choices.map((each) => `\`${String(each)}\``).join(', ')}.`
}
