// One product of MTN MoMo, Collection or Disbursement: its headers, its access token, and calls that end within the time of their verb.
import type { Clock } from '../../../domain/clock-and-random.ts'
import { bearerToken, type MintedToken, type NoToken } from '../../bearer-token.ts'
import type { Call, CallResult, Send } from '../../http-call.ts'
import { type MtnMomoOptions, PLATFORMS, type ProductCredentials } from './options.ts'
import { readTokenRefusal, refusesToken } from './translate.ts'
import { fieldsOf } from './wire.ts'

/** The new platform takes 10 to 20 seconds for a token. */
const MINT_TIMEOUT_MS = 25_000
/** As MTN advises; a token lasts an hour. */
const RENEW_BEFORE_MS = 10 * 60_000
const USUAL_LIFE_MS = 3_600_000

export interface ProductDeps {
  product: 'collection' | 'disbursement'
  credentials: ProductCredentials
  options: Pick<MtnMomoOptions, 'platform' | 'targetEnvironment' | 'userAgent'>
  send: Send
  clock: Clock
  deadlineMs: number
}

export interface ProductCall extends Pick<Call, 'method' | 'body'> {
  /** After the product's name. */
  path: string
  headers?: Record<string, string>
}

export interface Product {
  /** A new token and the answer that brought it, for looking at what is wrong. Never throws. */
  mint(): Promise<{ minted: MintedToken | NoToken; result: CallResult }>
  /** A call that needs no waiting for a token. */
  callWith(token: string, call: ProductCall, timeoutMs?: number): Promise<CallResult>
  /** A call with the product's token; a refused token is renewed once. Ends before `endsAt`. */
  call(call: ProductCall, endsAt: number): Promise<CallResult | NoToken>
}

export function momoProduct({ product, credentials, options, send, clock, deadlineMs }: ProductDeps): Product {
  const { subscriptionKey, apiUser, apiKey } = credentials
  const common = {
    'ocp-apim-subscription-key': subscriptionKey,
    'x-target-environment': options.targetEnvironment,
    'user-agent': options.userAgent,
    accept: 'application/json',
  }
  // As they are: the new platform answers 500 to credentials that were URL-encoded first.
  const basic = `Basic ${Buffer.from(`${apiUser}:${apiKey}`).toString('base64')}`

  async function mint(): ReturnType<Product['mint']> {
    const call: Call = { method: 'POST', path: `/${product}/token/`, headers: { ...common, authorization: basic } }
    const result = await send({ ...call, timeoutMs: MINT_TIMEOUT_MS })
    const minted = readToken(result) ?? readTokenRefusal(result, PLATFORMS[options.platform].answersToWrongCredentials)
    return { minted, result }
  }

  const token = bearerToken({
    clock,
    mint: async () => (await mint()).minted,
    renewBeforeMs: RENEW_BEFORE_MS,
    // Never reached: `tokenBefore` waits less.
    waitMs: deadlineMs,
  })

  const callWith: Product['callWith'] = (held, { method, path, headers, body }, timeoutMs) =>
    send({
      method,
      path: `/${product}${path}`,
      headers: {
        ...common,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
        authorization: `Bearer ${held}`,
      },
      ...(body !== undefined && { body }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    })

  /** At most half of the time goes into waiting for a token, so that the call itself has some. */
  function tokenBefore(endsAt: number): Promise<string | NoToken> {
    const waitMs = Math.min(deadlineMs / 2, endsAt - clock.now())
    if (waitMs <= 0) return Promise.resolve(TOO_LATE)
    let cancel = (): void => {}
    const late = new Promise<NoToken>((resolve) => {
      cancel = clock.after(waitMs, () => resolve(TOO_LATE))
    })
    return Promise.race([token.get(), late]).finally(() => cancel())
  }

  async function call(what: ProductCall, endsAt: number, isRetry = false): Promise<CallResult | NoToken> {
    const held = await tokenBefore(endsAt)
    if (typeof held !== 'string') return held
    const timeoutMs = endsAt - clock.now()
    if (timeoutMs <= 0) return TOO_LATE
    const result = await callWith(held, what, timeoutMs)
    if (!refusesToken(result)) return result
    token.refused(held)
    // The same reference again, whatever the call is: a network that took it the first time says so.
    return isRetry || endsAt <= clock.now() ? result : call(what, endsAt, true)
  }

  return { mint, callWith, call: (what, endsAt) => call(what, endsAt) }
}

const TOO_LATE: NoToken = { is: 'unknown', why: 'no access token in time', neverLeft: true }

/** Undefined when the answer holds no token. */
function readToken(result: CallResult): MintedToken | undefined {
  if ('failed' in result || result.code >= 300) return undefined
  const { access_token: token, expires_in: expiresIn } = fieldsOf(result.body) ?? {}
  if (typeof token !== 'string' || token === '') return undefined
  const seconds = Number(expiresIn)
  return { token, lastsMs: seconds > 0 ? seconds * 1_000 : USUAL_LIFE_MS }
}
