// Short messages at the foot of the page, which screen readers read out: an action is done, or why
// it failed.
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react'
import type { AccountRole, ServiceRole } from '../../../server/src/dashboard-api/contract.ts'
import { ApiError } from '../api/client.ts'
import { useWords } from '../words/language.tsx'

const SHOWN_MS = 5_000

interface Messages {
  say(text: string): void
  act(action: () => Promise<unknown>, done?: string): Promise<void>
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
  const say = (text: string): void => show(text, false)
  const act = async (action: () => Promise<unknown>, done?: string): Promise<void> => {
    try {
      await action()
      if (done !== undefined) say(done)
    } catch (error) {
      show(sentence(error), true)
    }
  }
  return (
    <MessagesContext value={{ say, act }}>
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

/** That a role may not, and whose may. Staff who look at an account are not of its team. */
export function useWhoMay(): (roles: readonly (AccountRole | ServiceRole)[]) => string {
  const { errors, shell } = useWords()
  return (roles) => {
    const names = roles.filter((role) => role !== 'staff').map((role) => shell.roles[role])
    return errors.whoMay(names.join(', '))
  }
}

const UNEXPECTED = new ApiError(500, { code: 'unexpected' })

/**
 * The sentence for an error: the server's own, else by the code, else by the HTTP status, else a
 * general one.
 */
export function useErrorSentence(): (error: unknown) => string {
  const { errors } = useWords()
  const whoMay = useWhoMay()
  return (error) => {
    const { status, body } = error instanceof ApiError ? error : UNEXPECTED
    if (body.roles !== undefined) return whoMay(body.roles)
    const sentence =
      body.message ??
      errors.byCode[body.code] ??
      errors.byStatus[status] ??
      (errors.byCode.unexpected as string)
    const { retryAfterSeconds } = body
    return retryAfterSeconds === undefined
      ? sentence
      : `${sentence} ${errors.waitSeconds(retryAfterSeconds)}`
  }
}
