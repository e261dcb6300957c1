// What is left to people when the faults of a world have stopped: payers who had not decided do, and somebody with the networks' portals ends the
// refunds that the service has left to a person.
import { endRefundByHand, listRefundTasks } from '../../src/actions/payments/record-refund-outcome.ts'
import type { Service } from '../../src/service/compose.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import { granted, TESTER } from '../kit/callers.ts'
import type { World } from './world.ts'

/** Nothing is pending for ever: whoever let a prompt lie gives an answer now. */
export function everybodyDecides({ wire, random }: World): void {
  for (const { manner, network } of wire.all) {
    const waiting = network.books().filter((each) => manner.waiting.includes(each.status) && manner.isTaken(each))
    for (const { id } of waiting) network.decide(id, random.pick(['approve', 'decline', 'ignore', 'no_funds']))
  }
}

/** Payments that a network accepted and does not have: they are pending for ever, and listed for a person. */
export async function leftToPersons({ wire }: World, db: Queries): Promise<string[]> {
  if (wire.all.length === 0) return []
  const rows = await db.rows<{ reference: string; asked: string }>(
    `select p.reference, coalesce(p.attempt_reference, p.reference) as asked from payments p
     join payment_anomalies a on a.request_reference = coalesce(p.attempt_reference, p.reference)
     where p.status = 'pending' and a.kind = 'forgotten_by_operator'`,
  )
  return rows.filter(({ asked }) => wire.booked(asked) === undefined).map(({ reference }) => reference)
}

/** By what the network's books say. False when there was none. */
export async function endRefundsByHand({ wire, counts, note }: World, service: Service): Promise<boolean> {
  if (wire.all.length === 0) return false
  const { rows } = await listRefundTasks(service, TESTER)
  for (const { refundReference, reference } of rows) {
    const [payment] = await service.db.rows<{ asked: string }>(
      'select coalesce(attempt_reference, reference) as asked from payments where reference = $1',
      [reference],
    )
    const isMade = (wire.booked(payment?.asked ?? '')?.refunds ?? 0) > 0
    granted(await endRefundByHand(service, TESTER, { refundReference, isMade, proof: 'seen in the portal' }))
    note(`a person ends the refund of ${reference}: ${isMade ? 'made' : 'not made'}`)
    counts.refundsByHand++
  }
  return rows.length > 0
}
