// Signatures of HTTP messages by RFC 9421, as pawaPay uses them: it can sign its callbacks, and
// takes requests that we sign. Strict about the signed components, with one exception: RFC 9421
// requires an ECDSA signature as two concatenated numbers, while pawaPay's own samples are in DER,
// so both are accepted.
import { constants, hash, type KeyObject, sign, verify } from 'node:crypto'
import { lookUp } from '../../../domain/texts/free-text.ts'
import { isSameSignature } from '../../http-call.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface SignedMessage {
  method: string
  /** As the sender wrote it. */
  url: URL
  /** Names in lower case. */
  headers: Headers
  body: Buffer
}

interface SignatureInput {
  /** The signature's name in both headers. */
  label: string
  components: string[]
  /** The text after `label=`: the last line of the signature base. */
  written: string
  alg: string | undefined
  keyId: string | undefined
  createdAt: number | undefined
  expiresAt: number | undefined
}

type EcdsaEncoding = 'der' | 'ieee-p1363'

interface Algorithm {
  digest: string | null
  fits(key: KeyObject): boolean
  /** Options of node:crypto to sign or to verify. */
  options(encoding: EcdsaEncoding): object
}

const ecdsa = (digest: string, curve: string): Algorithm => ({
  digest,
  fits: (key) => key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === curve,
  options: (dsaEncoding) => ({ dsaEncoding }),
})
const isRsa = (key: KeyObject): boolean => key.asymmetricKeyType === 'rsa'

/** In the order in which one is chosen for a key. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  'ecdsa-p256-sha256': ecdsa('sha256', 'prime256v1'),
  'ecdsa-p384-sha384': ecdsa('sha384', 'secp384r1'),
  ed25519: {
    digest: null,
    fits: (key) => key.asymmetricKeyType === 'ed25519',
    options: () => ({}),
  },
  'rsa-pss-sha512': {
    digest: 'sha512',
    fits: (key) => isRsa(key) || key.asymmetricKeyType === 'rsa-pss',
    options: () => ({ padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }),
  },
  'rsa-v1_5-sha256': {
    digest: 'sha256',
    fits: isRsa,
    options: () => ({ padding: constants.RSA_PKCS1_PADDING }),
  },
}

const DIGESTS: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512' }

/**
 * A callback may be repeated for a quarter of an hour; whether it is signed again each time is not
 * documented.
 */
const TAKEN_AFTER_EXPIRY_MS = 15 * 60_000
const CLOCKS_DIFFER_MS = 5 * 60_000

export type Verdict = 'genuine' | 'wrong' | 'key_not_known'

/**
 * `urls`: the addresses that the message may have been sent to; a proxy may have changed what we
 * see of it.
 */
export function verifyMessage(
  message: Omit<SignedMessage, 'url'>,
  urls: readonly URL[],
  keyOf: (keyId: string) => KeyObject | undefined,
  now: number,
): Verdict {
  const input = readInput(fieldOf(message.headers, 'signature-input'))
  const signature = input && readSignature(fieldOf(message.headers, 'signature'), input.label)
  if (input?.keyId === undefined || signature === undefined) return 'wrong'
  // Without the digest the body could be replaced; without the method the message may be a response
  // of pawaPay's.
  if (!['content-digest', '@method'].every((name) => input.components.includes(name)))
    return 'wrong'
  if (!isFresh(input, now) || !digestFits(fieldOf(message.headers, 'content-digest'), message.body))
    return 'wrong'
  const key = keyOf(input.keyId)
  if (key === undefined) return 'key_not_known'
  const isGenuine = urls.some((url) => {
    const base = signatureBase({ ...message, url }, input)
    return base !== undefined && isSignedBy(key, input.alg, base, signature)
  })
  return isGenuine ? 'genuine' : 'wrong'
}

const MEMBER = /^([a-z*][a-z0-9_.*-]*)=(\(([^()]*)\)((?:;[a-z]+=(?:"[^"]*"|\d{1,15}))*))$/

/** One signature, in the form that pawaPay writes; undefined for any other. @internal */
export function readInput(header: string | undefined): SignatureInput | undefined {
  const parts = MEMBER.exec(header?.trim() ?? '')
  if (parts === null) return undefined
  const [, label = '', written = '', list = '', rest = ''] = parts
  const components = list.split(' ').filter((item) => item !== '')
  if (!components.every((item) => /^"[a-z0-9@_-]+"$/.test(item))) return undefined
  const parameter = (name: string): string | undefined =>
    new RegExp(`;${name}=(?:"([^"]*)"|(\\d+))`)
      .exec(rest)
      ?.slice(1)
      .find((value) => value !== undefined)
  const seconds = (name: string): number | undefined => {
    const value = parameter(name)
    return value === undefined ? undefined : Number(value) * 1_000
  }
  return {
    label,
    components: components.map((item) => item.slice(1, -1)),
    written,
    alg: parameter('alg'),
    keyId: parameter('keyid'),
    createdAt: seconds('created'),
    expiresAt: seconds('expires'),
  }
}

/**
 * A line for each component, in the header's order. Undefined when the message has not all of them.
 * @internal
 */
export function signatureBase(
  message: SignedMessage,
  { components, written }: Pick<SignatureInput, 'components' | 'written'>,
): string | undefined {
  const lines = components.map((name) => {
    const value = name.startsWith('@')
      ? lookUp(DERIVED, name)?.(message)
      : fieldOf(message.headers, name)
    return value === undefined ? undefined : `"${name}": ${value}`
  })
  return lines.includes(undefined)
    ? undefined
    : [...lines, `"@signature-params": ${written}`].join('\n')
}

const DERIVED: Readonly<Record<string, (message: SignedMessage) => string>> = {
  '@method': ({ method }) => method,
  '@authority': ({ url }) => url.host,
  '@path': ({ url }) => url.pathname,
  '@target-uri': ({ url }) => url.href,
  '@scheme': ({ url }) => url.protocol.slice(0, -1),
  '@query': ({ url }) => url.search || '?',
}

function fieldOf(headers: Headers, name: string): string | undefined {
  const value = lookUp(headers, name)
  return Array.isArray(value) ? value.map((each) => each.trim()).join(', ') : value?.trim()
}

function readSignature(header: string | undefined, label: string): Buffer | undefined {
  const parts = /^([a-z0-9_.*-]+)=:([A-Za-z0-9+/=]{1,2048}):$/.exec(header?.trim() ?? '')
  return parts?.[1] === label ? Buffer.from(parts[2] as string, 'base64') : undefined
}

function isFresh({ createdAt, expiresAt }: SignatureInput, now: number): boolean {
  if (createdAt === undefined || createdAt > now + CLOCKS_DIFFER_MS) return false
  return now <= (expiresAt ?? createdAt) + TAKEN_AFTER_EXPIRY_MS
}

/** Every digest that we can compute must be right, and there must be one. */
function digestFits(header: string | undefined, body: Buffer): boolean {
  let seen = 0
  for (const member of header?.split(',') ?? []) {
    const [, name = '', value = ''] = /^\s*([a-z0-9-]+)=:([A-Za-z0-9+/=]+):\s*$/.exec(member) ?? []
    const algorithm = lookUp(DIGESTS, name)
    if (algorithm === undefined) continue
    if (!isSameSignature(Buffer.from(value, 'base64'), hash(algorithm, body, 'buffer')))
      return false
    seen++
  }
  return seen > 0
}

/** The key decides which algorithms can be: a message cannot choose a weaker one. */
function isSignedBy(
  key: KeyObject,
  alg: string | undefined,
  base: string,
  signature: Buffer,
): boolean {
  const algorithm = alg === undefined ? algorithmOf(key)?.[1] : lookUp(ALGORITHMS, alg)
  if (algorithm === undefined || !algorithm.fits(key)) return false
  return (['ieee-p1363', 'der'] as const).some((encoding) => {
    try {
      return verify(
        algorithm.digest,
        Buffer.from(base),
        { key, ...algorithm.options(encoding) },
        signature,
      )
    } catch {
      return false
    }
  })
}

const algorithmOf = (key: KeyObject): [string, Algorithm] | undefined =>
  Object.entries(ALGORITHMS).find(([, { fits }]) => fits(key))

export type RequestSigner = { key: KeyObject; keyId: string; encoding: EcdsaEncoding }

const SIGNED_FOR_SECONDS = 60

/**
 * The headers that a signed request adds. Undefined for a key that pawaPay's algorithms do not
 * take.
 */
export function signRequest(
  { key, keyId, encoding }: RequestSigner,
  {
    method,
    url,
    contentType,
    body,
  }: {
    method: string
    url: URL
    contentType: string
    body: string
  },
  now: number,
): Record<string, string> | undefined {
  const algorithm = algorithmOf(key)
  if (algorithm === undefined) return undefined
  const [alg, { digest, options }] = algorithm
  const created = Math.floor(now / 1_000)
  const headers = {
    'content-type': contentType,
    'content-digest': `sha-512=:${hash('sha512', body, 'base64')}:`,
    'signature-date': new Date(now).toISOString(),
  }
  const components = [
    '@method',
    '@authority',
    '@path',
    'signature-date',
    'content-digest',
    'content-type',
  ]
  const list = components.map((name) => `"${name}"`).join(' ')
  const written = `(${list});alg="${alg}";keyid="${keyId}";created=${created};expires=${created + SIGNED_FOR_SECONDS}`
  const base = signatureBase(
    { method, url, headers, body: Buffer.from(body) },
    { components, written },
  ) as string
  const signature = sign(digest, Buffer.from(base), { key, ...options(encoding) }).toString(
    'base64',
  )
  return { ...headers, signature: `sig-pp=:${signature}:`, 'signature-input': `sig-pp=${written}` }
}
