// Finding payments by their payer. The worker writes the terms of a payment once no payment with a lower number can come any more; what is
// newer is looked through.
import { type Searched, searchTermsOf } from '../../domain/search-terms.ts'
import { columns } from '../engine/columns.ts'
import type { Queries, SqlTexts, Transaction } from '../engine/database.ts'

export interface SearchedPayment extends Searched {
  number: number
}

export interface IndexedPayment extends SearchedPayment {
  createdAt: number
}

const PAYMENT = { number: 'p.number', msisdn: 'p.msisdn', customerName: 'p.customer_name' }
const SEARCHED = columns<SearchedPayment>(PAYMENT)
const INDEXED = columns<IndexedPayment>({ ...PAYMENT, createdAt: 'p.created_at' })

/** The next payments to index, the oldest first. */
export const listUnindexed = (db: Queries, accountId: string, after: number, most: number): Promise<IndexedPayment[]> =>
  db.rows<IndexedPayment>(
    `select ${INDEXED} from payments p where p.account_id = $1 and p.number > $2 order by p.number limit $3`,
    [accountId, after, most],
  )

const INSERT: SqlTexts = {
  sqlite: 'insert into payment_search (account_id, term, number) values ($1, $2, $3) on conflict do nothing',
  postgres: `insert into payment_search (account_id, term, number)
    select * from unnest($1::text[], $2::text[], $3::bigint[]) on conflict do nothing`,
}

export async function indexPayments(
  tx: Transaction,
  accountId: string,
  payments: readonly SearchedPayment[],
): Promise<void> {
  await tx.many(
    INSERT,
    payments.flatMap((payment) => searchTermsOf(payment).map((term) => [accountId, term, payment.number])),
  )
}

export async function removeFromSearch(tx: Queries, accountId: string, payment: SearchedPayment): Promise<void> {
  for (const term of searchTermsOf(payment)) {
    await tx.change('delete from payment_search where account_id = $1 and term = $2 and number = $3', [
      accountId,
      term,
      payment.number,
    ])
  }
}

/** Payments that had this term when they were indexed, newest first. They may have another number since: a link has many attempts. */
export const listByTerm = (
  db: Queries,
  accountId: string,
  term: string,
  below: number,
  most: number,
): Promise<SearchedPayment[]> =>
  db.rows<SearchedPayment>(
    `select ${SEARCHED} from payment_search s join payments p on p.account_id = s.account_id and p.number = s.number
     where s.account_id = $1 and s.term = $2 and s.number < $3 order by s.number desc limit $4`,
    [accountId, term, below, most],
  )

/** Payments that are not indexed yet, newest first. */
export const listNotIndexed = (
  db: Queries,
  accountId: string,
  { after, below }: { after: number; below: number },
  most: number,
): Promise<SearchedPayment[]> =>
  db.rows<SearchedPayment>(
    `select ${SEARCHED} from payments p where p.account_id = $1 and p.number > $2 and p.number < $3
     order by p.number desc limit $4`,
    [accountId, after, below, most],
  )
