// Lets only signed-in people through. Anybody else signs in first and comes back to the same address.
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { SessionBody } from '../../../server/src/dashboard-api/shapes.ts'
import { Failed, Waiting } from '../parts/page.tsx'
import { sessionQuery } from '../session/session.ts'
import { useSpoken } from '../words/language.tsx'

export function SignedIn({ children }: { children: (session: SessionBody) => ReactNode }) {
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const { adopt } = useSpoken()
  const language = session?.person.language
  useEffect(() => {
    if (language !== undefined) adopt(language)
  }, [language, adopt])
  if (session === null) return <ToSignIn />
  if (session !== undefined) return children(session)
  return error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting lines={9} />
}

function ToSignIn() {
  const { href } = useLocation()
  // The address changes before this page is gone: only the first one is where the person was.
  const [back] = useState(href)
  const navigate = useNavigate()
  useEffect(() => {
    void navigate({ to: '/sign-in', search: { back }, replace: true })
  }, [navigate, back])
  return <Waiting lines={9} />
}
