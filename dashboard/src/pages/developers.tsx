// The developers' pages: keys, webhooks, what was delivered, the event feed, and the log of requests.
import { useParams } from '@tanstack/react-router'
import { usePlace } from '../api/session.ts'
import { AddressTabs, PageTitle } from '../parts/page.tsx'
import { MissingPage } from '../shell/root.tsx'
import { useWords } from '../words/language.tsx'
import { Keys } from './developers/keys.tsx'
import { Events, Requests } from './developers/logs.tsx'
import { Deliveries, Webhooks } from './developers/webhooks.tsx'

const PARTS = { keys: Keys, webhooks: Webhooks, deliveries: Deliveries, events: Events, requests: Requests }
type Part = keyof typeof PARTS

export function Developers() {
  const { developers } = useWords()
  const { accountId } = usePlace()
  const { part = 'keys' } = useParams({ strict: false }) as { part?: string }
  if (!Object.hasOwn(PARTS, part)) return <MissingPage />
  const Shown = PARTS[part as Part]
  const tabs = (Object.keys(PARTS) as Part[]).map((each) => ({ part: each, name: developers.tabs[each] }))
  return (
    <>
      <PageTitle title={developers.title} />
      <AddressTabs label={developers.title} at={`/a/${accountId}/developers`} tabs={tabs} current={part} />
      <Shown />
    </>
  )
}
