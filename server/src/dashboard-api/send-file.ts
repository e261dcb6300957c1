// A file for whoever is signed in: never kept by a cache, never run, never taken for another type than it is.
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

export interface SentFile {
  type: string
  name: string
  /** Within a page. Otherwise the browser only keeps it. */
  isShown: boolean
}

export function sendFile(
  reply: FastifyReply,
  { type, name, isShown }: SentFile,
  content: string | Buffer | Readable,
): FastifyReply {
  const way = isShown ? 'inline' : 'attachment'
  return reply
    .headers({
      'content-type': type,
      'content-disposition': `${way}; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, hexOf)}`,
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .send(content)
}

/** What encodeURIComponent leaves as it is and a header must not hold. */
const hexOf = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
