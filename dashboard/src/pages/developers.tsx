// The developers' pages: keys, webhooks, deliveries, the event feed, and the log of requests.
import { may, usePlace } from '../api/session.ts'
import { PageForRoles, TabbedPage } from '../parts/page.tsx'
import { useWords } from '../words/language.tsx'
import { Keys } from './developers/keys.tsx'
import { Events, Requests } from './developers/logs.tsx'
import { Deliveries, Webhooks } from './developers/webhooks.tsx'

const PARTS = {
  keys: Keys,
  webhooks: Webhooks,
  deliveries: Deliveries,
  events: Events,
  requests: Requests,
}

export function Developers() {
  const { developers, shell } = useWords()
  const { accountId, role } = usePlace()
  if (!may(role, 'seeDevelopers'))
    return <PageForRoles title={shell.developers} right="seeDevelopers" />
  return (
    <TabbedPage
      title={shell.developers}
      at={`/a/${accountId}/developers`}
      parts={PARTS}
      names={developers}
    />
  )
}
