// Around every page: the colours of the environment, and the messages.
import { MantineProvider } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { placeOf, sessionQuery } from '../api/session.ts'
import { MessagesProvider } from '../parts/messages.tsx'
import { Waiting } from '../parts/page.tsx'
import { readableGreys, styleNonce, THEMES } from '../theme.ts'

export function Root() {
  const { accountId = '' } = useParams({ strict: false })
  const { data: session } = useQuery({ ...sessionQuery, enabled: accountId !== '' })
  const environment = (session && placeOf(session, accountId)?.environment) ?? 'live'
  return (
    <MantineProvider
      theme={THEMES[environment]}
      cssVariablesResolver={readableGreys}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <MessagesProvider>
        <Suspense fallback={<Waiting />}>
          <Outlet />
        </Suspense>
      </MessagesProvider>
    </MantineProvider>
  )
}
