// Hands out payment numbers from blocks, so that a create asks the store for one only every thousandth time. Numbers of
// a block that a stopped process did not use are never used: gaps mean nothing.
import type { Database } from './database.ts'
import { takeNumbers } from './service-facts.ts'

const BLOCK = 1_000

export function paymentNumbers(db: Database): () => Promise<number> {
  let next = 0
  let left = 0
  let taking: Promise<void> | undefined

  async function takeBlock(): Promise<void> {
    next = await takeNumbers(db, 'payment_number', BLOCK)
    left = BLOCK
  }

  return async () => {
    while (left === 0) {
      // All creates that find the block empty wait for the same new one.
      taking ??= takeBlock().finally(() => {
        taking = undefined
      })
      await taking
    }
    left--
    return next++
  }
}
