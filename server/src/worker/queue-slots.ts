// Which endpoint queues a process works at once. There are as many slots as queues it may work; a queue has its slot for a turn, and gives it
// up after that when other queues wait for one (ADR-0011). Slow receivers may not have all slots, however many there are. Knows nothing of the
// store: deliver-webhooks.ts claims and releases the queues.
import { boundedCache } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock-and-random.ts'

const MOST_QUEUES = 200
/** The rest of the slots is for endpoints that are not known to be slow. */
const MOST_SLOW_QUEUES = 150
/** With eight sends at once, a receiver as slow as this gets at most four deliveries a second. */
const SLOW_AFTER_MS = 2_000
/** Sends that are under way when the turn ends are waited for: a queue leaves its slot after this and the deadline of an attempt. */
const TURN_MS = 5_000
/** How long a slow queue that finds no slot stays away. It is claimed to find that out, so this also bounds what that costs the store. */
export const SLOW_RESTS_MS = 5_000
/** A queue that found no slot and does not come again has been emptied by another process, or turned off. */
const WAITS_FOR_MS = 3 * SLOW_RESTS_MS
/** An endpoint that is forgotten counts as quick until its next slow answer. */
const MOST_SLOW_ENDPOINTS = 10_000

interface QueueSlots {
  free(): number
  /** Whether the last round has left no slot free, so that queues may be due that it did not claim. */
  isCrowded: boolean
  /** Undefined when this endpoint is slow, and slow ones have all the slots that they may have. */
  take(endpointId: string): Turn | undefined
}

/** One queue in its slot. */
export interface Turn {
  answered(durationMs: number): void
  isSlow(): boolean
  /** The time is over, and others may be waiting for the slot. */
  isOver(): boolean
  /** Slow queues are waiting for the slot of this one. They rest meanwhile, so the store does not list them as due. */
  isSlotAwaited(): boolean
  /** Nobody waits for the slot: the queue has it for another turn. */
  extend(): void
  end(): void
}

export function queueSlots(clock: Clock): QueueSlots {
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
    /** Whether this turn says anything about the receiver, and what: one slow answer among quick ones keeps the slot as long as eight. */
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
      // As many leave as wait: the turns of slow queues end together, and a slot that nobody waits for would be empty.
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

  const slots: QueueSlots = {
    isCrowded: false,
    free: () => MOST_QUEUES - taken.size,
    take(endpointId) {
      waiting.delete(endpointId)
      if (slowEndpoints.get(endpointId) !== true || freeForSlow() > 0) return startTurn(endpointId)
      waiting.set(endpointId, clock.now())
      return undefined
    },
  }
  return slots
}
