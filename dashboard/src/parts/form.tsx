// The one form pattern: a form reads its own fields when it is sent, shows that it is busy, and
// shows why the server refused it. Dialogs and the question before a dangerous action are built on
// it.
import {
  Button,
  type ButtonProps,
  Group,
  Modal,
  PasswordInput,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type ComponentProps, createContext, type ReactNode, use, useState } from 'react'
import { useWords } from '../words/language.tsx'
import { PlusIcon, SearchIcon } from './icons.tsx'
import { useErrorSentence, useMessages } from './messages.tsx'
import { CodeBlock } from './values.tsx'

export type Fields = Readonly<Record<string, string>>

type Sending = { isBusy: boolean; error: unknown }

const SendingContext = createContext<Sending>({ isBusy: false, error: undefined })

interface FormProps {
  onSend(fields: Fields): Promise<unknown>
  children: ReactNode
  done?: string | undefined
  clears?: boolean
}

export function Form({ onSend, children, done, clears }: FormProps) {
  const { say } = useMessages()
  const [sending, setSending] = useState<Sending>({ isBusy: false, error: undefined })
  const send = async (form: HTMLFormElement): Promise<void> => {
    if (sending.isBusy) return
    setSending({ isBusy: true, error: undefined })
    try {
      await onSend(
        Object.fromEntries(
          [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]),
        ),
      )
      if (done !== undefined) say(done)
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

function FormError() {
  const { error } = use(SendingContext)
  const sentence = useErrorSentence()
  if (error === undefined || error instanceof NextStep) return null
  return (
    // A long form may be scrolled past its first line.
    <p
      className="form-error"
      role="alert"
      ref={(line) => line?.scrollIntoView({ block: 'nearest' })}
    >
      {sentence(error)}
    </p>
  )
}

/**
 * `onSend` throws it when the form has changed instead of being done, as in the second step of
 * signing in.
 */
export class NextStep extends Error {}

export function Send({ children, ...props }: ButtonProps & { children: ReactNode }) {
  const { isBusy } = use(SendingContext)
  return (
    <Button
      type="submit"
      size="md"
      loading={isBusy}
      className={props.fullWidth ? '' : 'send'}
      {...props}
    >
      {children}
    </Button>
  )
}

export const SearchField = (props: ComponentProps<typeof TextInput>) => (
  <TextInput
    className="grow"
    type="search"
    radius="xl"
    leftSection={<SearchIcon size={18} />}
    {...props}
  />
)

export const AddButton = ({ children, onClick }: { children: string; onClick(): void }) => (
  <Button leftSection={<PlusIcon size={18} />} onClick={onClick}>
    {children}
  </Button>
)

interface RowButtonProps {
  name: string
  /** For screen readers: also which row. */
  label: string
  isMain?: boolean
  onClick(): void
}

export const RowButton = ({ name, label, isMain, onClick }: RowButtonProps) => (
  <Button variant={isMain ? 'light' : 'default'} aria-label={label} onClick={onClick}>
    {name}
  </Button>
)

type ActButtonProps = ButtonProps & { action(): Promise<unknown>; done?: string; children: string }

/**
 * A button that runs an action, shows that it is busy, then says that it is done or why it failed.
 */
export function ActButton({ action, done, ...props }: ActButtonProps) {
  const { act } = useMessages()
  const [isBusy, setBusy] = useState(false)
  const run = async (): Promise<void> => {
    setBusy(true)
    await act(action, done)
    setBusy(false)
  }
  return <Button loading={isBusy} onClick={() => void run()} {...props} />
}

/** A field whose value the page keeps: a text, or one of the choices that it offers. */
export const bound = <Value extends string>(value: Value, set: (value: Value) => void) => ({
  value,
  onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
    set(currentTarget.value as Value),
})

export const choicesOf = <Value extends string>(
  names: Readonly<Record<Value, string>>,
  values: readonly Value[] = Object.keys(names) as Value[],
) => values.map((value) => ({ value, label: names[value] as string }))

/** A recovery code has letters: the numeric keyboard is only for a code of the app. */
export const CodeField = (props: ComponentProps<typeof TextInput>) => (
  <TextInput name="code" required autoCapitalize="none" autoComplete="one-time-code" {...props} />
)

/** Apps show the code in two groups. */
export const codeOf = ({ code = '' }: Fields): string => code.replaceAll(' ', '')

interface PasswordFieldProps {
  name: string
  label: string
  help?: string | undefined
  /** Tells a password manager whether to offer a password or to make one. */
  kind: 'current-password' | 'new-password'
}

const MIN_PASSWORD_LENGTH = 10

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
      description={help}
      minLength={kind === 'new-password' ? MIN_PASSWORD_LENGTH : undefined}
    />
  )
}

interface DialogProps {
  isOpen: boolean
  close(): void
  title: ReactNode
  size?: 'xl'
  children: ReactNode
}

export function Dialog({ isOpen, close, title, size, children }: DialogProps) {
  const { shell } = useWords()
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': shell.close }}
      {...(size !== undefined && { size })}
    >
      {children}
    </Modal>
  )
}

interface FormDialogProps<Answer> extends Omit<DialogProps, 'size'> {
  onSend(fields: Fields): Promise<Answer>
  done?: string
  /** Gets the answer once the dialog is closed. */
  sent?(answer: Answer): unknown
}

export const FormDialog = <Answer,>({
  onSend,
  done,
  sent,
  children,
  ...dialog
}: FormDialogProps<Answer>) => (
  <Dialog {...dialog}>
    <Form
      done={done}
      onSend={async (fields) => {
        const answer = await onSend(fields)
        dialog.close()
        await sent?.(answer)
      }}
    >
      {children}
    </Form>
  </Dialog>
)

interface ConfirmProps extends Omit<DialogProps, 'size' | 'children'> {
  lead?: string
  act: string
  isDangerous?: boolean
  isReady?: boolean
  /** Asks for a reason; `onAct` gets it. */
  reason?: { label: string; help?: string } | undefined
  onAct(reason: string): Promise<unknown>
  done?: string
  children?: ReactNode
}

/** The question before a dangerous action. It stays with the reason when the server refuses. */
export function Confirm(props: ConfirmProps) {
  const { isOpen, close, title } = props
  return (
    <Dialog isOpen={isOpen} close={close} title={title}>
      <ConfirmForm {...props} />
    </Dialog>
  )
}

function ConfirmForm({
  close,
  lead,
  act,
  isDangerous,
  isReady = true,
  reason,
  onAct,
  done,
  children,
}: ConfirmProps) {
  const { shell } = useWords()
  const [text, setText] = useState('')
  const isComplete = isReady && (reason === undefined || text.trim() !== '')
  return (
    <Form
      done={done}
      onSend={async () => {
        if (!isComplete) throw new NextStep()
        await onAct(text)
        close()
      }}
    >
      {lead !== undefined && <p>{lead}</p>}
      {children}
      {reason !== undefined && (
        <Textarea
          label={reason.label}
          rows={3}
          maxLength={300}
          required
          {...bound(text, setText)}
          description={reason.help}
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {shell.cancel}
        </Button>
        <Send
          size="sm"
          className=""
          disabled={!isComplete}
          {...(isDangerous && { color: 'red.9' })}
        >
          {act}
        </Send>
      </Group>
    </Form>
  )
}

type ConfirmButtonProps = Omit<ConfirmProps, 'isOpen' | 'close'> & {
  label?: string
  icon?: ReactNode
}

export function ConfirmButton({ label, icon, ...question }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" leftSection={icon} onClick={() => setOpen(true)}>
        {label ?? question.act}
      </Button>
      <Confirm {...question} isOpen={isOpen} close={() => setOpen(false)} />
    </>
  )
}

/**
 * A secret that is never shown again. Only its own button closes it, so that it is not lost by a
 * slip.
 */
export function ShownOnce({
  title,
  lead,
  act,
  secret,
  close,
}: Record<'title' | 'lead' | 'act', string> & {
  secret: string | undefined
  close(): void
}) {
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
