// Long polls for an outcome (D-91) return on the outcome, from whichever process; at their timeout;
// at once when the service stops. Creates are not delayed by any number of long polls.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { paymentWatcher, waitForPayment } from '../../src/actions/payments/payment-watcher.ts'
import type { Service } from '../../src/service/compose.ts'
import { merchantKey } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { getFrom, head, openTestService, order, post } from '../kit/service.ts'
import { POSTGRES, SQLITE } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { until } from '../kit/waiting.ts'
import { writeEvents } from '../kit/webhooks.ts'
import { SUCCEEDS } from '../links/payer.ts'

const service = await openVirtualService(SQLITE)
const { accountId, secretKey: key } = (await service.merchant()).accounts.sandbox
after(() => service.remove())

const watcherOf = ({ db, clock }: Service, most: number, mostOfAccount: number) =>
  paymentWatcher({ db, clock, failed: assert.ifError, limits: { most, mostOfAccount } })

const connectionsOf = ({ app }: Service): Promise<number> =>
  new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))

describe('long poll', () => {
  async function waited(
    reference: unknown,
    wait: number | string,
  ): Promise<[seconds: number, status: unknown]> {
    const began = service.clock.now()
    let at = 0
    const answering = getFrom(service, key, `/payments/${reference}?wait=${wait}`).then(
      (answer) => {
        at = service.clock.now()
        return answer
      },
    )
    const { body } = await service.clock.advanceUntil('answer', answering)
    return [Math.round((at - began) / 1_000), body.status]
  }

  it('returns on the outcome, before its timeout', async () => {
    const { body } = await post(service, key, order({ msisdn: SUCCEEDS }))
    const [seconds, status] = await waited(body.reference, 25)
    assert.equal(status, 'succeeded')
    assert.ok(seconds < 10, `${seconds} seconds`)
    assert.deepEqual(
      await waited(body.reference, 25),
      [0, 'succeeded'],
      'it already has an outcome',
    )
  })

  it('returns the current state at its timeout, by any name of the payment', async () => {
    service.network.change = () => ({ does: 'hang' })
    const placed = order()
    const { body } = await post(service, key, placed)
    assert.deepEqual(await waited(body.reference, 2), [2, 'pending'])
    assert.deepEqual(await waited(placed.transaction_id, 60), [60, 'pending'])
    assert.deepEqual(await waited(body.reference, 0), [0, 'pending'])
    service.network.change = (reaction) => reaction
  })

  it('accepts whole seconds up to 60, and answers 404 for an unknown payment at once', async () => {
    for (const wait of ['61', '-1', '1.5', '1e1', 'x', '', ' 1', '1&wait=2']) {
      const { code, headers } = await getFrom(service, key, `/payments/unknown?wait=${wait}`)
      assert.deepEqual(
        [code, headers['svc-error-code'], headers['svc-error-param']],
        [400, 'wait_not_valid', 'wait'],
      )
    }
    assert.equal((await getFrom(service, key, '/payments/unknown?wait=60')).code, 404)
    assert.equal((await getFrom(service, key, '/payments/unknown?whatever=60')).code, 404)
  })
})

it('long poll: an outcome from another process arrives within seconds', async () => {
  const service = await openTestService(POSTGRES)
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  const { body } = await post(service, secretKey, order())
  const reference = body.reference as string
  const waiting = getFrom(service, secretKey, `/payments/${reference}?wait=30`)
  await until('long poll', () => service.app.underWay() === 0)
  const { number } = await paymentOf(service, reference)
  await service.db.change(
    `update payments set status = 'failed', due_at = null where reference = :reference`,
    { reference },
  )
  const began = performance.now()
  await writeEvents(service, accountId, [number], 'failed')
  assert.equal((await waiting).body.status, 'failed')
  assert.ok(performance.now() - began < 10_000)
  await service.remove()
})

it('long poll: excess polls return at once, within a limit per account', async () => {
  const [one, other] = [
    (await service.merchant()).accounts.sandbox,
    (await service.merchant()).accounts.sandbox,
  ]
  const watcher = watcherOf(service, 3, 2)
  const watch = async ({ accountId, secretKey }: typeof one) =>
    watcher.watch(accountId, (await post(service, secretKey, order())).body.reference as string)
  const watches = [
    await watch(one),
    await watch(one),
    await watch(one),
    await watch(other),
    await watch(other),
  ]
  const isWatched = watches.map((each) => each !== undefined)
  assert.deepEqual(isWatched, [true, true, false, true, false])
  for (const each of watches) each?.release()
  assert.equal(watcher.waiting(), 0)
  assert.notEqual(await watch(one), undefined)
  watcher.stop()
  assert.equal(await watch(other), undefined)
})

it('long poll: a stream of new outcomes does not postpone the check', async () => {
  const { body } = await post(service, key, order())
  const watcher = watcherOf(service, 1, 1)
  const watch = await watcher.watch(accountId, body.reference as string)
  let isResolved = false
  void watch?.wait(60_000).then(() => {
    isResolved = true
  })
  const { number } = await paymentOf(service, body.reference)
  await writeEvents(service, accountId, [number], 'failed')
  for (let nth = 0; nth < 10; nth++) {
    watcher.eventWritten()
    await service.clock.advance(5)
  }
  assert.equal(isResolved, true)
  watch?.release()
  watcher.stop()
})

it('long poll: a caller who disconnects early is counted as gone, and frees its place', async (t) => {
  // Eight of ten connections may wait.
  const service = await openTestService(SQLITE, { KARBA_CONNECTIONS: '10' })
  t.after(() => service.remove())
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  const name = (await post(service, secretKey, order())).body.reference as string
  const watcher = watcherOf(service, 1, 1)
  const gone = new AbortController()
  const asked = { name, waitMs: 60_000, gone: gone.signal }
  const waiting = waitForPayment({ db: service.db, watcher }, merchantKey(accountId), asked)
  await until('one long poll', () => watcher.waiting() === 1)
  gone.abort()
  assert.equal(watcher.waiting(), 0)
  assert.partialDeepStrictEqual(await waiting, { status: 'pending' })
  watcher.stop()

  const url = `${await service.app.listen({ port: 0, host: '127.0.0.1' })}/api/v1/payments/${name}?wait=60`
  const leave = new AbortController()
  /** Polls again when the check below has taken its place. */
  const poll = async (): Promise<never> => {
    for (;;) await (await fetch(url, { headers: head(secretKey), signal: leave.signal })).text()
  }
  const callers = Array.from({ length: 8 }, () => assert.rejects(poll(), { name: 'AbortError' }))
  async function isAnsweredAtOnce(): Promise<boolean> {
    const began = performance.now()
    await getFrom(service, secretKey, `/payments/${name}?wait=1`)
    return performance.now() - began < 900
  }
  await until('eight connections', async () => (await connectionsOf(service)) === 8)
  await until('eight long polls', isAnsweredAtOnce)
  leave.abort()
  await Promise.all(callers)
  await until('free place', async () => !(await isAnsweredAtOnce()))
})

describe('many long polls', async () => {
  const MANY = tries(300, 5_000)
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const service = await openTestService(undefined, { KARBA_SANDBOX_DELAY_MS: '600000' })
  const key = (await service.merchant()).accounts.sandbox.secretKey
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  after(async () => {
    agent.destroy()
    await service.place.remove()
  })

  function read(path: string) {
    const { port } = service.app.server.address() as AddressInfo
    const where = { agent, port, host: '127.0.0.1', path: `/api/v1/payments/${path}` }
    const asked = request({ ...where, headers: head(key) }).end()
    // Requests of disconnected clients end with an error.
    asked.on('error', () => {})
    const answered = (async () => {
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      answer.resume()
      return answer
    })()
    return { asked, answered }
  }

  it(`${MANY} long polls: creates continue, disconnected polls are removed, and a stop answers the others at once`, async () => {
    const { body } = await post(service, key, order())
    const createMs = async (): Promise<number> => {
      const began = performance.now()
      for (let nth = 0; nth < 50; nth++) assert.equal((await post(service, key, order())).code, 200)
      return (performance.now() - began) / 50
    }
    const aloneMs = await createMs()
    const waiting = Array.from({ length: MANY }, () => read(`${body.reference}?wait=60`))
    await until('connections', async () => (await connectionsOf(service)) >= MANY)
    await until('long polls that are no longer in flight', () => service.app.underWay() === 0)
    const ratio = (await createMs()) / aloneMs
    assert.ok(ratio < 20, `a create takes ${ratio} times as long as without long polls`)
    const leaving = waiting.splice(0, MANY / 2)
    for (const { asked, answered } of leaving) {
      answered.catch(() => {})
      asked.destroy()
    }
    await until('closed connections', async () => (await connectionsOf(service)) <= MANY / 2)
    const stoppedAt = performance.now()
    const closing = service.close()
    const answers = await Promise.all(waiting.map(({ answered }) => answered))
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200])
    await closing
    assert.ok(performance.now() - stoppedAt < 10_000)
    tried(MANY)
  })
})
