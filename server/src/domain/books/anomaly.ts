// Reports that no rule can decide and a person must look at.

import type { ConnectionKey } from '../operators/connection-key.ts'
import type { Witness } from './statement.ts'

export type AnomalyKind =
  | 'amount_mismatch'
  | 'success_after_failure'
  | 'failure_after_success'
  | 'forgotten_by_operator'
  | 'network_id_taken'
  | 'reversed_during_refund'
  | 'unknown_reference'

export interface Anomaly extends ConnectionKey {
  anomalyId: string
  accountId: string | null
  /** The payment's; of one that we do not have, what the operator calls it. */
  reference: string
  operator: string
  kind: AnomalyKind
  detail: string
  /** Who reported it first; null for an anomaly of an older server. */
  witness: Witness | null
  at: number
  resolvedAt: number | null
  resolvedBy: string | null
  note: string | null
}
