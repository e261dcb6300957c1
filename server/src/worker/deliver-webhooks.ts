// Brings events to merchants. An endpoint is a queue that one process works at a time: claim the queue, send with nothing locked, record. Lanes
// know nothing of each other, so a receiver that hangs keeps only its own waiting; one that keeps failing is tried with a single
// delivery now and then, instead of with everything that is owed to it.

import { type OpenEndpoint, openEndpoint, withoutSecrets } from '../actions/webhooks/open-endpoint.ts'
import { type AttemptMade, isAccepted, isGone } from '../actions/webhooks/record-attempts.ts'
import { boundedCache } from '../domain/bounded-cache.ts'
import {
  afterCall,
  type BreakerLimits,
  type CircuitBreaker,
  CLOSED,
  isOpen,
  isTripped,
} from '../domain/circuit-breaker.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { SealedBox } from '../domain/sealed-box.ts'
import type { Database } from '../store/engine/database.ts'
import { type DueDelivery, listDue, nextDueOf } from '../store/webhooks/deliveries.ts'
import {
  claimEndpointQueues,
  type EndpointQueue,
  findEndpoint,
  giveBackEndpointQueue,
  leaveEndpointQueue,
  renewEndpointQueue,
} from '../store/webhooks/endpoints.ts'
import { webhookHeaders } from '../webhooks/headers.ts'
import type { Attempt, WebhookRequest } from '../webhooks/send.ts'

export interface DelivererDeps {
  db: Database
  clock: Clock
  box: SealedBox
  send(request: WebhookRequest): Promise<Attempt>
  /** How long a sending takes at most. */
  timeoutMs: number
  record(made: AttemptMade): Promise<unknown>
  failed(error: unknown): void
}

export interface Deliverer {
  /** Takes the queues that are due; true when there may be more at once. */
  round(): Promise<boolean>
  /** Takes nothing more; resolves when nothing is under way. */
  stop(): Promise<void>
}

const MOST_QUEUES = 200
const MOST_UNDER_WAY_IN_QUEUE = 8
const MOST_AT_ONCE = 200
/** Beside live events a replay gets a little; alone, a queue's whole attention. */
const REPLAYS_BESIDE_LIVE = 2
/** An attempt is made with the old Secret-Hash after the new one, and then noted: nobody else takes the queue before that. */
const SENDINGS_IN_AN_ATTEMPT = 2
const BOOKKEEPING_MS = 5_000
/** Whoever turns an endpoint off or removes it is heeded so soon. */
const RENEW_EVERY_MS = 1_000
const BREAKER: BreakerLimits = { failuresUntilOpen: 5, shortestOpenMs: 1_000, longestOpenMs: 60_000 }
/** An endpoint that is removed while it fails leaves its breaker behind; one that is forgotten is called a few times more. */
const MOST_BREAKERS = 10_000

export function webhookDeliverer(deps: DelivererDeps): Deliverer {
  const { db, clock, box, send, timeoutMs, record, failed } = deps
  const leaseMs = SENDINGS_IN_AN_ATTEMPT * timeoutMs + BOOKKEEPING_MS
  const underWay = new Set<Promise<void>>()
  /** Of endpoints that are failing: one that is not here is closed. */
  const breakers = boundedCache<CircuitBreaker>(MOST_BREAKERS)
  let stopped = false

  async function round(): Promise<boolean> {
    const most = MOST_QUEUES - underWay.size
    if (stopped || most <= 0) return false
    const now = clock.now()
    const queues = await claimEndpointQueues(db, now, now + leaseMs, most)
    for (const queue of queues) {
      // A queue that fails for a fault of ours stays claimed, and is taken up again when its claim is over.
      const working: Promise<void> = work(queue)
        .catch(failed)
        .finally(() => underWay.delete(working))
      underWay.add(working)
    }
    return queues.length === most
  }

  async function work(queue: EndpointQueue): Promise<void> {
    for (;;) {
      if (!(await renew(queue))) return giveBackEndpointQueue(db, queue)
      const row = await findEndpoint(db, queue, queue.endpointId)
      if (row === undefined) return
      const breaker = breakerOf(queue)
      const isResting = isOpen(breaker, clock.now())
      const due = isResting || stopped ? [] : await look(queue)
      if (due.length > 0) await sendAll(queue, openEndpoint(box, row, clock.now()), due)
      else if (await leaveEndpointQueue(db, queue, isResting ? breaker.openUntil : await nextDueOf(db, queue))) return
      else if (stopped) return giveBackEndpointQueue(db, queue)
    }
  }

  async function look(queue: EndpointQueue): Promise<DueDelivery[]> {
    const now = clock.now()
    const isProbing = isTripped(breakerOf(queue), BREAKER)
    const live = await listDue(db, queue, now, { isReplay: 0, most: isProbing ? 1 : MOST_AT_ONCE })
    if (isProbing && live.length > 0) return live
    const most = isProbing ? 1 : live.length > 0 ? REPLAYS_BESIDE_LIVE : MOST_UNDER_WAY_IN_QUEUE
    return [...live, ...(await listDue(db, queue, now, { isReplay: 1, most }))]
  }

  async function sendAll(queue: EndpointQueue, endpoint: OpenEndpoint, due: DueDelivery[]): Promise<void> {
    const waiting = [...due]
    // Sending goes on while attempts are being noted, so that many share a commit; the batch ends when all are.
    const noted: Promise<unknown>[] = []
    let fault: unknown
    let renewing: Promise<boolean> | undefined
    async function next(): Promise<void> {
      for (let delivery = waiting.shift(); delivery !== undefined; delivery = waiting.shift()) {
        if (stopped || !(await isStillOurs())) return
        // What began to fail while this batch is under way is not hammered with the rest of it.
        if (isTripped(breakerOf(queue), BREAKER) && due.length > 1) return
        const made = await deliver(endpoint, delivery)
        if (made === undefined) return
        noted.push(record(made).catch(breakOff))
        if (isGone(made.attempt)) waiting.length = 0
      }
    }
    /** What cannot be noted is not sent either. */
    function breakOff(error: unknown): void {
      fault = error
      waiting.length = 0
    }
    /** One renewal for all of the batch: after it, the claim would not be recognised by its old time. */
    async function isStillOurs(): Promise<boolean> {
      if (queue.claimedUntil - clock.now() > leaseMs - RENEW_EVERY_MS) return true
      renewing ??= renew(queue).finally(() => {
        renewing = undefined
      })
      return renewing
    }
    await Promise.all(Array.from({ length: Math.min(MOST_UNDER_WAY_IN_QUEUE, due.length) }, next))
    await Promise.all(noted)
    if (fault !== undefined) throw fault
  }

  /** Undefined when it was cut off by our own stopping: it does not count, and is sent again after the next start. */
  async function deliver(endpoint: OpenEndpoint, delivery: DueDelivery): Promise<AttemptMade | undefined> {
    const at = clock.now()
    const attempt = await sendWithSecrets(endpoint, delivery)
    if (stopped && attempt.status === null) return undefined
    noteHealth(delivery, attempt)
    const answer = withoutSecrets(attempt.answer, endpoint)
    return { delivery, wasFailing: endpoint.isFailing, at, attempt: { ...attempt, answer } }
  }

  /** While a change-over of the Secret-Hash lasts, a receiver that does not know the new one yet is sent the old one. */
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
    const { eventId, payload: body, round: replay } = delivery
    return { url, headers: webhookHeaders({ eventId, body, secretHash, signingSecrets, replay }, clock.now()), body }
  }

  function breakerOf({ endpointId }: { endpointId: string }): CircuitBreaker {
    return breakers.get(endpointId) ?? CLOSED
  }

  function noteHealth(delivery: DueDelivery, attempt: Attempt): void {
    const { status } = attempt
    // Who answers is there, even with a refusal: only silence and the words for trouble make it rest.
    const isSilent = status === null || status >= 500 || status === 429 || status === 408
    if (isAccepted(attempt) || !isSilent) {
      breakers.delete(delivery.endpointId)
      return
    }
    const before = breakerOf(delivery)
    // A failure of what was under way when the breaker opened says nothing new.
    if (isOpen(before, clock.now())) return
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
    stop: async () => {
      stopped = true
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
