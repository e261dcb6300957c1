// Hands out numbers from blocks, so that only every thousandth number needs a statement. Numbers left in a block when the process
// stops are never used: gaps mean nothing.
import type { Clock } from '../../domain/clock-and-random.ts'
import type { Database } from '../engine/database.ts'
import { takeNumbers } from './service-facts.ts'

const BLOCK = 1_000

/** Payments are listed by number: an idle process that kept its block for days would number today's payments among old ones. */
const PAYMENT_BLOCK_LIFE_MS = 60_000

export const storyNumbers = (db: Database): (() => Promise<number>) => numbersFrom(db, 'story', BLOCK, () => false)

/** Numbers follow time to a minute. A command that makes one payment takes a block of one. */
export function paymentNumbers(db: Database, clock: Pick<Clock, 'now'>, block = BLOCK): () => Promise<number> {
  return numbersFrom(db, 'payment_number', block, (takenAt) => clock.now() - takenAt > PAYMENT_BLOCK_LIFE_MS, clock)
}

function numbersFrom(
  db: Database,
  counter: string,
  block: number,
  isOld: (takenAt: number) => boolean,
  clock?: Pick<Clock, 'now'>,
): () => Promise<number> {
  let next = 0
  let left = 0
  let takenAt = 0
  let taking: Promise<void> | undefined

  async function takeBlock(): Promise<void> {
    const first = await takeNumbers(db, counter, block)
    takenAt = clock?.now() ?? 0
    next = first
    left = block
  }

  return async () => {
    while (left === 0 || isOld(takenAt)) {
      // Concurrent callers that find no block, or an old one, wait for the same new one.
      taking ??= takeBlock().finally(() => {
        taking = undefined
      })
      await taking
    }
    left--
    return next++
  }
}
