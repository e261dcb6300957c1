// What must be true of payments by real networks beside what is true of all: the networks' books and what was seen on the wire.
import { type Evidence, isOf } from './evidence.ts'
import type { WireNetworks } from './wire-networks.ts'
import type { World } from './world.ts'

/** What became of a payment, by the books of its network; undefined where no real network has it. */
export function truthOf(wire: WireNetworks, reference: string): { status: string; amount: number } | undefined {
  const booked = wire.booked(reference)
  if (booked === undefined) return undefined
  const { debits, refunds, amountXof: amount, status, manner } = booked
  if (refunds > 0) return { status: 'refunded', amount }
  if (debits > 0) return { status: 'succeeded', amount }
  return { status: manner.waiting.includes(status) ? 'pending' : 'declined', amount }
}

/**
 * The network said that the payment had failed for good, debited it later, and no callback of its about that was ever taken: nobody on our side
 * can know. Where a failure may change, the service looks by itself, and there is no such excuse.
 */
export function isSilentlyPaid({ booked, seen }: WireNetworks, reference: string): boolean {
  const rechecked = booked(reference)?.manner.rechecked ?? []
  const failures = [...(seen.failures.get(reference) ?? [])]
  return failures.some((status) => !rechecked.includes(status)) && !seen.told.has(reference)
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

/** Also at FedaPay, whose prompts have no idempotency key, and by a process that was frozen right before it sent one (ADR-0007). */
function debitedOnce({ all }: WireNetworks): string[] {
  return all.flatMap(({ manner, network }) =>
    network
      .books()
      .filter(({ debits }) => debits > 1)
      .map((each) => ({ ...each, reference: manner.referenceOf(each) }))
      .map(({ reference, debits }) => `${reference} was debited ${debits} times`),
  )
}

function booksAreOurs({ all }: WireNetworks, { payments, attempts }: Evidence): string[] {
  const ours = new Set([...payments, ...attempts].map(({ reference }) => reference))
  return all.flatMap(({ manner, network }) =>
    network
      .books()
      .map((each) => manner.referenceOf(each))
      .filter((reference) => !ours.has(reference))
      .map((reference) => `${reference} is in the books of ${manner.name} alone`),
  )
}

/** What a network has taken is not requested of it again in time, unless it denied having it or turned the request away. */
function askedOnce({ seen }: WireNetworks, { refunds }: Evidence): string[] {
  const isMade = (name: string): boolean =>
    refunds.some((each) => each.refund_reference === name && each.status === 'succeeded')
  return [
    ...[...seen.repeated.keys()].map((reference) => `${reference} was requested again of a network that had it`),
    ...[...seen.refunds]
      .filter(([name, count]) => count > 1 && isMade(name) && !seen.denied.has(name))
      .map(([name, count]) => `refund ${name} was requested ${count} times`),
  ]
}

/** No money goes back twice, and none is said to have gone back that did not. */
function refundsAreTrue(wire: WireNetworks, { payments, refunds }: Evidence): string[] {
  return payments.flatMap((payment) => {
    const reference = payment.attempt_reference ?? payment.reference
    const booked = wire.booked(reference)
    if (booked === undefined) return []
    const made = refunds.filter((each) => isOf(payment, each) && each.status === 'succeeded').length
    const name = `${reference} at ${booked.manner.name}`
    return [
      ...(booked.refunds > 1 ? [`${name} was given back ${booked.refunds} times`] : []),
      ...(made > booked.refunds ? [`${name} has ${made} refunds, and was given back ${booked.refunds} times`] : []),
    ]
  })
}
