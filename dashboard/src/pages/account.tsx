// The account: the business and its validation, its brand, its team, its sites, what was done to it, and the person's own security.
import { useParams } from '@tanstack/react-router'
import { may, usePlace } from '../api/session.ts'
import { AddressTabs, PageTitle } from '../parts/page.tsx'
import { MissingPage } from '../shell/root.tsx'
import { useWords } from '../words/language.tsx'
import { Activity } from './account/activity.tsx'
import { Brand, Business, Sites } from './account/settings.tsx'
import { Team } from './account/team.tsx'
import { Security } from './security.tsx'

const PARTS = { business: Business, brand: Brand, team: Team, sites: Sites, activity: Activity, security: Security }
type Part = keyof typeof PARTS

export function Account() {
  const { account } = useWords()
  const { accountId, role } = usePlace()
  const { part = 'business' } = useParams({ strict: false }) as { part?: string }
  const parts = (Object.keys(PARTS) as Part[]).filter((each) => each !== 'activity' || may(role, 'seeActivity'))
  if (!parts.includes(part as Part)) return <MissingPage />
  const Shown = PARTS[part as Part]
  const tabs = parts.map((each) => ({ part: each, name: account.tabs[each] }))
  return (
    <>
      <PageTitle title={account.title} />
      <AddressTabs label={account.title} at={`/a/${accountId}/account`} tabs={tabs} current={part} />
      <Shown />
    </>
  )
}
