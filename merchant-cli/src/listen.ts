// Posts the events of an account to the developer's own address, with the body and headers of a
// webhook. Stores its position and secrets in a file that only its owner can read, and resumes from
// there.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Feed, Karba, KarbaEvent } from '@karba/sdk'
import { KarbaError } from '@karba/sdk'

export interface ListenInput {
  karba: Karba
  secretKey: string
  forwardTo: string
  fromStart: boolean
  place: string | undefined
  secretHash: string | undefined
  signingSecret: string | undefined
}

const POLL_EVERY_MS = 1_000
const ANSWER_WITHIN_MS = 10_000

export async function listen(input: ListenInput): Promise<void> {
  const { karba, forwardTo, fromStart, secretKey } = input
  const file = input.place ?? placeFile(karba.url, secretKey)
  const place = readPlace(file)
  if (fromStart) Object.assign(place, { after: '', replaysAfter: 0 })
  const secrets = {
    secretHash: input.secretHash ?? place.secretHash,
    signingSecret: input.signingSecret ?? place.signingSecret,
  }
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])
    process.once(signal, () => stopping.abort())
  const post = poster(forwardTo, secrets, stopping.signal)
  let hasBegun = false
  while (!stopping.signal.aborted) {
    const page = await nextPage(karba, place, stopping.signal)
    if (page === undefined) break
    if (!hasBegun) {
      // Saved before they are shown: a restart signs with the same secrets.
      writePlace(file, place)
      write(`${karba.environment} at ${karba.url} goes to ${forwardTo}`)
      if (input.secretHash === undefined) write(`  Secret-Hash     ${place.secretHash}`)
      if (input.signingSecret === undefined) write(`  signing secret  ${place.signingSecret}`)
      write('')
    }
    hasBegun = true
    await forwardPage(page, place, post, () => writePlace(file, place))
    if (!page.has_more)
      await pause(POLL_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {})
  }
}

/** Undefined once it is stopped. Retries during an outage, after the SDK's own retries. */
async function nextPage(
  karba: Karba,
  place: Place,
  signal: AbortSignal,
): Promise<Feed | undefined> {
  for (;;) {
    try {
      return await karba.listEvents(
        { after: place.after, replays_after: place.replaysAfter },
        { signal },
      )
    } catch (error) {
      if (signal.aborted) return undefined
      if (error instanceof KarbaError && error.code === 'cursor_too_old') {
        skipRemoved(place, error)
        continue
      }
      const isOutage =
        error instanceof KarbaError && (error.status === undefined || error.status >= 500)
      if (!isOutage) throw error
      process.stderr.write(`${karba.url} does not answer. Retrying.\n`)
      await pause(POLL_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

/**
 * The service keeps events for some time only. Warns, and goes on with the oldest events that it
 * has.
 */
function skipRemoved(place: Place, { param, keptAfter = 0, removedUntil = '' }: KarbaError): void {
  const what =
    param === 'after' ? `events ${Number(place.after) + 1} to ${keptAfter}` : 'some replays'
  process.stderr.write(
    `The service has removed ${what}, written until ${removedUntil}: they are not forwarded.\n`,
  )
  if (param === 'after') place.after = keptAfter
  else place.replaysAfter = 'latest'
}

type Post = (event: KarbaEvent) => Promise<boolean>

async function forwardPage(page: Feed, place: Place, post: Post, moved: () => void): Promise<void> {
  for (const event of page.events) {
    if (!(await post(event))) return
    place.after = event.sequence as number
    moved()
  }
  place.after = page.next.after
  for (const replay of page.replays) {
    // A replay must follow its event, which may be on a later page.
    if ((replay.sequence as number) > place.after) return
    if (!(await post(replay))) return
    place.replaysAfter = replay.replay as number
    moved()
  }
  place.replaysAfter = page.next.replays_after
  moved()
}

/**
 * Retries until the receiver answers, so that events stay in order; false when it was stopped
 * before.
 */
function poster(
  forwardTo: string,
  secrets: { secretHash: string; signingSecret: string },
  signal: AbortSignal,
): Post {
  const key = Buffer.from(secrets.signingSecret.replace(/^whsec_/, ''), 'base64')
  return async ({ sequence: _, replay = 0, ...event }) => {
    // Without its position in the feed, an event is the body of the webhook, byte for byte.
    const body = JSON.stringify(event)
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const signature = createHmac('sha256', key)
        .update(`${event.id}.${timestamp}.${body}`)
        .digest('base64')
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'Karba-Webhooks/1',
        'secret-hash': secrets.secretHash,
        'webhook-id': event.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
        ...(replay > 0 && { 'svc-webhook-replay': String(replay) }),
      }
      const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
      const answer = await fetch(forwardTo, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: within,
      }).catch((error: Error) => error)
      const what = `${new Date().toISOString()}  ${event.event}${replay > 0 ? ' (replay)' : ''}  ${event.id}`
      if (answer instanceof Response) {
        await answer.body?.cancel()
        write(`${what}  ${answer.status}`)
        return true
      }
      if (isFirst && !signal.aborted)
        process.stderr.write(`${what}  not delivered: ${answer.message}. Retrying every second.\n`)
      await pause(POLL_EVERY_MS, undefined, { signal }).catch(() => {})
    }
    return false
  }
}

const write = (line: string): void => void process.stdout.write(`${line}\n`)

interface Place {
  /** Empty for the oldest event. */
  after: number | 'latest' | ''
  replaysAfter: number | 'latest'
  secretHash: string
  signingSecret: string
}

function placeFile(url: string, secretKey: string): string {
  const name = createHash('sha256').update(`${url}\n${secretKey}`).digest('hex').slice(0, 12)
  const folder = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  return join(folder, 'karba', `listen-${name}.json`)
}

/** Without a file, listening begins with the next event. */
function readPlace(file: string): Place {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Place
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    return {
      after: 'latest',
      replaysAfter: 'latest',
      secretHash: randomBytes(15).toString('hex'),
      signingSecret: `whsec_${randomBytes(32).toString('base64')}`,
    }
  }
}

function writePlace(file: string, place: Place): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${JSON.stringify(place)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
