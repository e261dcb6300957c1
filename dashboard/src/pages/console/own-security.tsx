// The security of one of the service's people.
import { PageTitle } from '../../parts/page.tsx'
import { useWords } from '../../words/language.tsx'
import { Security } from '../security.tsx'

export function OwnSecurity() {
  const { shell } = useWords()
  return (
    <>
      <PageTitle title={shell.security} />
      <Security />
    </>
  )
}
