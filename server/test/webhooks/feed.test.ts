// GET /events (D-47): every event of an account in an order without gaps, the same bytes as the webhook, and nothing of anybody else's.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { testEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import { deliveryName } from '../../src/domain/webhook-event.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { HOST, LOOK_EVERY_MS, openWebhookService, type WebhookService } from '../kit/scripted-receivers.ts'
import { head } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { type AddedEndpoint, deliveries, newEndpoint, upTo, writeEvents } from '../kit/webhooks.ts'

interface FeedEvent {
  sequence: number
  replay?: number
  id: string
  event: string
  environment: string
}

interface Page {
  events: FeedEvent[]
  replays: FeedEvent[]
  has_more: boolean
  next: { after: number; replays_after: number }
}

const EVENTS = 12
const MANY = 1_000
/** Empty pages come back while the writers write. */
const MOST_PAGES = 100_000

for (const store of STORES) {
  describe(`the feed on ${store.name}`, () => {
    let service: WebhookService
    let merchant: NewMerchant
    let endpoint: AddedEndpoint
    /** The ids of the first account's events, in their order. */
    let ids: string[]

    async function ask(query: string, secretKey = merchant.accounts.sandbox.secretKey) {
      const answer = await service.app.inject({ url: `/api/v1/events${query}`, headers: head(secretKey) })
      return { code: answer.statusCode, text: answer.body, page: answer.json() as Page }
    }
    const sequences = ({ page }: { page: Page }): number[] => page.events.map(({ sequence }) => sequence)

    before(async () => {
      service = await openWebhookService(store)
      merchant = await service.merchant()
      const { accountId } = merchant.accounts.sandbox
      endpoint = await newEndpoint(service, accountId, HOST)
      await writeEvents(service, accountId, upTo(EVENTS / 2))
      await writeEvents(service, accountId, upTo(EVENTS / 2), 'refunded')
      await service.clock.advance(LOOK_EVERY_MS)
      ids = (await ask('')).page.events.map(({ id }) => id)
    })
    after(() => service.remove())

    /** `{7}` stands for the id of the seventh event. */
    const PAGES: [query: string, from: number, to: number, hasMore: boolean][] = [
      ['', 1, 12, false],
      ['?limit=5', 1, 5, true],
      ['?limit=12', 1, 12, false],
      ['?limit=11', 1, 11, true],
      ['?limit=1000', 1, 12, false],
      ['?after=', 1, 12, false],
      ['?after=0', 1, 12, false],
      ['?after=7', 8, 12, false],
      ['?after=7&limit=2', 8, 9, true],
      ['?after={7}&limit=5', 8, 12, false],
      ['?after={12}', 13, 12, false],
      ['?after=12', 13, 12, false],
      ['?after=999999', 13, 12, false],
      ['?after=latest', 13, 12, false],
    ]
    for (const [query, from, to, hasMore] of PAGES) {
      it(`answers ${query || 'no query'} with ${from > to ? 'nothing' : `${from} to ${to}`}`, async () => {
        const answer = await ask(query.replace(/\{(\d+)\}/, (_, nth) => ids[nth - 1] as string))
        assert.equal(answer.code, 200)
        assert.deepEqual(sequences(answer), upTo(to - from + 1, from))
        assert.deepEqual(answer.page.replays, [])
        assert.equal(answer.page.has_more, hasMore)
        assert.deepEqual(answer.page.next, { after: to, replays_after: 0 })
      })
    }

    it('is the order in which things happened, with the environment and the name of each', async () => {
      const { page } = await ask('')
      assert.deepEqual(
        page.events.map(({ event, environment }) => [event, environment]),
        upTo(EVENTS).map((nth) => [nth <= EVENTS / 2 ? 'payment.succeeded' : 'payment.refunded', 'sandbox']),
      )
      assert.equal(new Set(ids).size, EVENTS)
    })

    it('holds each event as the webhook carried it, byte for byte, with its place before it', async () => {
      const { text } = await ask('')
      assert.equal(service.sent.length, EVENTS)
      const bodies = new Map(service.sent.map(({ event, body }) => [event.id, body]))
      const placed = ids.map((id, at) => `{"sequence":${at + 1},${bodies.get(id)?.slice(1)}`)
      const rest = `"replays":[],"has_more":false,"next":{"after":${EVENTS},"replays_after":0}}`
      assert.equal(text, `{"events":[${placed.join(',')}],${rest}`)
    })

    it('of another account, or of the other environment, is empty, and knows no event of this one', async () => {
      const others = [merchant.accounts.live, (await service.merchant()).accounts.sandbox]
      for (const { secretKey } of others) {
        const { page } = await ask('', secretKey)
        assert.deepEqual(page, { events: [], replays: [], has_more: false, next: { after: 0, replays_after: 0 } })
        for (const id of ids) {
          const { code, text } = await ask(`?after=${id}`, secretKey)
          assert.deepEqual([code, text], [404, '{"message":"Event Not Found"}'])
        }
      }
    })

    const AFTER = '{"message":"Bad Request: After Not Valid"}'
    const LIMIT = '{"message":"Bad Request: Limit Not Valid"}'
    const NOT_FOUND = '{"message":"Event Not Found"}'
    const REFUSED: [query: string, code: number, text: string][] = [
      ['?limit=0', 400, LIMIT],
      ['?limit=1001', 400, LIMIT],
      ['?limit=', 400, LIMIT],
      ['?limit=-1', 400, LIMIT],
      ['?limit=1.5', 400, LIMIT],
      ['?limit=1e2', 400, LIMIT],
      ['?limit=0010', 400, LIMIT],
      ['?limit=5&limit=5', 400, LIMIT],
      ['?after=1&after=2', 400, AFTER],
      [`?after=${'1'.repeat(41)}`, 400, AFTER],
      ['?replays_after=', 400, AFTER],
      ['?replays_after=-1', 400, AFTER],
      ['?replays_after=first', 400, AFTER],
      ['?replays_after=1&replays_after=2', 400, AFTER],
      ['?after=first', 404, NOT_FOUND],
      ['?after=-1', 404, NOT_FOUND],
      ['?after=1.5', 404, NOT_FOUND],
      ['?after=LATEST', 404, NOT_FOUND],
      [`?after=${'1'.repeat(40)}`, 404, NOT_FOUND],
      [`?after=evt_${'0'.repeat(24)}`, 404, NOT_FOUND],
      ['?after=%00', 404, NOT_FOUND],
      ['?after=%E2%80%99', 404, NOT_FOUND],
      ['?after=first&limit=0', 400, LIMIT],
    ]
    for (const [query, code, text] of REFUSED) {
      it(`answers ${query.slice(0, 40)} with ${code} ${text}`, async () => {
        const answer = await ask(query)
        assert.deepEqual([answer.code, answer.text], [code, text])
      })
    }

    it('takes no notice of a parameter that it does not know', async () => {
      assert.deepEqual(sequences(await ask('?before=3')), upTo(EVENTS))
    })

    /** Rows of D-01, each the only fault. */
    const HEADS: [change: Record<string, string | undefined>, code: number, message: string][] = [
      [{ 'content-type': undefined }, 400, 'Bad Request: Missing params'],
      [{ authorization: undefined }, 400, 'Bad Request: Missing params'],
      [{ 'svc-target-environment': undefined }, 400, 'Bad Request: Missing params'],
      [{ 'svc-payment-type': undefined }, 400, 'Bad Request: Missing params'],
      [{ 'svc-target-environment': 'test' }, 400, 'Bad Request: Not Allowed Environment'],
      [{ 'svc-payment-type': 'cash' }, 400, 'Bad Request: Not Allowed Payment Type'],
      [{ authorization: 'Basic abc' }, 400, 'Bad Request: Missing Authentication Key'],
      [{ 'content-type': 'text/plain' }, 406, 'Not Acceptable: Invalid Content Type'],
      [{ authorization: 'Bearer sk_sandbox_nobody' }, 401, 'Unauthorized: No Valid Key'],
      [{ 'svc-target-environment': 'live' }, 401, 'Unauthorized: No Valid Key'],
      [{ 'svc-payment-type': 'card' }, 200, ''],
      [{ 'svc-payment-type': 'external_payment' }, 200, ''],
    ]
    for (const [change, code, message] of HEADS) {
      it(`with ${JSON.stringify(change)} answers ${code} ${message}`, async () => {
        const headers = head(merchant.accounts.sandbox.secretKey, change)
        const answer = await service.app.inject({ url: '/api/v1/events', headers })
        assert.equal(answer.statusCode, code)
        if (code !== 200) assert.deepEqual(answer.json(), { message })
      })
    }

    it('has a list of its own for what was sent again, which is followed like the other', async () => {
      const [first, second, third] = (await deliveries(service, endpoint.accountId)).map(deliveryName)
      assert.ok(first && second && third)
      for (const delivery of [third, first, first, second]) await replayEvents(service, TESTER, { delivery })
      const replays = async (query: string) => {
        const { page } = await ask(`?after=latest&${query}`)
        return [page.replays.map(({ replay, sequence }) => [replay, sequence]), page.has_more, page.next.replays_after]
      }
      const all = [3, 1, 1, 2].map((sequence, at) => [at + 1, sequence])
      assert.deepEqual(await replays('replays_after=0'), [all, false, 4])
      assert.deepEqual(await replays('replays_after=0&limit=3'), [all.slice(0, 3), true, 3])
      assert.deepEqual(await replays('replays_after=0&limit=4'), [all, false, 4])
      assert.deepEqual(await replays('replays_after=3'), [all.slice(3), false, 4])
      assert.deepEqual(await replays('replays_after=4'), [[], false, 4])
      assert.deepEqual(await replays('replays_after=999'), [[], false, 4])
      assert.deepEqual(await replays('replays_after=latest'), [[], false, 4])
      assert.deepEqual(await replays(''), [[], false, 4], 'nobody asked for them')
      const { page } = await ask('?replays_after=0')
      const { replay: _replay, ...again } = page.replays[0] as FeedEvent
      assert.deepEqual(again, page.events[2])
    })

    it('has the test event of an endpoint', async () => {
      const { sequence } = granted(await testEndpoint(service, TESTER, endpoint))
      const { page } = await ask(`?after=${EVENTS}`)
      assert.deepEqual([page.events[0]?.sequence, page.events[0]?.event], [sequence, 'webhook.test'])
    })

    it(`is followed through ${MANY} events while they are written, and no page has a gap`, async () => {
      const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
      const writing = Promise.all(upTo(10).map((nth) => writeInSteps(accountId, nth)))
      const seen: number[] = []
      for (let after = 0, pages = 0; seen.length < MANY; pages++) {
        assert.ok(pages < MOST_PAGES, `${pages} pages had ${seen.length} events`)
        const answer = await ask(`?after=${after}&limit=${1 + (pages % 90)}`, secretKey)
        seen.push(...sequences(answer))
        // Asking alone would leave the writers no turn.
        await turn()
        after = answer.page.next.after
      }
      await writing
      assert.deepEqual(seen, upTo(MANY))
      assert.equal((await ask(`?after=${MANY}`, secretKey)).page.has_more, false)
    })

    it('ends a page of large events early, and goes on with the next', async () => {
      const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
      await writeEvents(service, accountId, upTo(300))
      await service.db.change(`update events set payload = replace(payload, '"id"', $2) where account_id = $1`, [
        accountId,
        `"note":"${'x'.repeat(2_000)}","id"`,
      ])
      const first = await ask('?limit=1000', secretKey)
      assert.deepEqual([sequences(first), first.page.has_more], [upTo(200), true])
      const second = await ask('?limit=1000&after=200', secretKey)
      assert.deepEqual([sequences(second), second.page.has_more], [upTo(300).slice(200), false])
    })

    /** A tenth of them, by one of ten writers, ten in each commit. */
    async function writeInSteps(accountId: string, nth: number): Promise<void> {
      for (let step = 0; step < MANY / 100; step++)
        await writeEvents(service, accountId, upTo(10, nth * 1_000 + step * 10))
    }
  })
}
