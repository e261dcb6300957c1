// Time and randomness are arguments: nothing outside runtime.ts reads the real clock or draws real random bytes, so that a
// test can run years in milliseconds and a simulation can be repeated from its seed.

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /** Runs `work` once after `ms`; returns a function that cancels it. Does not keep the process alive. */
  after(ms: number, work: () => void): () => void
}

export interface Random {
  bytes(count: number): Uint8Array
}
