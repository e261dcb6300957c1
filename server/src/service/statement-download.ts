// Downloads a statement from the address that its network names. The address is not trusted: a
// hostile answer must not make us call our own network. So it is under the connection's own
// address, or it is https on a public host, which is checked as those of webhooks are
// (webhooks/guarded-agent.ts). No redirect is followed, and no credential is sent.
import type { Agent, Dispatcher } from 'undici'
import {
  type FetchFailure,
  fetchFailure,
  StatementBrokeOff,
} from '../domain/books/statement-fetch.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Download, OpenedStatement } from '../operators/connector.ts'
import { AddressRefused } from '../webhooks/failure-text.ts'
import { guardedAgent } from '../webhooks/guarded-agent.ts'
import { checkTarget, type TargetRules } from '../webhooks/safe-address.ts'

const PUBLIC_HTTPS: TargetRules = { allowPlainHttp: false, allowed: [] }
const CONNECTED_WITHIN_MS = 10_000
/** For the largest statement on a slow line. */
const DOWNLOADED_WITHIN_MS = 5 * 60_000

export interface DownloadDeps {
  clock: Clock
  /** The address of the connection, and the agent that calls it. */
  address: string
  agent: Dispatcher
}

/** With the agents that it has made, for the end. */
export function statementDownloads({ clock, address, agent }: DownloadDeps) {
  const own = new URL(address).origin
  let guarded: Agent | undefined

  const download: Download = async (text) => {
    const parsed = URL.parse(text)
    const isOwn =
      parsed !== null && parsed.origin === own && parsed.username === '' && parsed.password === ''
    const checked = isOwn ? { url: parsed } : checkTarget(text, PUBLIC_HTTPS)
    if ('fault' in checked) return fetchFailure('address_refused', checked.fault)
    guarded ??= guardedAgent({ clock, rules: PUBLIC_HTTPS, timeoutMs: CONNECTED_WITHIN_MS })
    return get(isOwn ? agent : guarded, checked.url, clock)
  }
  return { download, destroy: async () => guarded?.destroy() }
}

/** A link that has expired: the next try asks for another statement. */
const GONE = [400, 403, 404, 410]

async function get(
  agent: Dispatcher,
  { origin, pathname, search, hostname }: URL,
  clock: Clock,
): Promise<OpenedStatement | FetchFailure> {
  const deadline = new AbortController()
  const cancel = clock.after(DOWNLOADED_WITHIN_MS, () =>
    deadline.abort(new Error('it took too long')),
  )
  try {
    // The answer's own encoding would be a second compression.
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Karba/1.0' }
    const call = {
      origin,
      path: pathname + search,
      method: 'GET',
      headers,
      signal: deadline.signal,
    } as const
    const { statusCode, body } = await agent.request(call)
    if (statusCode === 200) return { is: 'ready', content: reading(body, cancel) }
    cancel()
    body.on('error', () => {}).destroy()
    const failure = fetchFailure('download_failed', `HTTP ${statusCode} from ${hostname}`)
    return GONE.includes(statusCode) ? { ...failure, isRequestGone: true } : failure
  } catch (error) {
    cancel()
    return failureOf(error)
  }
}

async function* reading(
  body: AsyncIterable<Buffer>,
  cancel: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk
  } catch (error) {
    throw new StatementBrokeOff(failureOf(error))
  } finally {
    cancel()
  }
}

function failureOf(error: unknown): FetchFailure {
  if (error instanceof AddressRefused) return fetchFailure('address_refused', 'address_not_public')
  const { code, message } = error as Error & { code?: string }
  return fetchFailure('download_failed', code ?? message)
}
