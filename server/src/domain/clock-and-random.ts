// Time and randomness are arguments: only service/runtime.ts reads the real clock and only service/real-random.ts draws
// random bytes, so that a test can run years in milliseconds and a simulation can be repeated from its seed.

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /** Runs `work` once after `ms`; returns a function that cancels it. Does not keep the process alive. */
  after(ms: number, work: () => void): () => void
}

/**
 * The clock of one machine. A person or a time server may set it; what has passed by the monotonic clock has passed.
 */
export interface MachineClock extends Clock {
  /** Milliseconds since some moment, never set. It may stand still while the machine sleeps. */
  monotonic(): number
}

/** The clock that the service goes by. */
export interface ServiceClock extends Clock {
  /** False while this machine's clock and the store's differ: then nothing may be claimed or sent by it. */
  isRight(): boolean
  /**
   * The last jump of the time that this process has seen, ahead or back. What is from before it is not as old as it
   * seems.
   */
  lastJump(): ClockJump
}

export interface ClockJump {
  from: number
  to: number
}

export const NO_JUMP: ClockJump = { from: 0, to: 0 }

export interface Random {
  bytes(count: number): Uint8Array
}
