// Routes for monitoring: liveness (/healthz), readiness (/readyz) and /metrics.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../observability/metrics.ts'
import { HOUSE_ERRORS } from '../wire/error.ts'
import { sendHouseError, sendJson } from './errors.ts'

export interface HealthDeps {
  /** The names of the parts that do not work. */
  failing(): Promise<string[]>
  metrics: Metrics
  /** Empty when /metrics needs no token. */
  metricsToken: string
}

export function health(app: FastifyInstance, { failing, metrics, metricsToken }: HealthDeps): void {
  app.get('/healthz', (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'))

  app.get('/readyz', async (_request, reply) => {
    const names = await failing()
    if (names.length === 0) return sendJson(reply, 200, '{"status":"ready"}')
    const { http, message } = HOUSE_ERRORS.unavailable
    return sendJson(reply.header('retry-after', '1'), http, JSON.stringify({ message, failing: names }))
  })

  app.get('/metrics', async (request, reply) => {
    if (metricsToken !== '' && !isBearer(request.headers.authorization ?? '', metricsToken)) {
      // 404, so that a caller without the token does not learn that the route exists.
      return sendHouseError(reply, 'not_found')
    }
    return reply.header('content-type', metrics.contentType).send(await metrics.text())
  })
}

function isBearer(given: string, token: string): boolean {
  const expected = Buffer.from(`Bearer ${token}`)
  const offered = Buffer.from(given)
  return offered.length === expected.length && timingSafeEqual(offered, expected)
}
