// Where a merchant's SYSCOHADA journal of one connection differs from that of the account: an
// accountant keeps each wallet in an account of its own, such as 5521 for MTN and 5522 for Airtel
// (D-183).
import {
  type ConnectionJournal,
  connectionJournalFault,
  type JournalAccounts,
  SYSCOHADA,
} from '../../domain/books/account-statement.ts'
import { actorOf, type MerchantPerson } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  findJournalAccounts,
  listConnectionJournals,
  putConnectionJournal,
  removeConnectionJournal,
} from '../../store/books/account-statements.ts'
import { listBalances } from '../../store/books/entries.ts'
import type { Queries } from '../../store/engine/database.ts'
import type { Deps } from '../deps.ts'

async function movedConnections(db: Queries, accountId: string): Promise<string[]> {
  return [...new Set((await listBalances(db, accountId)).map(({ connection }) => connection))]
}

/** Of every connection that the account has entries at. */
export async function readConnectionJournals(
  { db }: Pick<Deps, 'db'>,
  { accountId }: Pick<MerchantPerson, 'accountId'>,
): Promise<ConnectionJournal[]> {
  const own = new Map(
    (await listConnectionJournals(db, accountId)).map((each) => [each.connection, each]),
  )
  const connections = await movedConnections(db, accountId)
  return connections.map(
    (connection) => own.get(connection) ?? { connection, journal: '', electronicMoney: '' },
  )
}

/** Empty texts are those of the account. */
export async function setConnectionJournal(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: MerchantPerson,
  { connection, ...numbers }: ConnectionJournal,
): Promise<ConnectionJournal | RefusedAs<'journal_account_not_valid' | 'connection_not_found'>> {
  const field = connectionJournalFault(numbers)
  if (field !== undefined) return { refused: 'journal_account_not_valid', field }
  const { accountId } = caller
  if (!(await movedConnections(db, accountId)).includes(connection))
    return { refused: 'connection_not_found' }
  const { journal, electronicMoney } = numbers
  const at = clock.now()
  await db.transaction(async (tx) => {
    if (journal === '' && electronicMoney === '')
      await removeConnectionJournal(tx, accountId, connection)
    else
      await putConnectionJournal(
        tx,
        accountId,
        { connection, ...numbers },
        { by: actorOf(caller), at },
      )
    const detail = { connection, accounts: `${journal} ${electronicMoney}`.trim() }
    await insertAudit(tx, caller, {
      at,
      action: 'journal.set',
      subject: accountId,
      accountId,
      detail,
    })
  })
  return { connection, ...numbers }
}

/** The numbers that the journal of each connection uses. A step of other actions. */
export async function journalsOf(
  db: Queries,
  accountId: string,
): Promise<(connection: string) => JournalAccounts> {
  const accounts = { ...SYSCOHADA, ...(await findJournalAccounts(db, accountId)) }
  const own = new Map(
    (await listConnectionJournals(db, accountId)).map((each) => [each.connection, each]),
  )
  return (connection) => {
    const { journal = '', electronicMoney = '' } = own.get(connection) ?? {}
    return {
      ...accounts,
      journal: journal || accounts.journal,
      electronicMoney: electronicMoney || accounts.electronicMoney,
    }
  }
}
