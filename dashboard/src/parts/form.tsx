// A form that reads its own fields when it is sent, says at once that it is under way, and shows why it was refused beside the field.
import { Button, type ButtonProps, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { createContext, type ReactNode, use, useState } from 'react'
import { useWords } from '../words/language.tsx'
import { useErrorSentence, useMessages } from './messages.tsx'
import { CodeBlock } from './values.tsx'

export type Fields = Readonly<Record<string, string>>

interface Sending {
  isBusy: boolean
  error: unknown
}

const SendingContext = createContext<Sending>({ isBusy: false, error: undefined })

interface FormProps {
  onSend(fields: Fields, form: HTMLFormElement): Promise<unknown>
  children: ReactNode
  /** Empties the fields once they are sent. */
  clears?: boolean
}

export function Form({ onSend, children, clears }: FormProps) {
  const [sending, setSending] = useState<Sending>({ isBusy: false, error: undefined })
  const send = async (form: HTMLFormElement): Promise<void> => {
    if (sending.isBusy) return
    setSending({ isBusy: true, error: undefined })
    try {
      const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]))
      await onSend(fields, form)
      if (clears) form.reset()
      setSending({ isBusy: false, error: undefined })
    } catch (error) {
      setSending({ isBusy: false, error })
    }
  }
  return (
    <SendingContext value={sending}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send(event.currentTarget)
        }}
      >
        <Stack gap="md">
          <FormError />
          {children}
        </Stack>
      </form>
    </SendingContext>
  )
}

/** The refusal, unless the form has changed instead of being done. */
function FormError() {
  const { error } = use(SendingContext)
  const sentence = useErrorSentence()
  if (error === undefined || isHandled(error)) return null
  return (
    <p className="form-error" role="alert">
      {sentence(error)}
    </p>
  )
}

/** Thrown by `onSend` when the form has changed instead: the next step of signing in, for instance. */
export class NextStep extends Error {}
const isHandled = (error: unknown): boolean => error instanceof NextStep

export function Send({ children, ...props }: ButtonProps & { children: ReactNode }) {
  const { isBusy } = use(SendingContext)
  return (
    <Button type="submit" size="md" loading={isBusy} className={props.fullWidth ? '' : 'send'} {...props}>
      {children}
    </Button>
  )
}

// A password, with a button that shows it.
interface PasswordFieldProps {
  name: string
  label: string
  help?: string
  /** Tells the browser's password keeper whether to offer one or to make one. */
  kind: 'current-password' | 'new-password'
}

const SHORTEST = 10

export function PasswordField({ name, label, help, kind }: PasswordFieldProps) {
  const { people } = useWords()
  return (
    <PasswordInput
      name={name}
      label={label}
      size="md"
      required
      autoComplete={kind}
      visibilityToggleButtonProps={{ 'aria-label': people.showPassword, tabIndex: 0 }}
      {...(help !== undefined && { description: help })}
      {...(kind === 'new-password' && { minLength: SHORTEST })}
    />
  )
}

// A question before what cannot be undone.
interface ConfirmProps {
  isOpen: boolean
  close(): void
  title: string
  lead?: string
  /** The word on the button that does it. */
  act: string
  isDangerous?: boolean
  isReady?: boolean
  onAct(): Promise<unknown>
  children?: ReactNode
}

/** Closes itself when it is done, and stays with the reason when it is refused. */
export function Confirm({
  isOpen,
  close,
  title,
  lead,
  act,
  isDangerous,
  isReady = true,
  onAct,
  children,
}: ConfirmProps) {
  const { shell } = useWords()
  const { complain } = useMessages()
  const [isBusy, setBusy] = useState(false)
  const submit = async (): Promise<void> => {
    setBusy(true)
    try {
      await onAct()
      close()
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal opened={isOpen} onClose={close} title={title} closeButtonProps={{ 'aria-label': shell.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !isBusy) void submit()
        }}
      >
        <Stack>
          {lead !== undefined && <Text>{lead}</Text>}
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {shell.cancel}
            </Button>
            <Button type="submit" loading={isBusy} disabled={!isReady} {...(isDangerous && { color: 'red.9' })}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

// A secret that is never shown again. Only its own button closes it, so that it is not lost by a slip.
interface ShownOnceProps {
  title: string
  lead: string
  act: string
  secret: string | undefined
  close(): void
}

export function ShownOnce({ title, lead, act, secret, close }: ShownOnceProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={() => {}}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <p>{lead}</p>
        <CodeBlock text={secret ?? ''} name={title} />
        <Button onClick={close}>{act}</Button>
      </Stack>
    </Modal>
  )
}
