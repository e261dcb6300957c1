// karba webhook as the service's operator uses it: beside a running server, with a receiver that answers well or badly.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { addEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import { Cli } from '../../src/cli/cli.ts'
import { webhookCommand } from '../../src/cli/webhook.ts'
import { targetRules } from '../../src/config.ts'
import { secretsBox } from '../../src/service/master-key.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { runKarba } from '../kit/karba.ts'
import type { Ran } from '../kit/process.ts'
import { openReceiver, type Received, type Receiver } from '../kit/receiver.ts'
import { get, openTestService, order, post, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

describe('karba webhook beside a running server', () => {
  let service: TestService
  let receiver: Receiver
  let account: string
  let secretKey: string
  let endpoint: string
  let signingSecret: string
  let reference: string

  before(async () => {
    service = await openTestService()
    receiver = await openReceiver()
    ;({ accountId: account, secretKey } = (await service.merchant()).accounts.sandbox)
  })
  after(async () => {
    await receiver.close()
    await service.remove()
  })

  const karba = (...args: string[]): Promise<Ran> => runKarba(['webhook', ...args], service.place.env)

  async function json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await karba(...args, '--json')
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  /** Succeeds in the answer to the request. */
  async function pay(): Promise<string> {
    const { body } = await post(service, secretKey, order({ msisdn: '40410000100' }))
    const reference = body.reference as string
    await until('success', async () => (await get(service, secretKey, reference)).body.status === 'succeeded')
    return reference
  }

  const verify = ({ headers, body }: Received, secret: string): unknown =>
    new Webhook(secret).verify(body, headers as Record<string, string>)

  it('makes an endpoint that a test reaches at once, with the secrets that were told', async () => {
    const args = ['webhook', 'add', account, '--url', `${receiver.url}/hook`, '--secret-hash', '-', '--json']
    const added = await runKarba(args, service.place.env, 's3cret hash of the shop\n')
    assert.match(added.stdout, /^\{"endpoint":"whe_\w{16}","signing_secret":"whsec_[^"]{44}"\}\n$/)
    ;({ endpoint, signing_secret: signingSecret } = JSON.parse(added.stdout))
    const { code, stdout } = await karba('test', endpoint)
    assert.match(stdout, new RegExp(`^${endpoint}-1 is delivered: it answered 200 in \\d+ ms.\n$`))
    assert.equal(code, 0)
    const received = await receiver.nth(1)
    assert.equal(received.headers['secret-hash'], 's3cret hash of the shop')
    verify(received, signingSecret)
  })

  it('shows why a test did not arrive, and lets no answer draw on the terminal', async () => {
    receiver.answer = { status: 500, text: 'line one\r\n\u001b[31mred\u009b2J\n\n3\n4\n5\n6\n' }
    const failed = await karba('test', endpoint)
    assert.deepEqual([failed.code, failed.stdout], [1, ''])
    assert.match(
      failed.stderr,
      /^karba: Not delivered: it answered 500 in \d+ ms\. It is tried again at \S+Z\. `karba /,
    )
    const name = `${endpoint}-2`
    const [told, [first]] = await Promise.all([karba('delivery', name), json<[Listed]>('deliveries', '--limit', '1')])
    const lines = told.stdout.split('\n')
    assert.match(lines[0] as string, new RegExp(`^${name} {2}webhook.test {2}waiting {2}next `))
    assert.match(lines[3] as string, /^\S+Z {2}it answered 500 in \d+ ms; next \S+Z$/)
    const answer = ['  | line one', '  | \uFFFD[31mred\uFFFD2J', '  | 3', '  | 4', '  | 5', '  | …']
    assert.deepEqual(lines.slice(4, 10), answer)
    assert.deepEqual([first.delivery, first.status, first.account], [name, 'waiting', account])
    const asJson = (await karba('delivery', name, '--json')).stdout
    assert.doesNotMatch(asJson.trimEnd(), /\p{Cc}/u)
    assert.equal(JSON.parse(asJson).attempts[0].answer, receiver.answer.text)
  })

  it('keeps what is owed to an endpoint that is off, and changes secrets without a gap', async () => {
    receiver.answer = { status: 200, text: '' }
    assert.deepEqual(await json('disable', endpoint), { endpoint, status: 'off' })
    reference = await pay()
    const [listed, rolled] = await Promise.all([
      karba('deliveries', endpoint, '--since', '1h'),
      json<{ signing_secret: string }>('roll-secret', endpoint, '--keep-old', '24h'),
      json('roll-secret-hash', endpoint, '--secret-hash', 'another of the shop'),
    ])
    assert.match(listed.stdout, /^QUEUED .* NEXT\n/)
    assert.match(listed.stdout, /payment\.succeeded {2}waiting {11}0 {2}when the endpoint is on\n/)
    const count = receiver.got.length
    await json('enable', endpoint)
    const received = await arrived(({ body }) => body.includes(reference), count)
    assert.equal(received.headers['secret-hash'], 'another of the shop')
    for (const secret of [signingSecret, rolled.signing_secret]) verify(received, secret)
  })

  async function arrived(isIt: (received: Received) => boolean, from: number): Promise<Received> {
    for (let count = from + 1; ; count++) {
      const received = await receiver.nth(count)
      if (isIt(received)) return received
    }
  }

  it('sends again what failed, and one delivery by its name', async () => {
    const name = `${endpoint}-3`
    await service.db.change(`update webhook_deliveries set status = 'failed' where sequence = 3`)
    const failed = await json<Listed[]>('deliveries', account, '--failed')
    assert.deepEqual(
      failed.map(({ delivery }) => delivery),
      [name],
    )
    const count = receiver.got.length
    const ofNobody = await karba('replay', '--failed', '--since', '24h', 'whe_x')
    assert.deepEqual([ofNobody.code, ofNobody.stdout], [1, ''])
    assert.match(ofNobody.stderr, /whe_x: There is no such endpoint/)
    const ofEndpoint = await json('replay', '--failed', '--since', '24h', endpoint)
    assert.deepEqual(ofEndpoint, { deliveries: 1, events: 1 })
    assert.deepEqual(await json('replay', '--failed', '--since', '24h'), { deliveries: 0, events: 0 }, 'sent already')
    const isReplay = (nth: string) => (received: Received) =>
      received.headers['svc-webhook-replay'] === nth && received.body.includes(reference)
    await arrived(isReplay('1'), count)
    assert.deepEqual(await json('replay', name), { deliveries: 1, events: 1 })
    await arrived(isReplay('2'), count)
  })

  it('removes an endpoint, and still tells what was sent to it', async () => {
    const [{ stdout }, [listed]] = await Promise.all([karba('list'), json<[object]>('list', account)])
    const row = `${endpoint}  ${account}  on {6}${receiver.url}/hook {2}payment`
    assert.match(stdout, new RegExp(`^ENDPOINT .* EVENTS\n${row}`))
    assert.doesNotMatch(stdout, /another one|whsec_/)
    assert.deepEqual(Object.keys(listed), ['endpoint', 'account', 'url', 'events', 'status', 'created_at'])
    await json('remove', endpoint)
    const [told, replay] = await Promise.all([
      json<Listed>('delivery', `${endpoint}-1`),
      karba('replay', `${endpoint}-1`),
    ])
    assert.deepEqual([told.status, told.account], ['delivered', account])
    assert.deepEqual([replay.code, replay.stdout], [1, ''])
    assert.match(replay.stderr, /endpoint of this delivery was removed/)
  })

  it('says so when no running Karba took a test up', async () => {
    const { code, stdout, stderr } = await testWithoutServer()
    const { delivery, ...told } = JSON.parse(stdout)
    assert.deepEqual([code, told], [1, { delivered: false }])
    const { error } = JSON.parse(stderr)
    assert.deepEqual([error.code, error.delivery], ['test_not_taken_up', delivery])
    assert.match(error.message, /^No running Karba took the test up within 5\.1 seconds\. /)
  })
})

/** Waits by the clock for as long as an attempt may take, so that is made short. */
async function testWithoutServer(): Promise<Ran> {
  const place = await SQLITE.makePlace({ KARBA_WEBHOOK_TIMEOUT_MS: '100' })
  const runtime = await openRuntime(place.config)
  const { random, master, config } = runtime
  const box = secretsBox(master, random)
  const deps = { ...runtime, box, rules: targetRules(config) }
  const { accounts } = granted(await createMerchant(runtime, TESTER, { name: 'Alone', validateLive: false }))
  const { accountId } = accounts.sandbox
  const input = { accountId, url: 'http://127.0.0.1:1/', secretHash: 'a word of the shop', events: [] }
  const { endpointId } = granted(await addEndpoint(deps, TESTER, input))
  await runtime.close()
  const ran = await runKarba(['webhook', 'test', endpointId, '--json'], place.env)
  await place.remove()
  return ran
}

interface Listed {
  delivery: string
  status: string
  account: string
}

describe('karba webhook: usage', () => {
  const WRONG: [args: string, says: RegExp][] = [
    ['webhook add acc_x --url https://shop.example', /--secret-hash/],
    ['webhook add acc_x --secret-hash x', /--url/],
    ['webhook roll-secret whe_x --keep-old 73h', /72h at the most/],
    ['webhook deliveries --since yesterday', /Say it as 24h or 7d ago, or as 2026-11-15T09:30:00Z/],
    ['webhook deliveries --limit 0', /whole number from 1 to 1000/],
    ['webhook replay', /name one delivery, or use either --failed or --payment/],
    ['webhook replay whe_x-1 --payment y', /name one delivery, or use either --failed or --payment/],
    ['webhook replay --failed --since 24h --payment y', /--since goes with --failed|either --failed or --payment/],
    ['webhook replay --failed', /--failed needs --since/],
    ['webhook replay whe_x-1 --since 24h', /--since goes with --failed/],
  ]
  for (const [args, says] of WRONG) {
    it(`karba ${args} is a usage error, and says why`, async () => {
      const { code, stderr } = await runKarba(args.split(' '), {})
      assert.equal(code, 2)
      assert.match(stderr, says)
    })
  }

  it('every command shows an example', () => {
    const all = webhookCommand(new Cli([], process)).commands
    assert.equal(all.length, 11)
    for (const command of all) {
      let help = ''
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
      assert.match(help, /Examples?:\n {2}(\S+=\S+ )?npm run -s karba -- /, command.name())
    }
  })
})
