// karba listen as a merchant's developer uses it: a process beside a real server, and a receiver that it posts to.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { listMerchants } from '../../src/actions/merchants/list-merchants.ts'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { listFeed } from '../../src/store/webhooks/events.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { type RunningServer, spawnKarba as runKarba, startListen, startProcess } from '../kit/process.ts'
import { openReceiver, type Received, type Receiver } from '../kit/receiver.ts'
import { head, order } from '../kit/service.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

/** Succeeds in the answer to the request. */
const AT_ONCE = '40410000100'

describe('karba listen', () => {
  let place: StorePlace
  let server: RunningServer
  let store: Runtime
  let receiver: Receiver
  let secretKey: string
  const listening: RunningServer[] = []

  before(async () => {
    // PostgreSQL, since the commands' tests are on SQLite.
    place = await (STORES[1] as (typeof STORES)[number]).makePlace()
    server = await startProcess(place.env)
    store = await openRuntime(place.config)
    receiver = await openReceiver()
    secretKey = /sk_sandbox_\w+/.exec(server.printed())?.[0] as string
  })
  after(async () => {
    // Those that a failed test has left.
    await Promise.all(listening.map((one) => one.end('SIGKILL')))
    await receiver.close()
    await store.close()
    await server.end('SIGTERM')
    await place.remove()
  })

  /** Without any setting of the service but the folder. */
  const env = () => ({ KARBA_DATA_DIR: place.env.KARBA_DATA_DIR as string, SVC_SECRET_KEY: secretKey })

  const listen = (...args: string[]): Promise<RunningServer> => listenTo('', args)

  async function listenTo(input: string, args: string[]): Promise<RunningServer> {
    const whole = ['--forward-to', `${receiver.url}/hook?shop=7`, '--url', server.url, ...args]
    const one = await startListen(whole, env(), { input })
    listening.push(one)
    return one
  }

  async function pay(): Promise<string> {
    const body = JSON.stringify(order({ msisdn: AT_ONCE, customer_name: 'Épicerie "Awa" 😀' }))
    const answer = await fetch(`${server.url}/api/v1/payments`, { method: 'POST', headers: head(secretKey), body })
    return ((await answer.json()) as { reference: string }).reference
  }

  async function payloads(): Promise<string[]> {
    const [demo] = granted(await listMerchants(store, TESTER, {})).rows
    return (await listFeed(store.db, demo?.accounts[0]?.accountId as string, 0, 100)).map(({ payload }) => payload)
  }

  async function said(one: RunningServer, what: RegExp): Promise<void> {
    await until(`line like ${what}`, () => what.test(one.printed()))
  }

  const secretsOf = (printed: string): string[] =>
    [/Secret-Hash +(\S+)/, /signing secret +(\S+)/].map((line) => line.exec(printed)?.[1] as string)

  function assertGenuine({ headers, body }: Received, [secretHash, signingSecret]: string[]): void {
    assert.equal(headers['secret-hash'], secretHash)
    new Webhook(signingSecret as string).verify(body, headers as Record<string, string>)
  }

  it('posts what the webhook would carry, goes on after a restart where it was, and tells replays', async () => {
    const before = await pay()
    const first = await listen()
    const secrets = secretsOf(first.printed())
    const reference = await pay()
    const one = await receiver.nth(1)
    assert.deepEqual([one.path, one.headers['user-agent']], ['/hook?shop=7', 'Karba-Webhooks/1'])
    const [unheard, told] = await payloads()
    assert.match(unheard as string, new RegExp(before))
    assert.equal(one.body.toString('utf8'), told)
    assertGenuine(one, secrets)
    assert.equal(await first.end('SIGINT'), 0)
    assert.match(first.printed(), new RegExp(`Z {2}payment.succeeded {2}${reference} {2}200 {2}\\d+ ms\n$`))

    const whileAway = await pay()
    const second = await listen()
    assert.match(second.printed(), / from event 3 on\n/)
    assert.deepEqual(secretsOf(second.printed()), secrets)
    assert.match((await receiver.nth(2)).body.toString(), new RegExp(whileAway))

    const { stdout } = await runKarba(['webhook', 'replay', '--payment', reference, '--json'], place.env)
    assert.deepEqual(JSON.parse(stdout), { deliveries: 0, events: 1 })
    const again = await receiver.nth(3)
    assert.deepEqual([again.body, again.headers['webhook-id']], [one.body, one.headers['webhook-id']])
    assert.equal(again.headers['svc-webhook-replay'], '1')
    assert.equal(one.headers['svc-webhook-replay'], undefined)
    assertGenuine(again, secrets)
    assert.equal(await second.end('SIGTERM'), 0)

    const files = readdirSync(env().KARBA_DATA_DIR).filter((name) => name.startsWith('listen-'))
    assert.equal(files.length, 1)
    const file = join(env().KARBA_DATA_DIR, files[0] as string)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const { after, replaysAfter } = JSON.parse(readFileSync(file, 'utf8'))
    assert.deepEqual([after, replaysAfter], [3, 1])
  })

  it('begins with the first event when told so, takes any answer for one, and waits for a receiver that is down', async () => {
    const keyFile = join(env().KARBA_DATA_DIR, 'key')
    writeFileSync(keyFile, `${secretKey}\n`)
    const cursor = join(env().KARBA_DATA_DIR, 'elsewhere', 'cursor.json')
    receiver.got.length = 0
    receiver.answer.status = 500
    const given = ['whatever you chose', `whsec_${Buffer.alloc(32, 7).toString('base64')}`] as const
    const secrets = ['--secret-hash', given[0], '--signing-secret', given[1]]
    const one = await listen('--from-start', '--cursor', cursor, '--key-file', keyFile, ...secrets)
    await receiver.nth(4)
    assert.deepEqual(
      receiver.got.slice(0, 3).map(({ body }) => body.toString()),
      await payloads(),
    )
    for (const received of receiver.got) assertGenuine(received, [...given])
    assert.doesNotMatch(one.printed(), /whatever you chose|whsec_/)
    assert.match(one.printed(), / {2}500 {2}\d+ ms\n/)

    await receiver.close()
    const references = [await pay(), await pay()]
    // Refused, or cut where it was kept open.
    await said(one, /not taken: the connection was /)
    await receiver.open()
    const late = [await receiver.nth(5), await receiver.nth(6)].map(({ body }) => body.toString())
    // In the order of the feed, which is that of settling: two that were made together may change places.
    assert.deepEqual(late, (await payloads()).slice(3))
    assert.deepEqual(late.map((body) => JSON.parse(body).data.reference).sort(), references.sort())
    assert.equal(await one.end('SIGTERM'), 0)
    assert.equal(one.printed().split('not taken').length, 2)
    assert.equal(JSON.parse(readFileSync(cursor, 'utf8')).after, 5)
  })

  it('takes its key and both secrets from standard input, one line each', async () => {
    receiver.got.length = 0
    receiver.answer.status = 200
    const given = ['from standard input', `whsec_${Buffer.alloc(32, 9).toString('base64')}`]
    const cursor = join(env().KARBA_DATA_DIR, 'elsewhere', 'piped.json')
    const dashes = ['--key-file', '-', '--secret-hash', '-', '--signing-secret', '-', '--cursor', cursor]
    const one = await listenTo(`${[secretKey, ...given].join('\r\n')}\n`, dashes)
    await pay()
    assertGenuine(await receiver.nth(1), given)
    assert.equal(await one.end('SIGTERM'), 0)
    assert.doesNotMatch(one.printed(), /from standard input|whsec_/)

    const { code, stderr } = await runKarba(
      ['listen', '--forward-to', receiver.url, ...dashes],
      env(),
      `${secretKey}\n`,
    )
    assert.equal(code, 1)
    assert.equal(stderr, 'karba: Standard input must have one line for each -: 3. It has 1.\n')
  })

  describe('when something is wrong', { concurrency: true }, () => {
    it('says once that the service is down, and goes on asking until it is ended', async () => {
      const nobody = await openReceiver()
      await nobody.close()
      const args = ['--forward-to', receiver.url, '--url', nobody.url]
      const one = await startListen(args, env(), {
        isReady: /(http\S+) does not answer: the connection was refused/,
      })
      listening.push(one)
      await pause(1_300)
      assert.equal(await one.end('SIGINT'), 0)
      assert.equal(one.printed().split('\n').length, 2)
    })

    it('a wrong key is one sentence', async () => {
      const wrong = { ...env(), SVC_SECRET_KEY: secretKey.replace('sk_sandbox_', 'sk_live_') }
      const args = ['listen', '--forward-to', receiver.url, '--url', server.url]
      const [malformed, revoked] = await Promise.all([
        runKarba(args, wrong),
        runKarba([...args, '--environment', 'live'], env()),
      ])
      const sentence = 'That is not a secret key. It begins with sk_sandbox_ or sk_live_; was it copied whole?'
      assert.deepEqual(malformed, { code: 1, stdout: '', stderr: `karba: ${sentence}\n` })
      const notKnown = `${server.url} does not know this key in live. Use a secret key of this service that is valid.`
      assert.deepEqual(revoked, { code: 1, stdout: '', stderr: `karba: ${notKnown}\n` })
    })
  })
})
