// Routes for monitoring: liveness (/healthz), readiness (/readyz) and /metrics, and the checks
// behind readiness.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../domain/clock-and-random.ts'
import { keptFor, type Metrics } from '../observability/metrics.ts'
import { GENERAL_ERRORS } from '../wire/error.ts'
import { sendGeneralError, sendJson } from './errors.ts'

export interface HealthDeps {
  /** The names of the parts that do not work. */
  failing(): Promise<string[]>
  metrics: Metrics
  clock: Pick<Clock, 'now'>
  /** Empty when /metrics needs no token. */
  metricsToken: string
  /** Whether /metrics is closed while there is no token. */
  isProduction: boolean
}

/** The text takes milliseconds to make. */
const METRICS_KEPT_MS = 1_000

export function health(app: FastifyInstance, deps: HealthDeps): void {
  const { failing, metrics, clock, metricsToken, isProduction } = deps
  const metricsText = keptFor(clock, METRICS_KEPT_MS, metrics.text)

  function mayReadMetrics(request: FastifyRequest): boolean {
    if (metricsToken !== '') return isBearer(request.headers.authorization ?? '', metricsToken)
    // The address of the connection proves nothing: a proxy on this machine that adds no header
    // calls for strangers.
    return !isProduction
  }

  app.get('/healthz', (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'))

  app.get('/readyz', async (_request, reply) => {
    const names = await failing()
    if (names.length === 0) return sendJson(reply, 200, '{"status":"ready"}')
    const { http, message } = GENERAL_ERRORS.unavailable
    return sendJson(
      reply.header('retry-after', '1'),
      http,
      JSON.stringify({ message, failing: names }),
    )
  })

  app.get('/metrics', async (request, reply) => {
    // 404, so that a caller who may not read it does not learn that the route exists.
    if (!mayReadMetrics(request)) return sendGeneralError(reply, 'not_found')
    return reply.header('content-type', metrics.contentType).send(await metricsText())
  })
}

function isBearer(given: string, token: string): boolean {
  const expected = Buffer.from(`Bearer ${token}`)
  const offered = Buffer.from(given)
  return offered.length === expected.length && timingSafeEqual(offered, expected)
}

export interface ReadinessCheck {
  name: string
  /** Rejects, or resolves to false, when this part does not work. */
  works(): Promise<boolean>
}

const CHECK_WITHIN_MS = 2_000
const CHECKS_KEPT_MS = 1_000

/**
 * Names the parts of this process that do not work. Each check has two seconds; a result is kept
 * for one.
 */
export function readiness(
  clock: Clock,
  checks: readonly ReadinessCheck[],
): () => Promise<string[]> {
  async function check({ name, works }: ReadinessCheck): Promise<string[]> {
    const { promise: timeout, resolve } = Promise.withResolvers<boolean>()
    const cancel = clock.after(CHECK_WITHIN_MS, () => resolve(false))
    const isWorking = await Promise.race([works().catch(() => false), timeout])
    cancel()
    return isWorking ? [] : [name]
  }

  return keptFor(clock, CHECKS_KEPT_MS, async () => (await Promise.all(checks.map(check))).flat())
}
