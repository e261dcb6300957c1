// Who may call the simulated MTN MoMo: subscription keys, API users, access tokens, and the
// provisioning API.
import { type PartDeps, parseObject, type WireReaction, type WireRequest } from '../network.ts'
import {
  ALREADY_EXISTS,
  BAD_REQUEST,
  INTERNAL_ERROR,
  NO_ENVIRONMENT,
  NO_SUBSCRIPTION_KEY,
  NO_SUCH_ADDRESS,
  NOT_FOUND,
  UNKNOWN_CLIENT,
  WRONG_CREDENTIALS,
  WRONG_ENVIRONMENT,
  WRONG_SUBSCRIPTION_KEY,
  WRONG_TOKEN,
} from './answers.ts'

export type Product = 'collection' | 'disbursement'

export interface ApiUser {
  id: string
  /** None before one was made. */
  key: string | undefined
  /** The host that callback addresses must have; any, where none was registered. */
  callbackHost: string | undefined
  environment: string
  /**
   * A user of the test environment belongs to the product whose subscription key made it; one of
   * production to all.
   */
  product: Product | undefined
}

export interface AccessDeps extends PartDeps {
  platform: 'old' | 'new'
  refusesTokenBody: boolean
  /** Registered from the start, and again after a reset. */
  users: readonly ApiUser[]
}

export const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const TOKEN_LIFE_S = 3_600
const SHORT_LIFE_S = 180
const SLOW_TOKEN_MS = 20_000

/** Who may call: its users and the tokens that were given to them. */
export interface Access extends AccessDeps {
  registered: Map<string, ApiUser>
  tokens: Map<string, Token>
  /** The number of tokens that were ever given. */
  minted: number
}

interface Token {
  user: ApiUser
  product: Product
  endsAt: number
}

export function openAccess(deps: AccessDeps): Access {
  const access: Access = { ...deps, registered: new Map(), tokens: new Map(), minted: 0 }
  resetAccess(access)
  return access
}

export function resetAccess({ users, registered, tokens }: Access): void {
  registered.clear()
  tokens.clear()
  for (const user of users) registered.set(user.id, { ...user })
}

const hex = ({ random }: Access, bytes: number): string =>
  Buffer.from(random.bytes(bytes)).toString('hex')

/** The product of the request's subscription key, or why the gateway refuses it. */
export function productOf({ headers, query }: WireRequest): Product | WireReaction {
  const key = headers['ocp-apim-subscription-key'] ?? query.get('subscription-key')
  if (!key) return NO_SUBSCRIPTION_KEY
  const found = Object.entries(SUBSCRIPTION_KEYS).find(([, valid]) => valid === key)
  return found === undefined ? WRONG_SUBSCRIPTION_KEY : (found[0] as Product)
}

export function provision(
  access: Access,
  { method, path, headers, body }: WireRequest,
  product: Product,
): WireReaction {
  const [id = '', verb = ''] = path.split('/').slice(3)
  if (method === 'POST' && id === '')
    return createUser(access, headers['x-reference-id'] ?? '', body, product)
  const user = access.registered.get(id)
  if (user === undefined) return UUID_V4.test(id) ? NOT_FOUND : BAD_REQUEST
  if (method === 'POST' && verb === 'apikey') {
    user.key = hex(access, 16)
    return { code: 201, body: { apiKey: user.key } }
  }
  return NO_SUCH_ADDRESS
}

function createUser(
  { registered }: Access,
  id: string,
  body: string,
  product: Product,
): WireReaction {
  const callbackHost = parseObject(body)?.providerCallbackHost
  if (!UUID_V4.test(id) || typeof callbackHost !== 'string' || callbackHost === '')
    return BAD_REQUEST
  if (registered.has(id)) return ALREADY_EXISTS
  registered.set(id, { id, key: undefined, callbackHost, environment: 'sandbox', product })
  return { code: 201 }
}

export function giveToken(
  access: Access,
  { headers, body }: WireRequest,
  product: Product,
): WireReaction {
  const { faults, platform, refusesTokenBody, registered } = access
  const environment = headers['x-target-environment']
  if (faults.strikes('token_500')) return { code: 500, body: { error: 'server_error' } }
  if (faults.strikes('token_refused')) return WRONG_CREDENTIALS
  if (refusesTokenBody && body !== '') return BAD_REQUEST
  const [id, key] = basicOf(headers.authorization)
  const user = registered.get(id)
  // The test environment has a host of its own, whose token call needs no header.
  const isTest = user?.environment === 'sandbox' && !environment
  if (platform === 'new' && !environment && !isTest) return NO_ENVIRONMENT
  if (platform === 'new' && user === undefined && registered.has(urlDecoded(id)))
    return INTERNAL_ERROR
  if (user === undefined) return platform === 'new' ? UNKNOWN_CLIENT : WRONG_CREDENTIALS
  if (user.key === undefined || user.key !== key) return WRONG_CREDENTIALS
  if (platform === 'new' && environment !== user.environment && !isTest) return NO_ENVIRONMENT
  return mint(access, user, product)
}

function mint(access: Access, user: ApiUser, product: Product): WireReaction {
  const { clock, faults, tokens } = access
  if (faults.strikes('new_token_ends_the_old')) {
    for (const [text, held] of tokens)
      if (held.user === user && held.product === product) tokens.delete(text)
  }
  const isShort = faults.strikes('short_tokens')
  const seconds = isShort ? SHORT_LIFE_S : TOKEN_LIFE_S
  // Numbered, so that no two are the same, even with equal random bytes.
  access.minted++
  const text = `eyJ0eXAiOiJKV1QifQ.${hex(access, 32)}.${access.minted}`
  tokens.set(text, { user, product, endsAt: clock.now() + seconds * 1_000 })
  return {
    code: 200,
    body: {
      access_token: text,
      token_type: 'access_token',
      expires_in: isShort ? String(seconds) : seconds,
    },
    ...(faults.strikes('slow_token') && { afterMs: SLOW_TOKEN_MS }),
  }
}

/** The user of the request's token, or why the gateway refuses it. */
export function userOf(
  { clock, faults, platform, tokens }: Access,
  { headers }: WireRequest,
  product: Product,
): ApiUser | WireReaction {
  if (faults.strikes('forgets_tokens')) tokens.clear()
  const held = tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
  if (held === undefined || held.product !== product || clock.now() >= held.endsAt)
    return WRONG_TOKEN
  const environment = headers['x-target-environment']
  if (!environment) return platform === 'new' ? NO_ENVIRONMENT : BAD_REQUEST
  const { user } = held
  const mayUse = environment === user.environment && (user.product ?? product) === product
  return mayUse ? user : WRONG_ENVIRONMENT
}

function basicOf(authorization = ''): [id: string, key: string] {
  const text = Buffer.from(/^Basic (.+)$/.exec(authorization)?.[1] ?? '', 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)]
}

/** Text that cannot be decoded is returned unchanged. */
export function urlDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// The credentials that clients use without making any: of Benin, and of the network's own test
// environment.

/** UUIDs: some clients refuse keys of another form. */
const SUBSCRIPTION_KEYS: Readonly<Record<Product, string>> = {
  collection: '6b61726b-6101-4c00-8000-0000000000c1',
  disbursement: '6b61726b-6101-4c00-8000-0000000000d1',
}

const ENVIRONMENT = 'mtnbenin'

/**
 * Of Benin. On the new platform a User ID is base64 text, and the platforms do not know each
 * other's users.
 */
const PRODUCTION = {
  old: {
    collection: ['6b61726b-6101-4c00-8000-000000000001', 'simulated-collection-api-key'],
    disbursement: ['6b61726b-6101-4c00-8000-000000000002', 'simulated-disbursement-api-key'],
  },
  new: {
    collection: ['c2ltdWxhdGVkLWNvbGxlY3Rpb24tdXNlcg==', 'simulated-collection-token'],
    disbursement: ['c2ltdWxhdGVkLWRpc2J1cnNlbWVudC11c2VyIQ==', 'simulated-disbursement-token'],
  },
} as const

const SANDBOX = {
  collection: ['6b61726b-6101-4c00-8000-000000000003', 'simulated-sandbox-collection-api-key'],
  disbursement: ['6b61726b-6101-4c00-8000-000000000004', 'simulated-sandbox-disbursement-api-key'],
} as const

type Platform = keyof typeof PRODUCTION

export function presetUsers(platform: Platform, callbackHost: string | undefined): ApiUser[] {
  const { collection, disbursement } = PRODUCTION[platform]
  const production = { callbackHost, environment: ENVIRONMENT, product: undefined }
  const sandbox = { callbackHost, environment: 'sandbox' }
  return [
    { id: collection[0], key: collection[1], ...production },
    { id: disbursement[0], key: disbursement[1], ...production },
    { id: SANDBOX.collection[0], key: SANDBOX.collection[1], ...sandbox, product: 'collection' },
    {
      id: SANDBOX.disbursement[0],
      key: SANDBOX.disbursement[1],
      ...sandbox,
      product: 'disbursement',
    },
  ]
}

export function credentialsOf(platform: Platform): Record<string, string> {
  const { collection, disbursement } = PRODUCTION[platform]
  return {
    targetEnvironment: ENVIRONMENT,
    subscriptionKey: SUBSCRIPTION_KEYS.collection,
    apiUser: collection[0],
    apiKey: collection[1],
    disbursementSubscriptionKey: SUBSCRIPTION_KEYS.disbursement,
    disbursementApiUser: disbursement[0],
    disbursementApiKey: disbursement[1],
    sandboxApiUser: SANDBOX.collection[0],
    sandboxApiKey: SANDBOX.collection[1],
    sandboxDisbursementApiUser: SANDBOX.disbursement[0],
    sandboxDisbursementApiKey: SANDBOX.disbursement[1],
  }
}
