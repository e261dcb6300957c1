// What must be true of every world once its faults have stopped, whatever happened in it. Each check gives a sentence for each
// thing that is wrong, so that a broken run says by itself what broke.
import { MOVES, type PaymentStatus } from '../../src/domain/payment-status.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import type { Order } from './merchants.ts'
import type { World } from './world.ts'

export interface PaymentRow {
  account_id: string
  number: number
  reference: string
  external_reference: string
  status: PaymentStatus
  failure_reason: string | null
  amount_xof: number
  msisdn: string
}

interface StoryRow {
  account_id: string
  number: number
  kind: string
  detail: string
}

interface EventRow {
  account_id: string
  sequence: number
  event_id: string
  event: string
  number: number
  payload: string
}

interface RefundRow {
  account_id: string
  number: number
  refund_reference: string
  status: string
}

interface AttemptRow {
  account_id: string
  number: number
  reference: string
  method: string
  failure_reason: string | null
}

/** What the network has debited and given back, in its own books. */
interface Books {
  payments: { reference: string }[]
  refunds: { refund_reference: string; reference: string }[]
}

/** Everything the checks look at, read once. */
export interface Evidence {
  payments: PaymentRow[]
  story: StoryRow[]
  events: EventRow[]
  refunds: RefundRow[]
  attempts: AttemptRow[]
  /** The payments that are links: their numbers by account. */
  links: { account_id: string; number: number; reference: string }[]
  books: Books
}

async function readEvidence(db: Queries, books: Queries): Promise<Evidence> {
  return {
    payments: await db.rows('select * from payments'),
    story: await db.rows('select * from payment_story order by account_id, number, at, entry'),
    events: await db.rows('select * from events order by account_id, sequence'),
    refunds: await db.rows('select * from refunds'),
    attempts: await db.rows('select * from payment_attempts'),
    links: await db.rows('select account_id, number, reference from payment_links'),
    books: {
      payments: await books.rows('select reference from simulated_payments'),
      refunds: await books.rows('select refund_reference, reference from simulated_refunds'),
    },
  }
}

export async function brokenInvariants(world: World): Promise<string[]> {
  const evidence = await readEvidence(world.service.db, world.books)
  return [
    ...nothingLost(world, evidence),
    ...nothingTwice(evidence),
    ...everythingSettled(evidence),
    ...movesAreLegal(world, evidence),
    ...eventsAreComplete(evidence),
    ...everythingDelivered(world, evidence),
    ...(await moneyIsConserved(world, evidence)),
    ...linksAreKept(world, evidence),
    ...handedOverOnce(world, evidence),
  ]
}

const nameOf = ({ account, externalReference }: Order): string => `${account.accountId} ${externalReference}`

/** What a merchant was told about creating is what is in the store. */
export function nothingLost({ merchants }: Pick<World, 'merchants'>, { payments }: Evidence): string[] {
  const byName = new Map(payments.map((row) => [`${row.account_id} ${row.external_reference}`, row]))
  const triedAgain = new Map<string, number>()
  for (const order of merchants.orders) triedAgain.set(nameOf(order), (triedAgain.get(nameOf(order)) ?? 0) + 1)
  const wrong: string[] = []
  for (const order of merchants.orders) {
    const { answered } = order
    const row = byName.get(nameOf(order))
    if (answered === undefined) continue
    const { code, reference } = answered
    if (code === 200 && row?.reference !== reference) wrong.push(`${nameOf(order)} was acknowledged and is lost`)
    if (code === 200 && row?.amount_xof !== order.amountXof) wrong.push(`${nameOf(order)} has another amount`)
    if (code === 422 && row?.reference !== reference) wrong.push(`${nameOf(order)} was refused for another payment`)
    if (code === 503 && row !== undefined && triedAgain.get(nameOf(order)) === 1) {
      wrong.push(`${nameOf(order)} was answered 503 and is recorded`)
    }
    if (![200, 422, 503].includes(code)) wrong.push(`${nameOf(order)} was answered ${code}`)
  }
  const acknowledged = new Set<string>()
  for (const order of merchants.orders.filter((each) => each.answered?.code === 200)) {
    if (acknowledged.has(nameOf(order))) wrong.push(`${nameOf(order)} was acknowledged twice`)
    acknowledged.add(nameOf(order))
  }
  return wrong
}

export function nothingTwice({ payments }: Evidence): string[] {
  return [
    ...repeated(payments.map((row) => `${row.account_id} ${row.external_reference}`)),
    ...repeated(payments.map((row) => row.reference)),
  ].map((name) => `${name} is there twice`)
}

export function everythingSettled({ payments, refunds }: Evidence): string[] {
  return [
    ...payments
      .filter(({ status }) => status === 'pending' || status === 'initiated')
      .map(({ reference, msisdn }) => `${reference} (${msisdn}) never settled`),
    ...refunds
      .filter(({ status }) => status === 'pending')
      .map(({ refund_reference }) => `refund ${refund_reference} never settled`),
  ]
}

export function movesAreLegal({ merchants }: Pick<World, 'merchants'>, { payments, story, links }: Evidence): string[] {
  const wrong: string[] = []
  const legal = (from: string, to: string): boolean => MOVES.some((move) => move.from === from && move.to === to)
  for (const row of payments) {
    let status: string = links.some((link) => isOf(row, link)) ? 'initiated' : 'pending'
    for (const entry of story.filter((each) => isOf(row, each) && each.kind === 'moved')) {
      const { from, to } = JSON.parse(entry.detail) as { from: string; to: string }
      if (from !== status || !legal(from, to)) wrong.push(`${row.reference} moved from ${from} to ${to} as ${status}`)
      status = to
    }
    if (status !== row.status) wrong.push(`${row.reference} is ${row.status}, its story says ${status}`)
  }
  const last = new Map<string, string>()
  for (const { order, status } of merchants.readings) {
    const before = last.get(nameOf(order)) ?? 'pending'
    const reachable = before === status || legal(before, status) || (before === 'pending' && status === 'refunded')
    if (!reachable) wrong.push(`${nameOf(order)} was read as ${before} and then as ${status}`)
    last.set(nameOf(order), status)
  }
  return wrong
}

/** Each move has its one event, and an account's events count up without a gap. */
export function eventsAreComplete({ payments, story, events }: Evidence): string[] {
  const wrong: string[] = []
  const accounts = new Set(events.map((event) => event.account_id))
  for (const account of accounts) {
    const sequences = events.filter((event) => event.account_id === account).map((event) => event.sequence)
    if (sequences.some((sequence, at) => sequence !== at + 1)) wrong.push(`the feed of ${account} has a gap`)
  }
  for (const row of payments) {
    const moves = story
      .filter((each) => isOf(row, each) && each.kind === 'moved')
      .map(({ detail }) => `payment.${(JSON.parse(detail) as { to: string }).to}`)
      // That somebody has begun to pay is told to nobody.
      .filter((event) => event !== 'payment.pending')
    const written = events.filter((each) => isOf(row, each)).map(({ event }) => event)
    if (moves.join() !== written.join()) wrong.push(`${row.reference} moved [${moves}], its events are [${written}]`)
  }
  return wrong
}

/** Each event arrived at least once, as it was written, and the events of one payment first arrived in their order. */
export function everythingDelivered({ receivers }: Pick<World, 'receivers'>, { events }: Evidence): string[] {
  const wrong: string[] = []
  const firstAt = new Map<string, number>()
  for (const [at, { eventId }] of receivers.received.entries()) {
    if (!firstAt.has(eventId)) firstAt.set(eventId, at)
  }
  const lastOf = new Map<string, number>()
  for (const { event_id: id, account_id: account, number, payload } of events) {
    const at = firstAt.get(id)
    const received = at === undefined ? undefined : receivers.received[at]
    if (received === undefined || at === undefined) wrong.push(`${id} never arrived`)
    else if (received.body !== payload || !received.url.endsWith(account)) wrong.push(`${id} arrived as another`)
    else if (at < (lastOf.get(`${account} ${number}`) ?? -1)) wrong.push(`${id} arrived before what it follows`)
    else lastOf.set(`${account} ${number}`, at)
  }
  const written = new Set(events.map(({ event_id: id }) => id))
  for (const id of firstAt.keys()) if (!written.has(id)) wrong.push(`${id} arrived and was never written`)
  return wrong
}

/** What the network took is what the store says was paid, franc for franc. */
export async function moneyIsConserved(
  world: Pick<World, 'network' | 'provider' | 'counts'>,
  { payments, refunds, attempts, links, books }: Evidence,
): Promise<string[]> {
  const wrong: string[] = []
  const given = new Map(books.refunds.map((refund) => [refund.reference, refund]))
  let taken = 0
  let recorded = 0
  for (const row of payments) {
    const isLink = links.some((link) => isOf(row, link))
    const tries = isLink ? attempts.filter((each) => isOf(row, each)) : [row]
    const truths = await Promise.all(tries.map((each) => truthAbout(world, each)))
    const paid = truths.filter(({ status }) => status === 'succeeded' || status === 'refunded')
    if (paid.length > 1) wrong.push(`${row.reference} was paid ${paid.length} times`)
    const truth = paid[0] ?? { status: 'declined' }
    const refund = tries.map(({ reference }) => given.get(reference)).find((each) => each !== undefined)
    const expected =
      truth.status === 'succeeded'
        ? refund === undefined
          ? 'succeeded'
          : 'refunded'
        : truth.status === 'refunded'
          ? 'refunded'
          : 'failed'
    // A clock set forward makes 15 minutes shorter, and then D-15 may believe too early that nobody knows a payment.
    const believed = [row, ...attempts.filter((each) => isOf(row, each))]
    const hurried = world.counts.clockChanges > 0 && believed.some((each) => each.failure_reason === 'never_received')
    if (row.status !== expected && !hurried) {
      wrong.push(`${row.reference} (${row.msisdn}) is ${row.status}; the network says ${truth.status}`)
    }
    if (hurried) continue
    if (expected === 'succeeded') taken += (truth as { amount: number }).amount
    if (row.status === 'succeeded') recorded += row.amount_xof
  }
  if (taken !== recorded) wrong.push(`the network took ${taken} XOF, the store says ${recorded}`)
  const ours = new Set([...payments, ...attempts].map(({ reference }) => reference))
  for (const { reference } of books.payments) if (!ours.has(reference)) wrong.push(`${reference} is in the books alone`)
  const succeeded = new Set(refunds.filter(({ status }) => status === 'succeeded').map((each) => each.refund_reference))
  for (const { refund_reference: name } of books.refunds) {
    if (!succeeded.has(name)) wrong.push(`refund ${name} was given and is not recorded`)
    succeeded.delete(name)
  }
  for (const name of succeeded) wrong.push(`refund ${name} is recorded and was not given`)
  return wrong
}

function truthAbout(
  { provider, network }: Pick<World, 'provider' | 'network'>,
  tried: { reference: string; method?: string },
) {
  if (tried.method !== undefined && tried.method !== 'mobile') return provider.status(tried.reference)
  return network
    .status(tried.reference)
    .then((reaction) => ('answer' in reaction ? reaction.answer : { status: reaction.does }))
}

/** Each link that a merchant was told of is there. */
function linksAreKept({ payers }: Pick<World, 'payers'>, { links }: Evidence): string[] {
  const kept = new Set(links.map(({ reference }) => reference))
  return payers.links.filter((reference) => !kept.has(reference)).map((reference) => `link ${reference} is lost`)
}

/** While nobody dies, no lease runs out early and every answer can be noted, a payment is requested once (D-42). */
export function handedOverOnce({ lines, counts }: Pick<World, 'lines' | 'counts'>, { payments }: Evidence): string[] {
  const disturbed = Object.values(counts).some((count) => count > 0)
  return payments
    .filter(({ reference }) => !disturbed && (lines.requests.get(reference) ?? 0) > 1)
    .map(({ reference }) => `${reference} was requested ${lines.requests.get(reference)} times`)
}

const isOf = (row: PaymentRow, other: { account_id: string; number: number }): boolean =>
  row.account_id === other.account_id && row.number === other.number

const repeated = (names: string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at)
