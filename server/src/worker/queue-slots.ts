// Which endpoint queues a process works at once. There are as many slots as queues it may work; a
// queue has its slot for a turn, and gives it up after that when other queues wait for one
// (ADR-0011). Slow receivers may not have all slots, however many there are. Knows nothing of the
// store: deliver-webhooks.ts claims and releases the queues. Packages that limit concurrency keep
// no part of their slots for those that answer quickly.
//
//   quick    any free slot will do
//   slow     an answer took two seconds or more: one of the slots that slow endpoints may have
//   waiting  slow, and found no slot: it rests, and comes again
import { LRUCache } from 'lru-cache'
import type { Clock } from '../domain/clock-and-random.ts'

const MOST_QUEUES = 200
/** The rest of the slots is for endpoints that are not known to be slow. */
const MOST_SLOW_QUEUES = 150
/** With eight sends at once, a receiver as slow as this gets at most four deliveries a second. */
const SLOW_AFTER_MS = 2_000
/** A turn waits for its sends in flight: a queue leaves its slot after this and one deadline. */
const TURN_MS = 5_000
/** How long a slow queue without a slot stays away, which bounds the cost of claiming it. */
export const SLOW_RESTS_MS = 5_000
/** A queue that found no slot and does not come again was emptied elsewhere, or turned off. */
const WAITS_FOR_MS = 3 * SLOW_RESTS_MS
/** An endpoint that is forgotten counts as quick until its next slow answer. */
const MOST_SLOW_ENDPOINTS = 10_000

export class QueueSlots {
  /** Whether the last round left no slot free, so that queues may be due that it did not claim. */
  isCrowded = false
  readonly clock: Pick<Clock, 'now'>
  readonly slowEndpoints = new LRUCache<string, true>({ max: MOST_SLOW_ENDPOINTS })
  readonly #taken = new Set<Turn>()
  /** Slow endpoints that found no slot, and when they last did. */
  readonly #waiting = new Map<string, number>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.clock = clock
  }

  free(): number {
    return MOST_QUEUES - this.#taken.size
  }

  freeForSlow(): number {
    return MOST_SLOW_QUEUES - [...this.#taken].filter((turn) => turn.isSlow).length
  }

  /** Undefined when this endpoint is slow, and slow ones have all the slots that they may have. */
  take(endpointId: string): Turn | undefined {
    this.#waiting.delete(endpointId)
    if (this.slowEndpoints.get(endpointId) === true && this.freeForSlow() <= 0) {
      this.#waiting.set(endpointId, this.clock.now())
      return undefined
    }
    const turn = new Turn(this, endpointId)
    this.#taken.add(turn)
    return turn
  }

  release(turn: Turn): void {
    this.#taken.delete(turn)
  }

  countWaiting(): number {
    const now = this.clock.now()
    for (const [endpointId, since] of this.#waiting)
      if (now - since > WAITS_FOR_MS) this.#waiting.delete(endpointId)
    return this.#waiting.size
  }
}

/** One queue in its slot. */
export class Turn {
  isSlow: boolean
  readonly #slots: QueueSlots
  readonly #endpointId: string
  #endsAt: number
  /** The slowest answer of this turn: one slow answer keeps the slot as long as eight. */
  #slowest: number | undefined

  constructor(slots: QueueSlots, endpointId: string) {
    this.#slots = slots
    this.#endpointId = endpointId
    this.#endsAt = slots.clock.now() + TURN_MS
    this.isSlow = slots.slowEndpoints.get(endpointId) === true
  }

  answered(durationMs: number): void {
    this.#slowest = Math.max(this.#slowest ?? 0, durationMs)
    if (durationMs < SLOW_AFTER_MS) return
    this.isSlow = true
    this.#slots.slowEndpoints.set(this.#endpointId, true)
  }

  /**
   * The time is over, and others may be waiting for the slot. Without an answer in its turn, a
   * queue would come and go with nothing sent while the store is slow.
   */
  isOver(): boolean {
    const { clock, isCrowded } = this.#slots
    const hasAnswer = this.#slowest !== undefined
    return hasAnswer && clock.now() >= this.#endsAt && (isCrowded || this.isSlotAwaited())
  }

  /**
   * Slow queues wait for the slot of this one. They rest meanwhile, so the store does not list them
   * as due. As many leave as wait: turns of slow queues end together, and a slot would be empty.
   */
  isSlotAwaited(): boolean {
    const free = this.#slots.freeForSlow()
    return this.isSlow && (free < 0 || this.#slots.countWaiting() > free)
  }

  /** No queue waits for the slot: this one has it for another turn. */
  extend(): void {
    this.#endsAt = this.#slots.clock.now() + TURN_MS
  }

  end(): void {
    this.#slots.release(this)
    if (this.#slowest !== undefined && this.#slowest < SLOW_AFTER_MS)
      this.#slots.slowEndpoints.delete(this.#endpointId)
  }
}
