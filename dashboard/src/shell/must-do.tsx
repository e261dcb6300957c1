// What must be done before anything else works: a second step at sign-in, a new password.
import { lazy } from 'react'
import { PageTitle } from '../parts/page.tsx'
import { useSession } from '../session/session.ts'
import { useWords } from '../words/language.tsx'
import { ChoicesMenu } from './person-menu.tsx'

const Security = lazy(() => import('../pages/security.tsx').then((page) => ({ default: page.Security })))

export function MustDo() {
  const { people, shell } = useWords()
  const { mustDo } = useSession()
  return (
    <>
      <section className="top" aria-label={shell.topBar}>
        <span className="grow" />
        <ChoicesMenu />
      </section>
      <main>
        <PageTitle title={shell.security} />
        <p className="note" role="status">
          {mustDo === 'set_up_totp' ? people.totp.must : people.change.must}
        </p>
        <Security />
      </main>
    </>
  )
}
