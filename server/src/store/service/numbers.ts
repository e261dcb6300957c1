// Hands out numbers from blocks, so that the store is asked for one only every thousandth time. Numbers of
// a block that a stopped process did not use are never used: gaps mean nothing.
import type { Database } from '../engine/database.ts'
import { takeNumbers } from './service-facts.ts'

const BLOCK = 1_000

export type Counter = 'payment_number' | 'story'

export function numbersFor(db: Database, counter: Counter): () => Promise<number> {
  let next = 0
  let left = 0
  let taking: Promise<void> | undefined

  async function takeBlock(): Promise<void> {
    next = await takeNumbers(db, counter, BLOCK)
    left = BLOCK
  }

  return async () => {
    while (left === 0) {
      // All who find the block empty wait for the same new one.
      taking ??= takeBlock().finally(() => {
        taking = undefined
      })
      await taking
    }
    left--
    return next++
  }
}
