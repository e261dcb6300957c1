// The first page of a merchant's account: collected amounts, results, and what needs attention.
export type DayFigures = { collected: number; succeeded: number; failed: number }

/** `collected` is null for people who may not see turnover. */
export type ShownFigures = Omit<DayFigures, 'collected'> & { collected: number | null }

export interface Home {
  today: ShownFigures & { pending: number }
  days: (ShownFigures & { day: string })[]
  operators: { operator: string; name: string; succeeded: number; failed: number }[]
  failures: { reason: string; count: number }[]
  attention: Attention[]
}

export type Attention =
  | { kind: 'endpoint_failing'; url: string; since: number; lastStatusCode: number | null }
  | { kind: 'key_ending'; key: string; at: number }
  | { kind: 'operator_down'; operator: string; name: string; since: number }
  | { kind: 'account_not_validated' }
  | { kind: 'account_suspended'; reason: string | null }
  | { kind: 'no_endpoint' }
  | { kind: 'viewed_by_service'; by: string; reason: string; at: number }
