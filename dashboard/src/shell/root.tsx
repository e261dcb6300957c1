// Around every page: the colours of the environment in the address, and the messages.
import { Button, MantineProvider } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { placeOf, sessionQuery } from '../api/session.ts'
import { WarningIcon } from '../parts/icons.tsx'
import { MessagesProvider } from '../parts/messages.tsx'
import { Empty, Waiting } from '../parts/page.tsx'
import { readableGreys, styleNonce, THEMES } from '../theme.ts'
import { useWords } from '../words/language.tsx'

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

// What is shown for an address that leads nowhere, and for a page that failed.
export function MissingPage() {
  const { shell } = useWords()
  return (
    <main>
      <Empty icon={<WarningIcon size={40} />} title={shell.notFound} help={shell.notFoundHelp}>
        <Button component={Link} to="/">
          {shell.toHome}
        </Button>
      </Empty>
    </main>
  )
}

export function BrokenPage() {
  const { shell } = useWords()
  return (
    <div role="alert">
      <Empty icon={<WarningIcon size={40} />} title={shell.broken} help={shell.brokenHelp}>
        <Button onClick={() => location.reload()}>{shell.reload}</Button>
      </Empty>
    </div>
  )
}
