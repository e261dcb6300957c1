// What no rule can decide, as commands print it for programs.
import { isoTime } from './json.ts'

interface Anomaly {
  reference: string
  accountId: string
  kind: string
  at: number
  /** JSON already. */
  detail: string
}

export const anomalyFields = ({ reference, accountId, kind, at, detail }: Anomaly): object => ({
  reference,
  account: accountId,
  kind,
  at: isoTime(at),
  detail: JSON.parse(detail),
})
