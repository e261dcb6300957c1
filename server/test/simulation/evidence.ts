// What the checks of a simulated world look at, read once: the tables of the service, and the books of the network.
import type { PaymentStatus } from '../../src/domain/payment-status.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import { leftToPersons } from './wire-networks.ts'
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
  /** On a link, the attempt that is under way or that paid. */
  attempt_reference: string | null
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
  by_hand_since: number | null
}

interface AttemptRow {
  account_id: string
  number: number
  reference: string
  method: string
  status: string
}

interface AnomalyRow {
  account_id: string
  number: number
  request_reference: string
  kind: string
  at: number
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
  anomalies: AnomalyRow[]
  /** What somebody would still have to look at. */
  due: string[]
  /** Payments that are pending for ever and listed: their network accepted them, and has no such payment. */
  forgotten: string[]
  books: Books
}

export async function readEvidence(db: Queries, world: World): Promise<Evidence> {
  const { books } = world
  return {
    payments: await db.rows('select * from payments'),
    // As it was written: the times of a machine whose clock was set back are not in order.
    story: await db.rows('select * from payment_story order by rowid'),
    events: await db.rows('select * from events order by account_id, sequence'),
    refunds: await db.rows('select * from refunds'),
    attempts: await db.rows('select * from payment_attempts'),
    links: await db.rows('select account_id, number, reference from payment_links'),
    anomalies: await db.rows('select * from payment_anomalies'),
    due: (await db.rows<{ name: string }>(DUE)).map(({ name }) => name),
    forgotten: await leftToPersons(world, db),
    books: {
      payments: await books.rows('select reference from simulated_payments'),
      refunds: await books.rows('select refund_reference, reference from simulated_refunds'),
    },
  }
}

const DUE = `
  select reference as name from payments where due_at is not null union all
  select refund_reference from refunds where due_at is not null union all
  select request_reference from rechecks`

export const isOf = (row: PaymentRow, other: { account_id: string; number: number }): boolean =>
  row.account_id === other.account_id && row.number === other.number
