// What is shown for an address that leads nowhere, and for a page that failed.
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { WarningIcon } from '../parts/icons.tsx'
import { Empty } from '../parts/page.tsx'
import { useWords } from '../words/language.tsx'

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
