// Every column of free text that may repeat a payer's number, read in slices by the primary key,
// and rewritten. A payment's events are found by the payment.
import type { Country } from '../../domain/countries/country.ts'
import type { Field } from '../../domain/fields.ts'
import { ADDITIONS, PAYMENT_FIELDS } from '../../domain/payments/payment-fields.ts'
import type { Queries, Value } from '../engine/database.ts'
import { columnsOf, listOf, updateOne } from '../rows.ts'

export interface TextColumn {
  table: string
  keys: Readonly<Record<string, 'text' | 'bigint'>>
  column: string
  is: 'text' | 'json'
}

const OF_PAYMENT = { account_id: 'text', number: 'bigint' } as const
const DELIVERY_ATTEMPT = {
  account_id: 'text',
  endpoint_id: 'text',
  sequence: 'bigint',
  round: 'bigint',
  attempt: 'bigint',
} as const

const STATEMENT_LINE = { environment: 'text', connection: 'text', line_number: 'bigint' } as const

/** A new column of free text that may name a payer is a line here. */
export const TEXT_COLUMNS: readonly TextColumn[] = [
  { table: 'payment_links', keys: OF_PAYMENT, column: 'title', is: 'text' },
  { table: 'payment_links', keys: OF_PAYMENT, column: 'description', is: 'text' },
  {
    table: 'payment_story',
    keys: { ...OF_PAYMENT, entry: 'bigint' },
    column: 'detail',
    is: 'json',
  },
  { table: 'payment_anomalies', keys: { anomaly_id: 'text' }, column: 'detail', is: 'json' },
  { table: 'payment_anomalies', keys: { anomaly_id: 'text' }, column: 'note', is: 'text' },
  { table: 'webhook_attempts', keys: DELIVERY_ATTEMPT, column: 'answer', is: 'text' },
  { table: 'webhook_attempts', keys: DELIVERY_ATTEMPT, column: 'error', is: 'text' },
  { table: 'audit_log', keys: { entry: 'bigint' }, column: 'detail', is: 'json' },
  { table: 'audit_log', keys: { entry: 'bigint' }, column: 'earlier', is: 'json' },
  { table: 'statement_lines', keys: STATEMENT_LINE, column: 'counterparty', is: 'text' },
  { table: 'statement_lines', keys: STATEMENT_LINE, column: 'text', is: 'text' },
  {
    table: 'statement_fetches',
    keys: { environment: 'text', connection: 'text', day: 'bigint' },
    column: 'why',
    is: 'text',
  },
  { table: 'statement_files', keys: { file_id: 'text' }, column: 'take_back_note', is: 'text' },
  { table: 'settlement_receipts', keys: STATEMENT_LINE, column: 'bank_reference', is: 'text' },
  {
    table: 'merchant_connections',
    keys: { account_id: 'text', connection_id: 'text' },
    column: 'label',
    is: 'text',
  },
  { table: 'book_exceptions', keys: { exception_id: 'text' }, column: 'note', is: 'text' },
  {
    table: 'closings',
    keys: { exception_id: 'text', closing: 'bigint' },
    column: 'note',
    is: 'text',
  },
  { table: 'simulated_payments', keys: { reference: 'text' }, column: 'msisdn', is: 'text' },
  { table: 'simulated_sessions', keys: { reference: 'text' }, column: 'title', is: 'text' },
]

export type TextRow = { key: Value[]; text: string | null }

/** The rows after one, or the first; in the order of the primary key. */
export async function listTexts(
  db: Queries,
  { table, keys, column }: TextColumn,
  after: readonly Value[] | undefined,
  most: number,
): Promise<TextRow[]> {
  const names = Object.keys(keys)
  const first = Object.values(keys).map((type) => (type === 'text' ? '' : Number.MIN_SAFE_INTEGER))
  const place = listOf('after', after ?? first)
  const rows = await db.read<Record<string, Value>>(
    `select ${names.join(', ')}, ${column} as personal_text from ${table}
     where (${names.join(', ')}) > (${place.places})
     order by ${names.join(', ')} limit :most`,
    { ...place.values, most },
  )
  return rows.map((row) => ({
    key: names.map((name) => row[name] ?? null),
    text: row.personal_text as string | null,
  }))
}

/**
 * The texts about one link in which its maker may have named the payer: its own, and those of the
 * audit log.
 */
export async function listLinkTexts(
  db: Queries,
  accountId: string,
  number: number,
): Promise<[TextColumn, TextRow][]> {
  const own = TEXT_COLUMNS.filter(({ table }) => table === 'payment_links')
  const [link] = await db.read<Record<string, string | null>>(
    `select reference, title, description from payment_links where account_id = :accountId
      and number = :number`,
    { accountId, number },
  )
  if (link === undefined) return []
  const [audit] = TEXT_COLUMNS.filter(({ table }) => table === 'audit_log') as [TextColumn]
  const entries = await db.read<{ entry: number; detail: string }>(
    'select entry, detail from audit_log where subject = :reference',
    { reference: link.reference as string },
  )
  return [
    ...own.map((at): [TextColumn, TextRow] => [
      at,
      { key: [accountId, number], text: link[at.column] ?? null },
    ]),
    ...entries.map(({ entry, detail }): [TextColumn, TextRow] => [
      audit,
      { key: [entry], text: detail },
    ]),
  ]
}

const EVENT_KEY = { account_id: 'text', sequence: 'bigint' } as const
const EVENT: TextColumn = { table: 'events', keys: EVENT_KEY, column: 'payload', is: 'json' }

export async function listEventTexts(
  db: Queries,
  accountId: string,
  number: number,
): Promise<[TextColumn, TextRow][]> {
  const events = await db.read<{ sequence: number; payload: string }>(
    'select sequence, payload from events where account_id = :accountId and number = :number',
    { accountId, number },
  )
  return events.map(({ sequence, payload }) => [
    EVENT,
    { key: [accountId, sequence], text: payload },
  ])
}

export async function writeText(
  tx: Queries,
  { table, keys, column }: TextColumn,
  { key, text }: TextRow,
) {
  const names = Object.keys(keys)
  const same = names.map((name) => `${name} = :${name}`)
  const values = Object.fromEntries(names.map((name, at) => [name, key[at] as Value]))
  await tx.change(`update ${table} set ${column} = :text where ${same.join(' and ')}`, {
    ...values,
    text,
  })
}

// Payments and attempts by the number of their payer: no index leads to them, so all are read, in
// slices.

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

const PAYMENT = columnsOf<PayerRow>({
  accountId: 'p.account_id',
  number: 'p.number',
  status: 'p.status',
  msisdn: 'p.msisdn',
  msisdnWritten: 'p.msisdn_written',
  country: 'p.country',
  customerName: 'p.customer_name',
  isUnderWay: `case when p.status = 'pending' or exists (select 1 from refunds r
    where r.account_id = p.account_id and r.number = p.number
    and r.status = 'pending') then 1 else 0 end`,
})

export const listPayerRows = (
  db: Queries,
  after: { accountId: string; number: number },
  most: number,
) =>
  db.read<PayerRow>(
    `select ${PAYMENT} from payments p where (p.account_id, p.number) > (:accountId, :number)
     order by p.account_id, p.number limit :most`,
    { accountId: after.accountId, number: after.number, most },
  )

const ATTEMPT = columnsOf<AttemptRow>({
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
) =>
  db.read<AttemptRow>(
    `select ${ATTEMPT} from payment_attempts t join payments p on p.account_id = t.account_id
      and p.number = t.number
     where (t.account_id, t.number, t.attempt) > (:accountId, :number, :attempt)
     order by t.account_id, t.number, t.attempt limit :most`,
    { accountId: after.accountId, number: after.number, attempt: after.attempt, most },
  )

/** What the merchant added to the payment and may name the payer. */
const REMOVED_TEXTS = Object.fromEntries(
  ADDITIONS.map((name): Field<never> & { given: { column: string } } => PAYMENT_FIELDS[name])
    .filter(({ personal }) => personal === 'removed')
    .map(({ given }) => [given.column, null]),
)

const IS_OVER = "status <> 'pending'"

/** False when it has become pending since: then nothing is changed. */
export function maskPayment(
  tx: Queries,
  { accountId, number }: PayerRow,
  masked: string,
  name: string | null,
) {
  const values = { msisdn: masked, msisdnWritten: masked, customerName: name, ...REMOVED_TEXTS }
  return updateOne(tx, 'payments', { accountId, number }, values, IS_OVER)
}

export const maskAttempt = (
  tx: Queries,
  { accountId, number, attempt }: AttemptRow,
  msisdnWritten: string,
) =>
  updateOne(
    tx,
    'payment_attempts',
    { accountId, number, attempt },
    { msisdn: null, msisdnWritten },
    IS_OVER,
  )

/** Of a payment without a number: an unpaid link. */
export const maskNameOf = (tx: Queries, { accountId, number }: PayerRow, customerName: string) =>
  updateOne(
    tx,
    'payments',
    { accountId, number },
    { customerName },
    'msisdn is null and customer_name <> :customerName',
  )

/** Removes the records of prompts to this number, in either environment (D-60). */
export const forgetPrompts = (tx: Queries, msisdn: string) =>
  tx.change('delete from prompt_guards where name in (:sandbox, :live)', {
    sandbox: `number sandbox ${msisdn}`,
    live: `number live ${msisdn}`,
  })
