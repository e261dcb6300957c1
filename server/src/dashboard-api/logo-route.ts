// The logos of shops, for payers' pages and posters: for anybody, by the hash of their content, so that browsers may keep them for ever.
import type { FastifyInstance } from 'fastify'
import { readLogo } from '../actions/merchants/profile.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { sendDoorError } from './answer.ts'
import type { DashboardDeps } from './deps.ts'

const HASH = /^[0-9a-f]{64}$/

export const logoUrl = (hash: string): string => `/logos/${hash}`

export function shopLogos(app: FastifyInstance, { db, clock, publicRate }: DashboardDeps): void {
  const allow = rateLimit(clock, rateOf(publicRate))
  app.get('/logos/:hash', async (request, reply) => {
    if (!allow(request.ip)) return sendDoorError(reply, 'too_many_requests')
    const { hash } = request.params as { hash: string }
    const logo = HASH.test(hash) ? await readLogo(db, hash) : undefined
    if (logo === undefined) return sendDoorError(reply, 'not_found')
    return reply
      .headers({
        'content-type': logo.type,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      })
      .send(Buffer.from(logo.content, 'base64'))
  })
}
