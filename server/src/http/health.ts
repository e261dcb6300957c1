// For those who run the service: is the process there, can it work, what does it measure.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../observability/metrics.ts'
import type { Database } from '../store/engine/database.ts'
import { sendHouseError, sendJson } from './errors.ts'

export interface HealthDeps {
  db: Database
  metrics: Metrics
  /** Empty: /metrics is open. */
  metricsToken: string
}

export function health(app: FastifyInstance, { db, metrics, metricsToken }: HealthDeps): void {
  app.get('/healthz', (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'))

  // A store that is away makes this a 503 through the error handler.
  app.get('/readyz', async (_request, reply) => {
    await db.ping()
    return sendJson(reply, 200, '{"status":"ready"}')
  })

  app.get('/metrics', async (request, reply) => {
    if (metricsToken !== '' && !isBearer(request.headers.authorization ?? '', metricsToken)) {
      // As if it were not there: whoever has no token learns nothing.
      return sendHouseError(reply, 'not_found')
    }
    return reply.header('content-type', metrics.contentType).send(await metrics.text())
  })
}

function isBearer(given: string, token: string): boolean {
  const wanted = Buffer.from(`Bearer ${token}`)
  const offered = Buffer.from(given)
  return offered.length === wanted.length && timingSafeEqual(offered, wanted)
}
