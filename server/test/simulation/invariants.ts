// Invariants of every world once its faults have stopped. Each check returns a sentence for each
// violation. Money checks compare the networks’ books and the recorded wire traffic with the
// payments that the service recorded, reported, and listed for staff.
import { MOVES } from '../../src/domain/payments/payment-status.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import { type Evidence, isOf, type OfPayment, type PaymentRow, readEvidence } from './evidence.ts'
import type { Arrivals } from './faulty-network.ts'
import type { Order } from './merchants.ts'
import type { WireNetworks } from './wire-networks.ts'
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
    ...(await reversalsAreReported(world, evidence)),
    ...sentOnce(world, evidence),
    ...wireIsKept(world, evidence),
    ...walletsAreKept(world, evidence),
  ]
}

const nameOf = ({ account, externalReference }: Order): string =>
  `${account.accountId} ${externalReference}`

/** The store matches every answer to a create. */
export function nothingLost(
  { merchants }: Pick<World, 'merchants'>,
  { payments }: Evidence,
): string[] {
  const byName = new Map(
    payments.map((row) => [`${row.account_id} ${row.external_reference}`, row]),
  )
  const triedAgain = new Map<string, number>()
  for (const order of merchants.orders)
    triedAgain.set(nameOf(order), (triedAgain.get(nameOf(order)) ?? 0) + 1)
  const wrong: string[] = []
  for (const order of merchants.orders) {
    const { answered } = order
    const row = byName.get(nameOf(order))
    if (answered === undefined) continue
    const { code, reference } = answered
    if (code === 200 && row?.reference !== reference)
      wrong.push(`${nameOf(order)} was acknowledged and is lost`)
    if (code === 200 && row?.amount_xof !== order.amountXof)
      wrong.push(`${nameOf(order)} has another amount`)
    if (code === 422 && row?.reference !== reference)
      wrong.push(`${nameOf(order)} was refused for another payment`)
    if (code === 503 && row !== undefined && triedAgain.get(nameOf(order)) === 1) {
      wrong.push(`${nameOf(order)} was answered 503 and is recorded`)
    }
    const isRefused = code === 403 && merchants.suspended.has(order.account.accountId)
    if (isRefused && row !== undefined && triedAgain.get(nameOf(order)) === 1) {
      wrong.push(`${nameOf(order)} was answered 403 and is recorded`)
    }
    if (![200, 422, 503].includes(code) && !isRefused)
      wrong.push(`${nameOf(order)} was answered ${code}`)
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

/**
 * Each payment, refund and attempt has its outcome, and none is due, except those that a network
 * has forgotten.
 */
export function everythingSettled({
  payments,
  refunds,
  attempts,
  due,
  forgotten,
}: Evidence): string[] {
  const isForgotten = ({ reference }: PaymentRow): boolean => forgotten.includes(reference)
  const isOfForgotten = (row: OfPayment): boolean =>
    payments.some((payment) => isForgotten(payment) && isOf(payment, row))
  return [
    ...due
      .filter((name) => !forgotten.includes(name))
      .map((name) => `${name} is still to be asked about`),
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

export function movesAreLegal(
  { merchants }: Pick<World, 'merchants'>,
  { payments, story, links }: Evidence,
): string[] {
  const wrong: string[] = []
  const legal = (from: string, to: string): boolean =>
    MOVES.some((move) => move.from === from && move.to === to)
  for (const row of payments) {
    let status: string = links.some((link) => isOf(row, link)) ? 'initiated' : 'pending'
    for (const entry of story.filter((each) => isOf(row, each) && each.kind === 'moved')) {
      const { from, to } = JSON.parse(entry.detail) as { from: string; to: string }
      if (from !== status || !legal(from, to))
        wrong.push(`${row.reference} moved from ${from} to ${to} as ${status}`)
      status = to
    }
    if (status !== row.status)
      wrong.push(`${row.reference} is ${row.status}, its story says ${status}`)
  }
  for (const { order, status, asked } of merchants.readings) {
    const known = merchants.readings
      .slice(0, asked)
      .findLast((each) => nameOf(each.order) === nameOf(order))
    const before = known?.status ?? 'pending'
    const reachable =
      before === status || legal(before, status) || (before === 'pending' && status === 'refunded')
    if (!reachable) wrong.push(`${nameOf(order)} was read as ${before} and then as ${status}`)
  }
  return wrong
}

/**
 * Each move has exactly one event, also the last one, each refund one at most, and an account's
 * events have no gap.
 */
export function eventsAreComplete({
  payments,
  refunds,
  story,
  events,
  forgotten,
}: Evidence): string[] {
  const wrong: string[] = []
  const accounts = new Set(events.map((event) => event.account_id))
  for (const account of accounts) {
    const sequences = events
      .filter((event) => event.account_id === account)
      .map((event) => event.sequence)
    if (sequences.some((sequence, at) => sequence !== at + 1))
      wrong.push(`the feed of ${account} has a gap`)
  }
  for (const row of payments) {
    const moves = story
      .filter((each) => isOf(row, each) && each.kind === 'moved')
      .map(({ detail }) => `payment.${(JSON.parse(detail) as { to: string }).to}`)
      // The start of an attempt has no event.
      .filter((event) => event !== 'payment.pending')
    const own = events.filter((each) => isOf(row, each)).map(({ event }) => event)
    const written = own.filter((event) => event.startsWith('payment.'))
    const ended = refunds.filter((each) => isOf(row, each) && each.status !== 'pending')
    if (own.length - written.length > ended.length)
      wrong.push(`${row.reference} has more events than ended refunds`)
    if (moves.join() !== written.join())
      wrong.push(`${row.reference} moved [${moves}], its events are [${written}]`)
    if (forgotten.includes(row.reference)) continue
    const count = written.filter((event) => event === `payment.${row.status}`).length
    if (count !== 1) wrong.push(`${row.reference} is ${row.status}, with ${count} events for it`)
  }
  return wrong
}

/**
 * Each event arrived at least once, unchanged, and the events of one payment first arrived in
 * order.
 */
export function everythingDelivered(
  { receivers }: Pick<World, 'receivers'>,
  { events }: Evidence,
): string[] {
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
    else if (received.body !== payload || !received.url.endsWith(account))
      wrong.push(`${id} arrived as another`)
    else if (at < (lastOf.get(`${account} ${number}`) ?? -1))
      wrong.push(`${id} arrived before what it follows`)
    else lastOf.set(`${account} ${number}`, at)
  }
  const written = new Set(events.map(({ event_id: id }) => id))
  for (const id of firstAt.keys())
    if (!written.has(id)) wrong.push(`${id} arrived and was never written`)
  return wrong
}

/** Each link that a merchant got exists. */
function linksAreKept({ payers }: Pick<World, 'payers'>, { links }: Evidence): string[] {
  const kept = new Set(links.map(({ reference }) => reference))
  return payers.links
    .filter((reference) => !kept.has(reference))
    .map((reference) => `link ${reference} is lost`)
}

const repeated = (names: string[]): string[] =>
  names.filter((name, at) => names.indexOf(name) !== at)

type Network = Pick<World, 'network' | 'provider' | 'wire'>

/** One request to an operator, as recorded by the service and by the books. */
interface Asked {
  payment: PaymentRow
  reference: string
  recorded: string
  truth: { status: string; amount?: number }
}

const HOUR_MS = 3_600_000
const LISTED_WITHIN_MS = 72 * HOUR_MS

/**
 * Every debit of the network is recorded as paid or listed for staff, request by request and to the
 * franc.
 */
export async function moneyIsAccountedFor(world: Network, evidence: Evidence): Promise<string[]> {
  const asked = await allAsked(world, evidence)
  return [
    ...asked.flatMap((each) => unaccounted(world, evidence, each)),
    ...sumsDiffer(asked, evidence),
    ...booksAlone(world, evidence, asked),
  ]
}

function unaccounted({ network, wire }: Network, evidence: Evidence, asked: Asked): string[] {
  const { anomalies, books, forgotten } = evidence
  const { payment, reference, recorded, truth } = asked
  const name = `${reference} (${payment.msisdn})`
  const found = anomalies.find(
    (each) => each.request_reference === reference && each.kind === 'success_after_failure',
  )
  if (!isDebited(asked)) {
    if (forgotten.includes(payment.reference) && recorded !== 'failed') return []
    return recorded === 'failed' && found === undefined
      ? []
      : [`${name} is ${recorded}; the network says ${truth.status}`]
  }
  if (recorded === 'failed') {
    if (found === undefined)
      return isSilentlyPaid(wire, reference)
        ? []
        : [
            `${name} was debited and reported as failed, and is neither corrected nor listed for a person`,
          ]
    const debitedAt = network.late.get(reference)?.at ?? Number.POSITIVE_INFINITY
    return found.at - debitedAt > LISTED_WITHIN_MS
      ? [`${name} was debited, and listed more than 72 hours later`]
      : []
  }
  const isGivenBack =
    truth.status === 'refunded' || books.refunds.some((each) => each.reference === reference)
  const expected = isGivenBack ? 'refunded' : 'succeeded'
  return payment.status === expected
    ? []
    : [`${name} is ${payment.status}; by the books it is ${expected}`]
}

function sumsDiffer(asked: readonly Asked[], { payments, books }: Evidence): string[] {
  const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0)
  const kept = asked.filter(
    (each) =>
      each.truth.status === 'succeeded' &&
      !books.refunds.some(({ reference }) => reference === each.reference),
  )
  const taken = sum(
    kept.filter(({ recorded }) => recorded !== 'failed').map(({ truth }) => truth.amount as number),
  )
  const recorded = sum(
    payments.filter(({ status }) => status === 'succeeded').map((row) => row.amount_xof),
  )
  return taken === recorded ? [] : [`the network took ${taken} XOF, the store says ${recorded}`]
}

/** Every entry of the books is ours, and exactly the refunds in them are recorded as given. */
function booksAlone(
  { wire }: Network,
  { payments, attempts, refunds, books }: Evidence,
  asked: readonly Asked[],
): string[] {
  const ours = new Set([...payments, ...attempts].map(({ reference }) => reference))
  const isWire = (row: OfPayment): boolean =>
    payments.some(
      (each) =>
        isOf(each, row) && wire.booked(each.attempt_reference ?? each.reference) !== undefined,
    )
  // The network reversed the payment before our refund was sent: that ends the refund too.
  const isReversed = (row: OfPayment): boolean =>
    asked.some(({ payment, truth }) => truth.status === 'refunded' && isOf(payment, row))
  const made = refunds.filter((each) => each.status === 'succeeded' && !isWire(each))
  const unsent = new Set(made.filter(isReversed).map((each) => each.refund_reference))
  const recorded = new Set(made.map((each) => each.refund_reference))
  const given = new Set(books.refunds.map((each) => each.refund_reference))
  const refunded = books.refunds.map(({ reference }) => reference)
  return [
    ...books.payments
      .filter(({ reference }) => !ours.has(reference))
      .map((each) => `${each.reference} is in the books alone`),
    ...[...given]
      .filter((name) => !recorded.has(name))
      .map((name) => `refund ${name} was given and is not recorded`),
    ...[...recorded]
      .filter((name) => !given.has(name) && !unsent.has(name))
      .map((name) => `refund ${name} is recorded and was not given`),
    ...refunded
      .filter((name, at) => refunded.indexOf(name) !== at)
      .map((name) => `${name} was given back twice`),
  ]
}

/**
 * A payment that succeeded and that the network then reversed is refunded, with exactly one event.
 */
export async function reversalsAreReported(world: Network, evidence: Evidence): Promise<string[]> {
  const reversed = (await allAsked(world, evidence)).filter(
    ({ truth, recorded }) => truth.status === 'refunded' && recorded !== 'failed',
  )
  return reversed
    .filter(({ payment }) => {
      const refunded = evidence.events.filter(
        (each) => isOf(payment, each) && each.event === 'payment.refunded',
      )
      return refunded.length !== 1
    })
    .map(({ reference }) => `${reference} was reversed, without exactly one payment.refunded event`)
}

/**
 * Nothing is sent twice in time, despite crashes, freezes and failed writes: the service first asks
 * about a request that may have been sent (ADR-0007). Two exceptions: a network that denies a
 * request it has, and a refund whose refusal was lost, which the network does not know and the
 * service sends again.
 */
export function sentOnce(
  { lines, network }: Pick<World, 'lines' | 'network'>,
  { books }: Pick<Evidence, 'books'>,
): string[] {
  const isGiven = (name: string): boolean =>
    books.refunds.some((each) => each.refund_reference === name)
  const twice = (arrivals: Map<string, Arrivals>): [string, Arrivals][] =>
    [...arrivals].filter(([reference, { inTime }]) => inTime > 1 && !network.denied.has(reference))
  return [
    ...twice(lines.requests).map(
      ([reference, { inTime }]) => `${reference} was requested ${inTime} times`,
    ),
    ...twice(lines.refunds)
      .filter(([name]) => isGiven(name))
      .map(([name, { inTime }]) => `refund ${name} was requested ${inTime} times`),
  ]
}

/**
 * The service believes a truthful network: no request that reached it in time is reported as never
 * received. Exception: a single process on a file, whose clock is set, can mistake a quarter of an
 * hour for over.
 */
export async function nothingFailedInHaste(
  world: Network & Pick<World, 'lines' | 'members' | 'counts'>,
  evidence: Evidence,
): Promise<string[]> {
  const { lines, network, wire, members, counts } = world
  if (members.length === 1 && counts.clockChanges > 0) return []
  const hasty = (await allAsked(world, evidence)).filter((asked) => {
    const { reference, recorded } = asked
    const wasHeld = (lines.requests.get(reference)?.held ?? 0) > 0 || wire.seen.held.has(reference)
    const isLate = network.late.has(reference) || wire.seen.failures.has(reference)
    const isTruthful = !isLate && !network.denied.has(reference) && !wire.seen.denied.has(reference)
    return recorded === 'failed' && isDebited(asked) && isTruthful && !wasHeld
  })
  return hasty.map(({ reference }) => `${reference} was debited, and reported as failed`)
}

function allAsked(world: Network, { payments, attempts, links }: Evidence): Promise<Asked[]> {
  const asked = payments.flatMap((payment) => {
    if (links.some((link) => isOf(payment, link))) {
      const tries = attempts.filter((each) => isOf(payment, each))
      return tries.map(({ reference, method, status }) => ({
        payment,
        reference,
        method,
        recorded: status,
      }))
    }
    const { reference, status } = payment
    return [
      {
        payment,
        reference,
        method: 'mobile',
        recorded: status === 'failed' ? 'failed' : 'succeeded',
      },
    ]
  })
  return Promise.all(asked.map(async (each) => ({ ...each, truth: await truthAbout(world, each) })))
}

async function truthAbout(
  { provider, network, wire }: Network,
  { method, reference }: { method: string; reference: string },
): Promise<Asked['truth']> {
  if (method !== 'mobile') return provider.status(reference)
  const ofWire = truthOf(wire, reference)
  if (ofWire !== undefined) return ofWire
  const reaction = await network.status(reference)
  return 'answer' in reaction ? reaction.answer : { status: reaction.does }
}

const isDebited = ({ truth }: Asked): boolean =>
  truth.status === 'succeeded' || truth.status === 'refunded'

/** The payment's state in its network's books; undefined where no real network has it. */
export function truthOf(
  wire: WireNetworks,
  reference: string,
): { status: string; amount: number } | undefined {
  const booked = wire.booked(reference)
  if (booked === undefined) return undefined
  const { debits, refunds, amountXof: amount, status, networkKind } = booked
  if (refunds > 0) return { status: 'refunded', amount }
  if (debits > 0) return { status: 'succeeded', amount }
  return { status: networkKind.waiting.includes(status) ? 'pending' : 'declined', amount }
}

/**
 * The network reported a final failure, debited later, and no callback about that was acknowledged:
 * the service cannot know. Where a failure may change, the service checks again by itself, so this
 * is no excuse.
 */
export function isSilentlyPaid({ booked, seen }: WireNetworks, reference: string): boolean {
  const rechecked = booked(reference)?.networkKind.rechecked ?? []
  const failures = [...(seen.failures.get(reference) ?? [])]
  return failures.some((status) => !rechecked.includes(status)) && !seen.calledBack.has(reference)
}

export function wireIsKept({ wire }: Pick<World, 'wire'>, evidence: Evidence): string[] {
  return [
    ...debitedOnce(wire),
    ...booksAreOurs(wire, evidence),
    ...askedOnce(wire, evidence),
    ...refundsAreTrue(wire, evidence),
    ...evidence.anomalies
      .filter(({ kind }) => kind === 'unknown_reference')
      .map((each) => `${each.request_reference} is said not to be ours`),
  ]
}

/**
 * Also at FedaPay, whose prompts have no idempotency key, and by a process that was frozen right
 * before it sent one (ADR-0007).
 */
function debitedOnce({ all }: WireNetworks): string[] {
  return all.flatMap(({ networkKind, network }) =>
    network
      .books()
      .filter(({ debits }) => debits > 1)
      .map((each) => ({ ...each, reference: networkKind.referenceOf(each) }))
      .map(({ reference, debits }) => `${reference} was debited ${debits} times`),
  )
}

function booksAreOurs({ all }: WireNetworks, { payments, attempts }: Evidence): string[] {
  const ours = new Set([...payments, ...attempts].map(({ reference }) => reference))
  return all.flatMap(({ networkKind, network }) =>
    network
      .books()
      .map((each) => networkKind.referenceOf(each))
      .filter((reference) => !ours.has(reference))
      .map((reference) => `${reference} is in the books of ${networkKind.name} alone`),
  )
}

/**
 * A request that the network has accepted is not sent again in time, unless the network denied or
 * refused it.
 */
function askedOnce({ seen }: WireNetworks, { refunds }: Evidence): string[] {
  const isMade = (name: string): boolean =>
    refunds.some((each) => each.refund_reference === name && each.status === 'succeeded')
  return [
    ...[...seen.repeated.keys()].map(
      (reference) => `${reference} was requested again of a network that had it`,
    ),
    ...[...seen.refunds]
      .filter(([name, count]) => count > 1 && isMade(name) && !seen.denied.has(name))
      .map(([name, count]) => `refund ${name} was requested ${count} times`),
  ]
}

/** No money is refunded twice, and every refund recorded as given was given. */
function refundsAreTrue(wire: WireNetworks, { payments, refunds }: Evidence): string[] {
  return payments.flatMap((payment) => {
    const reference = payment.attempt_reference ?? payment.reference
    const booked = wire.booked(reference)
    if (booked === undefined) return []
    const made = refunds.filter((each) => isOf(payment, each) && each.status === 'succeeded').length
    const name = `${reference} at ${booked.networkKind.name}`
    return [
      ...(booked.refunds > 1 ? [`${name} was given back ${booked.refunds} times`] : []),
      ...(made > booked.refunds
        ? [`${name} has ${made} refunds, and was given back ${booked.refunds} times`]
        : []),
    ]
  })
}

/**
 * No franc is in another merchant's wallet, by the networks' own books: each payment in them is
 * recorded with this connection, and a merchant's connection has its own payments only.
 */
export function walletsAreKept(
  { wire }: Pick<World, 'wire'>,
  { payments, attempts, books }: Pick<Evidence, 'payments' | 'attempts' | 'books'>,
): string[] {
  const rows = new Map([...payments, ...attempts].map((row) => [row.reference, row]))
  const misplaced = wire.all.flatMap(({ networkKind, name, owned, network }) =>
    network.books().flatMap((each) => {
      const reference = networkKind.referenceOf(each)
      const row = rows.get(reference)
      const isForeign =
        row !== undefined && owned !== undefined && row.account_id !== owned.accountId
      const isElsewhere = row !== undefined && row.connection !== name
      return [
        ...(isForeign
          ? [`${reference} of ${row.account_id} is in the wallet of ${owned.accountId}`]
          : []),
        ...(isElsewhere
          ? [`${reference} is in the books of ${name} and recorded at ${row.connection}`]
          : []),
      ]
    }),
  )
  const isElsewhere = ({ reference }: { reference: string }): boolean =>
    wire.all.some(({ name }) => name === rows.get(reference)?.connection)
  const simulated = books.payments.filter(isElsewhere)
  return [
    ...misplaced,
    ...simulated.map(
      ({ reference }) => `${reference} is in the simulated network's books and recorded elsewhere`,
    ),
  ]
}

export function wireCounts({ wire }: World, forgotten: readonly string[]) {
  const { all, seen } = wire
  const books = all.flatMap(({ networkKind, network }) =>
    network.books().map((each) => ({ ...each, reference: networkKind.referenceOf(each) })),
  )
  const debited = books.filter(({ debits }) => debits > 0)
  return {
    wireCalls: seen.calls,
    wirePayments: books.length,
    wireDebits: debited.length,
    wireRefunds: books.filter(({ refunds }) => refunds > 0).length,
    wireCallbacks: seen.callbacks,
    lostAnswers: seen.lost,
    /** Debited after the network reported a failure. */
    wireLateMoney: debited.filter(({ reference }) => seen.failures.has(reference)).length,
    /** Reported as finally failed by the network, then debited without an acknowledged callback. */
    silentlyPaid: debited.filter(({ reference }) => isSilentlyPaid(wire, reference)).length,
    /** Accepted by a network that then had no such payment. */
    forgotten: forgotten.length,
  }
}
