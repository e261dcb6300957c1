// A merchant's statements: as the page shows them, and as files to download.
import { z } from 'zod'
import { readStatementMails, setStatementMails } from '../actions/books/announce-statements.ts'
import { exportStatement } from '../actions/books/export-statement.ts'
import { readJournalAccounts, setJournalAccounts } from '../actions/books/journal-accounts.ts'
import { STATEMENT_FORMATS } from '../domain/account-statement.ts'
import type { JournalAccounts } from '../domain/journal-accounts.ts'
import { LANGUAGES } from '../domain/person.ts'
import type { StatementMails } from '../domain/ready-statement.ts'
import type { Refused } from '../domain/refusal.ts'
import { sendFromSlot } from '../http/send-paced.ts'
import { sendDoorError } from './answer.ts'
import { accountRoute, day, NOTHING } from './route.ts'

const PERIOD = { connection: z.string().min(1).max(64), from: day, to: day }

const NUMBER = z.string().max(20)
const JOURNAL = {
  ...{ journal: NUMBER, electronicMoney: NUMBER, customers: NUMBER, fees: NUMBER, taxes: NUMBER, transfers: NUMBER },
  ...{ withheld: NUMBER, advances: NUMBER, unexplained: NUMBER },
} satisfies Record<keyof JournalAccounts, z.ZodType>

export const accountStatementRoutes = [
  /** JSON has the form of the merchant API. */
  accountRoute(
    'GET /statement',
    'seeBooks',
    z.object({
      ...PERIOD,
      format: z.enum(STATEMENT_FORMATS).default('json'),
      language: z.enum(LANGUAGES).default('fr'),
    }),
    async (deps, caller, { connection, from: fromDay, to: toDay, format, language }, { reply }) => {
      const release = await deps.takeStatement(caller)
      if (release === 'own') return sendDoorError(reply, 'export_under_way')
      if (release === 'shared') return sendDoorError(reply, 'too_many_exports')
      const query = { accountId: caller.accountId, connection, fromDay, toDay, format, language }
      return sendFromSlot(reply, deps.clock, release, exportStatement(deps, caller, query))
    },
  ),
  /** Whether this person gets the statements by email. */
  accountRoute('GET /statement-mails', 'seeBooks', NOTHING, readStatementMails),
  accountRoute(
    'PUT /statement-mails',
    'seeBooks',
    z.object({ daily: z.boolean(), monthly: z.boolean() }),
    (deps, caller, { daily, monthly }): Promise<StatementMails> => setStatementMails(deps, caller, { daily, monthly }),
    { needsConfirmedEmail: true },
  ),
  /** The account numbers of the journal. */
  accountRoute('GET /journal-accounts', 'seeBooks', NOTHING, readJournalAccounts),
  accountRoute(
    'PUT /journal-accounts',
    'keepBooks',
    z.object(JOURNAL),
    async (deps, caller, accounts): Promise<JournalAccounts | Refused> => setJournalAccounts(deps, caller, accounts),
  ),
]
