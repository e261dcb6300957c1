// Delivers events to merchants. Each endpoint has a queue that one process works at a time: claim
// the queue, send without a lock or an open transaction, record the attempts. Queues are
// independent, so a receiver that hangs delays only its own deliveries: while there are more queues
// than slots, each is left after a turn. A receiver that keeps failing gets a single delivery now
// and then as a probe, instead of everything in its queue.
//
// A queue in this process:
//
//   claimed   `claimedUntil` is ours, and is renewed while deliveries are sent
//   sending   up to eight deliveries are on the wire, each about another payment
//   left      nothing is due, its receiver's breaker is open, or another queue needs the slot: it
//             is due again at the time that was stored
//   released  the process stops, or the endpoint was turned off: the claim is given back
import { type OpenEndpoint, openEndpoint, withoutSecrets } from '../actions/webhooks/endpoints.ts'
import { type AttemptMade, isAccepted, isGone } from '../actions/webhooks/record-attempts.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { singleFlight } from '../domain/limits/single-flight.ts'
import type { SealedBox } from '../domain/sealed-box.ts'
import { maskCardNumbers } from '../domain/texts/free-text.ts'
import type { Database } from '../store/engine/database.ts'
import {
  claimEndpointQueues,
  type EndpointQueue,
  findEndpoint,
  giveBackEndpointQueue,
  isAnyEndpointDue,
  leaveEndpointQueue,
  renewEndpointQueue,
} from '../store/webhooks/endpoints.ts'
import { type DueDelivery, listDue, nextDueOf } from '../store/webhooks/events.ts'
import type { Attempt, WebhookRequest } from '../webhooks/send.ts'
import { webhookHeaders } from '../webhooks/sign.ts'
import { QueueSlots, SLOW_RESTS_MS, type Turn } from './queue-slots.ts'
import { ReceiverHealth } from './receiver-health.ts'

export interface DelivererDeps {
  db: Database
  clock: Clock
  box: SealedBox
  send(request: WebhookRequest): Promise<Attempt>
  /** The deadline of one send. */
  timeoutMs: number
  record(made: AttemptMade): Promise<unknown>
  /** A queue has left its slot to another that waits: run a round. */
  yielded(): void
  failed(error: unknown): void
}

const MOST_SENDS_PER_QUEUE = 8
const MOST_PER_BATCH = 200
/** A slow receiver's turn ends within two rounds of sends: more rows would be read for nothing. */
const MOST_PER_SLOW_BATCH = 16
/** Replays in a batch with live events; without live events, as many as are sent at once. */
const REPLAYS_BESIDE_LIVE = 2
/** An attempt may send twice, with the new and the old Secret-Hash: the lease covers both. */
const SENDS_PER_ATTEMPT = 2
const RECORDING_MS = 5_000
/** Renewal fails once the endpoint is turned off or removed, so sending stops within this time. */
const RENEW_EVERY_MS = 1_000

const leaseMsOf = ({ timeoutMs }: DelivererDeps): number =>
  SENDS_PER_ATTEMPT * timeoutMs + RECORDING_MS

export class WebhookDeliverer {
  readonly deps: DelivererDeps
  readonly slots: QueueSlots
  readonly health: ReceiverHealth
  isStopped = false
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(deps: DelivererDeps) {
    this.deps = deps
    this.slots = new QueueSlots(deps.clock)
    this.health = new ReceiverHealth(deps.clock)
  }

  /** Claims the queues that are due and starts to work them; true when more may be due. */
  async round(): Promise<boolean> {
    const { db, clock } = this.deps
    const most = this.slots.free()
    this.slots.isCrowded = most <= 0
    if (this.isStopped || most <= 0) return false
    const now = clock.now()
    if (!(await isAnyEndpointDue(db, now))) return false
    const queues = await claimEndpointQueues(db, now, now + leaseMsOf(this.deps), most)
    this.slots.isCrowded = queues.length === most
    const restUntil = clock.now() + SLOW_RESTS_MS
    const withoutSlot = queues.filter((queue) => !this.#begin(queue))
    await Promise.all(withoutSlot.map((queue) => leaveUntil(db, queue, restUntil)))
    return this.slots.isCrowded
  }

  /** Claims nothing more; resolves when no queue is being worked. */
  async stop(): Promise<void> {
    this.isStopped = true
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** False when there is no slot for a queue as slow as this one. */
  #begin(queue: EndpointQueue): boolean {
    const turn = this.slots.take(queue.endpointId)
    if (turn === undefined) return false
    // After a fault of our own a queue stays claimed, and is claimed again when its lease expires.
    const working: Promise<unknown> = new QueueVisit(this, queue, turn)
      .work()
      .catch(this.deps.failed)
      .finally(() => {
        turn.end()
        this.#underWay.delete(working)
      })
    this.#underWay.add(working)
    return true
  }
}

/** Queues are claimed by due time, so the longest wait comes first. A new event makes it due. */
async function leaveUntil(db: Database, queue: EndpointQueue, dueAt: number): Promise<void> {
  if (!(await leaveEndpointQueue(db, queue, dueAt))) await giveBackEndpointQueue(db, queue)
}

/** From the claim of one queue until it is left or released. */
class QueueVisit {
  readonly #deliverer: WebhookDeliverer
  readonly #deps: DelivererDeps
  readonly #queue: EndpointQueue
  readonly #turn: Turn

  constructor(deliverer: WebhookDeliverer, queue: EndpointQueue, turn: Turn) {
    this.#deliverer = deliverer
    this.#deps = deliverer.deps
    this.#queue = queue
    this.#turn = turn
  }

  async work(): Promise<unknown> {
    const { db, clock, box, yielded } = this.#deps
    const queue = this.#queue
    for (;;) {
      if (!(await this.#renew())) return giveBackEndpointQueue(db, queue)
      const row = await findEndpoint(db, queue, queue.endpointId)
      if (row === undefined) return
      const openUntil = this.#deliverer.health.openUntil(queue.endpointId)
      const maySend = openUntil === undefined && !this.#deliverer.isStopped
      const due = maySend ? await this.#listBatch() : []
      if (due.length > 0 && (await this.#mustYield())) {
        await leaveUntil(db, queue, clock.now() + (this.#turn.isSlow ? SLOW_RESTS_MS : 0))
        return yielded()
      }
      if (due.length > 0) {
        await this.#sendAll(openEndpoint(box, row, clock.now()), due)
        continue
      }
      if (await leaveEndpointQueue(db, queue, openUntil ?? (await nextDueOf(db, queue)))) return
      if (this.#deliverer.isStopped) return giveBackEndpointQueue(db, queue)
    }
  }

  async #mustYield(): Promise<boolean> {
    const { db, clock } = this.#deps
    if (!this.#turn.isOver()) return false
    if (!this.#turn.isSlotAwaited() && !(await isAnyEndpointDue(db, clock.now()))) {
      this.#turn.extend()
      return false
    }
    // Before the queue is released, so that no more slow queues leave than must.
    this.#turn.end()
    return true
  }

  async #listBatch(): Promise<DueDelivery[]> {
    const { db, clock } = this.#deps
    const now = clock.now()
    const isProbing = this.#deliverer.health.isProbing(this.#queue.endpointId)
    const usual = this.#turn.isSlow ? MOST_PER_SLOW_BATCH : MOST_PER_BATCH
    const live = await listDue(db, this.#queue, now, { isReplay: 0, most: isProbing ? 1 : usual })
    if (isProbing && live.length > 0) return live
    const mostReplays = live.length > 0 ? REPLAYS_BESIDE_LIVE : MOST_SENDS_PER_QUEUE
    const most = isProbing ? 1 : mostReplays
    return [...live, ...(await listDue(db, this.#queue, now, { isReplay: 1, most }))]
  }

  async #sendAll(endpoint: OpenEndpoint, due: readonly DueDelivery[]): Promise<void> {
    const { clock, record } = this.#deps
    const waiting = [...due]
    // Sending goes on while attempts are recorded, so that many share a commit.
    const recordings: Promise<unknown>[] = []
    let fault: unknown
    /** If attempts cannot be recorded, nothing more of the batch is sent. */
    const stopBatch = (error: unknown): void => {
      fault = error
      waiting.length = 0
    }
    /** Concurrent sends share one renewal: the store recognises the claim by `claimedUntil`. */
    const renewOnce = singleFlight(() => this.#renew())
    const sendNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (!(await this.#maySendMore(renewOnce, due.length))) return
        const made = await this.#deliver(endpoint, next)
        if (made === undefined) return
        this.#turn.answered(clock.now() - made.at)
        recordings.push(record(made).catch(stopBatch))
        if (isGone(made.attempt)) waiting.length = 0
      }
    }
    await Promise.all(Array.from({ length: Math.min(MOST_SENDS_PER_QUEUE, due.length) }, sendNext))
    await Promise.all(recordings)
    if (fault !== undefined) throw fault
  }

  async #maySendMore(renewOnce: () => Promise<boolean>, batchSize: number): Promise<boolean> {
    if (this.#deliverer.isStopped || this.#turn.isOver()) return false
    const leaseLeftMs = this.#queue.claimedUntil - this.#deps.clock.now()
    if (leaseLeftMs <= leaseMsOf(this.#deps) - RENEW_EVERY_MS && !(await renewOnce())) return false
    // When the breaker tripped during this batch, the rest is not sent to a receiver that fails.
    return batchSize <= 1 || !this.#deliverer.health.isProbing(this.#queue.endpointId)
  }

  /** Undefined when our own stop interrupted the send, which is then no attempt. */
  async #deliver(endpoint: OpenEndpoint, delivery: DueDelivery): Promise<AttemptMade | undefined> {
    const at = this.#deps.clock.now()
    const attempt = await this.#sendWithSecrets(endpoint, delivery)
    if (this.#deliverer.isStopped && attempt.status === null) return undefined
    this.#deliverer.health.record(delivery.endpointId, attempt)
    const answer = maskCardNumbers(withoutSecrets(attempt.answer, endpoint))
    const hadFailed = endpoint.hasFailed
    if (!isAccepted(attempt)) endpoint.hasFailed = true
    return { delivery, hadFailed, at, attempt: { ...attempt, answer } }
  }

  /**
   * While two Secret-Hash values are valid, a receiver that refuses the new one with 401 or 403
   * gets the old one.
   */
  async #sendWithSecrets(endpoint: OpenEndpoint, delivery: DueDelivery): Promise<Attempt> {
    const { send } = this.#deps
    const [newest, ...older] = endpoint.secretHashes as [string, ...string[]]
    let attempt = await send(this.#requestFor(endpoint, newest, delivery))
    for (const secretHash of older) {
      if (attempt.status !== 401 && attempt.status !== 403) break
      attempt = await send(this.#requestFor(endpoint, secretHash, delivery))
    }
    return attempt
  }

  #requestFor(
    { url, signingSecrets }: OpenEndpoint,
    secretHash: string,
    { stored: { eventId, payload: body }, round: replay }: DueDelivery,
  ): WebhookRequest {
    const facts = { eventId, body, secretHash, signingSecrets, replay }
    return { url, headers: webhookHeaders(facts, this.#deps.clock.now()), body }
  }

  async #renew(): Promise<boolean> {
    const until = this.#deps.clock.now() + leaseMsOf(this.#deps)
    if (!(await renewEndpointQueue(this.#deps.db, this.#queue, until))) return false
    this.#queue.claimedUntil = until
    return true
  }
}
