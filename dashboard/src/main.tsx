// The start of the dashboard: the texts of the language, then the router with its providers.
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/pages.css'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { keepForOffline } from './api/offline.ts'
import { sessionQuery } from './api/session.ts'
import { makeAppRouter } from './router.tsx'
import { styleNonce } from './theme.ts'
import { LanguageProvider, loadPreferred } from './words/language.tsx'

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
        failures < MOST_TRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
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
