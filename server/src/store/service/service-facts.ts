// Facts about the database itself, most of them written once, and the counters from which blocks of
// numbers are taken.

import type { Clock } from '../../domain/clock-and-random.ts'
import { singleFlight } from '../../domain/limits/single-flight.ts'
import type { Database, Queries } from '../engine/database.ts'
import { firstReturnedValue, firstValue, insertNew, putRow, updateOne } from '../rows.ts'

/** Writes the fact unless it exists; returns the stored value, whichever process wrote it. */
export async function writeFactOnce(tx: Queries, name: string, value: string): Promise<string> {
  await insertNew(tx, 'service_facts', { name, value })
  return (await findFact(tx, name)) as string
}

export const findFact = (db: Queries, name: string) =>
  firstValue<string>(db, 'select value from service_facts where name = :name', { name })

export const writeFact = (tx: Queries, name: string, value: string) =>
  putRow(tx, 'service_facts', { name }, { value })

/** Writes the fact if it still has the value that the caller expects. */
export const replaceFact = (tx: Queries, name: string, from: string, to: string) =>
  updateOne(tx, 'service_facts', { name, value: from }, { value: to })

/**
 * As many pages as a payment with its indexes: on a full disk one page may still fit where a
 * payment does not.
 */
const PROBE = '.'.repeat(16_000)

/** Whether the store can record a payment. */
export const probeWrite = (db: Queries, now: number) =>
  writeFact(db, 'write_probe', `${now} ${PROBE}`)

/** The first of `size` numbers that no other caller gets. */
export async function takeNumbers(db: Queries, counter: string, size: number): Promise<number> {
  const next = await firstReturnedValue<number>(
    db,
    `insert into counters (name, next_free) values (:counter, :size)
     on conflict (name) do update set next_free = counters.next_free + :size returning next_free`,
    { counter, size },
  )
  return (next as number) - size
}

// Hands out numbers from blocks, so that only every thousandth number needs a statement. Numbers
// left in a block when the process stops are never used: gaps mean nothing.

const BLOCK = 1_000

/** Payments are listed by number: an old block would number today's payments among old ones. */
const PAYMENT_BLOCK_LIFE_MS = 60_000

export const storyNumbers = (db: Database): (() => Promise<number>) =>
  numbersFrom(db, 'story', BLOCK, () => false)

/** Numbers follow time to a minute. A command that makes one payment takes a block of one. */
export function paymentNumbers(
  db: Database,
  clock: Pick<Clock, 'now'>,
  block = BLOCK,
): () => Promise<number> {
  return numbersFrom(
    db,
    'payment_number',
    block,
    (takenAt) => clock.now() - takenAt > PAYMENT_BLOCK_LIFE_MS,
    clock,
  )
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

  /** Concurrent callers that find no block, or an old one, wait for the same new one. */
  const takeBlock = singleFlight(async () => {
    next = await takeNumbers(db, counter, block)
    takenAt = clock?.now() ?? 0
    left = block
  })

  return async () => {
    while (left === 0 || isOld(takenAt)) await takeBlock()
    left--
    return next++
  }
}
