// How fast background work goes on while requests, or payments on their way to a network, wait.
import type { Clock } from '../domain/clock-and-random.ts'
import { SOON_MS } from '../worker/loop.ts'

/** Between batches of outcomes: 20 in 50 ms take about a twelfth of the time from merchants. */
export const PAUSE_WHILE_BUSY_MS = 50

const SUMMARISE_RESTS_MS = 100

/**
 * While requests wait, long work rests four times as long as its last slice took, its waiting
 * included. With at most 200 ms, an import left 0.81 of creates on a busy machine; with a second,
 * 0.93 (one run each).
 */
const RESTS_FOR_SLICE = 4
const SHORTEST_REST_MS = 40
const LONGEST_REST_MS = 1_000

const restAfter = (tookMs: number): number =>
  Math.min(Math.max(RESTS_FOR_SLICE * tookMs, SHORTEST_REST_MS), LONGEST_REST_MS)

export type Pacing = ReturnType<typeof pacingOf>

interface PacingDeps {
  clock: Pick<Clock, 'now' | 'after'>
  /** Whether HTTP requests are in flight while the event loop is saturated. */
  isBusy(): boolean
  /** Whether payments wait for calls to their networks. */
  hasWaitingCalls(): boolean
}

export function pacingOf({ clock, isBusy, hasWaitingCalls }: PacingDeps) {
  const goesAfter = (): boolean => isBusy() || hasWaitingCalls()
  return {
    goesAfter,
    soonMs: (): number => (isBusy() ? PAUSE_WHILE_BUSY_MS : SOON_MS),
    summariseSoonMs: (): number => (goesAfter() ? SUMMARISE_RESTS_MS : SOON_MS),
    /**
     * For long work, after each slice: resolves at once, or after a pause while requests or
     * payments wait.
     */
    pauseAfter: (tookMs: number): Promise<void> =>
      new Promise((resolve) => {
        if (goesAfter()) clock.after(restAfter(tookMs), resolve)
        else setImmediate(resolve)
      }),
    /** For long work: half of the time at most, and a fifth or less while requests wait. */
    paced(round: () => Promise<boolean>): { round: () => Promise<boolean>; soonMs: () => number } {
      let tookMs = 0
      return {
        round: async () => {
          const begunAt = clock.now()
          const isMore = await round()
          tookMs = clock.now() - begunAt
          return isMore
        },
        soonMs: () => (goesAfter() ? restAfter(tookMs) : Math.max(SOON_MS, tookMs)),
      }
    },
  }
}
