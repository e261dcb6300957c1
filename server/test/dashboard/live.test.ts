// Live updates over real sockets, on both stores: an open page hears what changes in its account, and of nothing else.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { openTestService, order, post, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { until, within } from '../kit/waiting.ts'

/** What a stream has said so far. */
async function listen(
  url: string,
  { cookie }: SignedIn,
): Promise<{ heard: string[]; ended: Promise<void>; leave(): void }> {
  const leaving = new AbortController()
  const answer = await fetch(url, { headers: { cookie, origin: ORIGIN.origin }, signal: leaving.signal })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const heard: string[] = []
  const ended = (async () => {
    try {
      for await (const chunk of answer.body as ReadableStream<Uint8Array>) heard.push(Buffer.from(chunk).toString())
    } catch {
      // It was left.
    }
  })()
  return { heard, ended, leave: () => leaving.abort() }
}

for (const store of STORES) {
  describe(`live updates on ${store.name}`, () => {
    let service: TestService
    let address: string
    before(async () => {
      service = await openTestService(store, { KARBA_SANDBOX_DELAY_MS: '0' })
      address = await service.listen()
    })
    // The test closes the service.
    after(() => service.place.remove())

    it('tell what to read again, to whom it concerns, and end when the service stops', async () => {
      const [merchant, other] = [await service.merchant(), await service.merchant()]
      const pages = []
      for (const { merchantId, accounts } of [merchant, other]) {
        const who = await signedIn(service, { at: merchantId, as: 'viewer' })
        pages.push(await listen(`${address}/dashboard/api/accounts/${accounts.sandbox.accountId}/live`, who))
      }
      const [own, others] = pages as [(typeof pages)[number], (typeof pages)[number]]
      await until('the first heartbeat', () => own.heard.length > 0 && others.heard.length > 0)
      assert.equal(service.app.underWay(), 0, 'nobody waits for a stream')
      // The first look only remembers how things are.
      await until(
        'a payment that is told',
        async () => {
          await post(service, merchant.accounts.sandbox.secretKey, order())
          return own.heard.join('').includes('data: {"changed":"payments"}')
        },
        30_000,
        500,
      )
      assert.doesNotMatch(others.heard.join(''), /data:/)
      others.leave()
      await others.ended
      const closing = service.close()
      await within('the end of the stream', own.ended)
      await closing
    })
  })
}
