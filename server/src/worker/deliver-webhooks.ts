// Delivers events to merchants. Each endpoint has a queue that one process works at a time: claim the queue, send
// without a lock or an open transaction, record the attempts. Queues are independent, so a receiver that hangs delays
// only its own deliveries: while there are more queues than slots, each is left after a turn. A receiver that keeps
// failing gets a single delivery now and then as a probe, instead of everything in its queue.
import { type OpenEndpoint, openEndpoint, withoutSecrets } from '../actions/webhooks/endpoints.ts'
import { type AttemptMade, isAccepted, isGone } from '../actions/webhooks/record-attempts.ts'
import { boundedCache, singleFlight } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { maskCardNumbers } from '../domain/free-text.ts'
import {
  afterCall,
  type BreakerLimits,
  type CircuitBreaker,
  CLOSED,
  isOpen,
  isTripped,
} from '../domain/retry-schedule.ts'
import type { SealedBox } from '../domain/sealed-box.ts'
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
/** Replays in a batch that has live events too; without live events, as many as are sent at once. */
const REPLAYS_BESIDE_LIVE = 2
/** An attempt may send twice, with the new and the old Secret-Hash: the lease covers both. */
const SENDS_PER_ATTEMPT = 2
const RECORDING_MS = 5_000
/** Renewing the lease fails once the endpoint is turned off or removed, so sending stops within this time. */
const RENEW_EVERY_MS = 1_000
const BREAKER: BreakerLimits = { failuresUntilOpen: 5, shortestOpenMs: 1_000, longestOpenMs: 60_000 }
/** A failing endpoint whose breaker was evicted gets a few more calls. */
const MOST_BREAKERS = 10_000

export function webhookDeliverer(deps: DelivererDeps) {
  const { db, clock, box, send, timeoutMs, record, yielded, failed } = deps
  const leaseMs = SENDS_PER_ATTEMPT * timeoutMs + RECORDING_MS
  const underWay = new Set<Promise<unknown>>()
  const slots = queueSlots(clock)
  /** The breakers of failing endpoints: an endpoint without one here has a closed breaker. */
  const breakers = boundedCache<CircuitBreaker>(MOST_BREAKERS)
  let stopped = false

  /** Claims the queues that are due and starts to work them; true when more may be due. */
  async function round(): Promise<boolean> {
    const most = slots.free()
    slots.isCrowded = most <= 0
    if (stopped || most <= 0) return false
    const now = clock.now()
    if (!(await isAnyEndpointDue(db, now))) return false
    const queues = await claimEndpointQueues(db, now, now + leaseMs, most)
    slots.isCrowded = queues.length === most
    const restUntil = clock.now() + SLOW_RESTS_MS
    await Promise.all(queues.filter((queue) => !begin(queue)).map((queue) => leaveUntil(queue, restUntil)))
    return slots.isCrowded
  }

  /** False when there is no slot for a queue as slow as this one. */
  function begin(queue: EndpointQueue): boolean {
    const turn = slots.take(queue.endpointId)
    if (turn === undefined) return false
    // After a fault of our own a queue stays claimed, and is claimed again when its lease expires.
    const working: Promise<unknown> = work(queue, turn)
      .catch(failed)
      .finally(() => {
        turn.end()
        underWay.delete(working)
      })
    underWay.add(working)
    return true
  }

  async function work(queue: EndpointQueue, turn: Turn): Promise<unknown> {
    for (;;) {
      if (!(await renew(queue))) return giveBackEndpointQueue(db, queue)
      const row = await findEndpoint(db, queue, queue.endpointId)
      if (row === undefined) return
      const breaker = breakerOf(queue)
      const isBreakerOpen = isOpen(breaker, clock.now(), BREAKER)
      const due = isBreakerOpen || stopped ? [] : await listBatch(queue, turn)
      if (due.length > 0 && (await mustYield(turn))) {
        await leaveUntil(queue, clock.now() + (turn.isSlow() ? SLOW_RESTS_MS : 0))
        return yielded()
      }
      if (due.length > 0) await sendAll(queue, turn, openEndpoint(box, row, clock.now()), due)
      else if (await leaveEndpointQueue(db, queue, isBreakerOpen ? breaker.openUntil : await nextDueOf(db, queue)))
        return
      else if (stopped) return giveBackEndpointQueue(db, queue)
    }
  }

  async function mustYield(turn: Turn): Promise<boolean> {
    if (!turn.isOver()) return false
    if (!turn.isSlotAwaited() && !(await isAnyEndpointDue(db, clock.now()))) {
      turn.extend()
      return false
    }
    // Before the queue is released, so that no more slow queues leave than must.
    turn.end()
    return true
  }

  /** Queues are claimed by due time, so the longest wait comes first. A new event makes it due at once. */
  async function leaveUntil(queue: EndpointQueue, dueAt: number): Promise<void> {
    if (!(await leaveEndpointQueue(db, queue, dueAt))) await giveBackEndpointQueue(db, queue)
  }

  async function listBatch(queue: EndpointQueue, turn: Turn): Promise<DueDelivery[]> {
    const now = clock.now()
    const isProbing = isTripped(breakerOf(queue), BREAKER)
    const mostLive = isProbing ? 1 : turn.isSlow() ? MOST_PER_SLOW_BATCH : MOST_PER_BATCH
    const live = await listDue(db, queue, now, { isReplay: 0, most: mostLive })
    if (isProbing && live.length > 0) return live
    const most = isProbing ? 1 : live.length > 0 ? REPLAYS_BESIDE_LIVE : MOST_SENDS_PER_QUEUE
    return [...live, ...(await listDue(db, queue, now, { isReplay: 1, most }))]
  }

  async function sendAll(queue: EndpointQueue, turn: Turn, endpoint: OpenEndpoint, due: DueDelivery[]): Promise<void> {
    const waiting = [...due]
    // Sending continues while attempts are recorded, so that many share a commit; the batch ends with the last.
    const recordings: Promise<unknown>[] = []
    let fault: unknown
    /** Concurrent sends share one renewal: it changes `claimedUntil`, by which the store recognises the claim. */
    const renewOnce = singleFlight(() => renew(queue))
    async function next(): Promise<void> {
      for (let delivery = waiting.shift(); delivery !== undefined; delivery = waiting.shift()) {
        if (stopped || turn.isOver() || !(await holdsLease())) return
        // The breaker tripped during this batch: do not send the rest of it to a receiver that is failing.
        if (isTripped(breakerOf(queue), BREAKER) && due.length > 1) return
        const made = await deliver(endpoint, delivery)
        if (made === undefined) return
        turn.answered(clock.now() - made.at)
        recordings.push(record(made).catch(stopBatch))
        if (isGone(made.attempt)) waiting.length = 0
      }
    }
    /** If attempts cannot be recorded, nothing more of the batch is sent. */
    function stopBatch(error: unknown): void {
      fault = error
      waiting.length = 0
    }
    const holdsLease = async (): Promise<boolean> =>
      queue.claimedUntil - clock.now() > leaseMs - RENEW_EVERY_MS || renewOnce()
    await Promise.all(Array.from({ length: Math.min(MOST_SENDS_PER_QUEUE, due.length) }, next))
    await Promise.all(recordings)
    if (fault !== undefined) throw fault
  }

  /** Undefined when our own stop interrupted the send, which is then no attempt. */
  async function deliver(endpoint: OpenEndpoint, delivery: DueDelivery): Promise<AttemptMade | undefined> {
    const at = clock.now()
    const attempt = await sendWithSecrets(endpoint, delivery)
    if (stopped && attempt.status === null) return undefined
    trackHealth(delivery, attempt)
    const answer = maskCardNumbers(withoutSecrets(attempt.answer, endpoint))
    const hadFailed = endpoint.hasFailed
    if (!isAccepted(attempt)) endpoint.hasFailed = true
    return { delivery, hadFailed, at, attempt: { ...attempt, answer } }
  }

  /** While two Secret-Hash values are valid, a receiver that refuses the new one with 401 or 403 gets the old one. */
  async function sendWithSecrets(endpoint: OpenEndpoint, delivery: DueDelivery): Promise<Attempt> {
    const [newest, ...older] = endpoint.secretHashes as [string, ...string[]]
    let attempt = await send(requestFor(endpoint, newest, delivery))
    for (const secretHash of older) {
      if (attempt.status !== 401 && attempt.status !== 403) break
      attempt = await send(requestFor(endpoint, secretHash, delivery))
    }
    return attempt
  }

  function requestFor({ url, signingSecrets }: OpenEndpoint, secretHash: string, delivery: DueDelivery) {
    const { stored, round: replay } = delivery
    const { eventId, payload: body } = stored
    return { url, headers: webhookHeaders({ eventId, body, secretHash, signingSecrets, replay }, clock.now()), body }
  }

  function breakerOf({ endpointId }: { endpointId: string }): CircuitBreaker {
    return breakers.get(endpointId) ?? CLOSED
  }

  function trackHealth(delivery: DueDelivery, attempt: Attempt): void {
    const { status } = attempt
    // A receiver that answers is up, even if it refuses: only no answer, 5xx, 429 and 408 count towards its breaker.
    const isFailure = status === null || status >= 500 || status === 429 || status === 408
    if (isAccepted(attempt) || !isFailure) {
      breakers.delete(delivery.endpointId)
      return
    }
    const before = breakerOf(delivery)
    // A send that was in flight when the breaker opened does not count again.
    if (isOpen(before, clock.now(), BREAKER)) return
    breakers.set(delivery.endpointId, afterCall(before, 'failure', clock.now(), BREAKER))
  }

  async function renew(queue: EndpointQueue): Promise<boolean> {
    const until = clock.now() + leaseMs
    if (!(await renewEndpointQueue(db, queue, until))) return false
    queue.claimedUntil = until
    return true
  }

  return {
    round,
    /** Claims nothing more; resolves when no queue is being worked. */
    stop: async (): Promise<void> => {
      stopped = true
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

// Which endpoint queues a process works at once. There are as many slots as queues it may work; a queue has its slot
// for a turn, and gives it up after that when other queues wait for one (ADR-0011). Slow receivers may not have all
// slots, however many there are. Knows nothing of the store: deliver-webhooks.ts claims and releases the queues.

const MOST_QUEUES = 200
/** The rest of the slots is for endpoints that are not known to be slow. */
const MOST_SLOW_QUEUES = 150
/** With eight sends at once, a receiver as slow as this gets at most four deliveries a second. */
const SLOW_AFTER_MS = 2_000
/** A turn waits for its sends in flight: a queue leaves its slot after this and one deadline. */
const TURN_MS = 5_000
/** How long a slow queue without a slot stays away, which bounds the cost of claiming it. */
const SLOW_RESTS_MS = 5_000
/** A queue that found no slot and does not come again has been emptied by another process, or turned off. */
const WAITS_FOR_MS = 3 * SLOW_RESTS_MS
/** An endpoint that is forgotten counts as quick until its next slow answer. */
const MOST_SLOW_ENDPOINTS = 10_000

/** One queue in its slot. */
interface Turn {
  answered(durationMs: number): void
  isSlow(): boolean
  /** The time is over, and others may be waiting for the slot. */
  isOver(): boolean
  /** Slow queues are waiting for the slot of this one. They rest meanwhile, so the store does not list them as due. */
  isSlotAwaited(): boolean
  /** No queue waits for the slot: this one has it for another turn. */
  extend(): void
  end(): void
}

function queueSlots(clock: Clock) {
  const taken = new Set<Turn>()
  const slowEndpoints = boundedCache<true>(MOST_SLOW_ENDPOINTS)
  /** Slow endpoints that found no slot, and when they last did. */
  const waiting = new Map<string, number>()
  const freeForSlow = (): number => MOST_SLOW_QUEUES - [...taken].filter((turn) => turn.isSlow()).length

  function countWaiting(): number {
    for (const [endpointId, since] of waiting) if (clock.now() - since > WAITS_FOR_MS) waiting.delete(endpointId)
    return waiting.size
  }

  function startTurn(endpointId: string): Turn {
    let endsAt = clock.now() + TURN_MS
    let isSlow = slowEndpoints.get(endpointId) === true
    /** The slowest answer of this turn: one slow answer keeps the slot as long as eight. */
    let slowest: number | undefined
    const turn: Turn = {
      answered(durationMs) {
        slowest = Math.max(slowest ?? 0, durationMs)
        if (durationMs < SLOW_AFTER_MS) return
        isSlow = true
        slowEndpoints.set(endpointId, true)
      },
      isSlow: () => isSlow,
      // Without an answer in its turn, a queue would come and go with nothing sent while the store is slow.
      isOver: () => slowest !== undefined && clock.now() >= endsAt && (slots.isCrowded || turn.isSlotAwaited()),
      // As many leave as wait: turns of slow queues end together, and a slot would be empty.
      isSlotAwaited: () => isSlow && (freeForSlow() < 0 || countWaiting() > freeForSlow()),
      extend() {
        endsAt = clock.now() + TURN_MS
      },
      end() {
        taken.delete(turn)
        if (slowest !== undefined && slowest < SLOW_AFTER_MS) slowEndpoints.delete(endpointId)
      },
    }
    taken.add(turn)
    return turn
  }

  const slots = {
    /** Whether the last round has left no slot free, so that queues may be due that it did not claim. */
    isCrowded: false,
    free: () => MOST_QUEUES - taken.size,
    /** Undefined when this endpoint is slow, and slow ones have all the slots that they may have. */
    take(endpointId: string): Turn | undefined {
      waiting.delete(endpointId)
      if (slowEndpoints.get(endpointId) !== true || freeForSlow() > 0) return startTurn(endpointId)
      waiting.set(endpointId, clock.now())
      return undefined
    },
  }
  return slots
}
