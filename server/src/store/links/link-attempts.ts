// Attempts to pay a link. The payment's row holds the reference of the current attempt, so that there is never more than one.

import type { Environment } from '../../domain/environment.ts'
import type { FailureReason } from '../../domain/outcome.ts'
import type { LinkMethod } from '../../domain/payment-link.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface LinkAttempt {
  attempt: number
  method: LinkMethod
  operator: string
  status: 'pending' | 'succeeded' | 'failed'
  failureReason: FailureReason | null
  createdAt: number
  endedAt: number | null
}

const ATTEMPT = columns<LinkAttempt>({
  attempt: 'attempt',
  method: 'method',
  operator: 'operator',
  status: 'status',
  failureReason: 'failure_reason',
  createdAt: 'created_at',
  endedAt: 'ended_at',
})

export const listLinkAttempts = (db: Queries, accountId: string, number: number): Promise<LinkAttempt[]> =>
  db.rows<LinkAttempt>(
    `select ${ATTEMPT} from payment_attempts where account_id = $1 and number = $2 order by attempt`,
    [accountId, number],
  )

export interface NewAttempt {
  accountId: string
  number: number
  attempt: number
  attemptReference: string
  method: LinkMethod
  operator: string
  connection: string
  country: string
  msisdn: string | null
  msisdnWritten: string | null
  amountXof: number
  at: number
  /** When the request was sent to the operator; null when it still has to be sent. */
  handedOverAt: number | null
  dueAt: number
  environment: Environment
  /** Whose phone rings; null for a provider's page, and for a test number. */
  promptedMsisdn: string | null
  /** The account, when an unsigned page made the link. */
  pageAccount: string | null
  /** Of what the browser that begins it shows that by. */
  browserHash: string
}

/**
 * Of several browser tabs one begins the attempt; false for the others, and for a closed link. On PostgreSQL other attempts may have
 * begun and failed since the caller read the link, so the number of attempts is checked here too.
 */
export async function beginAttempt(tx: Queries, from: 'initiated' | 'pending', begun: NewAttempt): Promise<boolean> {
  const changed = await tx.change(
    `update payments set status = 'pending', attempt_reference = $4, operator = $5, country = $6, msisdn = $7,
       msisdn_written = $8, due_at = $9, handed_over_at = $10, accepted_at = null, asked_times = 0, attempt_at = $11,
       connection = $13, network_id = null,
       claims = case when cast($9 as bigint) > cast($11 as bigint) then 1 else 0 end
     where account_id = $1 and number = $2 and status = $3 and attempt_reference is null and not exists (
       select 1 from payment_attempts t where t.account_id = $1 and t.number = $2 and t.attempt >= $12)`,
    [
      begun.accountId,
      begun.number,
      from,
      begun.attemptReference,
      begun.operator,
      begun.country,
      begun.msisdn,
      begun.msisdnWritten,
      begun.dueAt,
      begun.handedOverAt,
      begun.at,
      begun.attempt,
      begun.connection,
    ],
  )
  return changed === 1
}

export async function insertPaymentAttempt(tx: Queries, begun: NewAttempt): Promise<void> {
  const { accountId, number, attempt, attemptReference, method, operator, connection, msisdnWritten, at } = begun
  const { environment, promptedMsisdn, pageAccount, browserHash, amountXof } = begun
  await tx.change(
    `insert into payment_attempts (account_id, number, attempt, reference, method, operator, msisdn_written, status,
       created_at, environment, msisdn, page_account, browser_hash, connection, amount_xof)
     values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[accountId, number, attempt, attemptReference, method, operator, msisdnWritten, at],
      ...[environment, promptedMsisdn, pageAccount, browserHash, connection, amountXof],
    ],
  )
}

export async function setProviderUrl(db: Queries, attemptReference: string, url: string): Promise<void> {
  await db.change('update payment_attempts set provider_url = $2 where reference = $1', [attemptReference, url])
}

/** The network's own id of an attempt. False when there is no such attempt. */
export async function setNetworkId(tx: Queries, attemptReference: string, networkId: string): Promise<boolean> {
  const changed = await tx.change('update payment_attempts set network_id = $2 where reference = $1', [
    attemptReference,
    networkId,
  ])
  return changed === 1
}

/** Opens the link again; false when this attempt is no longer the current one. */
export async function releaseAttempt(
  tx: Queries,
  accountId: string,
  number: number,
  attemptReference: string,
): Promise<boolean> {
  const changed = await tx.change(
    `update payments set attempt_reference = null, operator = null, connection = null, msisdn = null, msisdn_written = null, due_at = null,
       handed_over_at = null, accepted_at = null, network_id = null, asked_times = 0, claims = 0
     where account_id = $1 and number = $2 and status = 'pending' and attempt_reference = $3`,
    [accountId, number, attemptReference],
  )
  return changed === 1
}

export async function endAttempt(
  tx: Queries,
  attemptReference: string,
  ended: { status: 'succeeded' | 'failed'; failureReason: FailureReason | null; at: number },
): Promise<boolean> {
  const changed = await tx.change(
    `update payment_attempts set status = $2, failure_reason = $3, ended_at = $4
     where reference = $1 and status = 'pending'`,
    [attemptReference, ended.status, ended.failureReason, ended.at],
  )
  return changed === 1
}

/** failed → succeeded: its money came late, and a person accepted it. */
export async function acceptLateAttempt(tx: Queries, attemptReference: string): Promise<void> {
  await tx.change(
    `update payment_attempts set status = 'succeeded', failure_reason = null where reference = $1 and status = 'failed'`,
    [attemptReference],
  )
}

export async function attemptStatus(tx: Queries, attemptReference: string): Promise<string | undefined> {
  const [row] = await tx.rows<{ status: string }>('select status from payment_attempts where reference = $1', [
    attemptReference,
  ])
  return row?.status
}

/** What the payer of a link without an amount typed. Nothing is asked of an operator yet. */
export async function setTypedAmount(
  tx: Queries,
  { accountId, number }: { accountId: string; number: number },
  amountXof: number,
): Promise<void> {
  await tx.change(
    `update payments set amount_xof = $3 where account_id = $1 and number = $2 and attempt_reference is null
       and status in ('initiated', 'pending')`,
    [accountId, number, amountXof],
  )
}
