// Payments by the references that people use. Each look-up goes through the accounts in the scope and uses an index in each: the indexes of
// a merchant's tables begin with the account.
import type { Scope } from '../../domain/caller.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import type { Queries } from '../engine/database.ts'
import { inScope, scopeValues } from '../engine/scope.ts'
import { paymentColumns } from './pending-payments.ts'

const NAMED = `select ${paymentColumns('p')} from accounts a join payments p on p.account_id = a.account_id`

export async function findByNumber(db: Queries, scope: Scope, number: number): Promise<OperatorPayment | undefined> {
  const [payment] = await db.rows<OperatorPayment>(`${NAMED} where p.number = $1${inScope(scope, 2, 'a.account_id')}`, [
    number,
    ...scopeValues(scope),
  ])
  return payment
}

export async function findByLinkReference(
  db: Queries,
  scope: Scope,
  linkReference: string,
): Promise<OperatorPayment | undefined> {
  const [payment] = await db.rows<OperatorPayment>(
    `select ${paymentColumns('p')} from payment_links l
     join payments p on p.account_id = l.account_id and p.number = l.number
     where l.reference = $1${inScope(scope, 2, 'l.account_id')}`,
    [linkReference, ...scopeValues(scope)],
  )
  return payment
}

/** One for each account that uses this transaction_id, at most `most`. */
export const findByExternalReferences = (
  db: Queries,
  scope: Scope,
  externalReference: string,
  most: number,
): Promise<OperatorPayment[]> =>
  db.rows<OperatorPayment>(
    `${NAMED} where p.external_reference = $1${inScope(scope, 3, 'a.account_id')} order by p.number desc limit $2`,
    [externalReference, most, ...scopeValues(scope)],
  )
