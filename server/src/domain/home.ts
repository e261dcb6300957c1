// The first page of a merchant's account: collected amounts, results, and what needs attention.
export type DayFigures = { collected: number; succeeded: number; failed: number }

export interface Home {
  today: DayFigures & { pending: number }
  days: (DayFigures & { day: string })[]
  operators: { operator: string; name: string; succeeded: number; failed: number }[]
  failures: { reason: string; count: number }[]
  attention: Attention[]
}

export type Attention =
  | { kind: 'endpoint_failing'; url: string; since: number; lastStatusCode: number | null }
  | { kind: 'key_ending'; keyId: string; at: number }
  | { kind: 'operator_down'; operator: string; name: string; since: number }
  | { kind: 'account_not_validated' }
  | { kind: 'account_suspended'; reason: string | null }
  | { kind: 'no_endpoint' }
  | { kind: 'viewed_by_service'; by: string; reason: string; at: number }
