// Short messages at the foot of the page, read out by screen readers: what was done, or why it was not.
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { useWords } from '../words/language.tsx'

const SHOWN_MS = 5_000

interface Messages {
  say(text: string): void
  complain(error: unknown): void
}

const MessagesContext = createContext<Messages | null>(null)

export function MessagesProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<{ id: number; text: string; isBad: boolean }[]>([])
  const next = useRef(0)
  const sentence = useErrorSentence()
  const show = useCallback((text: string, isBad: boolean) => {
    const id = next.current++
    setShown((before) => [...before, { id, text, isBad }])
    setTimeout(() => setShown((before) => before.filter((each) => each.id !== id)), SHOWN_MS)
  }, [])
  const messages = {
    say: (text: string) => show(text, false),
    complain: (error: unknown) => show(sentence(error), true),
  }
  return (
    <MessagesContext value={messages}>
      {children}
      <div className="messages" role="status" aria-live="polite">
        {shown.map(({ id, text, isBad }) => (
          <p key={id} className={isBad ? 'bad' : ''}>
            {text}
          </p>
        ))}
      </div>
    </MessagesContext>
  )
}

export function useMessages(): Messages {
  const messages = use(MessagesContext)
  if (messages === null) throw new Error('there are no messages around this component')
  return messages
}

// The sentence for whatever went wrong: by the server's code, else by the status, else the one for everything.
const UNEXPECTED = new ApiError(500, { code: 'unexpected' })

export function useErrorSentence(): (error: unknown) => string {
  const { errors } = useWords()
  return (error) => {
    const { status, body } = error instanceof ApiError ? error : UNEXPECTED
    const sentence =
      errors.byCode[`${body.code}.${body.param}`] ??
      errors.byCode[body.code] ??
      errors.byStatus[status] ??
      (errors.byCode.unexpected as string)
    const { retryAfterSeconds } = body
    return retryAfterSeconds === undefined ? sentence : `${sentence} ${errors.waitSeconds(retryAfterSeconds)}`
  }
}
