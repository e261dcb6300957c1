// The account: business, validation, brand, networks, team, sites, activity log, and the person's
// own security.
import { useParams } from '@tanstack/react-router'
import { may, usePlace } from '../api/session.ts'
import { PageForRoles, TabbedPage } from '../parts/page.tsx'
import { useWords } from '../words/language.tsx'
import { Activity } from './account/activity.tsx'
import { Networks } from './account/networks.tsx'
import { Brand, Business, Sites } from './account/settings.tsx'
import { Team } from './account/team.tsx'
import { Security } from './security.tsx'

export function Account() {
  const { account, shell } = useWords()
  const { accountId, role } = usePlace()
  const { part } = useParams({ strict: false }) as { part?: string }
  const seesLog = may(role, 'seeActivity')
  if (part === 'activity' && !seesLog)
    return <PageForRoles title={account.tabs.activity} right="seeActivity" />
  const log = seesLog ? { activity: Activity } : {}
  const settings = {
    business: Business,
    brand: Brand,
    networks: Networks,
    team: Team,
    sites: Sites,
  }
  const parts = { ...settings, ...log, security: Security }
  return (
    <TabbedPage
      title={shell.account}
      at={`/a/${accountId}/account`}
      parts={parts}
      names={account.tabs}
    />
  )
}
