// Calls to Airtel's gateway: with an access token, which is renewed once when the gateway refuses it; signed where version 2 asks for that;
// and all of it before the end that a verb has. Never throws; no answer is an `unknown`.
import { type BearerToken, bearerToken, type MintedToken, type NoToken } from '../../bearer-token.ts'
import type { ConnectionDeps } from '../../connector.ts'
import type { Call } from '../../http-call.ts'
import { keyLastsMs, signMessage } from './message-signing.ts'
import type { AirtelOptions } from './options.ts'
import type { Reply, Unknown } from './translate.ts'
import { isObject, readEnvelope, text } from './wire.ts'

export interface Gateway {
  /** `endsAt`: when the answer is of no use any more. */
  get(path: string, endsAt: number): Promise<Reply | Unknown>
  /** Signed in version 2. Called once with one body, unless the gateway refused our token or our signature, and so took nothing. */
  post(path: string, body: object, endsAt: number): Promise<Reply | Unknown>
  /** Version 2 alone: the network's public key, fetched or kept. */
  publicKey(endsAt: number): Promise<string | Unknown>
}

/** A token lasts three minutes in the documents' samples. */
const RENEW_TOKEN_BEFORE_MS = 30_000
const USUAL_TOKEN_LASTS_MS = 180_000
const RENEW_KEY_BEFORE_MS = 60_000
/** Minting goes on when the calls that waited for it are over: gateways of this kind have taken 20 s. */
const MINT_TIMEOUT_MS = 30_000

const LATE: Unknown = { is: 'unknown', why: 'no time was left for the call', neverLeft: true }

/** OAuth's errors that only a change of a setting mends. */
const OUR_FAULT = [
  'invalid_client',
  'unauthorized_client',
  'invalid_request',
  'invalid_grant',
  'unsupported_grant_type',
]

export function gateway(deps: ConnectionDeps, options: AirtelOptions): Gateway {
  const { clock, send, deadlineMs } = deps
  const waitMs = deadlineMs / 2
  const usual = { accept: '*/*', 'user-agent': options.userAgent }
  const json = { 'content-type': 'application/json' }
  const token = bearerToken({ clock, mint: mintToken, renewBeforeMs: RENEW_TOKEN_BEFORE_MS, waitMs })
  // The public key lives like a token: fetched once for all, renewed before its end, dropped when the network refuses what it made.
  const key = bearerToken({ clock, mint: fetchKey, renewBeforeMs: RENEW_KEY_BEFORE_MS, waitMs })

  async function mintToken(): Promise<MintedToken | NoToken> {
    const { clientId, clientSecret } = options
    const body = JSON.stringify({ client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' })
    const call = { method: 'POST', path: '/auth/oauth2/token', body, timeoutMs: MINT_TIMEOUT_MS } as const
    const result = await send({ ...call, headers: { ...usual, ...json } })
    if ('failed' in result) return { is: 'unknown', why: `no access token: ${result.failed}`, neverLeft: true }
    const minted = isObject(result.body) ? text(result.body.access_token) : undefined
    if (result.code === 200 && minted !== undefined) {
      const seconds = Number((result.body as { expires_in?: unknown }).expires_in)
      return { token: minted, lastsMs: seconds > 0 ? seconds * 1_000 : USUAL_TOKEN_LASTS_MS }
    }
    return tokenRefused(result)
  }

  async function fetchKey(): Promise<MintedToken | NoToken> {
    const reply = await authorized(
      { method: 'GET', path: '/v1/rsa/encryption-keys', headers: {} },
      clock.now() + MINT_TIMEOUT_MS,
    )
    if ('is' in reply) return { ...reply, neverLeft: true }
    const data = isObject(reply.body) && isObject(reply.body.data) ? reply.body.data : {}
    const publicKey = text(data.key)
    if (publicKey === undefined) return keyRefused(reply)
    return { token: publicKey, lastsMs: keyLastsMs(text(data.valid_upto), clock.now()) }
  }

  /** What takes longer than the verb has is given up, and goes on for the next one. */
  async function within(endsAt: number, source: BearerToken): Promise<string | Unknown> {
    let cancel = (): void => {}
    const late = new Promise<Unknown>((resolve) => {
      cancel = clock.after(Math.max(0, endsAt - clock.now()), () => resolve(LATE))
    })
    return Promise.race([source.get(), late]).finally(() => cancel())
  }

  async function authorized(call: Call, endsAt: number, isRetry = false): Promise<Reply | Unknown> {
    const bearer = await within(endsAt, token)
    if (typeof bearer !== 'string') return bearer
    const headers = {
      ...usual,
      'x-country': options.country,
      'x-currency': options.currency,
      authorization: `Bearer ${bearer}`,
      ...call.headers,
    }
    const timeoutMs = endsAt - clock.now()
    if (timeoutMs <= 0) return LATE
    const result = await send({ ...call, headers, timeoutMs })
    if ('failed' in result) {
      const { failed, neverLeft } = result
      return { is: 'unknown', why: failed, ...(neverLeft && { neverLeft }) }
    }
    if (!isTokenRefused(result)) return result
    token.refused(bearer)
    if (!isRetry) return authorized(call, endsAt, true)
    const why = `HTTP ${result.code}: the network refuses the access tokens that it gives us`
    return { is: 'unknown', why, neverLeft: true, misconfigured: true }
  }

  async function signed(call: Call & { body: string }, endsAt: number, isRetry = false): Promise<Reply | Unknown> {
    const publicKey = await within(endsAt, key)
    if (typeof publicKey !== 'string') return publicKey
    const signature = signMessage(call.body, publicKey, { random: deps.random, padding: options.padding })
    if (signature === undefined) {
      const why = `the network’s key cannot be used with the padding ${options.padding}`
      return { is: 'unknown', why, neverLeft: true, misconfigured: true }
    }
    const reply = await authorized({ ...call, headers: { ...call.headers, ...signature } }, endsAt)
    if ('is' in reply || isRetry || !isSignatureRefused(reply)) return reply
    key.refused(publicKey)
    return signed(call, endsAt, true)
  }

  return {
    get: (path, endsAt) => authorized({ method: 'GET', path, headers: {} }, endsAt),
    post: (path, body, endsAt) => {
      const call = { method: 'POST', path, headers: json, body: JSON.stringify(body) } as const
      return options.version === 2 ? signed(call, endsAt) : authorized(call, endsAt)
    },
    publicKey: (endsAt) => within(endsAt, key),
  }
}

/** Expired is 401 in the documents and has been 403 in the field. A 403 without these words is something else. */
function isTokenRefused({ code, body }: Reply): boolean {
  return code === 401 || (code === 403 && readEnvelope(body)?.oauthError === 'invalid_token')
}

/** With a 403 alone: under any other code the payment may have been taken. */
const isSignatureRefused = ({ code, body }: Reply): boolean =>
  code === 403 && (readEnvelope(body)?.codes ?? []).some((each) => BAD_SIGNATURE.includes(each))

const BAD_SIGNATURE = ['DP00800001026', 'DP00900001016']

/** HTTP codes that only a change of a setting mends, here or at Airtel. */
const isOurFault = (code: number): boolean => [400, 401, 403, 404].includes(code)

function keyRefused({ code, body }: Reply): NoToken {
  const said = readEnvelope(body)?.codes[0]
  return {
    is: 'unknown',
    why: `HTTP ${code} instead of the key that messages are signed with`,
    neverLeft: true,
    ...(isOurFault(code) && { misconfigured: true as const }),
    ...(said !== undefined && { code: said }),
  }
}

function tokenRefused({ code, body }: Reply): NoToken {
  const error = OUR_FAULT.find((each) => each === readEnvelope(body)?.oauthError)
  const said = error === undefined ? `HTTP ${code}` : `HTTP ${code} ${error}`
  return {
    is: 'unknown',
    why: `no access token: ${said}`,
    neverLeft: true,
    ...((error !== undefined || isOurFault(code)) && { misconfigured: true as const }),
  }
}
