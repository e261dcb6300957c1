// Reproducible randomness: the same seed gives the same bytes, picks and odds for ever, on every
// machine.
import type { Random } from '../../src/domain/clock-and-random.ts'

export interface SeededRandom extends Random {
  /** A whole number from 0 up to, and not including, `end`. */
  below(end: number): number
  between(least: number, most: number): number
  pick<T>(from: readonly T[]): T
  /** True in this percentage of calls. */
  percent(share: number): boolean
  /** A separate source: draws of one part of the world do not change those of another. */
  fork(): SeededRandom
}

export function seededRandom(seed: number): SeededRandom {
  // Marsaglia's xorshift with 128 bits of state, filled from the seed by splitmix.
  const state = new Uint32Array(4)
  let mix = seed >>> 0
  for (let at = 0; at < 4; at++) {
    mix = (mix + 0x9e3779b9) >>> 0
    let word = mix
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35)
    state[at] = (word ^ (word >>> 16)) >>> 0 || 1
  }

  function next(): number {
    const [x = 0, , , w = 0] = state
    const t = x ^ (x << 11)
    state.copyWithin(0, 1)
    state[3] = w ^ (w >>> 19) ^ t ^ (t >>> 8)
    return state[3] as number
  }

  const below = (end: number): number => Math.floor((next() / 2 ** 32) * end)
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => next() >>> 24),
    below,
    between: (least, most) => least + below(most - least + 1),
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    percent: (share) => below(100) < share,
    fork: () => seededRandom(next()),
  }
}
