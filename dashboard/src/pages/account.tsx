// The account: the business and its validation, its brand, its team, its sites, what was done to it, and the person's own security.
import { useParams } from '@tanstack/react-router'
import { PageTitle } from '../parts/page.tsx'
import { AddressTabs } from '../parts/tabs.tsx'
import { usePlace } from '../session/place.ts'
import { may } from '../session/session.ts'
import { MissingPage } from '../shell/broken-page.tsx'
import { useWords } from '../words/language.tsx'
import { Activity } from './account/activity.tsx'
import { Brand } from './account/brand.tsx'
import { Business } from './account/business.tsx'
import { Sites } from './account/sites.tsx'
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
