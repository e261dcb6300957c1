// The text for a failed attempt, so that a merchant can act on it. The codes are those of Node,
// OpenSSL and undici; one that is not in the table is shown unchanged.
import { isIP } from 'node:net'
import { lookUp } from '../domain/texts/free-text.ts'

// Why the agent made no connection, and its limit on an answer. Not in the agent's file: every
// command loads these sentences, and loading an HTTP client would cost it 0.1 s of CPU.

/** undici caps the headers of an answer at this. */
export const ANSWER_HEADERS_LIMIT_BYTES = 16 * 1024

/** Shown to the merchant, so it does not reveal what a name of our own network resolves to. */
export class AddressRefused extends Error {
  override name = 'AddressRefused'

  constructor(host: string) {
    super(
      isIP(host) === 0
        ? `${host} does not lead to a public address.`
        : `${host} is not a public address.`,
    )
  }
}

export class ConnectionTooSlow extends Error {
  override name = 'ConnectionTooSlow'
}

const CUT = 'the connection was cut before there was an answer'
const UNREACHABLE = 'the host cannot be reached'
const UNKNOWN_HOST = 'the host name is not known'
const NO_TLS = 'no secure connection could be made; does the port speak HTTPS?'
const UNTRUSTED =
  'the certificate is not signed by a known authority, or the certificates between them are missing'
const NOT_HTTP = 'the answer is not HTTP'

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: CUT,
  EPIPE: CUT,
  UND_ERR_SOCKET: CUT,
  ENOTFOUND: UNKNOWN_HOST,
  ENODATA: UNKNOWN_HOST,
  EAI_AGAIN: 'the host name could not be looked up just now',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EPROTO: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is not valid for this name',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UND_ERR_HEADERS_OVERFLOW: `the headers of the answer are longer than ${ANSWER_HEADERS_LIMIT_BYTES / 1024} KiB`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  UND_ERR_INVALID_ARG: 'a header holds characters that HTTP cannot carry',
  UND_ERR_CLOSED: 'the service is stopping',
  UND_ERR_DESTROYED: 'the service is stopping',
}

export function failureText(error: unknown, timeoutMs: number): string {
  if (error instanceof AddressRefused) return `the address is not allowed: ${error.message}`
  if (error instanceof ConnectionTooSlow) return `no connection ${within(timeoutMs)}`
  // When every address of a host name fails, the first failure is reported.
  const { code, name } = (error instanceof AggregateError ? error.errors[0] : error) as {
    code?: string
    name?: string
  }
  if (name === 'HTTPParserError') return NOT_HTTP
  if (code === undefined) return `the attempt failed (${name})`
  if (code.startsWith('ERR_SSL_')) return NO_TLS
  return lookUp(TEXTS, code) ?? `the attempt failed (${code})`
}

export function within(timeoutMs: number): string {
  return timeoutMs === 1_000 ? 'within 1 second' : `within ${timeoutMs / 1_000} seconds`
}
