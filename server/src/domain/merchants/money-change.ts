// A change of where a merchant's money goes: a new live connection, new credentials in one, a new
// PI-SPI alias. With several owners it waits for a second one (D-191).

export const MONEY_CHANGE_KINDS = ['connection', 'credentials', 'pi_alias'] as const

export type MoneyChangeKind = (typeof MONEY_CHANGE_KINDS)[number]

/** `replaced`: by a newer change of the same thing. */
export type MoneyChangeState = 'waiting' | 'done' | 'rejected' | 'replaced' | 'expired'

/** What people see of it: never a credential. */
export type MoneyChangeDetail =
  | {
      kind: 'connection'
      connector: string
      label: string
      serves: string
    }
  | { kind: 'credentials'; label: string }
  | { kind: 'pi_alias'; alias: string; earlier: string | null }

export interface MoneyChange {
  accountId: string
  changeId: string
  kind: MoneyChangeKind
  /** The connection, or the merchant whose alias it is. */
  subject: string
  /** JSON of `MoneyChangeDetail`. */
  detail: string
  /** Sealed; null unless it waits. */
  credentials: string | null
  /** The id of a person. */
  askedBy: string
  askedAt: number
  endsAt: number
  state: MoneyChangeState
  decidedBy: string | null
  decidedAt: number | null
}

/** A second owner may be away for some days. */
export const MONEY_CHANGE_WAIT_MS = 7 * 24 * 3_600_000

export const detailOf = ({ detail }: Pick<MoneyChange, 'detail'>): MoneyChangeDetail =>
  JSON.parse(detail)
