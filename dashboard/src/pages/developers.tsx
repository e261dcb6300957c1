// The developers' pages: keys, webhooks, deliveries, the event feed, and the log of requests.
import { usePlace } from '../api/session.ts'
import { TabbedPage } from '../parts/page.tsx'
import { useWords } from '../words/language.tsx'
import { Keys } from './developers/keys.tsx'
import { Events, Requests } from './developers/logs.tsx'
import { Deliveries, Webhooks } from './developers/webhooks.tsx'

const PARTS = { keys: Keys, webhooks: Webhooks, deliveries: Deliveries, events: Events, requests: Requests }

export function Developers() {
  const { title, tabs } = useWords().developers
  const { accountId } = usePlace()
  return <TabbedPage title={title} at={`/a/${accountId}/developers`} parts={PARTS} names={tabs} />
}
