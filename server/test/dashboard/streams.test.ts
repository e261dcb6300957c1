// Long answers of the dashboard over real sockets: live updates, and exports of payments, which run
// on a clock that the test moves.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import Fastify from 'fastify'
import { sendPaced } from '../../src/http/send-paced.ts'
import { makeLog } from '../../src/observability/log.ts'
import { accountWatcher } from '../../src/service/shop-deps.ts'
import { ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { openTestService, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { until, within } from '../kit/waiting.ts'

/** Its payments succeed in the answer. */
const SUCCEEDS_AT_ONCE = '40410000100'

async function listen(
  url: string,
  { cookie }: SignedIn,
): Promise<{ heard: string[]; ended: Promise<void>; leave(): void }> {
  const leaving = new AbortController()
  const answer = await fetch(url, {
    headers: { cookie, origin: ORIGIN.origin },
    signal: leaving.signal,
  })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const heard: string[] = []
  const ended = (async () => {
    try {
      for await (const chunk of answer.body as ReadableStream<Uint8Array>)
        heard.push(Buffer.from(chunk).toString())
    } catch {
      // The reader left.
    }
  })()
  return { heard, ended, leave: () => leaving.abort() }
}

it('live updates: a change is reported within a second, and every five seconds while payments succeed in numbers', async (t) => {
  const service = await openVirtualService(SQLITE)
  t.after(() => service.remove())
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  const watcher = accountWatcher(service)
  let reports = 0
  const leave = watcher.watch(
    accountId,
    (changed) => {
      if (changed === 'payments') reports++
    },
    () => {},
  )
  const pay = async (count: number): Promise<void> => {
    for (let nth = 0; nth < count; nth++)
      await post(service, secretKey, order({ msisdn: SUCCEEDS_AT_ONCE }))
  }
  await service.clock.advance(1_000)
  for (const [payments, seconds, reported] of [
    [1, 1, 1] as const,
    [1, 1, 2] as const,
    [30, 1, 2] as const,
    [0, 3, 2] as const,
    [0, 2, 3] as const,
    [1, 1, 4] as const,
  ]) {
    await pay(payments)
    for (let second = 0; second < seconds; second++) await service.clock.advance(1_000)
    assert.equal(reports, reported, `after ${payments} payments and ${seconds} s`)
  }
  leave?.()
})

describe('live updates', async () => {
  const errors: string[] = []
  const log = makeLog('error', { write: (line) => void errors.push(line) })
  const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '0' }, { log })
  const address = await service.listen()
  // The test closes the service.
  after(() => service.place.remove())

  it('live updates: a person has ten streams; a closed one makes room', async () => {
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

  it('live updates: thirteen sign-ups of one network leave room for a validated merchant', async () => {
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

  it('live updates: a stream has only changes of its account, and ends when the service stops', async () => {
    const [merchant, other] = [await service.merchant(), await service.merchant()]
    const pages = []
    for (const { merchantId, accounts } of [merchant, other]) {
      const who = await signedIn(service, { at: merchantId, as: 'viewer' })
      pages.push(
        await listen(`${address}/dashboard/api/accounts/${accounts.sandbox.accountId}/live`, who),
      )
    }
    const [own, others] = pages as [(typeof pages)[number], (typeof pages)[number]]
    await until('the first heartbeat', () => own.heard.length > 0 && others.heard.length > 0)
    assert.equal(service.app.underWay(), 0, 'a stream does not count as an in-flight request')
    // The first look only remembers how things are.
    await until(
      'an event of a payment',
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
    assert.deepEqual(errors, [], 'a page that leaves is not logged as an error')
  })
})

const PAYMENTS = 250

describe('exports', async () => {
  const service = await openVirtualService(SQLITE)
  const address = await service.listen()
  after(() => service.remove())

  async function merchantWith(
    payments: number,
    validateLive = true,
  ): Promise<{ url: string; who: SignedIn }> {
    const { merchantId, accounts } = await service.merchant({ validateLive })
    const { accountId, secretKey } = accounts.sandbox
    await Promise.all(Array.from({ length: payments }, () => post(service, secretKey, order())))
    const who = await signedIn(service, { at: merchantId, as: 'owner' })
    return { url: `/dashboard/api/accounts/${accountId}/payments.csv?language=en`, who }
  }

  const ask = (url: string, { cookie }: SignedIn) => fetch(address + url, { headers: { cookie } })

  /** Requests an export and reads only the first chunk. */
  async function begin(url: string, { cookie }: SignedIn): Promise<Socket> {
    const { port } = service.app.server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(`GET ${url} HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\n\r\n`)
    assert.match(String(await within('the first chunk', once(socket, 'data'))), /^HTTP\/1\.1 200/)
    return socket.pause()
  }

  it('exports: of ten parallel requests of a person one is answered in full, the others get 429', async () => {
    const { url, who } = await merchantWith(PAYMENTS)
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(url, who)))
    const made = answers.filter(({ status }) => status === 200)
    assert.equal(made.length, 1)
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '5'])
      assert.deepEqual(await refused.json(), { code: 'export_under_way' })
    }
    const text = await service.clock.advanceUntil('file', (made[0] as Response).text())
    const lines = text.trimEnd().split('\r\n')
    assert.equal(lines.length, PAYMENTS + 1)
    assert.equal(
      new Set(lines.map((line) => line.split(';')[2])).size,
      PAYMENTS + 1,
      'each payment once',
    )
    const next = await ask(url, who)
    assert.equal(next.status, 200)
    await next.body?.cancel()
  })

  it('exports: a reader that disconnects frees the slot', async () => {
    const { url, who } = await merchantWith(PAYMENTS)
    const socket = await begin(url, who)
    assert.equal((await ask(url, who)).status, 429)
    socket.destroy()
    await until(
      'the next one',
      async () => {
        const answer = await ask(url, who)
        await answer.body?.cancel()
        return answer.status === 200
      },
      30_000,
      100,
    )
  })

  it('exports: merchants that are not validated leave slots to those that are', async () => {
    const [first, second, third, validated] = [
      await merchantWith(PAYMENTS, false),
      await merchantWith(1, false),
      await merchantWith(1, false),
      await merchantWith(1),
    ]
    const slow = await begin(first.url, first.who)
    for (const { url, who } of [second, third])
      assert.deepEqual(await (await ask(url, who)).json(), { code: 'too_many_exports' })
    assert.equal((await ask(validated.url, validated.who)).status, 200)
    slow.destroy()
  })
})

it('exports: a reader that reads nothing for 20 seconds is disconnected, and no more rows are read', async () => {
  const clock = virtualClock()
  const app = Fastify()
  let made = 0
  let ended = 0
  async function* endless(): AsyncGenerator<string> {
    for (;;) {
      made++
      yield 'x'.repeat(1_000_000)
    }
  }
  app.get('/', async (_request, reply) => sendPaced(reply, clock, endless(), () => ended++))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await until('full buffers', async () => {
    const before = made
    for (let turn = 0; turn < 10; turn++) {
      await clock.advance(15)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return made > 0 && made === before
  })
  assert.ok(made < 30, `${made} chunks were made for a reader that does not read`)
  const atFull = made
  await clock.advance(20_000)
  socket.resume()
  await within('the end of the connection', once(socket, 'close'))
  assert.deepEqual([made, ended], [atFull, 1])
  await app.close()
})
