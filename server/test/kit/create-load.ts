// Merchants that create payments without a break, over HTTP, while a test breaks something: what was acknowledged, and what came instead.
import { setTimeout as pause } from 'node:timers/promises'
import { head, order } from './service.ts'
import { until } from './waiting.ts'

export const IN_FLIGHT = 16
const LONGEST_WAIT_MS = 30_000

export interface Load {
  /** transaction_id to reference, as acknowledged. */
  acknowledged: Map<string, string>
  /** How often each answer came; `cut` for a connection that ended without one. */
  answers: Map<number | 'cut', number>
  /** What must not be: in words. */
  wrongs: string[]
  stop(): Promise<void>
}

/** Keeps requests in flight, each transaction_id tried until the service has it, as a careful merchant would. */
export function startLoad(url: string, secretKey: string): Load {
  const load: Load = { acknowledged: new Map(), answers: new Map(), wrongs: [], stop }
  let stopping = false

  async function tryUntilRecorded(): Promise<void> {
    const body = order()
    const transactionId = body.transaction_id as string
    let mayExist = false
    while (!stopping) {
      const answer = await fetch(`${url}/api/v1/payments`, {
        method: 'POST',
        headers: head(secretKey),
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(LONGEST_WAIT_MS),
      }).catch(() => undefined)
      const text = await answer?.text().catch(() => undefined)
      const code = answer === undefined || text === undefined ? 'cut' : answer.status
      load.answers.set(code, (load.answers.get(code) ?? 0) + 1)
      if (code === 'cut') mayExist = true
      else if (code === 503) {
        if (answer?.headers.get('retry-after') === null) load.wrongs.push('a 503 without Retry-After')
      } else {
        if (code === 200) load.acknowledged.set(transactionId, JSON.parse(text as string).reference)
        else if (code !== 422) load.wrongs.push(`${code} ${text}`)
        else if (!mayExist) load.wrongs.push(`${transactionId} was answered 503 although it was recorded`)
        else load.acknowledged.set(transactionId, answer?.headers.get('svc-existing-reference') ?? 'no reference')
        return
      }
      await pause(20)
    }
  }

  const workers = Array.from({ length: IN_FLIGHT }, async () => {
    while (!stopping) await tryUntilRecorded()
  })
  async function stop(): Promise<void> {
    stopping = true
    await Promise.all(workers)
  }
  return load
}

/** Waits until so many more were acknowledged. */
export function moreAcknowledged(load: Load, count: number): Promise<true> {
  const enough = load.acknowledged.size + count
  return until('acknowledgement of more payments', () => load.acknowledged.size >= enough)
}
