// Reads a request that is written as nearly all clients write theirs: one whole request in one piece, GET or POST, each header once, nothing
// that changes how the rest is read. Whatever differs in a letter is not plain, and is left to Node's own reader: this one refuses nothing
// and repairs nothing, so that there is one rule for what is no good request, and it is Node's.
import type { IncomingHttpHeaders } from 'node:http'

export interface PlainRequest {
  method: string
  url: string
  head: PlainHeaders
  /** Empty where there is none. */
  body: Buffer
}

export interface PlainHeaders {
  /** As they were sent. */
  text: string
  headers: IncomingHttpHeaders
  /** What they say of the body's size. */
  length: number | undefined
}

/** No percent-encoding, no fragment, no absolute address: what the routes find by comparing letters. */
const REQUEST_LINE = /^(GET|POST) (\/[\w.~!$&'()*+,;=:@/?-]*) HTTP\/1\.1$/
const HEADER_LINE = /^([A-Za-z\d-]+): ([\x20-\x7e]*)$/
const LENGTH = /^\d{1,8}$/
const MOST_HEADERS = 100
/** With these the body is not what follows for its length, or the connection becomes something else. */
const NEVER_PLAIN = new Set([
  'transfer-encoding',
  'trailer',
  'te',
  'expect',
  'upgrade',
  'http2-settings',
  'proxy-connection',
])

/**
 * Undefined when the piece is anything else than exactly one plain request, with a head of at most `headLimit` bytes. A connection sends
 * the same headers again and again: those of its last request, `known`, are compared and not read again.
 */
export function plainRequestIn(
  piece: Buffer,
  headLimit: number,
  known: PlainHeaders | undefined,
): PlainRequest | undefined {
  const text = piece.toString('latin1', 0, Math.min(piece.length, headLimit))
  const lineEnd = text.indexOf('\r\n')
  const headEnd = text.indexOf('\r\n\r\n', lineEnd)
  if (lineEnd === -1 || headEnd <= lineEnd) return undefined
  const [, method, url] = REQUEST_LINE.exec(text.slice(0, lineEnd)) ?? []
  if (method === undefined || url === undefined) return undefined
  const isKnown = known !== undefined && text.slice(lineEnd + 2, headEnd) === known.text
  // A copy of its own: a slice would keep the whole piece, with its body, for as long as the connection lasts.
  const head = isKnown ? known : plainHeaders(piece.toString('latin1', lineEnd + 2, headEnd))
  if (head === undefined || (head.length === undefined) !== (method === 'GET')) return undefined
  const bodyAt = headEnd + 4
  if (piece.length !== bodyAt + (head.length ?? 0)) return undefined
  return { method, url, head, body: piece.subarray(bodyAt) }
}

function plainHeaders(text: string): PlainHeaders | undefined {
  const lines = text.split('\r\n')
  if (lines.length > MOST_HEADERS) return undefined
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, written, value] = HEADER_LINE.exec(line) ?? []
    if (written === undefined || value === undefined) return undefined
    const name = written.toLowerCase()
    if (name in headers || NEVER_PLAIN.has(name)) return undefined
    headers[name] = value.trim()
  }
  const { host, connection = 'keep-alive', 'content-length': length } = headers
  if (host === undefined || connection.toLowerCase() !== 'keep-alive') return undefined
  if (length !== undefined && !LENGTH.test(length)) return undefined
  // Shared by all requests with these headers.
  return { text, headers: Object.freeze(headers), length: length === undefined ? undefined : Number(length) }
}
