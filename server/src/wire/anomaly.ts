// Anomalies, as commands print them in JSON.
import { isoTime } from './json.ts'

interface Anomaly {
  reference: string
  accountId: string
  kind: string
  at: number
  /** A JSON text. */
  detail: string
}

export const anomalyFields = ({ reference, accountId, kind, at, detail }: Anomaly): object => ({
  reference,
  account: accountId,
  kind,
  at: isoTime(at),
  detail: JSON.parse(detail),
})
