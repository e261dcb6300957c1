// The account: business, validation, brand, team, sites, activity log, and the person's own security.
import { may, usePlace } from '../api/session.ts'
import { TabbedPage } from '../parts/page.tsx'
import { useWords } from '../words/language.tsx'
import { Activity } from './account/activity.tsx'
import { Brand, Business, Sites } from './account/settings.tsx'
import { Team } from './account/team.tsx'
import { Security } from './security.tsx'

export function Account() {
  const { account, shell } = useWords()
  const { accountId, role } = usePlace()
  const log = may(role, 'seeActivity') ? { activity: Activity } : {}
  const parts = { business: Business, brand: Brand, team: Team, sites: Sites, ...log, security: Security }
  return <TabbedPage title={shell.account} at={`/a/${accountId}/account`} parts={parts} names={account.tabs} />
}
