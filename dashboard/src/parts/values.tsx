// How single values are shown: states, times, texts to copy, addresses, details.
import { ActionIcon } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Fragment, type ReactNode } from 'react'
import {
  connectionName,
  type NamedConnection,
  operatorName,
  type PaymentRow,
} from '../../../server/src/dashboard-api/contract.ts'
import { formatDayAndTime, formatTime, formatTimeWithSeconds, isSameDay } from '../format.ts'
import { useLanguage, useWords } from '../words/language.tsx'
import { CheckIcon, CopyIcon } from './icons.tsx'

export type Tone = 'good' | 'bad' | 'wait' | 'calm'

/** A state as a word on its colour. The word carries the meaning; the colour only helps. */
export const State = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className={`state ${tone}`}>{children}</span>
)

const TONES: Readonly<Record<PaymentRow['status'], Tone>> = {
  initiated: 'calm',
  pending: 'wait',
  succeeded: 'good',
  failed: 'bad',
  refunded: 'calm',
}

type PaymentStateProps = { status: PaymentRow['status']; refundedAmount?: number }

export function PaymentState({ status, refundedAmount = 0 }: PaymentStateProps) {
  const words = useWords()
  const isInPart = status === 'succeeded' && refundedAmount > 0
  return (
    <State tone={TONES[status]}>
      {isInPart ? words.list.refundedInPart : words.status[status]}
    </State>
  )
}

/**
 * The hour today, else the day and the hour; to the second in its title. `isShort` omits the word
 * for today.
 */
export function When({ at, isShort = false }: { at: number; isShort?: boolean }) {
  const words = useWords()
  const whole = formatDayAndTime(at)
  const today = isShort ? formatTime(at) : `${words.shell.today}, ${formatTime(at)}`
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={`${whole}:${formatTimeWithSeconds(at).slice(-2)}`}
    >
      {isSameDay(at, Date.now()) ? today : whole}
    </time>
  )
}

/** `name` says what is copied, for screen readers. */
export function CopyButton({ text, name }: { text: string; name: string }) {
  const { shell } = useWords()
  const { copied, copy } = useClipboard({ timeout: 2_000 })
  const label = copied ? shell.copied : shell.copyThing(name)
  return (
    <ActionIcon
      variant="subtle"
      color={copied ? 'green' : 'gray'}
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => copy(text)}
    >
      {copied ? <CheckIcon size={18} /> : <CopyIcon size={18} />}
    </ActionIcon>
  )
}

export function Copyable({
  text,
  name,
  shown = text,
}: {
  text: string
  name: string
  shown?: string
}) {
  return (
    <>
      <span className="mono">{shown}</span>
      <CopyButton text={text} name={name} />
    </>
  )
}

export function CodeBlock({ text, name }: { text: string; name: string }) {
  return (
    <div className="code-frame">
      <pre className="code-block">{text}</pre>
      <CopyButton text={text} name={name} />
    </div>
  )
}

/** An address, or the name of an event, whose lines break after slashes and full stops. */
export const Address = ({ url }: { url: string }) =>
  (url.match(/[^/.]+[/.]*/g) ?? [url]).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts do not move
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))

export const Details = ({ children }: { children: ReactNode }) => (
  <dl className="details">{children}</dl>
)

export const Detail = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** A text, with a copy button if `copies`; nothing without a text. */
export const TextDetail = ({
  name,
  text,
  copies,
}: {
  name: string
  text: string | null
  copies?: boolean
}) => text && <Detail name={name}>{copies ? <Copyable text={text} name={name} /> : text}</Detail>

/** Opens the phone's sharing sheet; copies the address where there is none. */
export async function shareOrCopy(
  what: { title: string; url: string },
  copied: () => void,
): Promise<void> {
  try {
    if (typeof navigator.share === 'function') {
      await navigator.share(what)
      return
    }
    await navigator.clipboard.writeText(what.url)
    copied()
  } catch {
    // The person closed the sheet, or the browser allows neither: the address is on the page.
  }
}

// How a connection to a network, an operator or a payment method is called, in the language of the
// page.

export function useConnectionName(): (named: NamedConnection | string) => string {
  const { language } = useLanguage()
  return (named) =>
    connectionName(
      typeof named === 'string' ? { connection: named, connectionLabel: null } : named,
      language,
    )
}

export function useOperatorName(): (operator: string) => string {
  const { language } = useLanguage()
  return (operator) => operatorName(operator, language)
}
