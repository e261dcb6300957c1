// The feed as `karba listen` reads it: whatever an event holds, its body is the stored payload to the byte, since the signature is over it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { appendToFeed } from '../../src/actions/webhooks/write-event.ts'
import { readPage } from '../../src/cli/feed-reader.ts'
import { listFeed } from '../../src/store/webhooks/events.ts'
import { feedBody } from '../../src/wire/event.ts'
import { anyJson, SEED } from '../kit/generated.ts'
import { head, openTestService, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'

const NASTY: [about: string, data: object][] = [
  ['nothing', {}],
  ['an empty text', { title: '', '': '' }],
  ['emoji, of one character and of several', { title: '😀 👩‍👩‍👧‍👦 🇳🇪 é é' }],
  ['what JSON must escape', { title: '"\\/\b\f\n\r\t\u0000\u001f\u007f' }],
  ['escapes as text', { title: '\\u0041 \\n \\" \\\\' }],
  ['ends of lines that JavaScript knows and JSON does not', { title: 'a\u2028b\u2029c\u0085d\ufeff' }],
  ['halves of characters', { title: '\ud800', other: 'a\udc00b', swapped: '\ude00\ud83d' }],
  ['signs of JSON', { title: 'a } ] { [ , : "sequence":7,' }],
  ['names of its place within', { sequence: 7, replay: 8, events: [{ sequence: 1 }] }],
  ['names that are whole numbers', { b: 1, 10: 'ten', 9: 'nine', a: 2, '-1': 0, '01': 0, 4294967295: 0 }],
  ['names of every object', JSON.parse('{"__proto__":{"x":1},"constructor":null,"toString":"","toJSON":1}')],
  ['the largest numbers', { amount: 999_999_999, at: 8.64e15, most: Number.MAX_SAFE_INTEGER }],
  ['numbers with an end or none', { least: Number.MIN_VALUE, most: Number.MAX_VALUE, third: 1 / 3, zero: -0 }],
  ['lists in lists', { list: [[], [{}], [[null, true, false, { a: [] }]]] }],
]

const payloadOf = (data: unknown): string =>
  JSON.stringify({ id: 'evt_1', event: 'payment.succeeded', created_at: '', environment: 'sandbox', data })

/** As it is sent: bytes of UTF-8. */
const sent = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')

for (const store of STORES) {
  describe(`an event of the feed on ${store.name}`, () => {
    let service: TestService
    let stored: string[]
    let read: string[]

    before(async () => {
      service = await openTestService(store)
      const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
      const event = { accountId, number: 1, environment: 'sandbox', event: 'payment.succeeded', createdAt: 0 } as const
      await service.db.transaction(async (tx) => {
        for (const [, data] of NASTY) await appendToFeed(tx, service.random, { ...event, data: data as never })
      })
      stored = (await listFeed(service.db, accountId, 0, 100)).map(({ payload }) => payload)
      const { rawPayload } = await service.app.inject({ url: '/api/v1/events', headers: head(secretKey) })
      read = (readPage(rawPayload.toString('utf8'))?.events ?? []).map(({ body }) => body)
    })
    after(() => service.remove())

    for (const [at, [about, data]] of NASTY.entries()) {
      it(`with ${about} is read as it is stored, to the byte`, () => {
        assert.deepEqual(JSON.parse(stored[at] as string).data, JSON.parse(JSON.stringify(data)))
        assert.ok(Buffer.from(read[at] as string).equals(Buffer.from(stored[at] as string)), read[at])
      })
    }
  })
}

describe('the feed’s answer', () => {
  it('is taken apart into events and replays with their places', () => {
    const payloads = NASTY.map(([, data]) => payloadOf(data))
    const events = payloads.map((payload, at) => ({ sequence: at + 1, payload }))
    const replays = payloads.map((payload, at) => ({ replay: at + 9, sequence: at + 1, payload }))
    const text = feedBody({ events, replays, hasMore: true, nextAfter: 4, nextReplaysAfter: 12 })
    const bodies = payloads.map((body, at) => ({ sequence: at + 1, replay: 0, body }))
    assert.deepEqual(readPage(sent(text)), {
      events: bodies,
      replays: bodies.map((event, at) => ({ ...event, replay: at + 9 })),
      hasMore: true,
      next: { after: 4, replaysAfter: 12 },
    })
  })

  it('gives back whatever JSON.stringify has written', () => {
    fc.assert(
      fc.property(anyJson, (data) => {
        const payload = payloadOf(data)
        const events = [{ sequence: 1, payload }]
        const text = feedBody({ events, replays: [], hasMore: false, nextAfter: 1, nextReplaysAfter: 0 })
        assert.equal(readPage(sent(text))?.events[0]?.body, payload)
      }),
      { seed: SEED, numRuns: 2_000 },
    )
  })

  const NEXT = '"next":{"after":1,"replays_after":0}'
  const OTHERS = [
    '',
    'thanks',
    '[]',
    'null',
    '7',
    '{"next":{}}',
    '<html></html>',
    `{${NEXT}}`,
    `{"events":[],${NEXT}}`,
    `{"events":{},"replays":[],${NEXT}}`,
    `{"events":[null],"replays":[],${NEXT}}`,
    `{"events":[{"id":"evt_1"}],"replays":[],${NEXT}}`,
    `{"events":[],"replays":[{"replay":1}],${NEXT}}`,
    '{"events":[],"replays":[],"next":{"after":"1","replays_after":0}}',
  ]
  for (const text of OTHERS) {
    it(`is not ${text || 'nothing'}`, () => assert.equal(readPage(text), undefined))
  }
})
