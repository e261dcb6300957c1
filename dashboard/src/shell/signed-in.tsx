// Lets only signed-in people through. Anybody else signs in first and comes back to the same address.
import { useQuery } from '@tanstack/react-query'
import { Navigate, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SessionBody } from '../../../server/src/dashboard-api/shapes.ts'
import { Failed, Waiting } from '../parts/page.tsx'
import { sessionQuery } from '../session/session.ts'

export function SignedIn({ children }: { children: (session: SessionBody) => ReactNode }) {
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const { href } = useLocation()
  if (session === undefined)
    return error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting lines={9} />
  if (session === null) return <Navigate to="/sign-in" search={{ back: href }} replace />
  return children(session)
}
