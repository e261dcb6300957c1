// What pages are made of: a title with its buttons, cards, tabs, and the states of a query:
// loading, failed, empty.
import { Anchor, Button, Skeleton, Stack } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useEffect, useRef } from 'react'
import {
  type AccountRole,
  MERCHANT_RIGHTS,
  type MerchantRight,
  type ServiceRole,
} from '../../../server/src/dashboard-api/contract.ts'
import { ApiError } from '../api/client.ts'
import { useWords } from '../words/language.tsx'
import { BackIcon, LockIcon, WarningIcon } from './icons.tsx'
import { useErrorSentence, useWhoMay } from './messages.tsx'

export function useDocumentTitle(title: string): void {
  const { shell } = useWords()
  useEffect(() => {
    document.title = `${title} · ${shell.product}`
  }, [title, shell.product])
}

type PageTitleProps = {
  title: string
  back?: { to: string; name: string; search?: { search?: string } }
  children?: ReactNode
}

export function PageTitle({ title, back, children }: PageTitleProps) {
  useDocumentTitle(title)
  return (
    <>
      {back !== undefined && (
        <Anchor
          className="back"
          renderRoot={(props) => <Link {...props} to={back.to} search={back.search ?? {}} />}
        >
          <BackIcon size={18} /> {back.name}
        </Anchor>
      )}
      <div className="title-row">
        <h1>{title}</h1>
        {children !== undefined && <div className="buttons">{children}</div>}
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

export const LeadRow = ({ lead, children }: { lead: string; children: ReactNode }) => (
  <div className="lead-row">
    <p className="soft">{lead}</p>
    {children}
  </div>
)

type EmptyProps = {
  icon?: ReactNode
  title: string
  help?: string | undefined
  children?: ReactNode
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

export function Failed({ error, retry }: { error: unknown; retry(): void }) {
  const { errors, shell } = useWords()
  const sentence = useErrorSentence()
  const roles = error instanceof ApiError ? error.body.roles : undefined
  if (roles !== undefined) return <ForRoles roles={roles} />
  // Of a mistyped or old address. Another try would find nothing either.
  const isMissing = error instanceof ApiError && error.status === 404
  const [title, help] = isMissing
    ? [shell.notFound, shell.notFoundHelp]
    : [errors.title, sentence(error)]
  return (
    <div role="alert">
      <Empty icon={<WarningIcon size={36} />} title={title} help={help}>
        {!isMissing && (
          <Button variant="light" onClick={retry}>
            {shell.retry}
          </Button>
        )}
      </Empty>
    </div>
  )
}

export function Waiting({ lines = 5 }: { lines?: number | undefined }) {
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

interface ReadProps<T> {
  reading: { data: T | undefined; error: unknown; refetch(): unknown }
  lines?: number
  children: (data: T) => ReactNode
}

/** Shows the data of a query. Earlier data stays while the query runs again. */
export function Read<T>({ reading, lines, children }: ReadProps<T>) {
  const { data, error, refetch } = reading
  if (data !== undefined) return children(data)
  if (error) return <Failed error={error} retry={() => void refetch()} />
  return <Waiting lines={lines} />
}

interface TabbedPageProps {
  title: string
  at: string
  parts: Readonly<Record<string, ComponentType>>
  names: Readonly<Record<string, string>>
}

/**
 * A page of several parts under tabs. The tabs are links: each part can be opened, bookmarked and
 * sent.
 */
export function TabbedPage({ title, at, parts, names }: TabbedPageProps) {
  const [first = ''] = Object.keys(parts)
  const { part: current = first } = useParams({ strict: false }) as { part?: string }
  const nav = useRef<HTMLElement>(null)
  const place = Object.keys(parts).indexOf(current)
  // On a phone not all tabs fit: the current one is scrolled into view. By its place: the link
  // before may still have `aria-current`.
  useEffect(() => {
    // After the router, which restores the scroll positions of the page before.
    const frame = requestAnimationFrame(() =>
      nav.current?.children[place]?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    )
    return () => cancelAnimationFrame(frame)
  }, [place])
  const Shown = Object.hasOwn(parts, current) ? parts[current] : undefined
  if (Shown === undefined) return <MissingPart />
  return (
    <>
      <PageTitle title={title} />
      <nav ref={nav} className="tabs" aria-label={title}>
        {Object.keys(parts).map((part) => (
          <Link
            key={part}
            to={`${at}/${part}` as string}
            aria-current={part === current ? 'page' : undefined}
            activeProps={{}}
          >
            {names[part]}
          </Link>
        ))}
      </nav>
      <Shown />
    </>
  )
}

type Roles = readonly (AccountRole | ServiceRole)[]

/** In place of what this person's role may not see. */
function ForRoles({ roles }: { roles: Roles }) {
  const { errors } = useWords()
  const whoMay = useWhoMay()
  return <Empty icon={<LockIcon size={36} />} title={errors.notYourRole} help={whoMay(roles)} />
}

/** In place of a page of an account that is not for this person's role. */
export function PageForRoles({ title, right }: { title: string; right: MerchantRight }) {
  return (
    <>
      <PageTitle title={title} />
      <Card>
        <ForRoles roles={MERCHANT_RIGHTS[right]} />
      </Card>
    </>
  )
}

/** Inside the frame, of a page that does not exist. */
export function MissingPart() {
  const { shell } = useWords()
  return (
    <>
      <PageTitle title={shell.notFound} />
      <p className="soft lead">{shell.notFoundHelp}</p>
      <Button component={Link} to="/">
        {shell.toHome}
      </Button>
    </>
  )
}

export const MissingPage = () => (
  <main>
    <MissingPart />
  </main>
)

export function BrokenPage() {
  const { errors, shell } = useWords()
  const help = navigator.onLine ? shell.brokenHelp : errors.byCode.unreachable
  return (
    <div role="alert">
      <Empty icon={<WarningIcon size={40} />} title={shell.broken} help={help}>
        <Button onClick={() => location.reload()}>{shell.reload}</Button>
      </Empty>
    </div>
  )
}
