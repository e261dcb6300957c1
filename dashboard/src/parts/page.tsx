// What pages are made of: a title with its buttons, a card, and the states of what is read: loading, failed, empty.
import { Button, Skeleton, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useWords } from '../words/language.tsx'
import { WarningIcon } from './icons.tsx'
import { useErrorSentence } from './messages.tsx'

export function PageTitle({ title, before, children }: { title: string; before?: ReactNode; children?: ReactNode }) {
  const { shell } = useWords()
  useEffect(() => {
    document.title = `${title} · ${shell.product}`
  }, [title, shell.product])
  return (
    <>
      {before}
      <div className="title-row">
        <h1>{title}</h1>
        {children}
      </div>
    </>
  )
}

export function Card({ title, flush, className = '', children }: CardProps) {
  return (
    <section className={`card ${flush ? 'flush' : ''} ${className}`}>
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  )
}

interface CardProps {
  title?: ReactNode
  /** For tables, which have their own margins. */
  flush?: boolean
  className?: string
  children: ReactNode
}

export function Empty({ icon, title, help, children }: EmptyProps) {
  return (
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      {help !== undefined && <p>{help}</p>}
      {children !== undefined && <div className="buttons">{children}</div>}
    </div>
  )
}

interface EmptyProps {
  icon?: ReactNode
  title: string
  help?: string
  children?: ReactNode
}

export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const { errors, shell } = useWords()
  const sentence = useErrorSentence()
  return (
    <div role="alert">
      <Empty icon={<WarningIcon size={36} />} title={errors.title} help={sentence(error)}>
        {retry !== undefined && (
          <Button variant="light" onClick={retry}>
            {shell.retry}
          </Button>
        )}
      </Empty>
    </div>
  )
}

/** Grey lines in the place of what is to come. */
export function Waiting({ lines = 5 }: { lines?: number }) {
  const { shell } = useWords()
  return (
    <Stack gap="md" p="lg" role="status" aria-label={shell.loading}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <Skeleton key={line} height={18} width={`${92 - ((line * 17) % 40)}%`} radius="xl" />
      ))}
    </Stack>
  )
}

interface Reading<T> {
  data: T | undefined
  error: unknown
  refetch(): unknown
}

/** Shows what was read once it is there. What was read before stays while it is read again. */
export function Read<T>({
  reading,
  lines,
  children,
}: {
  reading: Reading<T>
  lines?: number
  children: (data: T) => ReactNode
}) {
  const { data, error, refetch } = reading
  if (data !== undefined) return children(data)
  if (error) return <Failed error={error} retry={() => void refetch()} />
  return <Waiting {...(lines !== undefined && { lines })} />
}

// Tabs whose choice is in the page's address, as links: each can be opened, bookmarked and sent.
interface AddressTabsProps {
  label: string
  at: string
  tabs: readonly { part: string; name: string }[]
  current: string
}

export function AddressTabs({ label, at, tabs, current }: AddressTabsProps) {
  const nav = useRef<HTMLElement>(null)
  // On a phone not all fit: the current one is moved into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the current tab
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {tabs.map(({ part, name }) => (
        <Link
          key={part}
          to={`${at}/${part}` as string}
          aria-current={part === current ? 'page' : undefined}
          activeProps={{}}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
