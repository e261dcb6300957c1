// The options of an MTN MoMo connection, MTN's two platforms, and the calls to its products with
// their tokens. Details that sources leave open, or that depend on the contract, are options.
import { isIP } from 'node:net'
import { z } from 'zod'
import type { Environment } from '../../../domain/environment.ts'
import { authorizedCall, bearerToken, type MintedToken, readToken } from '../../bearer-token.ts'
import { type ConnectionDeps, msisdnDigits } from '../../connector.ts'
import type { Call, CallResult } from '../../http-call.ts'
import type { Unknown } from '../../operator.ts'
import { readTokenRefusal, refusesToken } from './translate.ts'

/** How the platforms differ. A payment's status can be read only on the platform that took it. */
export const PLATFORMS = {
  old: {
    address: 'https://proxy.momoapi.mtn.com',
    credentials: 'the API user and API key of the partner portal',
    /** It has answered 500 to a wrong API key. */
    answersToWrongCredentials: [401, 500],
  },
  new: {
    address: 'https://momoapi.momo.africa',
    credentials: 'the User ID and token under System credentials of the partner portal',
    answersToWrongCredentials: [401],
  },
} as const

export const SANDBOX_ADDRESS = 'https://sandbox.momodeveloper.mtn.com'

const HEADER_TEXT = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/

/** The form of an API user is not checked: on the new platform it is no UUID. */
const productCredentials = (secret: z.ZodType<string>, product: string) => ({
  subscriptionKey: secret.describe(`Subscription key of ${product}, from the developer portal.`),
  apiUser: secret.describe(`API user of ${product}; new platform: User ID.`),
  apiKey: secret.describe(`API key of ${product}; new platform: token.`),
})

export const mtnMomoOptions = (secret: z.ZodType<string>) =>
  z.strictObject({
    ...productCredentials(secret, 'Collection'),
    platform: z
      .enum(['old', 'new'])
      .default('new')
      .describe('MTN’s platform: `new` is momoapi.momo.africa, `old` proxy.momoapi.mtn.com.'),
    targetEnvironment: z
      .string()
      .regex(/^[a-z]+$/)
      .default('mtnbenin')
      .describe('X-Target-Environment; `sandbox` for MTN’s test environment.'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .default('XOF')
      .describe('MTN’s test environment takes only EUR: 1 franc is then sent as 1 euro.'),
    msisdnDigits,
    sendsCallbackUrl: z
      .boolean()
      .default(true)
      .describe(
        'Whether requests carry our callback address. MTN refuses a host that is not registered; without callbacks, polling settles.',
      ),
    disbursement: z
      .strictObject(productCredentials(secret, 'Disbursement'))
      .optional()
      .describe('Credentials of Disbursement; without them refunds are made by hand.'),
    userAgent: z
      .string()
      .regex(HEADER_TEXT)
      .default('Karba/1.0')
      .describe('User-Agent; the new platform’s gateway refuses some.'),
  })

export type MtnMomoOptions = z.output<ReturnType<typeof mtnMomoOptions>>

/** The new platform takes 10 to 20 seconds for a token. */
const MINT_TIMEOUT_MS = 25_000
/** As MTN advises; a token lasts an hour. */
const RENEW_BEFORE_MS = 10 * 60_000
const USUAL_LIFE_MS = 3_600_000

export type Product = ReturnType<typeof momoProduct>

/** Collection or Disbursement: each has its own credentials and token. */
export function momoProduct(
  product: 'collection' | 'disbursement',
  { subscriptionKey, apiUser, apiKey }: Record<'subscriptionKey' | 'apiUser' | 'apiKey', string>,
  { send, clock, deadlineMs }: ConnectionDeps,
  { platform, targetEnvironment, userAgent }: MtnMomoOptions,
) {
  const common = {
    'ocp-apim-subscription-key': subscriptionKey,
    'x-target-environment': targetEnvironment,
    'user-agent': userAgent,
    accept: 'application/json',
  }
  // As they are: the new platform answers 500 to credentials that were URL-encoded first.
  const authorization = `Basic ${Buffer.from(`${apiUser}:${apiKey}`).toString('base64')}`

  /** A new token and the answer that brought it, for the check. Never throws. */
  async function mint(): Promise<{ minted: MintedToken | Unknown; result: CallResult }> {
    const call: Call = {
      method: 'POST',
      path: `/${product}/token/`,
      headers: { ...common, authorization },
    }
    const result = await send({ ...call, timeoutMs: MINT_TIMEOUT_MS })
    const minted = 'code' in result ? readToken(result, USUAL_LIFE_MS) : undefined
    return {
      minted: minted ?? readTokenRefusal(result, PLATFORMS[platform].answersToWrongCredentials),
      result,
    }
  }

  const token = bearerToken({
    clock,
    mint: async () => (await mint()).minted,
    renewBeforeMs: RENEW_BEFORE_MS,
    // The other half is for the call itself.
    waitMs: deadlineMs / 2,
  })
  const authorized = authorizedCall({ send, clock }, token, refusesToken)
  const ofProduct = (call: Call): Call => ({
    ...call,
    path: `/${product}${call.path}`,
    headers: { ...common, ...call.headers },
  })
  return {
    mint,
    /** With the product's token; `path` is what follows the product's name. */
    call: (call: Call, endsAt: number) => authorized(ofProduct(call), endsAt),
    /** With a token that the caller has. */
    callWith: (held: string, call: Call) =>
      send(ofProduct({ ...call, headers: { ...call.headers, authorization: `Bearer ${held}` } })),
  }
}

/**
 * Why the network cannot call back there; undefined where it can. Such an address is not sent,
 * because MTN refuses the whole request for it. In our sandbox any address is sent, so that one
 * machine is enough to try it.
 */
export function faultOfCallbackUrl(
  url: string,
  environment: Environment,
): { about: string; remedy: string } | undefined {
  if (environment !== 'live') return undefined
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'https:')
    return { about: 'is not https', remedy: 'set PUBLIC_URL to an https address' }
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    return {
      about: 'has no host name',
      remedy: 'set PUBLIC_URL to a host name: MTN registers no IP address',
    }
  }
  return port === ''
    ? undefined
    : { about: `has port ${port}`, remedy: 'be reachable at port 443: MTN calls no other' }
}
