// Writes the payments of one month, with their histories, as the bytes of one file: lines of JSON
// in blocks, each block compressed and sealed. Months follow each other without a gap, so that the
// last one says what the archive holds.
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { addMonths, monthOf, monthSpan } from '../../domain/countries/business-day.ts'
import type { ListedPayment } from '../../domain/payments/payment.ts'
import { base32 } from '../../domain/payments/reference.ts'
import { type AccountCaller, actorOf, isOfService } from '../../domain/people/caller.ts'
import { MOST_REFUNDS } from '../../domain/refunds/refund.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { sealedBox } from '../../domain/sealed-box.ts'
import {
  type Archive,
  findLastMonth,
  insertArchive,
  finishArchive as markArchiveFinished,
  removeUnfinished,
} from '../../store/archives/archives.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { listEntriesOf } from '../../store/books/entries.ts'
import { type Queries, together } from '../../store/engine/database.ts'
import { listFollowedEvents } from '../../store/figures/summaries.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import { listAccountIds } from '../../store/merchants/accounts.ts'
import { listNumberedPayments } from '../../store/payments/payment-list.ts'
import { listStory } from '../../store/payments/payment-moves.ts'
import { listUnindexed } from '../../store/payments/payment-search.ts'
import { listRefunds } from '../../store/payments/refunds.ts'
import { listDeliveriesOf, listDeliveryAttempts } from '../../store/webhooks/delivery-log.ts'
import { eventsOfPayment, feedEnd, listFeed } from '../../store/webhooks/events.ts'
import { archivedPayment, archiveFoot, archiveHead } from '../../wire/archive.ts'
import type { Deps } from '../deps.ts'
import { listNewestPayments } from '../payments/list-payments.ts'

export type ArchiveDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'archives'>

const KEY_BYTES = 32
/** Compressed and sealed at once, in some milliseconds. */
const BLOCK_CHARACTERS = 262_144
const PAYMENTS_AT_ONCE = 100
/** Their queries run next to each other. */
const LINES_AT_ONCE = 10
/** Of one payment: all but the oldest rounds of endless replays. */
const MOST_DELIVERIES = 100

export const keyPlace = (archiveId: string): string => `${archiveId} content_key`
export const blockPlace = (archiveId: string, block: number): string => `${archiveId} ${block}`

/**
 * The month after the last archived one, or of the oldest payment; undefined while it ended too few
 * months ago.
 */
export async function findMonthToArchive(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  { olderThanMonths }: { olderThanMonths: number },
): Promise<{ month: string | undefined } | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const last = await findLastMonth(db)
  const next = last === undefined ? await findFirstMonth(db) : addMonths(last, 1)
  const isOld = next !== undefined && addMonths(next, olderThanMonths + 1) <= monthOf(clock.now())
  return { month: isOld ? next : undefined }
}

/** Numbers follow time to some minutes. */
const MARGIN_MS = 5 * 60_000

async function findFirstMonth(db: Queries): Promise<string | undefined> {
  let first = Number.POSITIVE_INFINITY
  for await (const accountId of allAccounts(db)) {
    const [oldest] = await listUnindexed(db, accountId, -1, 1)
    if (oldest !== undefined) first = Math.min(first, oldest.createdAt - MARGIN_MS)
  }
  return first === Number.POSITIVE_INFINITY ? undefined : monthOf(first)
}

async function* allAccounts(db: Queries): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const ids = await listAccountIds(db, after, PAYMENTS_AT_ONCE)
    yield* ids
    const last = ids.at(-1)
    if (last === undefined) return
    after = last
  }
}

export interface ArchiveToWrite {
  archive: Archive
  content: AsyncGenerator<Buffer>
  /** Call it once the bytes are on disk: from then on the month counts as archived. */
  finish(): Promise<Archive | RefusedAs<'archive_exists'>>
}

export async function writeArchive(
  deps: ArchiveDeps,
  caller: AccountCaller,
  { month }: { month: string },
): Promise<ArchiveToWrite | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const { db, clock, random, archives } = deps
  const archiveId = `arc_${base32(random.bytes(10), 16)}`
  const key = Buffer.from(random.bytes(KEY_BYTES))
  const archive = await db.transaction(async (tx) => {
    const contentKey = await sealForStore(tx, archives, key.toString('hex'), keyPlace(archiveId))
    const made = { archiveId, month, contentKey, begunAt: clock.now(), madeBy: actorOf(caller) }
    const begun = { ...made, payments: 0, bytes: 0, sha256: null }
    await removeUnfinished(tx, month)
    await insertArchive(tx, begun)
    return begun
  })
  const box = sealedBox(key, random)
  const total = { payments: 0, bytes: 0, sha256: '' }
  return {
    archive,
    content: contentOf(archive, box, linesOf(deps, caller, month), total),
    finish: () => finishArchive(deps, caller, archive, total),
  }
}

/** Refused when another run finished this month first. */
const finishArchive = (
  { db, clock }: ArchiveDeps,
  caller: AccountCaller,
  archive: Archive,
  total: { payments: number; bytes: number; sha256: string },
): Promise<Archive | RefusedAs<'archive_exists'>> =>
  db.transaction(async (tx) => {
    if (total.sha256 === '') throw new Error('the archive is not written to its end')
    if (!(await markArchiveFinished(tx, archive.archiveId, total)))
      return { refused: 'archive_exists' }
    const { archiveId: subject, month } = archive
    const detail = { month, payments: total.payments, sha256: total.sha256 }
    await insertAudit(tx, caller, { at: clock.now(), action: 'archive.write', subject, detail })
    return { ...archive, ...total }
  })

const pack = promisify(gzip)

async function* contentOf(
  archive: Archive,
  box: ReturnType<typeof sealedBox>,
  lines: AsyncGenerator<string>,
  total: { payments: number; bytes: number; sha256: string },
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let block = 0
  const counted = (bytes: Buffer): Buffer => {
    total.bytes += bytes.length
    return bytes
  }
  const sealed = async (text: string): Promise<Buffer> => {
    const bytes = box.sealBytes(await pack(text), blockPlace(archive.archiveId, block++))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return counted(Buffer.concat([length, bytes]))
  }
  yield counted(Buffer.from(`${archiveHead(archive)}\n`))
  let text = ''
  for await (const line of lines) {
    text += `${line}\n`
    hash.update(`${line}\n`)
    total.payments++
    if (text.length < BLOCK_CHARACTERS) continue
    yield await sealed(text)
    text = ''
  }
  total.sha256 = hash.digest('hex')
  yield await sealed(`${text}${archiveFoot(total.payments, total.sha256)}\n`)
}

/** One line for each payment that was created in the month, or that had an event in it. */
async function* linesOf(
  deps: ArchiveDeps,
  caller: AccountCaller,
  month: string,
): AsyncGenerator<string> {
  const { db } = deps
  const span = monthSpan(month)
  for await (const accountId of allAccounts(db)) {
    for (let after: string | undefined; ; ) {
      const filter = { accountId, ...span, after, limit: PAYMENTS_AT_ONCE }
      const page = await listNewestPayments(deps, caller, filter)
      if (isRefused(page)) throw new Error(`the payments of ${accountId} cannot be listed`)
      yield* linesOfPayments(db, accountId, page.rows)
      if (page.next === undefined) break
      after = page.next
    }
    for await (const older of paymentsWithLateEvents(db, accountId, span))
      yield* linesOfPayments(db, accountId, older)
  }
}

type Span = ReturnType<typeof monthSpan>

/**
 * Payments from before the month that had an event in it: each at the first of its events there.
 */
async function* paymentsWithLateEvents(
  db: Queries,
  accountId: string,
  span: Span,
): AsyncGenerator<ListedPayment[]> {
  const first = await findSequenceAt(db, accountId, span.from - MARGIN_MS)
  for (let after = first - 1; ; ) {
    const events = await listFollowedEvents(db, accountId, after, PAYMENTS_AT_ONCE)
    const last = events.at(-1)
    if (last === undefined || (events[0]?.createdAt ?? 0) >= span.to + MARGIN_MS) return
    after = last.sequence
    const within = events.filter(({ createdAt }) => createdAt >= span.from && createdAt < span.to)
    const numbers = [...new Set(within.map(({ number }) => number))]
    const payments = await listNumberedPayments(db, accountId, numbers, {})
    const older = payments.filter(({ createdAt }) => createdAt < span.from)
    const firsts = await together(older, async ({ number }) =>
      (await eventsOfPayment(db, accountId, number)).find(({ sequence }) => sequence >= first),
    )
    yield older.filter((_, index) =>
      within.some(({ sequence }) => sequence === firsts[index]?.sequence),
    )
  }
}

/** The first event of the feed that was written at or after a time: a binary search. */
async function findSequenceAt(db: Queries, accountId: string, time: number): Promise<number> {
  let [low, high] = [1, (await feedEnd(db, accountId)).lastSequence + 1]
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2)
    const [event] = await listFollowedEvents(db, accountId, middle - 1, 1)
    if (event === undefined || event.sequence >= high || event.createdAt >= time) high = middle
    else low = event.sequence + 1
  }
  return low
}

async function* linesOfPayments(
  db: Queries,
  accountId: string,
  payments: readonly ListedPayment[],
): AsyncGenerator<string> {
  if (payments.length === 0) return
  const numbers = payments.map(({ number }) => number)
  const entries = Map.groupBy(await listEntriesOf(db, accountId, numbers), ({ number }) => number)
  for (let at = 0; at < payments.length; at += LINES_AT_ONCE) {
    yield* await together(payments.slice(at, at + LINES_AT_ONCE), async (payment) => {
      const { number } = payment
      const own = await eventsOfPayment(db, accountId, number)
      const events = await together(own, ({ sequence }) => listFeed(db, accountId, sequence - 1, 1))
      const deliveries = (await listDeliveriesOf(db, accountId, number)).slice(-MOST_DELIVERIES)
      return archivedPayment({
        payment,
        story: await listStory(db, accountId, number),
        refunds: await listRefunds(db, payment, MOST_REFUNDS),
        entries: entries.get(number) ?? [],
        // The pruner may remove an event meanwhile: then this is the next one, of another payment.
        events: events
          .flat()
          .filter(({ sequence }) => own.some((each) => each.sequence === sequence))
          .map(({ sequence, payload }) => ({ sequence, payload })),
        deliveries: await together(deliveries, async (delivery) => ({
          delivery,
          attempts: await listDeliveryAttempts(db, delivery),
        })),
      })
    })
    await nextTurn()
  }
}
