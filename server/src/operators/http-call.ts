// Every call to a network goes through here: a deadline for the whole of it, a cap on what is read, no redirects. Whatever goes
// wrong is told in words, never thrown: for a connector it all means `unknown`.
import type { Dispatcher } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'

const ANSWER_LIMIT_BYTES = 64 * 1024

export interface Call {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

export type CallResult = { code: number; body: unknown } | { failed: string; neverLeft?: true }

/** The line could not be opened: nothing of the call can have arrived. */
const NEVER_LEFT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

export async function call(
  to: Dispatcher,
  origin: string,
  { method, path, headers, body }: Call,
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): Promise<CallResult> {
  const deadline = new AbortController()
  const { promise: tooLate, reject: giveUp } = Promise.withResolvers<never>()
  const cancel = clock.after(timeoutMs, () => {
    deadline.abort()
    giveUp(new Error('the deadline is over'))
  })
  try {
    // Raced, because undici looks at the signal only once it has a connection, and a handshake can take for ever.
    const asked = to.request({ origin, method, path, headers, body: body ?? null, signal: deadline.signal })
    const answer = await Promise.race([asked, tooLate])
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of answer.body) {
      size += chunk.length
      if (size > ANSWER_LIMIT_BYTES) return { failed: 'the answer is too long' }
      chunks.push(chunk)
    }
    return { code: answer.statusCode, body: parse(Buffer.concat(chunks).toString('utf8')) }
  } catch (error) {
    if (deadline.signal.aborted) return { failed: `no answer within ${timeoutMs} ms` }
    const { code = '', message } = error as { code?: string; message: string }
    return { failed: `no answer: ${code || message}`, ...(NEVER_LEFT.has(code) && { neverLeft: true as const }) }
  } finally {
    cancel()
  }
}

/** What is not JSON is kept as text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
