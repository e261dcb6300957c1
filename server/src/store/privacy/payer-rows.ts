// Payments and attempts by the number of their payer, for erasing it: no index leads from a number to them, so all are read, in slices.
import type { Country } from '../../domain/country.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface PayerRow {
  accountId: string
  number: number
  status: string
  msisdn: string | null
  msisdnWritten: string | null
  /** Both of the payment. */
  country: Country
  customerName: string | null
  /** 1 while something is still to be asked of an operator about this number. */
  isUnderWay: number
}

export interface AttemptRow extends PayerRow {
  attempt: number
}

const PAYMENT = columns<PayerRow>({
  accountId: 'p.account_id',
  number: 'p.number',
  status: 'p.status',
  msisdn: 'p.msisdn',
  msisdnWritten: 'p.msisdn_written',
  country: 'p.country',
  customerName: 'p.customer_name',
  isUnderWay: `case when p.status = 'pending' or exists (select 1 from refunds r
    where r.account_id = p.account_id and r.number = p.number and r.status = 'pending') then 1 else 0 end`,
})

export const listPayerRows = (
  db: Queries,
  after: { accountId: string; number: number },
  most: number,
): Promise<PayerRow[]> =>
  db.rows<PayerRow>(
    `select ${PAYMENT} from payments p where (p.account_id, p.number) > ($1, $2)
     order by p.account_id, p.number limit $3`,
    [after.accountId, after.number, most],
  )

const ATTEMPT = columns<AttemptRow>({
  accountId: 't.account_id',
  number: 't.number',
  attempt: 't.attempt',
  status: 't.status',
  msisdn: 't.msisdn',
  msisdnWritten: 't.msisdn_written',
  country: 'p.country',
  customerName: 'p.customer_name',
  isUnderWay: "case when t.status = 'pending' then 1 else 0 end",
})

export const listAttemptRows = (
  db: Queries,
  after: { accountId: string; number: number; attempt: number },
  most: number,
): Promise<AttemptRow[]> =>
  db.rows<AttemptRow>(
    `select ${ATTEMPT} from payment_attempts t join payments p on p.account_id = t.account_id and p.number = t.number
     where (t.account_id, t.number, t.attempt) > ($1, $2, $3)
     order by t.account_id, t.number, t.attempt limit $4`,
    [after.accountId, after.number, after.attempt, most],
  )

/** False when it has become pending since: then nothing is changed. */
export async function maskPayment(tx: Queries, { accountId, number }: PayerRow, masked: string, name: string | null) {
  const changed = await tx.change(
    `update payments set msisdn = $3, msisdn_written = $3, customer_name = $4, metadata = null
     where account_id = $1 and number = $2 and status <> 'pending'`,
    [accountId, number, masked, name],
  )
  return changed === 1
}

export async function maskAttempt(tx: Queries, { accountId, number, attempt }: AttemptRow, masked: string) {
  const changed = await tx.change(
    `update payment_attempts set msisdn = null, msisdn_written = $4
     where account_id = $1 and number = $2 and attempt = $3 and status <> 'pending'`,
    [accountId, number, attempt, masked],
  )
  return changed === 1
}

/** Of a payment that has nobody's number: a link that is not paid. */
export async function maskNameOf(tx: Queries, { accountId, number }: PayerRow, name: string): Promise<boolean> {
  const changed = await tx.change(
    `update payments set customer_name = $3
     where account_id = $1 and number = $2 and msisdn is null and customer_name <> $3`,
    [accountId, number, name],
  )
  return changed === 1
}

/** What is remembered of prompts to this number, in either environment (D-60). */
export async function forgetPrompts(tx: Queries, msisdn: string): Promise<void> {
  await tx.change('delete from prompt_guards where name in ($1, $2)', [
    `number sandbox ${msisdn}`,
    `number live ${msisdn}`,
  ])
}
