// The rules that every network's connector keeps, against its simulator: without sockets on a virtual clock, over HTTP, and in a whole service.
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { Agent } from 'undici'
import type { ConformanceNetwork, WireCallback, WireRequest } from '../../../simulators/src/network.ts'
import { type NetworkServer, startNetworkServer } from '../../../simulators/src/network-server.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { makeLog } from '../../src/observability/log.ts'
import type { Connection } from '../../src/operators/connector.ts'
import { type Call, type CallResult, type Send, sender } from '../../src/operators/http-call.ts'
import type { Collection, Reversal } from '../../src/operators/operator.ts'
import { TESTER } from '../kit/callers.ts'
import { rulesOf } from '../kit/rules-of.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { get, order, post } from '../kit/service.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { directSend, FIRST_TRY, type NetworkUnderTest, openServiceOnNetwork, type ServiceOnNetwork } from './harness.ts'
import { NETWORKS, type NetworkName } from './networks.ts'

const DEADLINE_MS = 10_000
const DECIDE_AFTER_MS = 3_000
const MINUTE_MS = 60_000
const LONGEST_WHY = 120

interface Described {
  /** With country codes: a payer who approves, and one without funds. */
  payer: string
  noFunds: string
  /** Faults: the request is taken and its answer lost, never answered; a gateway answers everything with 403 and a page. */
  lost: string
  silent: string
  gatewayPage: string
  /** Whether only the network can have sent its callbacks. */
  genuine: boolean
  /** Whether refunds are made in the network's dashboard alone. */
  refundsByHand?: true
}

const DESCRIBED: Readonly<Record<NetworkName, Described>> = {
  mtn: {
    payer: '2290197000000',
    noFunds: '2290197000002',
    lost: 'cut_after_taking',
    silent: 'silent_after_taking',
    gatewayPage: 'gateway_403_page',
    genuine: false,
  },
  airtel: {
    payer: '22797000000',
    noFunds: '22797000007',
    lost: 'answer_is_cut',
    silent: 'answer_never_comes',
    gatewayPage: 'address_not_allowed',
    genuine: true,
  },
  fedapay: {
    payer: '2290164000001',
    noFunds: '2290166000003',
    lost: 'prompt_cut',
    silent: 'prompt_silent',
    gatewayPage: 'gateway_page',
    genuine: true,
    refundsByHand: true,
  },
  pawapay: {
    payer: '2290151345789',
    noFunds: '2290151345049',
    lost: 'cut_after_registering',
    silent: 'never_answers',
    gatewayPage: 'gateway_refuses',
    genuine: true,
  },
}

const referenceOf = (number: number): string => String(number).padStart(24, '0')

const collectionOf = ({ operator }: NetworkUnderTest, msisdn: string, number = 1): Collection => ({
  reference: referenceOf(number),
  ...{ operator, msisdn, amountXof: 1_500, publicReference: 'KB-1042', ...FIRST_TRY },
})

const reversalOf = ({ operator }: NetworkUnderTest, operatorReference: string, number = 1): Reversal => ({
  refundReference: referenceOf(900_000 + number),
  reference: referenceOf(number),
  ...{ operatorReference, networkId: null, operator, amountXof: 1_500 },
})

/** The connection of a network without sockets; `send` in the simulator's place. */
function connect(underTest: NetworkUnderTest, { send, options = {} }: { send?: Send; options?: object } = {}) {
  const clock = virtualClock()
  const callbacks: WireCallback[] = []
  const sendCallback = async (callback: WireCallback): Promise<number> => {
    callbacks.push(callback)
    return 200
  }
  const network = underTest.makeNetwork({
    clock,
    random: seededRandom(7),
    decideAfterMs: DECIDE_AFTER_MS,
    sendCallback,
  })
  const callbacksAt = `https://karba.example/operators/sandbox/${underTest.connector.name}-test/callback`
  const connection: Connection = underTest.connector.connect(
    {
      ...{ name: 'under-test', environment: 'sandbox', clock, random: seededRandom(1), deadlineMs: DEADLINE_MS },
      send: send ?? directSend(network, { clock, timeoutMs: DEADLINE_MS }),
      callbackUrl: (reference) => `${callbacksAt}/${reference}`,
    },
    { ...underTest.options(network), ...options },
  )
  const run = <T>(work: Promise<T>): Promise<T> => clock.advanceUntil('answer', work)
  return { ...connection, clock, network, callbacks, run }
}

/** Everything that a connector can be asked, in order. */
async function everyAnswer(underTest: NetworkUnderTest, opened: ReturnType<typeof connect>, payer: string) {
  const { operator, check, run, clock } = opened
  const told: unknown[] = [await run(operator.request(collectionOf(underTest, payer)))]
  await clock.advance(DECIDE_AFTER_MS)
  told.push(await run(operator.status(referenceOf(1))))
  const reversal = reversalOf(underTest, 'MP261115.0930.L00001')
  told.push(await run(operator.refund(reversal)), await run(operator.refundStatus(reversal)), await run(check()))
  return told
}

/** What a client sends to show who it is. */
const SECRET_HEADERS = ['authorization', 'ocp-apim-subscription-key', 'x-key', 'x-signature']
/** Shorter ones are words: mtnbenin, XOF. */
const SHORTEST_SECRET = 12

function assertNoSecret(text: string, secrets: Iterable<string>, about: string): void {
  const known = [...secrets].filter((secret) => secret.length >= SHORTEST_SECRET)
  assert.ok(known.length > 0, 'there is something to look for')
  for (const secret of known) assert.ok(!text.includes(secret), `a secret is in ${about}`)
}

/** A network that repeats in every field of its answers what it was sent. */
const echo =
  (code: number, isToken: boolean): Send =>
  async (call: Call): Promise<CallResult> => {
    const words = `${JSON.stringify(call)} canary-of-the-network`
    if (isToken && call.path.includes('token') && call.method === 'POST')
      return {
        code: 200,
        headers: {},
        body: { access_token: 'canary-token-0001', token: 'canary-token-0001', expires_in: 180 },
      }
    const failureReason = { failureCode: words, failureMessage: words }
    const status = { code: words, success: false, response_code: words, result_code: words, message: words }
    const data = {
      status: words,
      failureReason,
      transaction: { status: words, message: words, airtel_money_id: words },
    }
    const names = ['code', 'message', 'error', 'reason', 'currency', 'amount', 'status_code']
    const body = { ...Object.fromEntries(names.map((name) => [name, words])), status, failureReason, data }
    return { code, headers: { date: words }, body: code === 502 ? `<html>${words}</html>` : body }
  }

for (const [name, described] of Object.entries(DESCRIBED)) {
  const underTest: NetworkUnderTest = NETWORKS[name as NetworkName]
  const { rule } = rulesOf(underTest.connector.name)
  const { payer } = described
  const request = collectionOf(underTest, payer)

  describe(`${underTest.connector.name}: rules of every network`, () => {
    rule('a request is accepted, and its status says when it has succeeded', async () => {
      const { operator, network, clock, run } = connect(underTest)
      assert.equal((await run(operator.request(request))).is, 'accepted')
      assert.equal((await run(operator.status(request.reference))).is, 'accepted')
      await clock.advance(DECIDE_AFTER_MS)
      const answer = await run(operator.status(request.reference))
      assert.ok(answer.is === 'succeeded' && answer.operatorReference !== '')
      assert.ok([1_500, undefined].includes(answer.amountXof))
      const [booked, ...more] = network.books()
      assert.deepEqual([booked?.debits, booked?.requests, booked?.amountXof, more], [1, 1, 1_500, []])
    })

    rule('a reference that the network does not know is not_known', async () => {
      const { operator, run } = connect(underTest)
      assert.deepEqual(await run(operator.status(referenceOf(5))), { is: 'not_known' })
    })

    rule('a request that is sent twice is made once, and the second answer is its state', async () => {
      const { operator, network, clock, run } = connect(underTest)
      await run(operator.request(request))
      assert.equal((await run(operator.request(request))).is, 'accepted')
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal((await run(operator.request(request))).is, 'succeeded')
      assert.deepEqual(
        network.books().map(({ debits }) => debits),
        [1],
      )
    })

    rule('a request whose answer is lost may have been taken: only the status tells', async () => {
      const { operator, network, clock, run } = connect(underTest)
      network.faults.on(described.lost, 1)
      const answer = await run(operator.request(request))
      assert.ok(answer.is === 'unknown' && answer.neverLeft === undefined && answer.misconfigured === undefined)
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal((await run(operator.status(request.reference))).is, 'succeeded')
      assert.equal((await run(operator.request(request))).is, 'succeeded')
      assert.deepEqual(
        network.books().map(({ debits }) => debits),
        [1],
      )
    })

    rule('a request that is never answered ends within its deadline', async () => {
      const { operator, network, clock, run } = connect(underTest)
      network.faults.on(described.silent)
      const began = clock.now()
      assert.equal((await run(operator.request(request))).is, 'unknown')
      assert.ok(clock.now() - began <= DEADLINE_MS + 1_000)
    })

    rule('a payer without funds is declined as insufficient_funds', async () => {
      const { operator, network, clock, run } = connect(underTest)
      await run(operator.request(collectionOf(underTest, described.noFunds)))
      await clock.advance(DECIDE_AFTER_MS)
      const answer = await run(operator.status(request.reference))
      assert.equal(answer.is === 'declined' && answer.reason, 'insufficient_funds')
      assert.equal(network.books()[0]?.debits, 0)
    })

    rule('a page of a gateway was never a request, and somebody must correct the connection', async () => {
      const { operator, network, run } = connect(underTest)
      network.faults.on(described.gatewayPage)
      const answer = await run(operator.request(request))
      assert.ok(answer.is === 'unknown' && answer.neverLeft === true && answer.misconfigured !== undefined)
      assert.deepEqual(network.books(), [])
    })

    rule('a callback names its payment, and what is no callback names none', async () => {
      const { operator, callbacks, clock, run } = connect(underTest)
      await run(operator.request(request))
      await clock.advance(DECIDE_AFTER_MS)
      const [callback] = callbacks
      assert.ok(callback)
      const { method, url, headers, body } = callback
      const { host, pathname } = new URL(url)
      const path = pathname.split('/callback/')[1] ?? ''
      const received = { method, path, headers: { host, ...headers }, body: Buffer.from(body) }
      // pawaPay's keys are fetched when the first callback comes.
      operator.parseCallback(received)
      await clock.settle()
      const read = operator.parseCallback(received)
      assert.deepEqual([read?.reference, read?.isGenuine], [request.reference, described.genuine])
      for (const wrong of ['', 'null', '[]', '{', '{}', '{"transaction":null}', '{"entity":[]}', '{"depositId":7}'])
        assert.equal(operator.parseCallback({ ...received, path: '', body: Buffer.from(wrong) }), undefined, wrong)
    })

    rule('a refund goes back once, or waits for a person', async () => {
      const { operator, network, clock, run } = connect(underTest)
      await run(operator.request(request))
      await clock.advance(DECIDE_AFTER_MS)
      const paid = await run(operator.status(request.reference))
      assert.ok(paid.is === 'succeeded')
      const reversal = reversalOf(underTest, paid.operatorReference)
      const answer = await run(operator.refund(reversal))
      if (described.refundsByHand === true) assert.equal(answer.is, 'by_hand')
      else assert.ok(['accepted', 'succeeded'].includes(answer.is))
      await clock.advance(DECIDE_AFTER_MS)
      await run(operator.refund(reversal))
      assert.equal(network.books()[0]?.refunds, described.refundsByHand === true ? 0 : 1)
    })

    rule('a check of a connection that works finds nothing wrong', async () => {
      const { operator, check, run } = connect(underTest)
      await run(operator.request(request))
      assert.deepEqual(
        (await run(check())).filter(({ is }) => is === 'wrong'),
        [],
      )
    })

    rule('no fault makes the connector throw, tell a secret or tell at length', async () => {
      const { network } = connect(underTest)
      for (const fault of Object.keys(network.faults.known)) {
        const opened = connect(underTest)
        opened.network.faults.on(fault)
        if (name === 'fedapay') opened.network.faults.on('key_in_errors')
        const text = JSON.stringify(await everyAnswer(underTest, opened, payer))
        assertNoSecret(text, [...Object.values(network.credentials), payer.slice(-8).padStart(12, 'x')], fault)
        assert.ok(!text.includes(payer.slice(-8)), `the payer’s number with ${fault}`)
        for (const [why] of text.matchAll(/"why":"[^"]*"/g))
          assert.ok(why.length <= LONGEST_WHY + 10, `${fault}: ${why}`)
      }
    })

    rule('a network that repeats our secrets in every field is not quoted', async () => {
      for (const code of [200, 202, 400, 401, 403, 404, 408, 409, 429, 500, 502, 503]) {
        for (const isToken of [true, false]) {
          const opened = connect(underTest, { send: echo(code, isToken) })
          const text = JSON.stringify(await everyAnswer(underTest, opened, payer))
          assertNoSecret(text, Object.values(opened.network.credentials), `HTTP ${code}`)
          assert.doesNotMatch(text, new RegExp(`canary|Bearer|Basic|${payer.slice(-8)}`), `HTTP ${code}`)
        }
      }
    })
  })

  describe(`${underTest.connector.name}: over HTTP`, () => {
    const clock = virtualClock()
    const agent = new Agent()
    let network: ConformanceNetwork
    let server: NetworkServer
    before(async () => {
      const deps = { clock, random: seededRandom(1), decideAfterMs: 0, sendCallback: async () => 200 }
      network = underTest.makeNetwork(deps)
      server = await startNetworkServer(network, { clock })
    })
    after(async () => {
      await agent.destroy()
      await server.close()
    })
    const over = (url: string) => connect(underTest, { send: sender(agent, url, { clock, timeoutMs: DEADLINE_MS }) })

    rule('over HTTP a payment is requested, read, and found after a connection that broke', async () => {
      const { operator } = over(`${server.url}/`)
      assert.equal((await operator.request(request)).is, 'accepted')
      assert.equal((await operator.status(request.reference)).is, 'succeeded')
      assert.deepEqual(await operator.status(referenceOf(9)), { is: 'not_known' })
      network.faults.on(described.lost, 1)
      const second = collectionOf(underTest, payer, 2)
      const answer = await operator.request(second)
      assert.ok(answer.is === 'unknown' && answer.neverLeft === undefined)
      assert.equal((await operator.request(second)).is, 'succeeded')
      assert.deepEqual(
        network.books().map(({ debits }) => debits),
        [1, 1],
      )
    })

    rule('over HTTP a network that is not there has received nothing', async () => {
      const answer = await over('http://127.0.0.1:9').operator.request(collectionOf(underTest, payer, 3))
      assert.ok(answer.is === 'unknown' && answer.neverLeft === true)
    })
  })

  describe(`${underTest.connector.name}: secrets`, () => {
    rule('no secret is in logs, answers, metrics, stories or any table of a whole service', async () => {
      const lines: string[] = []
      const secrets = new Set<string>()
      const log = makeLog('debug', { write: (line) => void lines.push(line) })
      const service = await openServiceOnNetwork(watching(underTest, secrets), undefined, { log })
      try {
        for (const value of Object.values(service.network.credentials)) secrets.add(value)
        const { secretKey } = (await service.merchant()).accounts.sandbox
        const answers = await liveThrough(service, secretKey, underTest)
        assert.ok(lines.length > 10, 'the log says something')
        const places = { log: lines.join(''), answers, tables: await allTables(service) }
        for (const [place, text] of Object.entries(places)) assertNoSecret(text, secrets, place)
      } finally {
        await service.remove()
      }
    })
  })
}

/** The same network; whatever shows it who we are is noted. */
function watching(underTest: NetworkUnderTest, secrets: Set<string>): NetworkUnderTest {
  const makeNetwork: NetworkUnderTest['makeNetwork'] = (deps) => {
    const network = underTest.makeNetwork(deps)
    const handle = (request: WireRequest) => {
      for (const name of SECRET_HEADERS) secrets.add((request.headers[name] ?? '').replace(/^(Bearer|Basic) /, ''))
      return network.handle(request)
    }
    return { ...network, handle }
  }
  return { ...underTest, makeNetwork }
}

async function liveThrough(service: ServiceOnNetwork, secretKey: string, underTest: NetworkUnderTest): Promise<string> {
  const { network, clock } = service
  const body = () => order({ msisdn: underTest.msisdn, country: underTest.operator.endsWith('_bj') ? 'BJ' : 'NE' })
  const said: unknown[] = []
  const paid = (await post(service, secretKey, body())).body
  await clock.advance(10_000)
  const read = await get(service, secretKey, paid.reference as string)
  assert.equal(read.body.status, 'succeeded')
  said.push(paid, read.body, await refundPayment(service, TESTER, { name: paid.reference as string }))
  await clock.advance(10_000)
  // Every fault that there is, for a while each: errors that quote what they were sent are among them.
  for (const fault of Object.keys(network.faults.known)) {
    network.faults.on(fault)
    said.push((await post(service, secretKey, body())).body)
    await clock.advance(3_000)
    network.faults.allOff()
  }
  await clock.advance(MINUTE_MS)
  said.push((await service.app.inject('/metrics')).body, service.dispatcher.health())
  return JSON.stringify(said)
}

async function allTables({ db }: ServiceOnNetwork): Promise<string> {
  const tables = await db.rows<{ name: string }>(`select name from sqlite_master where type = 'table'`)
  const rows = await Promise.all(tables.map(({ name }) => db.rows<object>(`select * from ${name}`)))
  return JSON.stringify(rows)
}
