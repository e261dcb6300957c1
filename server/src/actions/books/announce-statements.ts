// Announces the statements of a day or a month: an event, and emails to the people who want them.
// Each statement once, under any number of processes and crashes: a row, the event and the emails
// are one commit.

import {
  periodsReady,
  type ReadyPeriod,
  type StatementMails,
} from '../../domain/books/account-statement.ts'
import type { MerchantPerson, ServiceItself } from '../../domain/people/caller.ts'
import {
  findStatementMails,
  insertReady,
  listStatementReaders,
  listUnannounced,
  putStatementMails,
} from '../../store/books/ready-statements.ts'
import { insertMail } from '../../store/people/mails.ts'
import { readyStatementData } from '../../wire/books.ts'
import type { Deps } from '../deps.ts'
import { writeStatementEvent } from '../events/write-event.ts'
import { newMail } from '../people/new-mail.ts'
import { readPeriodSums } from './read-account-statement.ts'

const ACCOUNTS_AT_ONCE = 20

type AnnounceDeps = Pick<Deps, 'db' | 'clock' | 'random'>

/** Some of the statements that are ready; how many, 0 when there is none. */
export async function announceStatements(
  deps: AnnounceDeps,
  _caller: ServiceItself,
): Promise<number> {
  for (const period of periodsReady(deps.clock.now())) {
    const accounts = await listUnannounced(deps.db, period, ACCOUNTS_AT_ONCE)
    for (const account of accounts) await announce(deps, account, period)
    if (accounts.length > 0) return accounts.length
  }
  return 0
}

type UnannouncedAccount = Awaited<ReturnType<typeof listUnannounced>>[number]

async function announce(
  deps: AnnounceDeps,
  { accountId, environment }: UnannouncedAccount,
  period: ReadyPeriod,
): Promise<void> {
  const { db, clock, random } = deps
  const data = readyStatementData(
    period,
    await readPeriodSums(db, { accountId, environment }, period),
  )
  const about = `${accountId} ${period.period} ${period.firstDay}`
  await db.transaction(async (tx) => {
    const createdAt = clock.now()
    if (!(await insertReady(tx, accountId, period, createdAt))) return
    for (const { email } of await listStatementReaders(tx, accountId, period.period))
      await insertMail(tx, newMail(deps, { kind: 'statement', email, about }))
    await writeStatementEvent(tx, random, { accountId, environment, createdAt, data })
  })
}

// Who gets them by email: each person chooses for themselves, and none does at first.

export const readStatementMails = (
  { db }: Pick<Deps, 'db'>,
  { accountId, personId }: MerchantPerson,
): Promise<StatementMails> => findStatementMails(db, accountId, personId)

export async function setStatementMails(
  { db }: Pick<Deps, 'db'>,
  { accountId, personId }: MerchantPerson,
  mails: StatementMails,
): Promise<StatementMails> {
  await putStatementMails(db, accountId, personId, mails)
  return mails
}
