// For whom a statement file is read: accounts and members of staff take turns at the parser.

import { ParserBusy } from '../../domain/books/statement.ts'
import { actorOf, type Caller } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { StatementRefused } from '../../statements/limits.ts'
import type { ParsingTurn } from '../../statements/statement-parser.ts'
import { isMerchantValidated } from '../../store/people/members.ts'
import type { Deps } from '../deps.ts'

export interface ParsingDeps extends Pick<Deps, 'db' | 'statementParser'> {
  /** Aborted when the client that waits for the file's content leaves. */
  signal?: AbortSignal | undefined
}

export async function parsingTurn(
  { db, signal }: ParsingDeps,
  caller: Caller,
): Promise<ParsingTurn> {
  if (!('accountId' in caller)) return { group: actorOf(caller), signal }
  const { accountId, network = '' } = caller
  const unvalidatedAt = (await isMerchantValidated(db, accountId)) ? undefined : network
  return { group: accountId, unvalidatedAt, signal }
}

/** Why a file was not read. Any other error is thrown on. */
export function readingRefusal(
  error: unknown,
): RefusedAs<'statement_not_valid' | 'too_many_statements_read'> {
  if (error instanceof ParserBusy) return { refused: 'too_many_statements_read' }
  if (error instanceof StatementRefused)
    return { refused: 'statement_not_valid', fault: error.fault }
  throw error
}
