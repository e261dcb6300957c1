// The pages about real networks that are made from the code: the operators file with the options of each connector, and the simulators with their
// credentials, numbers and faults.
import { z } from 'zod'
import { CONNECTORS } from '../operators/connectors/all.ts'
import { FILE } from '../service/operators-file.ts'
import { SIMULATED_NETWORKS } from '../simulator/networks/all.ts'

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
    '`KARBA_OPERATORS_FILE` names a JSON file that connects real networks. It has a part for each environment that it connects, `live` and',
    '`sandbox`; an environment that it does not speak of keeps the simulated network (in production, live then has none). A mistake stops the start',
    'with a sentence that says where it is. Secrets are never in the file: `{"env": "NAME"}` or `{"file": "path"}` says where each is read from.',
    'The schema for editors is [operators-file.schema.json](operators-file.schema.json); how to go live is in [operators.md](operators.md).',
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

const NOTHING = {
  clock: { now: () => 0, after: () => () => {} },
  random: { bytes: (count: number) => new Uint8Array(count) },
}

export function simulatorLines(): string[] {
  return [
    'To develop against a network one needs an account there, test numbers that do what the real ones do, and its failures on demand. These servers give',
    'that without an account: each speaks its network’s own API, refuses what the network refuses, keeps books, and fails on demand. Any client of the network',
    'can be pointed at one, with only its base address changed. They run on Node alone, keep nothing on disk, and listen on this machine only.',
    '',
    '```sh',
    'npm run -s karba -- simulator --network mtn-momo --port 4556',
    '```',
    '',
    'They are written from the networks’ public documents and from what others have met in the field; none was held against the real network.',
    '`--callbacks-to` gives the address that a network’s portal would ask for; `--decide-after` says how long payers take.',
    '',
    '## Control',
    '',
    '| call | what it does |',
    '|---|---|',
    '| `GET /control` | credentials, numbers and faults |',
    '| `GET /control/payments` | the books: status, debits, refunds and requests of each payment |',
    '| `POST /control/payments/{id}/decision` `{"decision": "approve"}` | the payer’s decision: `approve`, `decline`, `ignore`, `no_funds` |',
    '| `GET /control/faults` | which faults are on |',
    '| `POST /control/faults` `{"name": "…", "times": 1}` | switches a fault on, for so many times or until it is switched off |',
    '| `DELETE /control/faults[/{name}]` | switches one off, or all |',
    '| `POST /control/reset` | forgets everything |',
    '',
    ...Object.entries(SIMULATED_NETWORKS).flatMap(([name, make]) => {
      const { credentials, numbers, faults } = make(
        { ...NOTHING, decideAfterMs: 0, sendCallback: async () => undefined },
        undefined,
      )
      return [
        `## ${name}`,
        '',
        ...list('credential', 'value', credentials),
        '',
        ...list('number', 'what happens', numbers),
        '',
        ...list('fault', 'what the network does', faults.known),
        '',
      ]
    }),
  ]
}

const list = (what: string, means: string, entries: Readonly<Record<string, string>>): string[] => [
  `| ${what} | ${means} |`,
  '|---|---|',
  ...Object.entries(entries).map(([name, text]) => `| \`${name}\` | ${text} |`),
]
