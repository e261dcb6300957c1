// Anomalies: reports that no rule can decide and a person must look at. Each is recorded once.
import { hash } from 'node:crypto'
import type { Anomaly, AnomalyKind } from '../../domain/books/anomaly.ts'
import type { Witness } from '../../domain/books/statement.ts'
import type { Environment } from '../../domain/environment.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { Scope } from '../../domain/people/caller.ts'
import type { Queries } from '../engine/database.ts'
import {
  changesOne,
  columnsOf,
  firstReturned,
  firstRow,
  inScope,
  listOf,
  padded,
  scopeValues,
} from '../rows.ts'

interface NewAnomaly {
  kind: AnomalyKind
  detail: object
  at: number
  /** Who reported it; the network's own answer unless it says otherwise. */
  witness?: Witness
  /** The money was reversed: an open row of the same kind is updated to say so. */
  isReversal?: boolean
}

type AnomalousPayment = Pick<
  OperatorPayment,
  'accountId' | 'number' | 'environment' | 'operator' | 'reference' | 'attemptReference'
>

/**
 * About a payment, or about the attempt on its link that the report was about. False when it is
 * recorded already.
 */
export function insertAnomaly(
  tx: Queries,
  payment: AnomalousPayment,
  anomaly: NewAnomaly,
): Promise<boolean> {
  const { attemptReference, reference } = payment
  const attempt = attemptReference === null ? {} : { attempt: attemptReference }
  const request = { ...payment, requestReference: attemptReference ?? reference }
  return insertRequestAnomaly(tx, request, {
    ...anomaly,
    detail: { ...anomaly.detail, ...attempt },
  })
}

/** About a reference that an operator reported and that no payment has. */
export const insertUnknownReference = (
  tx: Queries,
  { environment, connection }: ConnectionKey,
  requestReference: string,
  at: number,
): Promise<boolean> =>
  insertRequestAnomaly(
    tx,
    { environment, operator: connection, requestReference, accountId: null, number: null },
    { kind: 'unknown_reference', detail: {}, at },
  )

export interface AnomalousRequest {
  environment: Environment
  /** The payer's operator; for an unknown payment, the connection that reported it. */
  operator: string
  requestReference: string
  accountId: string | null
  number: number | null
}

/**
 * Reversed money can be neither accepted nor refunded; a success that is reported later changes
 * nothing.
 */
const SAY_REVERSED =
  '(anomaly_id) do update set detail = excluded.detail where payment_anomalies.resolved_at is null'

/**
 * About what the operator knows by one reference: of a payment, of an attempt on its link, or of a
 * refund.
 */
export async function insertRequestAnomaly(
  tx: Queries,
  request: AnomalousRequest,
  { kind, detail, at, isReversal, witness = 'network' }: NewAnomaly,
): Promise<boolean> {
  const { accountId, number, environment, operator, requestReference } = request
  const about = `${kind} ${environment} ${operator} ${requestReference}`
  const anomalyId = `ano_${hash('sha256', about, 'hex').slice(0, 16)}`
  return changesOne(
    tx,
    `insert into payment_anomalies
       (anomaly_id, account_id, number, environment, operator, request_reference, kind, detail, at,
         witness)
     values (:anomalyId, :accountId, :number, :environment, :operator, :requestReference, :kind,
       :detail, :at, :witness) on conflict ${isReversal ? SAY_REVERSED : 'do nothing'}`,
    {
      anomalyId,
      accountId,
      number,
      environment,
      operator,
      requestReference,
      kind,
      detail: JSON.stringify(detail),
      at,
      witness,
    },
  )
}

const ANOMALY = columnsOf<Anomaly>({
  anomalyId: 'a.anomaly_id',
  accountId: 'a.account_id',
  environment: 'a.environment',
  operator: 'a.operator',
  kind: 'a.kind',
  detail: 'a.detail',
  witness: 'a.witness',
  at: 'a.at',
  resolvedAt: 'a.resolved_at',
  resolvedBy: 'a.resolved_by',
  note: 'a.note',
  connection: 'coalesce(p.connection, a.operator)',
  reference: 'coalesce(p.reference, a.request_reference)',
})

/** Newest first, before a cursor. There are few: a person looks at each. */
export const listAnomalies = (
  db: Queries,
  scope: Scope,
  { openOnly }: { openOnly: boolean },
  before: { at: number; anomalyId: string },
  most: number,
) =>
  db.read<Anomaly>(
    `select ${ANOMALY} from payment_anomalies a
      left join payments p on p.account_id = a.account_id and p.number = a.number
     where (a.at, a.anomaly_id) < (:at,
     :anomalyId)${openOnly ? ' and a.resolved_at is null' : ''}${inScope(scope, 'a.account_id')}
     order by a.at desc, a.anomaly_id desc limit :most`,
    { at: before.at, anomalyId: before.anomalyId, most, ...scopeValues(scope) },
  )

export const listOpenAnomalies = async (
  db: Queries,
  ids: readonly string[],
): Promise<Anomaly[]> => {
  if (ids.length === 0) return []
  const wanted = listOf('anomalyId', padded(ids))
  return db.read<Anomaly>(
    `select ${ANOMALY} from payment_anomalies a
      left join payments p on p.account_id = a.account_id and p.number = a.number
     where a.resolved_at is null and a.anomaly_id in (${wanted.places})`,
    wanted.values,
  )
}

/** Money that came after its payment had failed. */
export interface LateMoney {
  /** The operator's reference of the debit. */
  requestReference: string
  operatorReference: string
  /** The detail of the anomaly when it was read. */
  detail: string
}

/** Undefined when the scope has no such open anomaly about late money that was not reversed. */
export async function findLateMoney(
  tx: Queries,
  scope: Scope,
  anomalyId: string,
): Promise<LateMoney | undefined> {
  const found = await firstRow<{ requestReference: string; detail: string }>(
    tx,
    `select request_reference as "requestReference", detail from payment_anomalies
     where anomaly_id = :anomalyId and kind = 'success_after_failure'
       and resolved_at is null${inScope(scope)}`,
    { anomalyId, ...scopeValues(scope) },
  )
  if (found === undefined) return undefined
  const { reported, operatorReference = '' } = JSON.parse(found.detail) as {
    reported?: string
    operatorReference?: string
  }
  return reported === 'succeeded' ? { ...found, operatorReference } : undefined
}

/**
 * Its account; undefined when the scope has no such open anomaly, or its detail is no longer
 * `seen`.
 */
export const resolveAnomaly = (
  tx: Queries,
  scope: Scope,
  anomalyId: string,
  {
    at,
    by,
    note,
    seen = null,
  }: {
    at: number
    by: string
    note: string
    seen?: string | null
  },
) =>
  firstReturned<{ accountId: string | null; number: number | null }>(
    tx,
    `update payment_anomalies set resolved_at = :at, resolved_by = :by, note = :note
     where anomaly_id = :anomalyId and resolved_at is null
       and detail = coalesce(:seen, detail)${inScope(scope)}
     returning account_id as "accountId", number`,
    { anomalyId, at, by, note, seen, ...scopeValues(scope) },
  )
