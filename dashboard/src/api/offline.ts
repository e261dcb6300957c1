// Without a connection the dashboard opens with the data that this tab had loaded. The data is kept in the tab's session
// storage, which ends with the tab, and not at all for a person who has signed out.
import { dehydrate, hydrate, type QueryClient } from '@tanstack/react-query'
import { FIRST_KEYS, sessionQuery } from './session.ts'

const KEPT_AS = 'karba-loaded'
/** Characters: browsers give five million to a site. */
const MOST_KEPT = 2_000_000

export function keepForOffline(client: QueryClient): void {
  if ('serviceWorker' in navigator && import.meta.env.PROD)
    void navigator.serviceWorker.register('/dashboard/offline.js')
  if (!navigator.onLine) restore(client)
  addEventListener('pagehide', () => keep(client))
}

function restore(client: QueryClient): void {
  try {
    hydrate(client, JSON.parse(sessionStorage.getItem(KEPT_AS) ?? 'null'))
  } catch {
    sessionStorage.removeItem(KEPT_AS)
  }
}

function keep(client: QueryClient): void {
  sessionStorage.removeItem(KEPT_AS)
  if (client.getQueryData(sessionQuery.queryKey) == null) return
  const loaded = dehydrate(client, {
    // The first keys have a secret key in them.
    shouldDehydrateQuery: ({ state, queryKey }) => state.data !== undefined && queryKey[0] !== FIRST_KEYS[0],
  })
  const text = JSON.stringify(loaded)
  if (text.length <= MOST_KEPT) sessionStorage.setItem(KEPT_AS, text)
}
