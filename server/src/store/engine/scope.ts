// What a caller may see, as part of a statement: the condition on the account stands in the SQL itself, so rows of other accounts are not
// found rather than found and hidden.
import type { Scope } from '../../domain/caller.ts'

/** ` and account_id = $3` for one account, nothing for all of them. The value is `scopeValues`, at that place. */
export const inScope = ({ accountId }: Scope, place: number, column = 'account_id'): string =>
  accountId === null ? '' : ` and ${column} = $${place}`

export const scopeValues = ({ accountId }: Scope): string[] => (accountId === null ? [] : [accountId])
