// Reads the operators file: which networks are connected, with which credentials, and which of them
// serves whom. Every mistake is one sentence that says where it is. Secrets are read from the
// environment or files, and not shown.

import { z } from 'zod'
import { COUNTRIES, operatorNames } from '../domain/countries/country.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { HOSTED_METHODS, type HostedMethodName } from '../domain/methods/methods.ts'
import type { CallKind, CallLimit, CallLimits } from '../domain/operators/operator-call.ts'
import type { Connector } from '../operators/connector.ts'

export interface FileConnection {
  environment: Environment
  name: string
  connector: Connector
  address: string
  /**
   * Whether it takes new payments. Otherwise it only serves status calls and refunds of its earlier
   * payments.
   */
  takes: boolean
  limits: CallLimits
  /** The certificates that its server is trusted by, instead of the system's. */
  certificates: string | undefined
  /** As the connector's schema gives them. */
  options: unknown
  prompts: readonly string[]
  pages: readonly HostedMethodName[]
}

export interface OperatorsFile {
  /** In the order in which routes prefer them. */
  connections: readonly FileConnection[]
  /** The environments that the file configures: they have no simulated network. */
  environments: readonly Environment[]
}

export interface ReadingDeps {
  connectors: readonly Connector[]
  /** The value of an environment variable. */
  env(name: string): string | undefined
  /** The text of a file; throws when it cannot be read. */
  readText(path: string): string
  /** Whether live may use addresses of this machine: never in production. */
  isProduction: boolean
}

const NAME = /^[a-z][a-z0-9-]{1,39}$/
const LIMIT = z.strictObject({
  atOnce: z.int().min(1).max(1_000).optional(),
  perSecond: z.number().positive().max(100_000).optional(),
})
const CONNECTION = z.strictObject({
  name: z
    .string()
    .regex(NAME, 'must be small letters, digits and hyphens, such as mtn-benin')
    .describe(
      'Permanent name: it is written on each payment. Pages show `mtn-benin` as “MTN MoMo (Benin)”.',
    ),
  connector: z.string().describe('One of the connectors below.'),
  address: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('The network’s address, where it is not the connector’s default.'),
  takes: z
    .boolean()
    .default(true)
    .describe('`false`: no new payments, only those it already took.'),
  limits: z
    .strictObject({
      request: LIMIT.optional().describe('Payment requests: 40 `atOnce` by default.'),
      status: LIMIT.optional().describe('Status calls: 10 `atOnce` and 10 `perSecond` by default.'),
    })
    .optional()
    .describe('Limits of each process by kind of call: `atOnce` and `perSecond`.'),
  certificatesFile: z
    .string()
    .optional()
    .describe('PEM file of the certificates to trust instead of the system’s.'),
  options: z.record(z.string(), z.unknown()).default({}).describe('Options of the connector.'),
})
const ROUTE = z.union(
  [
    z.strictObject({
      operator: z
        .enum(COUNTRIES.flatMap(operatorNames))
        .describe('Operator whose customers are prompted.'),
      connection: z.string().describe('Name of the connection.'),
    }),
    z.strictObject({
      method: z.enum(HOSTED_METHODS).describe('Or a method on the provider’s page.'),
      connection: z.string(),
    }),
  ],
  'must be an operator or a method, and a connection: {"operator": "mtn_bj", "connection": "mtn-benin"}',
)
const PART = z.strictObject({
  connections: z.array(CONNECTION).min(1, 'must have at least one'),
  routes: z
    .array(ROUTE)
    .describe(
      'Of several routes for one operator, the first whose connection takes payments is used.',
    ),
})
/** Also the source of the schema in the documents. */
export const FILE = z.strictObject({ live: PART.optional(), sandbox: PART.optional() })

/**
 * Requests: a rate that networks usually accept. Status calls: the limit of the strictest network.
 */
export const USUAL_LIMITS: CallLimits = {
  request: { atOnce: 40 },
  status: { atOnce: 10, perSecond: 10 },
}

export function readOperatorsFile(
  text: string,
  deps: ReadingDeps,
): OperatorsFile | { mistakes: string[] } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return { mistakes: [`It is not JSON: ${(error as Error).message}`] }
  }
  const read = FILE.safeParse(json, { reportInput: true })
  if (!read.success) return { mistakes: mistakesOf(read.error, json) }
  const mistakes: string[] = []
  const connections: FileConnection[] = []
  for (const environment of ENVIRONMENTS) {
    const part = read.data[environment]
    if (part !== undefined) connections.push(...readPart(part, environment, deps, mistakes, json))
  }
  if (mistakes.length > 0) return { mistakes }
  return {
    connections,
    environments: ENVIRONMENTS.filter((environment) => read.data[environment] !== undefined),
  }
}

function readPart(
  { connections, routes }: z.infer<typeof PART>,
  environment: Environment,
  deps: ReadingDeps,
  mistakes: string[],
  json: unknown,
): FileConnection[] {
  const tell = (place: string, sentence: string): void =>
    void mistakes.push(`${environment}.${place} ${sentence}`)
  const served = new Map(
    connections.map(({ name }) => [
      name,
      { prompts: [] as string[], pages: [] as HostedMethodName[] },
    ]),
  )
  const connectorOf = new Map<string, Connector>()
  for (const [at, { name, connector }] of connections.entries()) {
    const known = deps.connectors.find((each) => each.name === connector)
    const place = `connections[${at}]`
    if (connections.findIndex((each) => each.name === name) !== at)
      tell(
        `${place}.name`,
        `is “${name}”, which another connection has: a name is one connection’s, for ever.`,
      )
    if (known === undefined) {
      const names = deps.connectors.map((each) => each.name).join(', ')
      tell(`${place}.connector`, `is “${connector}”; there are: ${names}.`)
    } else connectorOf.set(name, known)
  }
  const order: string[] = []
  for (const [at, route] of routes.entries()) {
    const to = served.get(route.connection)
    if (to === undefined) {
      tell(
        `routes[${at}].connection`,
        `is “${route.connection}”, and there is no connection of that name here.`,
      )
      continue
    }
    const connector = connectorOf.get(route.connection)
    if (connector === undefined) continue
    order.push(route.connection)
    if ('operator' in route) {
      if (!connector.prompts.includes(route.operator))
        tell(
          `routes[${at}].operator`,
          `is “${route.operator}”; ${connector.name} reaches ${list(connector.prompts)}.`,
        )
      else to.prompts.push(route.operator)
    } else if (!connector.pages.includes(route.method))
      tell(
        `routes[${at}].method`,
        `is “${route.method}”; ${connector.name} has ${list(connector.pages)}.`,
      )
    else to.pages.push(route.method)
  }
  return connections
    .flatMap((connection, at): FileConnection[] => {
      const connector = connectorOf.get(connection.name)
      const place = `connections[${at}]`
      const address = connection.address ?? connector?.addresses[environment]
      if (connector === undefined) return []
      if (address === undefined) {
        tell(
          `${place}.address`,
          `is missing: ${connector.name} has no address of its own for ${environment}.`,
        )
        return []
      }
      const wrong = wrongAddress(address, environment, deps)
      if (wrong !== undefined) tell(`${place}.address`, wrong)
      const options = connector
        .options(secretIn(deps))
        .safeParse(connection.options, { reportInput: true })
      if (!options.success) {
        mistakes.push(
          ...mistakesOf(options.error, json, [environment, 'connections', at, 'options']),
        )
        return []
      }
      const certificates = readCertificates(connection.certificatesFile, deps, (why) =>
        tell(`${place}.certificatesFile`, why),
      )
      const { name, takes, limits = {} } = connection
      const ofKind = (kind: CallKind): CallLimit => {
        const { atOnce = USUAL_LIMITS[kind].atOnce, perSecond = USUAL_LIMITS[kind].perSecond } =
          limits[kind] ?? {}
        return { atOnce, perSecond }
      }
      return [
        {
          environment,
          name,
          connector,
          address,
          takes,
          certificates,
          options: options.data,
          limits: { request: ofKind('request'), status: ofKind('status') },
          ...(served.get(name) as { prompts: string[]; pages: HostedMethodName[] }),
        },
      ]
    })
    .sort((a, b) => placeIn(order, a.name) - placeIn(order, b.name))
}

const placeIn = (order: readonly string[], name: string): number =>
  order.includes(name) ? order.indexOf(name) : order.length

const list = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '))

/** This machine's own addresses: where a simulator listens. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export function wrongAddress(
  address: string,
  environment: Environment,
  { isProduction }: Pick<ReadingDeps, 'isProduction'>,
): string | undefined {
  const { protocol, hostname } = new URL(address)
  const isOwn = LOOPBACK.test(hostname)
  if (isOwn && isProduction && environment === 'live')
    return 'leads to this machine, where only a simulator can be: live in production never uses one.'
  if (protocol !== 'https:' && !isOwn)
    return 'must begin with https:// unless it leads to this machine.'
  return undefined
}

function readCertificates(
  path: string | undefined,
  { readText }: ReadingDeps,
  tell: (why: string) => void,
): string | undefined {
  if (path === undefined) return undefined
  try {
    const text = readText(path)
    if (text.includes('BEGIN CERTIFICATE')) return text
    tell(`is ${path}, which has no certificate in it.`)
  } catch (error) {
    tell(
      `is ${path}, which cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'no reason was given'}.`,
    )
  }
  return undefined
}

/**
 * A credential: never in the file itself, so that the file can be shown, copied and kept with the
 * settings.
 */
function secretIn({ env, readText }: Pick<ReadingDeps, 'env' | 'readText'>): z.ZodType<string> {
  const form = 'must be {"env": "NAME"} or {"file": "path"}: secrets are not written into this file'
  const source = z.union(
    [z.strictObject({ env: z.string() }), z.strictObject({ file: z.string() })],
    form,
  )
  return source.transform((from, context) => {
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if ('env' in from) {
      const value = env(from.env)?.trim() ?? ''
      return value === ''
        ? refuse(`names the environment variable ${from.env}, which is not set`)
        : value
    }
    try {
      const value = readText(from.file).trim()
      return value === '' ? refuse(`names the file ${from.file}, which is empty`) : value
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return refuse(
        `names the file ${from.file}, which cannot be read: ${code ?? 'no reason was given'}`,
      )
    }
  }) as unknown as z.ZodType<string>
}

type Path = readonly PropertyKey[]

/** A sentence for each mistake. Values are not repeated: one may be a secret. */
function mistakesOf(error: z.ZodError, file: unknown, under: Path = []): string[] {
  return error.issues.map((issue) => sentence(issue, [...under, ...issue.path], file))
}

function sentence(issue: z.core.$ZodIssue, path: Path, file: unknown): string {
  const place = placeOf(path, file)
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `${place} is missing.`
        : `${place} must be ${A[issue.expected] ?? issue.expected}.`
    case 'unrecognized_keys':
      return `${place} has ${issue.keys.join(', ')}, which it does not know.`
    case 'invalid_value':
      return `${place} must be one of: ${issue.values.join(', ')}.`
    case 'too_small':
      return issue.message.startsWith('must')
        ? `${place} ${issue.message}.`
        : `${place} must be at least ${issue.minimum}.`
    case 'too_big':
      return `${place} must be at most ${issue.maximum}.`
    case 'invalid_format':
      return issue.format === 'url'
        ? `${place} must be an address that begins with https://.`
        : `${place} ${issue.message}.`
    default:
      if (issue.code === 'invalid_union' && issue.input === undefined) return `${place} is missing.`
      return `${place} ${issue.message}.`
  }
}

const A: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  object: 'an object: {…}',
  record: 'an object: {…}',
  array: 'a list: […]',
}

/** `live.connections[0] (mtn-benin).options.apiKey`, or the file itself. */
function placeOf(path: Path, file: unknown): string {
  let text = ''
  let at: unknown = file
  for (const step of path) {
    at = (at as Record<PropertyKey, unknown> | undefined)?.[step]
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`
    const name = typeof step === 'number' ? (at as { name?: unknown } | undefined)?.name : undefined
    if (typeof name === 'string' && /^[a-z0-9-]{1,40}$/.test(name)) text += ` (${name})`
  }
  return text === '' ? 'The file' : text
}
