// Every setting of the service in one table, which is also its manual: docs/config.md and `karba
// config` are made from it. Reads only the environment variables that it is given.
import { isIP } from 'node:net'
import { COUNTRIES, isCountry, operatorNames } from './domain/countries/country.ts'
import type { Environment } from './domain/environment.ts'
import type { CallKind } from './domain/operators/operator-call.ts'
import type { PrefixRoute } from './operators/registry.ts'
import { readAllowedTargets, type TargetRules } from './webhooks/safe-address.ts'

export type Mode = 'development' | 'production'
export type Role = 'all' | 'api' | 'worker'

/**
 * Something that the person who starts the service must change. Shown as one sentence, without a
 * stack.
 */
export class SettingRefused extends Error {
  override name = 'SettingRefused'
}

/**
 * Retries of a webhook take about four days, or nine when a receiver asks for the longest pauses.
 */
const SHORTEST_EVENTS_DAYS = 10

interface Setting<T> {
  env: string
  /**
   * Throws the rest of a sentence that begins with the setting's name ("must be …") when the text
   * is not valid.
   */
  read(text: string): T
  default: string
  about: string
  /** Never printed. */
  secret?: true
}

export const SETTINGS = {
  port: {
    env: 'PORT',
    read: integer(0, 65_535),
    default: '8080',
    about: 'Port to listen on; 0 takes any free one.',
  },
  host: {
    env: 'HOST',
    read: text,
    default: '127.0.0.1',
    about: 'Address to listen on; `0.0.0.0` for all.',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    read: databaseUrl,
    default: 'sqlite:./data/karba.db',
    about:
      '`sqlite:` and a file, or `postgres://…`. Several hosts, `postgres://karba@one:5432,two:5432/karba`, are a primary and its standbys.',
    secret: true,
  },
  publicUrl: {
    env: 'PUBLIC_URL',
    read: httpUrl,
    default: '',
    about:
      'Public address, without a path. The dashboard accepts changes only from this origin; without it, only from localhost.',
  },
  dataDir: {
    env: 'KARBA_DATA_DIR',
    read: text,
    default: './data',
    about: 'Folder of the master key and of SQLite’s files.',
  },
  mode: {
    env: 'KARBA_MODE',
    read: oneOf<Mode>('development', 'production'),
    default: 'development',
    about: '`production` makes no demo merchant, and never runs live on the simulated network.',
  },
  role: {
    env: 'KARBA_ROLE',
    read: oneOf<Role>('all', 'api', 'worker'),
    default: 'all',
    about:
      '`api` answers merchants; `worker` settles, delivers, and answers only callbacks and health checks; `all` does both.',
  },
  masterKey: {
    env: 'KARBA_MASTER_KEY',
    read: masterKey,
    default: '',
    about:
      '64 hexadecimal digits, the same in all processes of a database. Without it, the first start writes `master.key` to KARBA_DATA_DIR.',
    secret: true,
  },
  logLevel: {
    env: 'KARBA_LOG_LEVEL',
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    about: 'Lowest level to log; `info` has one line for each request.',
  },
  logFormat: {
    env: 'KARBA_LOG_FORMAT',
    read: oneOf('auto', 'json', 'text'),
    default: 'auto',
    about:
      'Log lines as `json` or as readable `text`; `auto` is text in a terminal and JSON elsewhere.',
  },
  sandboxDelayMs: {
    env: 'KARBA_SANDBOX_DELAY_MS',
    read: integer(0, 3_600_000),
    default: '2000',
    about: 'Time that the simulated network takes to decide a payment.',
  },
  sandboxSeed: {
    env: 'KARBA_SANDBOX_SEED',
    read: integer(0, 2 ** 31),
    default: '0',
    about: 'Other than 0, it decides the outcome of ordinary numbers; with 0 they succeed.',
  },
  simulatorUrl: {
    env: 'KARBA_SIMULATOR_URL',
    read: httpUrl,
    default: '',
    about:
      'Address of a `karba simulator` process, without a path, instead of the simulated network in this process.',
  },
  operators: {
    env: 'KARBA_OPERATORS',
    read: listOf(knownOperator),
    default: COUNTRIES.flatMap(operatorNames).join(','),
    about:
      'Operators of the simulated network. Numbers of other operators go to the country’s default operator, else to its first.',
  },
  operatorsFile: {
    env: 'KARBA_OPERATORS_FILE',
    read: text,
    default: '',
    about:
      'JSON file that connects real networks: docs/operators.md. An environment in this file has no simulated network.',
  },
  networkAddresses: {
    env: 'KARBA_NETWORK_ADDRESSES',
    read: listOf(networkAddress),
    default: '',
    about:
      'Addresses of networks for connections that merchants enter in the dashboard, where the connector has none or a simulator takes its place: `live/airtel-money=https://…`. Merchants enter no address.',
  },
  operatorPrefixes: {
    env: 'KARBA_OPERATOR_PREFIXES',
    read: listOf(prefixRoute),
    default: '',
    about:
      'Prefixes that differ from the built-in table: `NE:93=airtel_ne,BJ:40=mtn_bj`. The first two of the subscriber’s eight digits.',
  },
  operatorLimits: {
    env: 'KARBA_OPERATOR_LIMITS',
    read: listOf(operatorLimit),
    default: '',
    about:
      'Concurrent calls of this process to an operator of the simulated network, by default 160 requests and 40 status calls: `mtn_bj:request=20,mtn_bj:status=5`.',
  },
  operatorTimeoutMs: {
    env: 'KARBA_OPERATOR_TIMEOUT_MS',
    read: integer(100, 15_000),
    default: '10000',
    about:
      'Deadline of a call to an operator; a late answer counts as unknown, never as a failure.',
  },
  webhookTimeoutMs: {
    env: 'KARBA_WEBHOOK_TIMEOUT_MS',
    read: integer(100, 20_000),
    default: '10000',
    about: 'Deadline of a webhook attempt, from connecting to the last byte.',
  },
  webhookAllow: {
    env: 'KARBA_WEBHOOK_ALLOW',
    read: allowedTargets,
    default: '',
    about:
      'Private networks, addresses and host names that webhooks may go to. Development allows this machine too.',
  },
  trustProxy: {
    env: 'KARBA_TRUST_PROXY',
    read: networks,
    default: '',
    about: 'Addresses or networks of your reverse proxies: only their forwarding headers count.',
  },
  publicRate: {
    env: 'KARBA_PUBLIC_RATE',
    read: integer(0, 1_000_000),
    default: '100',
    about:
      'Reads of public pages a second for each address: payment links, logos, API reference. Bursts have five times as many; 0 for no limit.',
  },
  connections: {
    env: 'KARBA_CONNECTIONS',
    read: integer(10, 1_000_000),
    default: '10000',
    about:
      'Most connections of this process, lowered to fit `ulimit -n`. When full, the longest idle one is evicted.',
  },
  connectionsPerAddress: {
    env: 'KARBA_CONNECTIONS_PER_ADDRESS',
    read: integer(1, 1_000_000),
    default: '2000',
    about:
      'Most connections of one address or IPv6 /64. KARBA_TRUST_PROXY and this machine are exempt.',
  },
  stopWithinMs: {
    env: 'KARBA_STOP_WITHIN_MS',
    read: integer(1_000, 600_000),
    default: '10000',
    about: 'Deadline of a stop. Unfinished work is left as after a crash; nothing is lost.',
  },
  keepStoryDays: {
    env: 'KARBA_KEEP_STORY_DAYS',
    read: integer(0, 36_500),
    default: '0',
    about:
      'Days until the history (operator exchanges) of a settled payment is removed; 0 keeps it. Payment and events stay.',
  },
  keepEventsDays: {
    env: 'KARBA_KEEP_EVENTS_DAYS',
    read: zeroOr(integer(SHORTEST_EVENTS_DAYS, 36_500)),
    default: '0',
    about:
      'Days until events are removed with their deliveries; 0 keeps them. An event with a waiting delivery stays, and so do all after it. Readers of the feed must be faster: an older cursor gets 410.',
  },
  keepDeliveriesDays: {
    env: 'KARBA_KEEP_DELIVERIES_DAYS',
    read: integer(0, 36_500),
    default: '0',
    about:
      'Days until finished webhook deliveries are removed with their attempts; 0 keeps them as long as events.',
  },
  keepAttemptsDays: {
    env: 'KARBA_KEEP_ATTEMPTS_DAYS',
    read: integer(0, 36_500),
    default: '0',
    about:
      'Days until the attempts of finished webhook deliveries are removed; 0 keeps them as long as deliveries.',
  },
  keepWebhookAnswersDays: {
    env: 'KARBA_KEEP_WEBHOOK_ANSWERS_DAYS',
    read: integer(0, 36_500),
    default: '0',
    about: 'Days until receivers’ answers are removed from webhook attempts; 0 keeps them.',
  },
  requestLogRate: {
    env: 'KARBA_REQUEST_LOG_RATE',
    read: integer(0, 10_000),
    default: '200',
    about:
      'Most API requests a second that this process writes to the developers’ request log; refusals are dropped last. 0 writes none.',
  },
  keepRequestsDays: {
    env: 'KARBA_KEEP_REQUESTS_DAYS',
    read: integer(0, 36_500),
    default: '7',
    about: 'Days until requests are removed from that log; 0 keeps them.',
  },
  keepUntilArchived: {
    env: 'KARBA_KEEP_UNTIL_ARCHIVED',
    read: oneOf('no', 'yes'),
    default: 'no',
    about:
      '`yes` removes histories, events, deliveries and attempts only of months that `karba archive write` has written.',
  },
  keepStatementFilesDays: {
    env: 'KARBA_KEEP_STATEMENT_FILES_DAYS',
    read: integer(0, 36_500),
    default: '400',
    about: 'Days until imported statement files are removed; 0 keeps them. Their lines stay.',
  },
  postgresPool: {
    env: 'KARBA_POSTGRES_POOL',
    read: integer(2, 500),
    default: '10',
    about: 'Most PostgreSQL connections of this process.',
  },
  metricsToken: {
    env: 'KARBA_METRICS_TOKEN',
    read: text,
    default: '',
    about:
      'Bearer token for /metrics. Without it, /metrics is open in development and absent in production.',
    secret: true,
  },
  smtpUrl: {
    env: 'KARBA_SMTP_URL',
    read: smtpUrl,
    default: '',
    about:
      'Mail server: `smtps://user:password@mail.example:465`. Without it, emails wait in production; in development they appear in the log and on a page whose address the start prints.',
    secret: true,
  },
  mailFrom: {
    env: 'KARBA_MAIL_FROM',
    read: text,
    default: 'Karba <karba@localhost>',
    about: 'Sender of emails.',
  },
  refundApprovalAbove: {
    env: 'KARBA_REFUND_APPROVAL_ABOVE',
    read: integer(0, 1_000_000_000),
    default: '500000',
    about:
      'Live refunds of a payment whose sum is above this amount in francs need a second person’s approval; 0 for none.',
  },
} as const satisfies Record<string, Setting<unknown>>

type Settings = typeof SETTINGS
export type Config = { [Name in keyof Settings]: ReturnType<Settings[Name]['read']> }

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  refuseUnknown(env)
  const config = {} as Record<string, unknown>
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const given = env[setting.env]
    try {
      config[name] = setting.read(given === undefined || given === '' ? setting.default : given)
    } catch (error) {
      const shown = setting.secret || given === undefined ? '' : ` It is ${JSON.stringify(given)}.`
      throw new SettingRefused(`${setting.env} ${(error as Error).message}.${shown}`)
    }
  }
  if (!env[SETTINGS.databaseUrl.env])
    config.databaseUrl = `sqlite:${config.dataDir as string}/karba.db`
  return config as Config
}

/** Of merchants' tools: the guides export it, and a command in the same shell must work. */
const OTHER_NAMES = ['KARBA_URL']

/** A misspelt name must not silently leave a setting at its default. */
function refuseUnknown(env: Readonly<Record<string, string | undefined>>): void {
  const known = new Set<string>([
    ...Object.values(SETTINGS).map((setting) => setting.env),
    ...OTHER_NAMES,
  ])
  for (const name of Object.keys(env)) {
    if (name.startsWith('KARBA_') && !known.has(name)) {
      throw new SettingRefused(
        `${name} is not a setting of Karba. \`npm run karba -- config\` lists them all.`,
      )
    }
  }
}

// The readers. Each throws the rest of a sentence that begins with the setting's name ("must be …")
// when the text is not valid.

function text(given: string): string {
  return given
}

export function integer(least: number, most: number): (given: string) => number {
  return (given) => {
    const value = Number(given)
    if (!/^\d+$/.test(given) || value < least || value > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`)
    }
    return value
  }
}

function zeroOr(read: (given: string) => number): (given: string) => number {
  return (given) => {
    if (given === '0') return 0
    try {
      return read(given)
    } catch (error) {
      throw new Error((error as Error).message.replace('must be ', 'must be 0, or '), {
        cause: error,
      })
    }
  }
}

function oneOf<Value extends string>(...values: Value[]): (given: string) => Value {
  return (given) => {
    if (!values.includes(given as Value)) throw new Error(`must be one of: ${values.join(', ')}`)
    return given as Value
  }
}

function listOf<T>(read: (item: string) => T): (given: string) => readonly T[] {
  return (given) => {
    const items = given.split(',').map((item) => item.trim())
    return [...new Set(items)].filter((item) => item !== '').map(read)
  }
}

function knownOperator(name: string): string {
  const known = COUNTRIES.flatMap(operatorNames)
  if (!known.includes(name)) throw new Error(`may name these alone: ${known.join(', ')}`)
  return name
}

function prefixRoute(item: string): PrefixRoute {
  const [, country, prefix, operator] = /^(\w+):(\d\d)=(\w+)$/.exec(item) ?? []
  if (prefix === undefined || operator === undefined)
    throw new Error('must be written like NE:93=airtel_ne')
  if (!isCountry(country))
    throw new Error(`may name these countries alone: ${COUNTRIES.join(', ')}`)
  const known = operatorNames(country)
  if (!known.includes(operator))
    throw new Error(`may name these in ${country} alone: ${known.join(', ')}`)
  return { country, prefix, operator }
}

export interface NetworkAddress {
  environment: Environment
  connector: string
  address: string
}

function networkAddress(item: string): NetworkAddress {
  const [, environment, connector = '', address = ''] =
    /^(live|sandbox)\/([a-z-]+)=(.+)$/.exec(item) ?? []
  if (environment === undefined || !/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    throw new Error('must be written like live/airtel-money=https://network.example')
  return { environment: environment as Environment, connector, address }
}

export interface OperatorLimit {
  operator: string
  kind: CallKind
  most: number
}

function operatorLimit(item: string): OperatorLimit {
  const [, operator, kind, most] = /^(\w+):(request|status)=(\d{1,4})$/.exec(item) ?? []
  if (operator === undefined || Number(most) < 1)
    throw new Error('must be written like mtn_bj:request=20')
  return { operator: knownOperator(operator), kind: kind as CallKind, most: Number(most) }
}

function databaseUrl(given: string): string {
  if (!/^sqlite:.+/.test(given) && !/^postgres(ql)?:\/\/.+/.test(given)) {
    throw new Error('must begin with sqlite: or postgres://')
  }
  return given
}

function httpUrl(given: string): string {
  if (given === '') return given
  const url = URL.parse(given)
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.search !== ''
  ) {
    throw new Error('must be an http or https address without a path')
  }
  return url.origin
}

function smtpUrl(given: string): string {
  if (given !== '' && !/^smtps?:$/.test(URL.parse(given)?.protocol ?? '')) {
    throw new Error('must begin with smtp:// or smtps://')
  }
  return given
}

export function masterKey(given: string): string {
  if (given !== '' && !/^[0-9a-fA-F]{64}$/.test(given))
    throw new Error('must be 64 hexadecimal digits')
  return given.toLowerCase()
}

/** Checks only: Fastify takes the list as text. */
function networks(given: string): string {
  const isNetwork = (each: string): boolean => {
    const [address = '', bits = '0', ...more] = each.split('/')
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] as number
    return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
  }
  if (given !== '' && !given.split(',').every(isNetwork))
    throw new Error('must be addresses or networks such as 10.0.0.0/8')
  return given
}

/** Checks only: targetRules reads the list again. */
function allowedTargets(given: string): string {
  if (given !== '') readAllowedTargets(given)
  return given
}

/**
 * Receivers on this machine, allowed in development; in production only addresses that the settings
 * list.
 */
const OWN_MACHINE = '127.0.0.0/8,::1,localhost'

/** Which addresses webhooks may go to. */
export function targetRules({
  mode,
  webhookAllow,
}: Pick<Config, 'mode' | 'webhookAllow'>): TargetRules {
  const own = mode === 'development' ? OWN_MACHINE : ''
  return {
    allowPlainHttp: false,
    allowed: [own, webhookAllow].filter((text) => text !== '').flatMap(readAllowedTargets),
  }
}
