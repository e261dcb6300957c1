// What must be true of the money in every world: the network's books against what the service recorded, told, and listed for a person.
import { type Evidence, isOf, type PaymentRow } from './evidence.ts'
import type { Arrivals } from './faulty-network.ts'
import { isSilentlyPaid, truthOf } from './wire-invariants.ts'
import type { World } from './world.ts'

type Network = Pick<World, 'network' | 'provider' | 'wire'>

/** One request to an operator, as the service recorded it and as the books have it. */
interface Asked {
  payment: PaymentRow
  reference: string
  recorded: string
  truth: { status: string; amount?: number }
}

const HOUR_MS = 3_600_000
const LISTED_WITHIN_MS = 72 * HOUR_MS

/** What the network took is what was recorded as paid or listed for a person, request by request and franc for franc. */
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
  const found = anomalies.find((each) => each.request_reference === reference && each.kind === 'success_after_failure')
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
        : [`${name} was debited and reported as failed, and is neither corrected nor listed for a person`]
    const debitedAt = network.late.get(reference)?.at ?? Number.POSITIVE_INFINITY
    return found.at - debitedAt > LISTED_WITHIN_MS ? [`${name} was debited, and listed more than 72 hours later`] : []
  }
  const isGivenBack = truth.status === 'refunded' || books.refunds.some((each) => each.reference === reference)
  const expected = isGivenBack ? 'refunded' : 'succeeded'
  return payment.status === expected ? [] : [`${name} is ${payment.status}; by the books it is ${expected}`]
}

function sumsDiffer(asked: readonly Asked[], { payments, books }: Evidence): string[] {
  const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0)
  const kept = asked.filter(
    (each) => each.truth.status === 'succeeded' && !books.refunds.some(({ reference }) => reference === each.reference),
  )
  const taken = sum(kept.filter(({ recorded }) => recorded !== 'failed').map(({ truth }) => truth.amount as number))
  const recorded = sum(payments.filter(({ status }) => status === 'succeeded').map((row) => row.amount_xof))
  return taken === recorded ? [] : [`the network took ${taken} XOF, the store says ${recorded}`]
}

/** What is in the books is ours, and each refund in them is recorded as given, and no other. */
function booksAlone(
  { wire }: Network,
  { payments, attempts, refunds, books }: Evidence,
  asked: readonly Asked[],
): string[] {
  const ours = new Set([...payments, ...attempts].map(({ reference }) => reference))
  const isWire = (row: { account_id: string; number: number }): boolean =>
    payments.some((each) => isOf(each, row) && wire.booked(each.attempt_reference ?? each.reference) !== undefined)
  // The network gave its money back before our refund was sent: that ends the refund too.
  const isReversed = (row: { account_id: string; number: number }): boolean =>
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
    ...[...given].filter((name) => !recorded.has(name)).map((name) => `refund ${name} was given and is not recorded`),
    ...[...recorded]
      .filter((name) => !given.has(name) && !unsent.has(name))
      .map((name) => `refund ${name} is recorded and was not given`),
    ...refunded.filter((name, at) => refunded.indexOf(name) !== at).map((name) => `${name} was given back twice`),
  ]
}

/** A payment that succeeded and that the network then reversed is refunded, and its merchant was told so once. */
export async function reversalsAreTold(world: Network, evidence: Evidence): Promise<string[]> {
  const reversed = (await allAsked(world, evidence)).filter(
    ({ truth, recorded }) => truth.status === 'refunded' && recorded !== 'failed',
  )
  return reversed
    .filter(({ payment }) => {
      const told = evidence.events.filter((each) => isOf(payment, each) && each.event === 'payment.refunded')
      return told.length !== 1
    })
    .map(({ reference }) => `${reference} was reversed, and that was not told once`)
}

/**
 * Nothing is sent twice in time, whatever crashed, froze or could not be recorded: what may have been sent is asked about first (ADR-0007). A
 * network that denies what it has cannot be asked, and one that refused a refund does not know it: a refund whose refusal was lost is sent again.
 */
export function sentOnce(
  { lines, network }: Pick<World, 'lines' | 'network'>,
  { books }: Pick<Evidence, 'books'>,
): string[] {
  const isGiven = (name: string): boolean => books.refunds.some((each) => each.refund_reference === name)
  const twice = (arrivals: Map<string, Arrivals>): [string, Arrivals][] =>
    [...arrivals].filter(([reference, { inTime }]) => inTime > 1 && !network.denied.has(reference))
  return [
    ...twice(lines.requests).map(([reference, { inTime }]) => `${reference} was requested ${inTime} times`),
    ...twice(lines.refunds)
      .filter(([name]) => isGiven(name))
      .map(([name, { inTime }]) => `refund ${name} was requested ${inTime} times`),
  ]
}

/**
 * A network that says what it has is believed: nothing that reached it in time is told as never received. Only a service alone on its file
 * can take a quarter of an hour for over, when the clock of its machine is set.
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
  return hasty.map(({ reference }) => `${reference} was debited, and told as failed`)
}

function allAsked(world: Network, { payments, attempts, links }: Evidence): Promise<Asked[]> {
  const asked = payments.flatMap((payment) => {
    if (links.some((link) => isOf(payment, link))) {
      const tries = attempts.filter((each) => isOf(payment, each))
      return tries.map(({ reference, method, status }) => ({ payment, reference, method, recorded: status }))
    }
    const { reference, status } = payment
    return [{ payment, reference, method: 'mobile', recorded: status === 'failed' ? 'failed' : 'succeeded' }]
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

const isDebited = ({ truth }: Asked): boolean => truth.status === 'succeeded' || truth.status === 'refunded'
