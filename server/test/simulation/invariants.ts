// What must be true of every world once its faults have stopped, whatever happened in it. Each check gives a sentence for each
// thing that is wrong, so that a broken run says by itself what broke.
import { MOVES } from '../../src/domain/payment-status.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import { type Evidence, isOf, type PaymentRow, readEvidence } from './evidence.ts'
import type { Order } from './merchants.ts'
import { moneyIsAccountedFor, nothingFailedInHaste, reversalsAreTold, sentOnce } from './money-invariants.ts'
import { wireIsKept } from './wire-invariants.ts'
import type { World } from './world.ts'

export async function brokenInvariants(world: World, db: Queries): Promise<string[]> {
  const evidence = await readEvidence(db, world)
  return [
    ...nothingLost(world, evidence),
    ...nothingTwice(evidence),
    ...everythingSettled(evidence),
    ...movesAreLegal(world, evidence),
    ...eventsAreComplete(evidence),
    ...everythingDelivered(world, evidence),
    ...linksAreKept(world, evidence),
    ...(await moneyIsAccountedFor(world, evidence)),
    ...(await nothingFailedInHaste(world, evidence)),
    ...(await reversalsAreTold(world, evidence)),
    ...sentOnce(world, evidence),
    ...wireIsKept(world, evidence),
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

/** Each has its outcome, and nobody is to look at any of them again but at what a network has forgotten. */
export function everythingSettled({ payments, refunds, attempts, due, forgotten }: Evidence): string[] {
  const isForgotten = ({ reference }: PaymentRow): boolean => forgotten.includes(reference)
  const isOfForgotten = (row: { account_id: string; number: number }): boolean =>
    payments.some((payment) => isForgotten(payment) && isOf(payment, row))
  return [
    ...due.filter((name) => !forgotten.includes(name)).map((name) => `${name} is still to be asked about`),
    ...attempts
      .filter((attempt) => attempt.status === 'pending' && !isOfForgotten(attempt))
      .map(({ reference }) => `attempt ${reference} never ended`),
    ...payments
      .filter((payment) => !isForgotten(payment))
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
  for (const { order, status, asked } of merchants.readings) {
    const known = merchants.readings.slice(0, asked).findLast((each) => nameOf(each.order) === nameOf(order))
    const before = known?.status ?? 'pending'
    const reachable = before === status || legal(before, status) || (before === 'pending' && status === 'refunded')
    if (!reachable) wrong.push(`${nameOf(order)} was read as ${before} and then as ${status}`)
  }
  return wrong
}

/** Each move has its one event, the state that it ended in too, and an account's events count up without a gap. */
export function eventsAreComplete({ payments, story, events, forgotten }: Evidence): string[] {
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
    if (forgotten.includes(row.reference)) continue
    const told = written.filter((event) => event === `payment.${row.status}`).length
    if (told !== 1) wrong.push(`${row.reference} is ${row.status}, and that was told ${told} times`)
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

/** Each link that a merchant was told of is there. */
function linksAreKept({ payers }: Pick<World, 'payers'>, { links }: Evidence): string[] {
  const kept = new Set(links.map(({ reference }) => reference))
  return payers.links.filter((reference) => !kept.has(reference)).map((reference) => `link ${reference} is lost`)
}

const repeated = (names: string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at)
