// Time and randomness are arguments: only service/runtime.ts reads the real clock and draws random
// bytes, so that a test can run years in milliseconds and a simulation can be repeated from its
// seed.

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /**
   * Runs `work` once after `ms`; returns a function that cancels it. Does not keep the process
   * alive.
   */
  after(ms: number, work: () => void): () => void
}

/**
 * The clock of one machine, which a person or a time server may set. The monotonic clock is never
 * set.
 */
export interface MachineClock extends Clock {
  /** Milliseconds since some moment, never set. It may stop while the machine sleeps. */
  monotonic(): number
}

export interface ServiceClock extends Clock {
  /**
   * False while this machine's clock and the store's differ: then nothing may be claimed or sent by
   * it.
   */
  isRight(): boolean
  /** The last jump of the clock, ahead or back. Earlier times are not as old as they seem. */
  lastJump(): ClockJump
}

export type ClockJump = { from: number; to: number }

export const NO_JUMP: ClockJump = { from: 0, to: 0 }

export type Random = { bytes(count: number): Uint8Array }
