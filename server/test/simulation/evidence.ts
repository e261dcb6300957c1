// The evidence that the checks of a simulated world use, read once: the service's tables and the
// network's books.
import type { PaymentStatus } from '../../src/domain/payments/payment-status.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import { listFeed } from '../../src/store/webhooks/events.ts'
import { leftToPersons } from './wire-networks.ts'
import type { World } from './world.ts'

/** A row that belongs to a payment. */
export interface OfPayment {
  account_id: string
  number: number
}

export interface PaymentRow extends OfPayment {
  reference: string
  external_reference: string
  status: PaymentStatus
  failure_reason: string | null
  amount_xof: number
  msisdn: string
  /** On a link, the attempt that is in progress or that paid. */
  attempt_reference: string | null
  connection: string | null
}

/** All evidence of the checks, read once. */
export interface Evidence {
  payments: PaymentRow[]
  story: (OfPayment & { kind: string; detail: string })[]
  events: (OfPayment & {
    sequence: number
    event_id: string
    event: string
    payload: string
  })[]
  refunds: (OfPayment & { refund_reference: string; status: string })[]
  attempts: (OfPayment & {
    reference: string
    method: string
    status: string
    connection: string | null
  })[]
  /** The payments that are links: their numbers by account. */
  links: (OfPayment & { reference: string })[]
  anomalies: (OfPayment & { request_reference: string; kind: string; at: number })[]
  /** Open tasks for staff. */
  due: string[]
  /**
   * Listed payments that stay pending for ever: their network accepted them, and has no such
   * payment.
   */
  forgotten: string[]
  /** The network's own books of debits and refunds. */
  books: {
    payments: { reference: string }[]
    refunds: { refund_reference: string; reference: string }[]
  }
}

async function readEvents(db: Queries): Promise<Evidence['events']> {
  const events: Evidence['events'] = []
  for (const { account_id } of await db.read<OfPayment>(
    'select account_id from event_feeds order by account_id',
  ))
    for (const stored of await listFeed(db, account_id, 0, Number.MAX_SAFE_INTEGER)) {
      const { sequence, eventId, event, number, payload } = stored
      events.push({ account_id, number, sequence, event_id: eventId, event, payload })
    }
  return events
}

export async function readEvidence(db: Queries, world: World): Promise<Evidence> {
  const { books } = world
  return {
    payments: await db.read('select * from payments'),
    // In the order of writing: times of a machine whose clock was set back are not in order.
    story: await db.read(
      'select account_id, number, kind, detail from payment_story order by rowid',
    ),
    events: await readEvents(db),
    refunds: await db.read('select * from refunds'),
    attempts: await db.read('select * from payment_attempts'),
    links: await db.read('select account_id, number, reference from payment_links'),
    anomalies: await db.read('select * from payment_anomalies'),
    due: (await db.read<{ name: string }>(DUE)).map(({ name }) => name),
    forgotten: await leftToPersons(world, db),
    books: {
      payments: await books.read('select reference from simulated_payments'),
      refunds: await books.read('select refund_reference, reference from simulated_refunds'),
    },
  }
}

const DUE = `
  select reference as name from payments where due_at is not null union all
  select refund_reference from refunds where due_at is not null union all
  select request_reference from rechecks`

export const isOf = (row: PaymentRow, other: OfPayment): boolean =>
  row.account_id === other.account_id && row.number === other.number
