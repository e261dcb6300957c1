// Prompts that pages have sent to phones, for the limits of D-60. Each look-up reads one index, and
// few rows.
import type { Environment } from '../../domain/environment.ts'
import type { PastAttempt } from '../../domain/limits/try-limit.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, putRow } from '../rows.ts'

const PAST_ATTEMPT = columnsOf<PastAttempt>({ status: 'status', createdAt: 'created_at' })

/** Locks a name until the commit. Call it before the look-ups below, in one order of names. */
export const lockPrompts = (tx: Queries, name: string, at: number) =>
  putRow(tx, 'prompt_guards', { name }, { at })

/** The names after one, in their order, with the last time that each was locked. */
export const listPromptGuards = (
  db: Queries,
  after: string,
  most: number,
): Promise<{ name: string; at: number }[]> =>
  db.read('select name, at from prompt_guards where name > :after order by name limit :most', {
    after,
    most,
  })

/**
 * Of the names after one and up to another. A concurrent lock renews its time and keeps its row.
 */
export const removePromptGuards = (
  db: Queries,
  [after, upTo]: readonly [string, string],
  before: number,
) =>
  db.change('delete from prompt_guards where name > :after and name <= :upTo and at < :before', {
    after,
    upTo,
    before,
  })

/** To one number, newest first, from whatever link of whatever account. */
export const findPromptsToNumber = (
  tx: Queries,
  { environment, msisdn }: { environment: Environment; msisdn: string },
  since: number,
  most: number,
) =>
  tx.read<PastAttempt>(
    `select ${PAST_ATTEMPT} from payment_attempts where environment = :environment
      and msisdn = :msisdn and created_at > :since
     order by created_at desc limit :most`,
    { environment, msisdn, since, most },
  )

/** On links that an account's pages made without proof, newest first. */
export const findPromptsFromPages = (tx: Queries, accountId: string, since: number, most: number) =>
  tx.read<PastAttempt>(
    `select ${PAST_ATTEMPT} from payment_attempts where page_account = :accountId
      and created_at > :since
     order by created_at desc limit :most`,
    { accountId, since, most },
  )
