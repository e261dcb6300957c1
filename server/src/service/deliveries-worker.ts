// The background work of a process for webhooks: attempts of due deliveries.
import type { Logger } from 'pino'
import {
  type AttemptMade,
  isAccepted,
  recordAttempts,
} from '../actions/webhooks/record-attempts.ts'
import { type Config, targetRules } from '../config.ts'
import type { Random, ServiceClock } from '../domain/clock-and-random.ts'
import type { ServiceItself } from '../domain/people/caller.ts'
import type { Metrics } from '../observability/metrics.ts'
import { batch } from '../store/engine/batch.ts'
import type { Database } from '../store/engine/database.ts'
import { type WebhookSender, webhookSender } from '../webhooks/send.ts'
import { WebhookDeliverer } from '../worker/deliver-webhooks.ts'
import { loop, pause } from '../worker/loop.ts'
import { failureLog } from './failure-log.ts'
import { type MasterKey, secretsBox } from './master-key.ts'

const RECORD_LIMITS = { flushes: 2, batchSize: 100, maxWaiting: 50_000 }
const POLL_EVERY_MS = 500
/**
 * When the service stops, a receiver that has not answered by then gets the event again after the
 * next start.
 */
const INTERRUPTED_AFTER_MS = 2_000
const DELIVERY: ServiceItself = { is: 'service', part: 'webhook delivery' }

interface DeliveriesDeps {
  runtime: {
    config: Config
    db: Database
    clock: ServiceClock
    random: Random
    master: MasterKey
  }
  log: Logger
  metrics: Metrics
  sender?: WebhookSender | undefined
}

export function openDeliveries({ runtime, log, metrics, sender: overridden }: DeliveriesDeps) {
  const { config, db, clock, random, master } = runtime
  if (config.role === 'api') return { wake: () => {}, stop: async () => {} }
  const sender =
    overridden ??
    webhookSender({ clock, rules: targetRules(config), timeoutMs: config.webhookTimeoutMs })
  const failures = failureLog(clock, (fields) =>
    log.error(fields, 'delivering failed; it will be tried again'),
  )
  const { failed } = failures
  const record = batch(
    (made: AttemptMade[]) => recordAttempts({ db, clock, random }, DELIVERY, made),
    RECORD_LIMITS,
  )
  const deliverer = new WebhookDeliverer({
    db,
    clock,
    box: secretsBox(master, random),
    send: sender.send,
    timeoutMs: config.webhookTimeoutMs,
    record: (made) => {
      metrics.attempted(isAccepted(made.attempt) ? 'delivered' : 'not_delivered')
      return record(made)
    },
    yielded: () => polling.wake(),
    failed,
  })
  // With a wrong clock, due times cannot be judged.
  const round = async () => clock.isRight() && deliverer.round()
  const polling = loop({ clock, failed, everyMs: POLL_EVERY_MS, round })
  return {
    /** An event was written: deliver it at once. */
    wake: polling.wake,
    /** Claims nothing more, and waits for the in-flight attempts. */
    stop: async (): Promise<void> => {
      await polling.stop()
      const idle = deliverer.stop()
      await Promise.race([idle, pause(clock, INTERRUPTED_AFTER_MS)])
      await sender.close()
      await idle
      failures.flush()
    },
  }
}
