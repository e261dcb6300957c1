// The options of an Airtel Money connection, and the calls to Airtel's gateway: with an access
// token, and signed in version 2. Details that sources leave open, or that depend on the contract,
// are options.
import { constants, createCipheriv, createPublicKey, publicEncrypt } from 'node:crypto'
import { z } from 'zod'
import type { Random } from '../../../domain/clock-and-random.ts'
import { type Country, countryOfOperator, factsOf } from '../../../domain/countries/country.ts'
import { authorizedCall, bearerToken, type MintedToken, readToken } from '../../bearer-token.ts'
import type { ConnectionDeps } from '../../connector.ts'
import { type Answered, asObject, asText, type Call, noAnswer } from '../../http-call.ts'
import type { Unknown } from '../../operator.ts'
import { readEnvelope } from './translate.ts'

export const PROMPTED = 'airtel_ne'
/** By default of the operator whose customers it prompts. */
const HOME = factsOf(countryOfOperator(PROMPTED) as Country)

export const airtelOptions = (secret: z.ZodType<string>) =>
  z.strictObject({
    clientId: secret.describe('Client id, from the portal’s key management page.'),
    clientSecret: secret.describe('Client secret, from the same page.'),
    version: z
      .union([z.literal(1), z.literal(2)])
      .default(1)
      .describe('2 when message signing is on for your application.'),
    padding: z
      .enum(['pkcs1', 'oaep-sha256'])
      .default('pkcs1')
      .describe('Encryption of the signing key in version 2.'),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .default(HOME.code)
      .describe('X-Country.'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .default('XOF')
      .describe('X-Currency.'),
    callingCode: z
      .string()
      .regex(/^[1-9][0-9]{0,3}$/)
      .default(HOME.callingCode)
      .describe('Calling code to remove from numbers.'),
    callbackKey: secret
      .optional()
      .describe(
        'Private key of callback authentication; callbacks without a valid hash are then refused.',
      ),
    callbackHashHeader: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/)
      .optional()
      .describe('Header with the hash of a callback, where it is not in the body’s `hash`.'),
    userAgent: z
      .string()
      .min(1)
      .default('Karba/1.0')
      .describe('User-Agent; the gateway may refuse some.'),
  })

export type AirtelOptions = z.output<ReturnType<typeof airtelOptions>>

export type Gateway = ReturnType<typeof gateway>

/** A token lasts three minutes in the documents' samples. */
const RENEW_TOKEN_BEFORE_MS = 30_000
const USUAL_TOKEN_LASTS_MS = 180_000
const RENEW_KEY_BEFORE_MS = 60_000
/** Minting may outlast the calls that wait for it: gateways of this kind have taken 20 s. */
const MINT_TIMEOUT_MS = 30_000

export function gateway(deps: ConnectionDeps, options: AirtelOptions) {
  const { clock, send, deadlineMs } = deps
  const waitMs = deadlineMs / 2
  const usual = { accept: '*/*', 'user-agent': options.userAgent }
  const json = { 'content-type': 'application/json' }
  const token = bearerToken({
    clock,
    mint: mintToken,
    renewBeforeMs: RENEW_TOKEN_BEFORE_MS,
    waitMs,
  })
  // Cached like a token: fetched once, renewed before it expires, dropped when the network refuses
  // a signature.
  const key = bearerToken({ clock, mint: fetchKey, renewBeforeMs: RENEW_KEY_BEFORE_MS, waitMs })
  const authorized = authorizedCall(deps, token, isTokenRefused)

  async function mintToken(): Promise<MintedToken | Unknown> {
    const { clientId, clientSecret } = options
    const body = JSON.stringify({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    })
    const call = {
      method: 'POST',
      path: '/auth/oauth2/token',
      body,
      timeoutMs: MINT_TIMEOUT_MS,
    } as const
    const result = await send({ ...call, headers: { ...usual, ...json } })
    if ('failed' in result)
      return { is: 'unknown', why: `no access token: ${result.failed}`, neverLeft: true }
    return readToken(result, USUAL_TOKEN_LASTS_MS) ?? tokenRefused(result)
  }

  async function fetchKey(): Promise<MintedToken | Unknown> {
    const call: Call = { method: 'GET', path: '/v1/rsa/encryption-keys', headers: {} }
    const reply = await answerTo(call, clock.now() + MINT_TIMEOUT_MS)
    if ('is' in reply) return { ...reply, neverLeft: true }
    const { key: publicKey, valid_upto: validUpTo } = asObject(asObject(reply.body)?.data) ?? {}
    const text = asText(publicKey)
    return text === undefined
      ? keyRefused(reply)
      : { token: text, lastsMs: keyLastsMs(asText(validUpTo), clock.now()) }
  }

  async function answerTo(call: Call, endsAt: number): Promise<Answered | Unknown> {
    const common = { ...usual, 'x-country': options.country, 'x-currency': options.currency }
    const result = await authorized({ ...call, headers: { ...common, ...call.headers } }, endsAt)
    if ('is' in result) return result
    if ('failed' in result) return noAnswer(result)
    if (!isTokenRefused(result)) return result
    const why = `HTTP ${result.code}: the network refuses the access tokens that it gives us`
    return { is: 'unknown', why, neverLeft: true, misconfigured: true }
  }

  async function signed(
    call: Call & { body: string },
    endsAt: number,
    isRetry = false,
  ): Promise<Answered | Unknown> {
    const publicKey = await key.get(endsAt)
    if (typeof publicKey !== 'string') return publicKey
    const signature = signMessage(call.body, publicKey, {
      random: deps.random,
      padding: options.padding,
    })
    if (signature === undefined) {
      const why = `the network’s key cannot be used with the padding ${options.padding}`
      return { is: 'unknown', why, neverLeft: true, misconfigured: true }
    }
    const reply = await answerTo({ ...call, headers: { ...call.headers, ...signature } }, endsAt)
    if ('is' in reply || isRetry || !isSignatureRefused(reply)) return reply
    key.refused(publicKey)
    return signed(call, endsAt, true)
  }

  return {
    /** `endsAt`: the deadline. Never throws. */
    get: (path: string, endsAt: number) => answerTo({ method: 'GET', path, headers: {} }, endsAt),
    /**
     * Signed in version 2. Repeated only when the gateway refused our token or signature, and so
     * did not process it.
     */
    post: (path: string, body: object, endsAt: number): Promise<Answered | Unknown> => {
      const call = { method: 'POST', path, headers: json, body: JSON.stringify(body) } as const
      return options.version === 2 ? signed(call, endsAt) : answerTo(call, endsAt)
    },
    /** In version 2: the network's public key, fetched or kept. */
    publicKey: key.get,
  }
}

/**
 * Expired is 401 in the documents and has been 403 in the field. A 403 without these words is
 * something else.
 */
function isTokenRefused({ code, body }: Answered): boolean {
  return code === 401 || (code === 403 && readEnvelope(body)?.oauthError === 'invalid_token')
}

/** Only with a 403: with any other HTTP code the payment may have been accepted. */
const isSignatureRefused = ({ code, body }: Answered): boolean =>
  code === 403 &&
  (readEnvelope(body)?.codes ?? []).some((each) => /^DP00(800001026|900001016)$/.test(each))

/** HTTP codes that persist until a setting is changed, here or at Airtel. */
const isOurFault = (code: number): boolean => [400, 401, 403, 404].includes(code)

function keyRefused({ code, body }: Answered): Unknown {
  const said = readEnvelope(body)?.codes[0]
  return {
    is: 'unknown',
    why: `HTTP ${code} instead of the key that messages are signed with`,
    neverLeft: true,
    ...(isOurFault(code) && { misconfigured: true as const }),
    ...(said !== undefined && { code: said }),
  }
}

/** OAuth errors that persist until a setting is changed. */
const LASTING_ERROR =
  /^(?:invalid_(?:client|request|grant)|unauthorized_client|unsupported_grant_type)$/

function tokenRefused({ code, body }: Answered): Unknown {
  const error = LASTING_ERROR.exec(readEnvelope(body)?.oauthError ?? '')?.[0]
  return {
    is: 'unknown',
    why: `no access token: HTTP ${code}${error === undefined ? '' : ` ${error}`}`,
    neverLeft: true,
    ...((error !== undefined || isOurFault(code)) && { misconfigured: true as const }),
  }
}

const AES_KEY_BYTES = 32
const AES_IV_BYTES = 16
const PADDINGS = {
  pkcs1: { padding: constants.RSA_PKCS1_PADDING },
  'oaep-sha256': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
} as const

/**
 * The signature of version 2: the body encrypted with a fresh AES key, and that key encrypted with
 * Airtel's public key. Undefined when Airtel's key is no RSA key, or too short for the padding:
 * OAEP with SHA-256 needs 2048 bits.
 */
function signMessage(
  body: string,
  publicKey: string,
  { random, padding }: { random: Random; padding: AirtelOptions['padding'] },
): { 'x-signature': string; 'x-key': string } | undefined {
  const [key, iv] = [random.bytes(AES_KEY_BYTES), random.bytes(AES_IV_BYTES)]
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const signature = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]).toString('base64')
  const secret = `${Buffer.from(key).toString('base64')}:${Buffer.from(iv).toString('base64')}`
  try {
    const rsa = createPublicKey({
      key: Buffer.from(publicKey, 'base64'),
      format: 'der',
      type: 'spki',
    })
    const sealed = publicEncrypt({ key: rsa, ...PADDINGS[padding] }, Buffer.from(secret))
    return { 'x-signature': signature, 'x-key': sealed.toString('base64') }
  } catch {
    return undefined
  }
}

const HOUR_MS = 3_600_000

/**
 * How long a public key is used: at most an hour. `valid_upto`, such as "12-08-2024 21:29:26", has
 * no time zone, so it can only shorten that, and a key that seems expired is used for a minute.
 * @internal
 */
export function keyLastsMs(validUpTo: string | undefined, now: number): number {
  const parts = /^(\d\d)-(\d\d)-(\d{4}) (\d\d):(\d\d):(\d\d)$/.exec(validUpTo ?? '')
  if (parts === null) return HOUR_MS
  const [day = 0, month = 1, year = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map(Number)
  const leftMs = Date.UTC(year, month - 1, day, hour, minute, second) - now
  return Math.min(HOUR_MS, Math.max(leftMs, 60_000))
}
