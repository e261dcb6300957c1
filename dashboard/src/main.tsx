// The start of the dashboard: the texts of the language, then the router with its providers.
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/pages.css'
import {
  dehydrate,
  hydrate,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { SECRETS } from './api/account.ts'
import { ApiError } from './api/client.ts'
import { sessionQuery } from './api/session.ts'
import { makeAppRouter } from './router.tsx'
import { styleNonce } from './theme.ts'
import { LanguageProvider, loadPreferred } from './words/language.tsx'

// Without a connection the dashboard opens with the data that this tab had loaded. The data is kept
// in the tab's session storage, which ends with the tab, and not at all for a person who has signed
// out.

const KEPT_AS = 'karba-loaded'
/** Characters: browsers give five million to a site. */
const MOST_KEPT = 2_000_000

function keepForOffline(client: QueryClient): void {
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
    shouldDehydrateQuery: ({ state, queryKey }) =>
      state.data !== undefined && queryKey[1] !== SECRETS,
  })
  const text = JSON.stringify(loaded)
  if (text.length <= MOST_KEPT) sessionStorage.setItem(KEPT_AS, text)
}

// The library that keeps the page behind a dialog from scrolling looks for its nonce here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce })

const MOST_TRIES = 2

const client = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      // The end of a session leads to the sign-in page, whichever query finds it.
      if (error instanceof ApiError && error.body.code === 'signed_out')
        client.setQueryData(sessionQuery.queryKey, null)
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Without a connection a page says so, instead of waiting for one.
      networkMode: 'always',
      refetchOnReconnect: true,
      // A refusal is final: only an unreachable or failing server is asked again.
      retry: (failures, error) =>
        failures < MOST_TRIES &&
        error instanceof ApiError &&
        (error.status === 0 || error.status >= 500),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

keepForOffline(client)
const first = await loadPreferred()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <LanguageProvider first={first}>
      <QueryClientProvider client={client}>
        <RouterProvider router={makeAppRouter(client)} />
      </QueryClientProvider>
    </LanguageProvider>
  </StrictMode>,
)
