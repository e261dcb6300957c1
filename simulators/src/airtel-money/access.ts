// The access tokens of the simulated Airtel, given and refused as its gateway does.
import {
  constants,
  createDecipheriv,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto'
import {
  isObject,
  type PartDeps,
  parseObject,
  type WireReaction,
  type WireRequest,
} from '../network.ts'
import {
  CLIENT_REFUSED,
  MISSING_PARAMS,
  publicKeyOf,
  refusal,
  routerRefusal,
  TOKEN_REFUSED,
} from './answers.ts'
import type { PaymentOrder } from './wallet.ts'

const TOKEN_LASTS_MS = 180_000
const SLOW_MS = 20_000

type Credentials = { clientId: string; clientSecret: string }

export function tokens(
  { clock, random, faults }: PartDeps,
  { clientId, clientSecret }: Credentials,
) {
  const given = new Map<string, number>()

  function isGood(token: string | undefined): boolean {
    return (
      token !== undefined &&
      (given.get(token) ?? 0) > clock.now() &&
      !faults.strikes('token_ends_early')
    )
  }

  return {
    give: (request: WireRequest): WireReaction => {
      if (faults.strikes('token_answers_500'))
        return { code: 500, body: { message: 'An unexpected error occurred' } }
      const asked = credentialsOf(request)
      const isRight = asked.client_id === clientId && asked.client_secret === clientSecret
      const isKind = asked.grant_type === 'client_credentials'
      if (!isRight || !isKind || faults.strikes('credentials_are_refused')) return CLIENT_REFUSED
      if (faults.isOn('new_token_ends_the_old')) given.clear()
      const token = Buffer.from(random.bytes(24)).toString('base64url')
      given.set(token, clock.now() + TOKEN_LASTS_MS)
      const seconds = TOKEN_LASTS_MS / 1_000
      const life = faults.strikes('token_life_is_text') ? String(seconds) : seconds
      return {
        code: 200,
        headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
        body: { token_type: 'bearer', access_token: token, expires_in: life },
        ...(faults.strikes('token_takes_20_seconds') && { afterMs: SLOW_MS }),
      }
    },
    /** Undefined for a call with a valid token. */
    refuse: ({ headers }: WireRequest): WireReaction | undefined => {
      const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
      if (isGood(token)) return undefined
      return { code: faults.isOn('expired_token_is_403') ? 403 : 401, ...TOKEN_REFUSED }
    },
    clear: () => given.clear(),
  }
}

/**
 * The gateway takes the credentials as JSON, as a form, or as Basic authorization with the grant
 * type.
 */
function credentialsOf({ headers, body }: WireRequest): Record<string, unknown> {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  const fields = isForm ? Object.fromEntries(new URLSearchParams(body)) : (parseObject(body) ?? {})
  const basic = /^basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) return fields
  const [id, ...secret] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  return { ...fields, client_id: id, client_secret: secret.join(':') }
}

// What Airtel's gateway and application check in a call, in their order, and the refusals that they
// give: those of live tests where there are any, else those of the documents' tables.

export interface Application {
  country: string
  currency: string
  /** Without the country code: 8 digits in Niger, 9 in most countries of Airtel. */
  msisdnLength: number
}

const REFUSED = 'DP00900001013'
const INVALID = 'ESB000008'

export function refuseContentType({ headers }: WireRequest): WireReaction | undefined {
  return headers['content-type']?.split(';')[0]?.trim() === 'application/json'
    ? undefined
    : { code: 415, body: {} }
}

export function refuseHeaders(
  { headers }: Pick<WireRequest, 'headers'>,
  application: Application,
): WireReaction | undefined {
  const { 'x-country': country, 'x-currency': currency } = headers
  if (!country)
    return routerRefusal(400, 'ROUTER110', 'Partner 2d9647ada26843468f68e7090619d40b not found')
  if (country.length !== 2)
    return refusal({ responseCode: REFUSED, message: 'Invalid Country Code', http: 400 })
  if (country !== application.country)
    return routerRefusal(400, 'ROUTER007', 'User Not authorized for country')
  if (currency === undefined) {
    const message = "Missing request header 'x-wallet-id' for method parameter of type String"
    return refusal({ resultCode: INVALID, message })
  }
  if (currency === '')
    return refusal({ responseCode: REFUSED, message: 'Invalid/Missing Currency' })
  if (currency !== application.currency) return routerRefusal(400, 'ROUTER112', 'Invalid Currency')
  return undefined
}

export function readOrder(body: string, application: Application): PaymentOrder | WireReaction {
  const { reference, subscriber, transaction } = parseObject(body) ?? {}
  if (!isObject(subscriber) || !isObject(transaction)) return MISSING_PARAMS
  const [msisdn, id] = [plainText(subscriber.msisdn), plainText(transaction.id)]
  if (typeof reference !== 'string' || msisdn === undefined || id === undefined)
    return MISSING_PARAMS
  const { country, currency, msisdnLength } = application
  for (const fields of [subscriber, transaction]) {
    if (fields.country !== undefined && fields.country !== country)
      return refusal({ resultCode: 'ESB000034', message: 'Invalid Country Name.' })
    if (fields.currency !== undefined && fields.currency !== currency)
      return refusal({ resultCode: 'ESB000035', message: 'Invalid Currency Code.' })
  }
  if (!isLength(reference)) return invalid('Reference')
  if (!isLength(id)) return invalid('Transaction Id')
  if (!/^\d+$/.test(msisdn) || msisdn.length !== msisdnLength) {
    const message = `Invalid Msisdn Length. Msisdn Length should be ${msisdnLength}`
    return refusal({ responseCode: REFUSED, resultCode: '521002', message })
  }
  const amount = amountOf(transaction.amount)
  if (amount !== undefined) return { id, reference, msisdn, amount }
  const message =
    'Invalid Amount: The amount must not be null or blank, should contain only numeric characters, be greater than zero, and have a limited number of decimal places'
  return refusal({ responseCode: 'DP00900001004', resultCode: INVALID, message })
}

/**
 * The documents say 4 to 64 letters and digits; their samples have spaces: only the length is
 * checked.
 */
const isLength = (value: string): boolean => value.length >= 4 && value.length <= 64

const invalid = (what: string): WireReaction =>
  refusal({
    responseCode: REFUSED,
    resultCode: INVALID,
    message: `Invalid ${what}: the length must be 4 to 64`,
  })

/** Samples have numbers where most clients send text. */
function plainText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function amountOf(value: unknown): number | undefined {
  const written = plainText(value) ?? ''
  return /^\d+(\.\d{1,3})?$/.test(written) && Number(written) > 0 ? Number(written) : undefined
}

// Message signing: Airtel publishes the public half of a key pair, and decrypts signatures with the
// other.

export type Padding = 'pkcs1' | 'oaep-sha256'

export type MessageSigning = ReturnType<typeof messageSigning>

/** The key of the documents' samples has 1024 bits, which are too few for OAEP with SHA-256. */
const BITS = { pkcs1: 1024, 'oaep-sha256': 2048 } as const
const FIRST_KEY_ID = 100
const KEY_LASTS_MS = 86_400_000

const PADDINGS = {
  pkcs1: { padding: constants.RSA_PKCS1_PADDING },
  'oaep-sha256': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
} as const

/** `isRequired`: whether a call without a signature is refused. */
export function messageSigning({ clock, faults }: PartDeps, padding: Padding, isRequired: boolean) {
  const makePair = () => generateKeyPairSync('rsa', { modulusLength: BITS[padding] })
  let current: { id: number; pair: ReturnType<typeof makePair> } | undefined

  /** Made when it is first needed: it takes longer than all the rest of a network. */
  function key(): NonNullable<typeof current> {
    current ??= { id: FIRST_KEY_ID, pair: makePair() }
    return current
  }

  return {
    refuse: ({ headers, body }: WireRequest): WireReaction | undefined => {
      if (faults.strikes('signing_key_is_replaced'))
        current = { id: key().id + 1, pair: makePair() }
      const { 'x-signature': signature, 'x-key': sealed } = headers
      if (signature === undefined && sealed === undefined && !isRequired) return undefined
      if (signature === undefined || sealed === undefined)
        return routerRefusal(400, 'ROUTER003', 'Missing header/body params')
      if (open(key().pair.privateKey, padding, signature, sealed) === body) return undefined
      const message = 'X-signature and payload did not match'
      return refusal({ responseCode: 'DP00800001026', innerCode: '403', message, http: 403 })
    },
    publicKey: (): WireReaction => {
      const { id, pair } = key()
      const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
      return publicKeyOf(id, publicKey, dayFirst(clock.now() + KEY_LASTS_MS))
    },
  }
}

function open(
  privateKey: KeyObject,
  padding: Padding,
  signature: string,
  sealed: string,
): string | undefined {
  try {
    const opened = privateDecrypt(
      { key: privateKey, ...PADDINGS[padding] },
      Buffer.from(sealed, 'base64'),
    )
    const [aesKey = '', iv = ''] = opened.toString('utf8').split(':')
    const decipher = createDecipheriv(
      'aes-256-cbc',
      Buffer.from(aesKey, 'base64'),
      Buffer.from(iv, 'base64'),
    )
    return Buffer.concat([
      decipher.update(Buffer.from(signature, 'base64')),
      decipher.final(),
    ]).toString('utf8')
  } catch {
    return undefined
  }
}

/** As in 12-08-2024 21:29:26. */
function dayFirst(time: number): string {
  const [year, month, day, clockTime] = new Date(time).toISOString().split(/[-T.]/)
  return `${day}-${month}-${year} ${clockTime}`
}
