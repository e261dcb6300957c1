// Sends documents that are the same for everyone: cached, revalidated by ETag, compressed once for
// each encoding. Never an answer with a secret or data of one caller: the length of a compressed
// answer leaks its content.
import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendGeneralError } from './errors.ts'

export interface Document {
  contentType: string
  text: string | Buffer
  /** Of a document that is too large to compress while a request waits. */
  compressed?: Readonly<Record<'br' | 'gzip', Buffer>>
  headers?: Readonly<Record<string, string>>
  /** For browsers and proxies; five minutes by default. */
  cacheControl?: string
}

type Encoding = 'br' | 'gzip' | 'identity'

const FIVE_MINUTES = 'public, max-age=300'
/** Shorter ones fit into one packet as they are. */
const LEAST_COMPRESSED_BYTES = 1_024

/**
 * Answers GET and HEAD. The first request makes the text. `allow` is a rate limit by the caller's
 * address.
 */
export function serveDocument(
  app: FastifyInstance,
  url: string,
  make: () => Document,
  allow: (address: string) => boolean = () => true,
): void {
  let send: ReturnType<typeof sender> | undefined
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!allow(request.ip)) return sendGeneralError(reply, 'too_many_requests')
    send ??= sender(make())
    return send(request, reply)
  }
  app.get(url, { exposeHeadRoute: true }, answer)
}

function sender(
  document: Document,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const { contentType, text, compressed, headers = {}, cacheControl = FIVE_MINUTES } = document
  const plain = Buffer.from(text)
  const version = createHash('sha256')
    .update(compressed?.br ?? plain)
    .digest('base64url')
    .slice(0, 22)
  const bodies = new Map<Encoding, Buffer>([
    ['identity', plain],
    ...(Object.entries(compressed ?? {}) as ['br' | 'gzip', Buffer][]),
  ])
  const isCompressed = plain.length >= LEAST_COMPRESSED_BYTES

  function bodyAs(encoding: Encoding): Buffer {
    const body = bodies.get(encoding) ?? compress(plain, encoding)
    bodies.set(encoding, body)
    return body
  }

  return (request, reply) => {
    const encoding = isCompressed ? encodingFor(request.headers['accept-encoding']) : 'identity'
    // Each encoding is a document of its own to a cache.
    const etag = `"${version}${encoding === 'identity' ? '' : `-${encoding}`}"`
    reply.headers({
      'content-type': contentType,
      'cache-control': cacheControl,
      'x-content-type-options': 'nosniff',
      etag,
      ...(isCompressed && { vary: 'Accept-Encoding' }),
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      ...headers,
    })
    return isKnown(request.headers['if-none-match'], etag)
      ? reply.code(304).send()
      : reply.send(bodyAs(encoding))
  }
}

/** The best that the caller takes; a quality of 0 refuses one. */
function encodingFor(accepted: string | string[] | undefined): Encoding {
  const listed = `${accepted ?? ''}`.toLowerCase().split(',')
  const takes = (name: string): boolean =>
    listed.some((each) => {
      const [token, ...parameters] = each.split(';').map((part) => part.trim())
      return token === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    })
  return (['br', 'gzip'] as const).find(takes) ?? 'identity'
}

function compress(plain: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'br') {
    return brotliCompressSync(plain, {
      params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
    })
  }
  return gzipSync(plain, { level: constants.Z_BEST_COMPRESSION })
}

function isKnown(known: string | undefined, etag: string): boolean {
  const tags = (known ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
