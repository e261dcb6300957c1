// Wires the loop that delivers webhooks. compose.ts calls it.
import type { Logger } from 'pino'
import { type AttemptMade, isAccepted, recordAttempts } from '../actions/webhooks/record-attempts.ts'
import { type Config, targetRules } from '../config.ts'
import type { ServiceItself } from '../domain/caller.ts'
import type { Random, ServiceClock } from '../domain/clock-and-random.ts'
import type { Metrics } from '../observability/metrics.ts'
import { batch } from '../store/engine/batch.ts'
import type { Database } from '../store/engine/database.ts'
import { type WebhookSender, webhookSender } from '../webhooks/send.ts'
import { webhookDeliverer } from '../worker/deliver-webhooks.ts'
import { loop } from '../worker/loop.ts'
import { type MasterKey, secretsBox } from './master-key.ts'

const RECORD_LIMITS = { flushes: 2, batchSize: 100, maxWaiting: 50_000 }
const POLL_EVERY_MS = 500
/** When the service stops, a receiver that has not answered by then gets the event again after the next start. */
const INTERRUPTED_AFTER_MS = 2_000
const DELIVERY: ServiceItself = { is: 'service', part: 'webhook delivery' }

export interface Deliveries {
  /** An event was written: deliver it at once. */
  wake(): void
  /** Claims nothing more, and waits for the attempts under way. */
  stop(): Promise<void>
}

export interface DeliveriesDeps {
  runtime: { config: Config; db: Database; clock: ServiceClock; random: Random; master: MasterKey }
  log: Logger
  metrics: Metrics
  sender?: WebhookSender | undefined
}

export function openDeliveries({ runtime, log, metrics, sender: overridden }: DeliveriesDeps): Deliveries {
  const { config, db, clock, random, master } = runtime
  if (config.role === 'api') return { wake: () => {}, stop: async () => {} }
  const sender = overridden ?? webhookSender({ clock, rules: targetRules(config), timeoutMs: config.webhookTimeoutMs })
  const failed = (error: unknown): void => log.error({ err: error }, 'delivering failed; it will be tried again')
  const record = batch((made: AttemptMade[]) => recordAttempts({ db, clock, random }, DELIVERY, made), RECORD_LIMITS)
  const deliverer = webhookDeliverer({
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
  // With a wrong clock, what is due for this process need not be due.
  const round = async () => clock.isRight() && deliverer.round()
  const polling = loop({ clock, failed, everyMs: POLL_EVERY_MS, round })
  return {
    wake: polling.wake,
    stop: async () => {
      await polling.stop()
      const idle = deliverer.stop()
      await Promise.race([idle, new Promise<void>((resolve) => clock.after(INTERRUPTED_AFTER_MS, resolve))])
      await sender.close()
      await idle
    },
  }
}
