// The developers' pages: keys, webhooks, what was delivered, the event feed, and the log of requests.
import { useParams } from '@tanstack/react-router'
import { PageTitle } from '../parts/page.tsx'
import { AddressTabs } from '../parts/tabs.tsx'
import { usePlace } from '../session/place.ts'
import { MissingPage } from '../shell/broken-page.tsx'
import { useWords } from '../words/language.tsx'
import { Deliveries } from './developers/deliveries.tsx'
import { Events } from './developers/events.tsx'
import { Keys } from './developers/keys.tsx'
import { Requests } from './developers/requests.tsx'
import { Webhooks } from './developers/webhooks.tsx'

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
