// The rules of every network's connector, against its simulator: without sockets on a virtual
// clock, over HTTP, and in a whole service.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Agent } from 'undici'
import { z } from 'zod'
import type {
  ConformanceNetwork,
  WireCallback,
  WireReaction,
  WireRequest,
} from '../../../simulators/src/network.ts'
import { type NetworkServer, startNetworkServer } from '../../../simulators/src/network-server.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { goToOf } from '../../src/domain/methods/payer-step.ts'
import type { RefundAnswer } from '../../src/domain/payments/operator-report.ts'
import { isFailureReason } from '../../src/domain/payments/payment-status.ts'
import { makeLog } from '../../src/observability/log.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import { type Call, type CallResult, sender } from '../../src/operators/http-call.ts'
import { column, TESTER } from '../kit/callers.ts'
import { INHERITED_NAMES, namesInJson, namesInMessage } from '../kit/generated.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { get, post, rowsByTable } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { until } from '../kit/waiting.ts'
import {
  DEADLINE_MS,
  DECIDE_AFTER_MS,
  type NetworkUnderTest,
  type Opened,
  openConnection,
  openServiceOnNetwork,
  orderOn,
  received,
  referenceOf,
  type ServiceOnNetwork,
  type Setting,
  sessionOf,
} from './harness.ts'
import { NETWORKS, type NetworkName, rulesOf } from './networks.ts'

const MINUTE_MS = 60_000
const LONGEST_WHY = 120

interface Described {
  /** With its country code: a payer without funds. */
  noFunds: string
  /**
   * Faults: the request is accepted and its answer lost or never sent; a gateway answers everything
   * with 403 and a page.
   */
  lost: string
  silent: string
  gatewayPage: string
  /** Whether callbacks are authenticated. */
  genuine: boolean
  /**
   * The answers to a refund and to its later status call; by hand where the network has no status
   * call.
   */
  refund: [first: RefundAnswer['is'], later: RefundAnswer['is']]
  /** The lines of `check` for a connection over HTTP, without the line about the clock. */
  checked: CheckLine['is'][]
  /** Settings under which no secret may be quoted, with the secrets that they add. */
  settings: { options?: object; secrets?: string[] }[]
  /** Options that are refused; the message about them must not contain CANARY. */
  refused: object[]
  /** Makes the network quote keys in its errors. */
  loud?: string
  /** Of the network over HTTP, and of the connection to it. */
  overHttp?: { network: object; options: object }
}

const CANARY = 'canary-of-a-secret-0001'
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const SIGNING_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const KEY_LINES = SIGNING_KEY.split('\n').filter(
  (line) => line.length > 20 && !line.startsWith('-'),
)
const right = (count: number): 'right'[] => Array.from({ length: count }, () => 'right')

const DESCRIBED: Readonly<Record<NetworkName, Described>> = {
  mtn: {
    noFunds: '2290197000002',
    lost: 'cut_after_taking',
    silent: 'silent_after_taking',
    gatewayPage: 'gateway_403_page',
    genuine: false,
    refund: ['accepted', 'succeeded'],
    checked: right(5),
    settings: [{}],
    refused: [{ subscriptionKey: CANARY, apiUser: CANARY, apiKey: CANARY, currency: 'francs' }],
  },
  airtel: {
    noFunds: '22797000007',
    lost: 'answer_is_cut',
    silent: 'answer_never_comes',
    gatewayPage: 'address_not_allowed',
    genuine: true,
    refund: ['succeeded', 'by_hand'],
    checked: [...right(3), 'not_known'],
    settings: [{}, { options: { version: 2 } }],
    refused: [{ clientId: CANARY, clientSecret: CANARY, callbackKey: CANARY, version: 3 }],
    overHttp: { network: { requiresSigning: true }, options: { version: 2 } },
  },
  fedapay: {
    noFunds: '2290166000003',
    lost: 'prompt_cut',
    silent: 'prompt_silent',
    gatewayPage: 'gateway_page',
    genuine: true,
    refund: ['by_hand', 'by_hand'],
    checked: right(7),
    settings: [
      {},
      {
        options: { secretKey: `sk_live_${CANARY}`, webhookSecret: `wh_${CANARY}` },
        secrets: [CANARY],
      },
      { options: { customerEmail: 'awa@boutique.test' }, secrets: ['awa@boutique.test'] },
    ],
    refused: [{ secretKey: CANARY, webhookSecret: CANARY, xofCurrencyId: 'XOF' }],
    loud: 'key_in_errors',
  },
  pawapay: {
    noFunds: '2290151345049',
    lost: 'cut_after_registering',
    silent: 'never_answers',
    gatewayPage: 'gateway_refuses',
    genuine: true,
    refund: ['accepted', 'succeeded'],
    checked: right(10),
    settings: [
      {},
      {
        options: {
          apiToken: CANARY,
          signingKey: SIGNING_KEY,
          signingKeyId: 'K1',
          callbacks: 'signed',
        },
        secrets: [CANARY, ...KEY_LINES],
      },
    ],
    refused: [
      { apiToken: 'token', signingKey: CANARY, signingKeyId: 'K1' },
      { apiToken: CANARY, surprise: true },
      { apiToken: CANARY, signingKey: SIGNING_KEY },
    ],
  },
}

/**
 * Every answer that a connector can give, in order. The address of a page is for the payer alone.
 */
async function everyAnswer({
  request,
  status,
  refund,
  refundStatus,
  hosted,
  check,
  run,
  clock,
}: Opened) {
  const answers: unknown[] = [await request(), await request({ amountXof: 0 }, 2)]
  if (hosted) await run(hosted.open(sessionOf(3)))
  if (hosted) answers.push(await run(hosted.cancel(referenceOf(3))))
  await clock.advance(DECIDE_AFTER_MS)
  const reversal = { operatorReference: 'MP261115.0930.L00001' }
  answers.push(
    await status(),
    await refund(reversal),
    await refundStatus(reversal),
    await run(check()),
  )
  return JSON.stringify(answers)
}

/** The credentials that a client sends. */
const SECRET_HEADERS = ['authorization', 'ocp-apim-subscription-key', 'x-key', 'x-signature']
/** Shorter ones are words: mtnbenin, XOF. */
const SHORTEST_SECRET = 12

/**
 * A token's header, encoded: `{"typ` or `{"alg`. A random reference can contain the first three
 * characters.
 */
const JWT = /eyJ(0eXAi|hbGci)/

function assertNoSecret(text: string, secrets: Iterable<string>, about: string): void {
  const known = [...secrets].filter((secret) => secret.length >= SHORTEST_SECRET)
  assert.ok(known.length > 0, 'there is something to look for')
  for (const secret of known) assert.ok(!text.includes(secret), `a secret is in ${about}`)
  assert.doesNotMatch(text, JWT, `a token is in ${about}`)
}

const SIGNED_WITH = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .publicKey.export({ type: 'spki', format: 'der' })
  .toString('base64')

/**
 * Bodies that repeat the request: in every field, and in the forms of a refusal and of a failure.
 */
const ECHOES: ((words: string) => unknown)[] = [
  (words) => {
    const failureReason = { failureCode: words, failureMessage: words }
    const status = {
      code: words,
      success: false,
      response_code: words,
      result_code: words,
      message: words,
    }
    const transaction = { status: words, message: words, airtel_money_id: words, currency: words }
    const names = ['code', 'message', 'error', 'reason', 'currency', 'amount', 'status_code']
    const repeated = Object.fromEntries(names.map((name) => [name, words]))
    return {
      ...repeated,
      status,
      failureReason,
      data: { status: words, failureReason, transaction },
    }
  },
  (words) => ({
    status: 'REJECTED',
    failureReason: { failureCode: 'INVALID_INPUT', failureMessage: words },
  }),
  (words) => ({
    status: 'FOUND',
    data: {
      status: 'FAILED',
      failureReason: { failureCode: 'UNKNOWN_ERROR', failureMessage: words },
    },
  }),
  (words) => `<html>${words}</html>`,
]

const echo =
  (code: number, body: (words: string) => unknown, isToken: boolean) =>
  (call: Call): CallResult => {
    const words = `${JSON.stringify(call)} canary-of-the-network`
    const token = { access_token: 'canary-token-0001', token: 'canary-token-0001', expires_in: 180 }
    if (isToken && call.path.includes('token') && call.method === 'POST')
      return { code: 200, headers: {}, body: token }
    if (call.path.endsWith('/encryption-keys'))
      return { code: 200, headers: {}, body: { data: { key: SIGNED_WITH } } }
    return { code, headers: { date: words }, body: body(words) }
  }

for (const [name, described] of Object.entries(DESCRIBED)) {
  const underTest: NetworkUnderTest = NETWORKS[name as NetworkName]
  const { rule } = rulesOf(underTest.connector.name)
  const payer = underTest.payer.slice(-8)
  const open = (setting?: Setting) => openConnection(underTest, setting)
  const debitsOf = ({ network }: Opened): number[] => network.books().map(({ debits }) => debits)

  describe(`${underTest.connector.name}: rules of every network`, () => {
    rule('a request is accepted, and its status reports the success', async () => {
      const { request, status, network, clock } = open()
      assert.equal((await request()).is, 'accepted')
      assert.equal((await status()).is, 'accepted')
      await clock.advance(DECIDE_AFTER_MS)
      const answer = await status()
      assert.ok(answer.is === 'succeeded' && answer.operatorReference !== '')
      assert.ok([1_500, undefined].includes(answer.amountXof))
      const [booked, ...more] = network.books()
      assert.deepEqual(
        [booked?.debits, booked?.requests, booked?.amountXof, more],
        [1, 1, 1_500, []],
      )
    })

    rule('a reference unknown to the network is not_known', async () => {
      assert.deepEqual(await open().status(5), { is: 'not_known' })
    })

    rule(
      'a request that is sent twice is made once, and the second answer is its state',
      async () => {
        const network = open()
        await network.request()
        assert.equal((await network.request()).is, 'accepted')
        await network.clock.advance(DECIDE_AFTER_MS)
        assert.equal((await network.request()).is, 'succeeded')
        assert.deepEqual(debitsOf(network), [1])
      },
    )

    for (const fault of [described.lost, described.silent]) {
      rule(
        `a request with ${fault} has an unknown outcome until a status call, and ends in time`,
        async () => {
          const network = open({ faults: [`${fault}*1`] })
          const began = network.clock.now()
          const answer = await network.request()
          assert.ok(
            answer.is === 'unknown' &&
              answer.neverLeft === undefined &&
              answer.misconfigured === undefined,
          )
          assert.ok(network.clock.now() - began <= DEADLINE_MS + 1_000)
          await network.clock.advance(DECIDE_AFTER_MS)
          assert.deepEqual(
            [(await network.status()).is, (await network.request()).is],
            ['succeeded', 'succeeded'],
          )
          assert.deepEqual(debitsOf(network), [1])
        },
      )
    }

    rule('a payer without funds is declined as insufficient_funds', async () => {
      const network = open()
      const answer = await network.paid({ msisdn: described.noFunds })
      assert.partialDeepStrictEqual(answer, { is: 'declined', reason: 'insufficient_funds' })
      assert.deepEqual(debitsOf(network), [0])
    })

    rule(
      'an HTML page of a gateway means that nothing was sent, and the connection is misconfigured',
      async () => {
        const { request, network } = open({ faults: [described.gatewayPage] })
        const answer = await request()
        assert.ok(
          answer.is === 'unknown' &&
            answer.neverLeft === true &&
            answer.misconfigured !== undefined,
        )
        assert.deepEqual(network.books(), [])
      },
    )

    rule('a callback names its payment, and a body that is not a callback names none', async () => {
      const { paid, operator, callbacks, clock } = open()
      await paid()
      const sent = received(callbacks[0] as WireCallback)
      // pawaPay's keys are fetched at the first callback.
      operator.parseCallback(sent)
      await clock.settle()
      const read = operator.parseCallback(sent)
      assert.deepEqual([read?.reference, read?.isGenuine], [referenceOf(1), described.genuine])
      for (const wrong of [
        '',
        'null',
        '[]',
        '{',
        '{}',
        '{"transaction":null}',
        '{"entity":[]}',
        '{"depositId":7}',
      ])
        assert.equal(
          operator.parseCallback({ ...sent, path: '', body: Buffer.from(wrong) }),
          undefined,
          wrong,
        )
    })

    rule('a refund is made once, or left to staff', async () => {
      const { paid, refund, network, clock } = open()
      const answer = await paid()
      assert.ok(answer.is === 'succeeded')
      const reversal = { operatorReference: answer.operatorReference }
      assert.equal((await refund(reversal)).is, described.refund[0])
      await clock.advance(DECIDE_AFTER_MS)
      await refund(reversal)
      assert.equal(network.books()[0]?.refunds, described.refund[0] === 'by_hand' ? 0 : 1)
    })

    rule('a check of a working connection finds nothing wrong', async () => {
      const { request, check, run } = open()
      await request()
      for (const { is, about } of await run(check())) assert.notEqual(is, 'wrong', about)
    })

    rule('no fault makes the connector throw, quote a secret or write a long text', async () => {
      const faults = Object.keys(open().network.faults.known)
      for (const { options = {}, secrets = [] } of described.settings) {
        for (const fault of faults) {
          for (const loud of described.loud === undefined ? [[]] : [[], [described.loud]]) {
            const opened = open({ options, faults: [fault, ...loud] })
            const text = await everyAnswer(opened)
            assertNoSecret(text, [...Object.values(opened.network.credentials), ...secrets], fault)
            assert.ok(!text.includes(payer), `the payer’s number with ${fault}`)
            for (const [why] of text.matchAll(/"why":"[^"]*"/g))
              assert.ok(why.length <= LONGEST_WHY + 10, `${fault}: ${why}`)
          }
        }
      }
    })

    rule(
      'the answers of a network that repeats our secrets in every field are not quoted',
      async () => {
        const quoted = new RegExp(`canary|Bearer|Basic|${payer}`)
        for (const { options = {}, secrets = [] } of described.settings) {
          for (const code of [200, 202, 400, 401, 403, 404, 408, 409, 429, 500, 502, 503]) {
            for (const [body, isToken] of ECHOES.flatMap((each) => [
              [each, true] as const,
              [each, false] as const,
            ])) {
              const opened = open({ options, instead: echo(code, body, isToken) })
              const text = await everyAnswer(opened)
              assertNoSecret(
                text,
                [...Object.values(opened.network.credentials), ...secrets],
                `HTTP ${code}`,
              )
              assert.doesNotMatch(text, quoted, `HTTP ${code}`)
            }
          }
        }
      },
    )

    rule('the message about invalid options contains no secret', () => {
      for (const options of described.refused)
        assert.throws(
          () => underTest.connector.options(z.string()).parse(options),
          ({ message }: Error) =>
            [CANARY, ...KEY_LINES].every((secret) => !message.includes(secret)),
        )
    })
  })

  describe(`${underTest.connector.name}: over HTTP`, () => {
    const clock = virtualClock()
    const agent = new Agent()
    const callbacks: WireCallback[] = []
    let network: ConformanceNetwork
    let server: NetworkServer
    before(async () => {
      const sendCallback = async (callback: WireCallback): Promise<number> => {
        callbacks.push(callback)
        return 200
      }
      const deps = { clock, random: seededRandom(1), decideAfterMs: 0, sendCallback }
      network = underTest.makeNetwork(deps, described.overHttp?.network)
      server = await startNetworkServer(network, { clock })
    })
    after(async () => {
      await agent.destroy()
      await server.close()
    })
    const over = (url: string) =>
      open({
        options: described.overHttp?.options ?? {},
        instead: sender(agent, url, { clock, timeoutMs: DEADLINE_MS }),
      })

    rule('over HTTP a payment is requested, read, called back, refunded and checked', async () => {
      const { request, status, refund, refundStatus, operator, check } = over(`${server.url}/`)
      assert.equal((await request()).is, 'accepted')
      const paid = await status()
      assert.ok(paid.is === 'succeeded')
      assert.deepEqual(await status(9), { is: 'not_known' })
      await clock.advance(1)
      const read = () => operator.parseCallback(received(callbacks[0] as WireCallback))
      await until('key of the callback', () => read()?.isGenuine === described.genuine)
      assert.equal(read()?.reference, referenceOf(1))
      const reversal = { operatorReference: paid.operatorReference }
      assert.equal((await refund(reversal)).is, described.refund[0])
      await clock.advance(1)
      assert.equal((await refundStatus(reversal)).is, described.refund[1])
      const lines = (await check()).filter(({ about }) => !about.includes('clock'))
      assert.deepEqual(column(lines, 'is'), described.checked, JSON.stringify(lines))
      const [{ debits, refunds } = {}, ...more] = network.books()
      assert.deepEqual([debits, refunds, more], [1, described.refund[0] === 'by_hand' ? 0 : 1, []])
    })

    rule(
      'over HTTP a broken connection leaves the outcome unknown, and a retry debits once',
      async () => {
        const { request } = over(server.url)
        network.faults.on(described.lost, 1)
        const answer = await request({}, 2)
        assert.ok(answer.is === 'unknown' && answer.neverLeft === undefined)
        assert.equal((await request({}, 2)).is, 'succeeded')
        assert.equal(network.books()[1]?.debits, 1)
      },
    )

    rule('over HTTP an HTML page of a gateway is recognised', async () => {
      const { request } = over(server.url)
      network.faults.on(described.gatewayPage)
      const answer = await request({}, 4)
      network.faults.allOff()
      assert.ok(
        answer.is === 'unknown' && answer.neverLeft === true && answer.misconfigured !== undefined,
      )
    })

    if (underTest.connector.pages.length > 0) {
      rule('over HTTP a browser pays on the page, and an unpaid page is deleted', async () => {
        const { hosted } = over(server.url)
        const paid = await hosted.open(sessionOf(5))
        const form = {
          method: 'POST',
          body: new URLSearchParams({ decision: 'approve' }),
          redirect: 'manual',
        } as const
        const back = await fetch(goToOf(paid) ?? '', form)
        assert.match(
          back.headers.get('location') ?? '',
          /^https:\/\/karba\.test\/pay\/abc\?id=\d+&status=approved$/,
        )
        assert.equal((await hosted.status(referenceOf(5))).is, 'succeeded')
        await hosted.open(sessionOf(6))
        assert.partialDeepStrictEqual(await hosted.cancel(referenceOf(6)), {
          is: 'declined',
          reason: 'cancelled',
        })
      })
    }

    rule('over HTTP an unreachable network has received nothing', async () => {
      const answer = await over('http://127.0.0.1:9').request({}, 3)
      assert.ok(answer.is === 'unknown' && answer.neverLeft === true)
    })
  })

  describe(`${underTest.connector.name}: secrets`, () => {
    rule(
      'no secret is in logs, answers, metrics, histories or any table of a whole service',
      async () => {
        const lines: string[] = []
        const recorded: Recorded = { requests: [], callbacks: [], answers: [] }
        const log = makeLog('debug', { write: (line) => void lines.push(line) })
        const service = await openServiceOnNetwork(recording(underTest, recorded), undefined, {
          log,
        })
        try {
          const { secretKey } = (await service.merchant()).accounts.sandbox
          const answers = await liveThrough(service, secretKey, underTest)
          const sent = recorded.requests.flatMap(({ headers }) =>
            SECRET_HEADERS.map((each) => headers[each] ?? ''),
          )
          const secrets = new Set(sent.map((value) => value.replace(/^(Bearer|Basic) /, '')))
          for (const value of Object.values(service.network.credentials)) secrets.add(value)
          assert.ok(lines.length > 10, 'the log says something')
          const places = {
            log: lines.join(''),
            answers,
            tables: JSON.stringify(await rowsByTable(service)),
          }
          for (const [place, text] of Object.entries(places)) assertNoSecret(text, secrets, place)
        } finally {
          await service.remove()
        }
      },
    )
  })
}

async function liveThrough(
  service: ServiceOnNetwork,
  secretKey: string,
  underTest: NetworkUnderTest,
): Promise<string> {
  const { network, clock } = service
  const body = () => orderOn(underTest)
  const said: unknown[] = []
  const paid = (await post(service, secretKey, body())).body
  await clock.advance(10_000)
  const read = await get(service, secretKey, paid.reference as string)
  assert.equal(read.body.status, 'succeeded')
  said.push(
    paid,
    read.body,
    await refundPayment(service, TESTER, { name: paid.reference as string }),
  )
  await clock.advance(10_000)
  // Every fault for a while, including errors that quote the request.
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

// Inherited names such as `constructor` in every place of a network's calls, of its answers, and of
// a client's requests to its simulator.

/** Fields in which the networks name a fault. */
const CODES_OF_REFUSALS = [
  'code',
  'reason',
  'failureCode',
  'last_error_code',
  'response_code',
  'result_code',
  'status',
]

interface Recorded {
  requests: WireRequest[]
  callbacks: WireCallback[]
  answers: object[]
}

/** The same network; records the traffic of its line. */
function recording(underTest: NetworkUnderTest, recorded: Recorded): NetworkUnderTest {
  const makeNetwork: NetworkUnderTest['makeNetwork'] = (deps) => {
    const sendCallback = (callback: WireCallback) => {
      recorded.callbacks.push(callback)
      return deps.sendCallback(callback)
    }
    const network = underTest.makeNetwork({ ...deps, sendCallback })
    const handle = (request: WireRequest): WireReaction => {
      recorded.requests.push(request)
      const reaction = network.handle(request)
      if ('code' in reaction && typeof reaction.body === 'object')
        recorded.answers.push(reaction.body)
      return reaction
    }
    return { ...network, handle }
  }
  return { ...underTest, makeNetwork }
}

for (const underTest of Object.values<NetworkUnderTest>(NETWORKS)) {
  describe(`inherited names on the line of ${underTest.connector.name}`, () => {
    const recorded: Recorded = { requests: [], callbacks: [], answers: [] }
    const service = sharedWithAccount(() => openServiceOnNetwork(recording(underTest, recorded)))
    before(async () => {
      assert.equal((await post(service, service.secretKey, orderOn(underTest))).code, 200)
      await service.clock.advance(MINUTE_MS)
    })

    it('callbacks: no place makes the service answer with a 5xx', async () => {
      const callback = recorded.callbacks.at(-1)
      assert.ok(callback)
      let senders = 0
      for (const name of INHERITED_NAMES) {
        const { url, ...rest } = callback
        for (const { path, ...sent } of namesInMessage(
          { ...rest, path: new URL(url).pathname },
          name,
        )) {
          const { method, headers, body: payload } = sent
          // Each from its own address: refused callbacks are rate limited by network.
          const remoteAddress = `10.4.${++senders >> 8}.${senders & 255}`
          const { statusCode } = await service.app.inject({
            method,
            url: path,
            headers,
            payload,
            remoteAddress,
          })
          assert.ok(statusCode < 500, `${statusCode} to ${JSON.stringify({ path, ...sent })}`)
        }
      }
    })

    it('answers: no place is read as a known code, and nothing throws', async () => {
      let next: CallResult
      const { request, status, refund, refundStatus } = openConnection(underTest, {
        instead: () => next,
      })
      for (const name of INHERITED_NAMES.slice(0, 2)) {
        const bodies = recorded.answers.slice(0, 3).flatMap((body) => [...namesInJson(body, name)])
        for (const body of [...bodies, ...CODES_OF_REFUSALS.map((field) => ({ [field]: name }))]) {
          for (const code of [200, 400, 500]) {
            next = { code, headers: {}, body: JSON.stringify(body) }
            for (const ask of [request, status, refund, refundStatus]) {
              const answer = await ask()
              if (answer.is !== 'declined') continue
              assert.ok(isFailureReason(answer.reason), `${answer.reason} for ${next.body}`)
            }
          }
        }
      }
    })

    it('requests: no place makes the simulator throw', () => {
      const requests = recorded.requests.slice(0, 6)
      for (const name of INHERITED_NAMES)
        for (const changed of requests.flatMap((each) => [...namesInMessage(each, name)]))
          service.network.handle(changed)
    })
  })
}
