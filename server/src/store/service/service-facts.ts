// Facts about the database itself, most of them written once, and the counters from which blocks of numbers are taken.
import type { Queries } from '../engine/database.ts'

/** Writes the fact unless it exists; returns the stored value, whichever process wrote it. */
export async function writeFactOnce(tx: Queries, name: string, value: string): Promise<string> {
  await tx.change('insert into service_facts (name, value) values ($1, $2) on conflict do nothing', [name, value])
  return (await findFact(tx, name)) as string
}

export async function findFact(db: Queries, name: string): Promise<string | undefined> {
  const [row] = await db.rows<{ value: string }>('select value from service_facts where name = $1', [name])
  return row?.value
}

/** Writes the fact whatever it was before. */
export async function writeFact(tx: Queries, name: string, value: string): Promise<void> {
  await tx.change(
    `insert into service_facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`,
    [name, value],
  )
}

/** Writes the fact if it still is what the caller takes it for. */
export const replaceFact = async (tx: Queries, name: string, from: string, to: string): Promise<boolean> =>
  (await tx.change('update service_facts set value = $3 where name = $1 and value = $2', [name, from, to])) === 1

/** As many pages as a payment with its indexes: on a full disk one page may still fit where a payment does not. */
const PROBE = '.'.repeat(16_000)

/** Whether the store can record a payment. */
export async function canWrite(db: Queries, now: number): Promise<boolean> {
  await writeFact(db, 'write_probe', `${now} ${PROBE}`)
  return true
}

/** The first of `size` numbers that no other caller gets. */
export async function takeNumbers(db: Queries, counter: string, size: number): Promise<number> {
  const [row] = await db.rows<{ next_free: number }>(
    `insert into counters (name, next_free) values ($1, $2)
     on conflict (name) do update set next_free = counters.next_free + $2 returning next_free`,
    [counter, size],
  )
  return (row as { next_free: number }).next_free - size
}
