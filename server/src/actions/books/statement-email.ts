// The email with a day's or a month's statement: what each connection collected, paid back and
// keeps. Written when it is sent, so that a person who left the team or changed their choice gets
// none.

import {
  type ConnectionSums,
  periodOf,
  type ReadyPeriod,
  STATEMENT_PERIODS,
  type StatementSums,
} from '../../domain/books/account-statement.ts'
import { dayText, localDayText } from '../../domain/countries/business-day.ts'
import { connectionName, type NamedConnection } from '../../domain/countries/country.ts'
import { writeAmount } from '../../domain/payments/money.ts'
import type { PersonRecord } from '../../domain/people/person.ts'
import { mayInAccount } from '../../domain/people/role.ts'
import type { Language } from '../../domain/texts/language.ts'
import { WORDS as STATEMENT_WORDS } from '../../statement-formats/words.ts'
import { findStatementMails } from '../../store/books/ready-statements.ts'
import type { Queries } from '../../store/engine/database.ts'
import { findAccountOfMerchant, findMember } from '../../store/people/members.ts'
import { labelConnections } from '../operators/merchant-connections.ts'
import { readPeriodSums } from './read-account-statement.ts'

export interface StatementEmail {
  subject: string
  before: readonly string[]
  /** One for each connection. */
  tables: readonly { name: string; rows: readonly [label: string, amount: string][] }[]
  button: string
  address: string
  after: readonly string[]
  text: string
}

/** Undefined for a person who may not see it, or no longer wants it. */
export async function writeStatementEmail(
  db: Queries,
  { personId, language }: Pick<PersonRecord, 'personId' | 'language'>,
  about: string,
  dashboardUrl: string,
): Promise<StatementEmail | undefined> {
  const [accountId = '', name, firstDay] = about.split(' ')
  const period = periodOf(
    STATEMENT_PERIODS.find((each) => each === name) ?? 'day',
    Number(firstDay),
  )
  const account = await findAccountOfMerchant(db, accountId)
  const member = account && (await findMember(db, account.merchantId, personId))
  if (account === undefined || member === undefined || !mayInAccount(member.role, 'seeBooks'))
    return undefined
  const { daily, monthly } = await findStatementMails(db, accountId, personId)
  if (!(period.period === 'day' ? daily : monthly)) return undefined
  const sums = await readPeriodSums(db, account, period)
  const day = dayText(period.firstDay)
  const shown = period.period === 'day' ? `day=${day}` : `month=${day.slice(0, 7)}`
  const address = `${dashboardUrl}/a/${accountId}/money/statements?${shown}`
  const labelled = await labelConnections({ db }, { accountId }, sums)
  const environment = STATEMENT_WORDS[language].environments[account.environment]
  const merchant = `${account.merchantName} (${environment})`
  return emailOf(language, { merchant, period, sums: sums.map(labelled), address })
}

interface Content {
  merchant: string
  period: ReadyPeriod
  sums: readonly (ConnectionSums & NamedConnection)[]
  address: string
}

function emailOf(language: Language, { merchant, period, sums, address }: Content): StatementEmail {
  const words = WORDS[language]
  const { firstDay } = period
  const subject =
    period.period === 'day'
      ? `${words.day} ${localDayText(firstDay)}`
      : words.month(monthText(firstDay, language))
  const tables = sums.map((each) => ({
    name: connectionName(each, language),
    rows: rowsOf(each, language),
  }))
  const shared = sums
    .filter(({ isShared }) => isShared)
    .map((each) => connectionName(each, language))
  const notes =
    shared.length === 0
      ? []
      : [`${shared.join(', ')}${words.colon} ${STATEMENT_WORDS[language].sharedWallet}`]
  const text = [
    `${merchant}\n${subject}`,
    ...tables.map(({ name, rows }) =>
      [name, ...rows.map(([label, amount]) => `  ${label}${words.colon} ${amount}`)].join('\n'),
    ),
    ...notes,
    `${words.button}${words.colon}\n${address}`,
    words.stop,
  ]
  return {
    subject: `Karba${words.colon} ${subject}`,
    before: [merchant, subject],
    tables,
    button: words.button,
    address,
    after: [...notes, words.stop],
    text: `${text.join('\n\n')}\n`,
  }
}

/** `novembre 2026` */
const monthText = (day: number, language: Language): string =>
  new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(dayText(day)),
  )

const ALWAYS: readonly (keyof StatementSums)[] = [
  'openingXof',
  'collectedXof',
  'refundedXof',
  'closingXof',
  'confirmedXof',
]

/** Sums of zero are left out, except those that every statement has. */
function rowsOf(sums: StatementSums, language: Language): [label: string, amount: string][] {
  const labels = Object.entries(STATEMENT_WORDS[language].sums) as [keyof StatementSums, string][]
  return labels
    .filter(([name]) => sums[name] !== 0 || ALWAYS.includes(name))
    .map(([name, label]) => [label, writeAmount(sums[name], language)])
}

interface Words {
  day: string
  month(named: string): string
  colon: string
  button: string
  stop: string
}

const WORDS: Readonly<Record<Language, Words>> = {
  fr: {
    day: 'Relevé du',
    // avril, août, octobre
    month: (named) => `Relevé ${/^[ao]/.test(named) ? 'd’' : 'de '}${named}`,
    colon: '\u00a0:',
    button: 'Voir le relevé complet',
    stop: 'Vous avez choisi de recevoir cet e-mail. Pour ne plus le recevoir, ouvrez Argent, Réglages dans le tableau de bord.',
  },
  en: {
    day: 'Statement of',
    month: (named) => `Statement of ${named}`,
    colon: ':',
    button: 'See the full statement',
    stop: 'You chose to receive this email. To stop it, open Money, Settings in the dashboard.',
  },
}
