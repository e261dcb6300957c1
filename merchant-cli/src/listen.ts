// Posts the events of an account to an address of the developer's own, with the body and the headers of a webhook. Goes on where it was.
import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Feed, Karba, KarbaEvent } from '@karba/sdk'
import { KarbaError } from '@karba/sdk'
import { type Place, placeFile, readPlace, writePlace } from './place.ts'

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
  if (fromStart) Object.assign(place, { after: 0, replaysAfter: 0 })
  const secrets = {
    secretHash: input.secretHash ?? place.secretHash,
    signingSecret: input.signingSecret ?? place.signingSecret,
  }
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.once(signal, () => stopping.abort())
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
    if (!page.has_more) await pause(POLL_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {})
  }
}

/** Undefined once it is stopped. An outage is waited for by the SDK, and then here. */
async function nextPage(karba: Karba, place: Place, signal: AbortSignal): Promise<Feed | undefined> {
  for (;;) {
    try {
      return await karba.listEvents({ after: place.after, replays_after: place.replaysAfter }, { signal })
    } catch (error) {
      if (signal.aborted) return undefined
      const isOutage = error instanceof KarbaError && (error.status === undefined || error.status >= 500)
      if (!isOutage) throw error
      process.stderr.write(`${karba.url} does not answer. It is asked again.\n`)
      await pause(POLL_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
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
    // A replay must not come before the event itself, which may be on a later page.
    if ((replay.sequence as number) > place.after) return
    if (!(await post(replay))) return
    place.replaysAfter = replay.replay as number
    moved()
  }
  place.replaysAfter = page.next.replays_after
  moved()
}

/** Tries until the receiver answers, so that events stay in order; false when it was stopped before. */
function poster(forwardTo: string, secrets: { secretHash: string; signingSecret: string }, signal: AbortSignal): Post {
  const key = Buffer.from(secrets.signingSecret.replace(/^whsec_/, ''), 'base64')
  return async ({ sequence: _, replay = 0, ...event }) => {
    // Without its place in the feed, an event is the body of the webhook, byte for byte.
    const body = JSON.stringify(event)
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const signature = createHmac('sha256', key).update(`${event.id}.${timestamp}.${body}`).digest('base64')
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
        process.stderr.write(`${what}  not taken: ${answer.message}. It is tried every second.\n`)
      await pause(POLL_EVERY_MS, undefined, { signal }).catch(() => {})
    }
    return false
  }
}

const write = (line: string): void => void process.stdout.write(`${line}\n`)
