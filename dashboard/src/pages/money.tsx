// The books: where the money is, settlements, statements, differences with the networks'
// statements, their files, settings.
import { may, usePlace } from '../api/session.ts'
import { PageForRoles, TabbedPage } from '../parts/page.tsx'
import { useWords } from '../words/language.tsx'
import { AccountDifferences } from './money/differences.tsx'
import { AccountFiles } from './money/files.tsx'
import { MoneySettings } from './money/settings.tsx'
import { Settlements } from './money/settlements.tsx'
import { Statements } from './money/statements.tsx'
import { Where } from './money/where.tsx'

const PARTS = {
  where: Where,
  settlements: Settlements,
  statements: Statements,
  differences: AccountDifferences,
  files: AccountFiles,
  settings: MoneySettings,
}

export function Money() {
  const { books } = useWords()
  const { accountId, role } = usePlace()
  if (!may(role, 'seeBooks')) return <PageForRoles title={books.title} right="seeBooks" />
  return (
    <TabbedPage title={books.title} at={`/a/${accountId}/money`} parts={PARTS} names={books.tabs} />
  )
}
