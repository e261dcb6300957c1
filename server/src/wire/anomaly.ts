// Anomalies, as commands print them in JSON.
import { isoTime, optionalTime } from './json.ts'

interface Anomaly {
  anomalyId: string
  reference: string
  accountId: string | null
  operator: string
  kind: string
  at: number
  /** A JSON text. */
  detail: string
  resolvedAt: number | null
  resolvedBy: string | null
  note: string | null
}

export const anomalyFields = (anomaly: Anomaly): object => ({
  anomaly: anomaly.anomalyId,
  reference: anomaly.reference,
  account: anomaly.accountId ?? undefined,
  operator: anomaly.operator,
  kind: anomaly.kind,
  at: isoTime(anomaly.at),
  detail: JSON.parse(anomaly.detail),
  resolved_at: optionalTime(anomaly.resolvedAt),
  resolved_by: anomaly.resolvedBy ?? undefined,
  note: anomaly.note ?? undefined,
})
