// A form that reads its own fields when it is sent, says at once that it is under way, and shows why it was refused beside the field.
import { Button, type ButtonProps, Stack } from '@mantine/core'
import { createContext, type ReactNode, use, useState } from 'react'
import { useErrorSentence } from './error-sentence.ts'

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
