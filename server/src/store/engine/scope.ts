// What a caller may see, as part of a statement: the condition on the account is in the SQL itself, so rows of other
// accounts are not found, rather than found and hidden.
import type { Scope } from '../../domain/caller.ts'

/** ` and account_id = $3` for one account, empty for all. `place` is that of the parameter of `scopeValues`. */
export const inScope = ({ accountId }: Scope, place: number, column = 'account_id'): string =>
  accountId === null ? '' : ` and ${column} = $${place}`

export const scopeValues = ({ accountId }: Scope): string[] => (accountId === null ? [] : [accountId])
