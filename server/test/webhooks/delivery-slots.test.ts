// There are more endpoints than a process works at once. Receivers that answer just before the deadline are no failures, so no breaker
// opens: they must neither keep the others from their deliveries, nor one another. Measured in virtual milliseconds.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  HOST,
  LOOK_EVERY_MS,
  openWebhookService,
  type SentWebhook,
  TIMEOUT_MS,
  type WebhookService,
} from '../kit/scripted-receivers.ts'
import { SQLITE } from '../kit/stores.ts'
import { newEndpoint, upTo, writeEvents } from '../kit/webhooks.ts'

const ACCOUNTS = 50
const ENDPOINTS = 5
/** For each slow endpoint: three minutes of sending, eight at once. */
const QUEUED = 150
const ANSWERS_AFTER_MS = 9_900
const AT_ONCE_IN_QUEUE = 8

const isSlow = ({ path }: SentWebhook): boolean => path.startsWith('/slow')

async function addSlowEndpoints(service: WebhookService): Promise<void> {
  for (const account of upTo(ACCOUNTS)) {
    const { accountId } = (await service.merchant()).accounts.sandbox
    for (const each of upTo(ENDPOINTS)) await newEndpoint(service, accountId, `${HOST}/slow/${account}/${each}`)
    await writeEvents(service, accountId, upTo(QUEUED))
  }
}

it(`${ACCOUNTS * ENDPOINTS} slow receivers, more than are sent to at once, delay a quick one by one answer at most, and then not at all`, async (t) => {
  const service = await openWebhookService(SQLITE)
  t.after(() => service.remove())
  service.receivers.answer = (sent) => (isSlow(sent) ? { status: 200, afterMs: ANSWERS_AFTER_MS } : 200)
  await addSlowEndpoints(service)
  await service.clock.advance(LOOK_EVERY_MS)
  const { accountId } = (await service.merchant()).accounts.sandbox
  await newEndpoint(service, accountId, `${HOST}/quick`)

  const waits: number[] = []
  for (const event of upTo(6)) {
    const writtenAt = service.clock.now()
    await writeEvents(service, accountId, [event])
    await service.clock.advance(TIMEOUT_MS + LOOK_EVERY_MS)
    const quick = service.sent.filter((sent) => !isSlow(sent))
    assert.equal(quick.length, event, `event ${event} was not sent within an answer of the slow ones`)
    waits.push((quick.at(-1)?.at as number) - writtenAt)
  }
  const [, ...later] = waits
  assert.ok(Math.max(...later) <= LOOK_EVERY_MS, `waited ${waits.join(', ')} ms`)

  const byEndpoint = Map.groupBy(service.sent.filter(isSlow), ({ path }) => path)
  assert.equal(byEndpoint.size, ACCOUNTS * ENDPOINTS, 'every slow endpoint has had a turn')
  for (const [path, sent] of byEndpoint) {
    const times = sent.map(({ at }) => at)
    const underWay = times.map((now) => times.filter((at) => at <= now && at > now - ANSWERS_AFTER_MS).length)
    assert.ok(Math.max(...underWay) <= AT_ONCE_IN_QUEUE, path)
    assert.equal(new Set(sent.map(({ event }) => event.id)).size, sent.length, `${path} got nothing twice`)
  }
  const counts = [...byEndpoint.values()].map(({ length }) => length)
  assert.ok(Math.max(...counts) <= 3 * Math.min(...counts), 'slow endpoints take turns')
  t.diagnostic(
    `the quick one waited ${waits.join(', ')} ms; slow ones got ${Math.min(...counts)} to ${Math.max(...counts)}`,
  )
})
