// Live updates over real sockets, on both stores: an open page hears what changes in its account, and of nothing else.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { openTestService, order, post, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
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

describe('live updates', () => {
  let service: TestService
  let address: string
  before(async () => {
    service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '0' })
    address = await service.listen()
  })
  // The test closes the service.
  after(() => service.place.remove())

  it('live streams: a person has ten, and leaving one makes room', async () => {
    const { merchantId, accounts } = await service.merchant()
    const who = await signedIn(service, { at: merchantId, as: 'viewer' })
    const url = `${address}/dashboard/api/accounts/${accounts.sandbox.accountId}/live`
    const open = []
    for (let count = 0; count < 10; count++) open.push(await listen(url, who))
    const more = () => fetch(url, { headers: { cookie: who.cookie, origin: ORIGIN.origin } })
    const refused = await more()
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30'])
    assert.equal(((await refused.json()) as { code: string }).code, 'too_many_streams')
    open.pop()?.leave()
    await until('room for one more', async () => {
      const answer = await more()
      await answer.body?.cancel()
      return answer.status === 200
    })
    for (const { leave } of open) leave()
  })

  it('live streams: thirteen sign-ups of one network leave room for a validated merchant', async () => {
    const left: (() => void)[] = []
    // An answer that is forgotten is closed when memory is freed.
    const answers: Response[] = []
    const take = async (isValidated: boolean, streams: number) => {
      const { merchantId, accounts } = await service.merchant({ validateLive: isValidated })
      const who = await signedIn(service, { at: merchantId, as: 'owner' })
      const url = `${address}/dashboard/api/accounts/${accounts.sandbox.accountId}/live`
      let got = 0
      for (let count = 0; count < streams; count++) {
        const leaving = new AbortController()
        const answer = await fetch(url, { headers: { cookie: who.cookie }, signal: leaving.signal })
        answers.push(answer)
        if (answer.status === 200) got++
        left.push(() => leaving.abort())
      }
      return got
    }
    let got = 0
    for (let count = 0; count < 13; count++) got += await take(false, 10)
    assert.equal(got, 50, 'one network of merchants that are not validated')
    assert.equal(await take(true, 10), 10)
    for (const leave of left) leave()
    assert.equal(answers.length, 140)
  })

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
