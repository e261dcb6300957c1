// Inherited names such as `constructor` in every place of what a network sends, of what it answers, and of what a client sends to its simulator.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WireCallback, WireReaction, WireRequest } from '../../../simulators/src/network.ts'
import type { OperatorAnswer, RefundAnswer } from '../../src/domain/operator-report.ts'
import { isFailureReason } from '../../src/domain/payment-status.ts'
import type { CallResult } from '../../src/operators/http-call.ts'
import type { Operator } from '../../src/operators/operator.ts'
import { INHERITED_NAMES, namesInJson, namesInMessage } from '../kit/outside-names.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { order, post } from '../kit/service.ts'
import { FIRST_TRY, type NetworkUnderTest, openServiceOnNetwork, type ServiceOnNetwork } from './harness.ts'
import { NETWORKS } from './networks.ts'

const MINUTE_MS = 60_000

/** Fields in which the networks name a fault. */
const CODES_OF_REFUSALS = ['code', 'reason', 'failureCode', 'last_error_code', 'response_code', 'result_code', 'status']

interface Recorded {
  requests: WireRequest[]
  callbacks: WireCallback[]
  answers: object[]
}

const asked = ({
  request,
  status,
  refund,
  refundStatus,
}: Operator): (() => Promise<OperatorAnswer | RefundAnswer>)[] => {
  const [reference, refundReference] = ['0'.repeat(24), '1'.repeat(24)]
  const collection = {
    reference,
    operator: 'mtn_bj',
    msisdn: '2290197000000',
    amountXof: 500,
    publicReference: 'A',
    ...FIRST_TRY,
  }
  const reversal = {
    refundReference,
    reference,
    operatorReference: '7',
    operator: 'mtn_bj',
    amountXof: 500,
    networkId: null,
  }
  return [() => request(collection), () => status(reference), () => refund(reversal), () => refundStatus(reversal)]
}

/** The same network; notes what goes over its line. */
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
      if ('code' in reaction && typeof reaction.body === 'object') recorded.answers.push(reaction.body)
      return reaction
    }
    return { ...network, handle }
  }
  return { ...underTest, makeNetwork }
}

async function pay(service: ServiceOnNetwork, { msisdn, operator }: NetworkUnderTest): Promise<number> {
  const { secretKey } = (await service.merchant()).accounts.sandbox
  const country = operator.slice(-2).toUpperCase()
  const { code } = await post(service, secretKey, order({ country, msisdn }))
  await service.clock.advance(MINUTE_MS)
  return code
}

for (const underTest of Object.values<NetworkUnderTest>(NETWORKS)) {
  describe(`inherited names over ${underTest.connector.name}’s line`, () => {
    const open = (recorded: Recorded): Promise<ServiceOnNetwork> => openServiceOnNetwork(recording(underTest, recorded))

    it('callbacks: no place of one makes the service answer with a 5xx', async () => {
      const recorded: Recorded = { requests: [], callbacks: [], answers: [] }
      const service = await open(recorded)
      assert.equal(await pay(service, underTest), 200)
      const callback = recorded.callbacks.at(-1)
      assert.ok(callback)
      let senders = 0
      for (const name of INHERITED_NAMES) {
        const { url, ...rest } = callback
        for (const { path, ...sent } of namesInMessage({ ...rest, path: new URL(url).pathname }, name)) {
          const { method, headers, body: payload } = sent
          // Each from an address of its own: what is refused is limited by network.
          const remoteAddress = `10.4.${++senders >> 8}.${senders & 255}`
          const { statusCode } = await service.app.inject({ method, url: path, headers, payload, remoteAddress })
          assert.ok(statusCode < 500, `${statusCode} to ${JSON.stringify({ path, ...sent })}`)
        }
      }
      await service.remove()
    })

    it('answers: no place of one is taken for a known code, and nothing throws', async () => {
      const recorded: Recorded = { requests: [], callbacks: [], answers: [] }
      const service = await open(recorded)
      assert.equal(await pay(service, underTest), 200)
      const { network, clock } = service
      let next: CallResult
      const { operator } = underTest.connector.connect(
        {
          ...{ name: 'under-test', environment: 'sandbox', clock, random: seededRandom(1), deadlineMs: 1_000 },
          send: async () => next,
          callbackUrl: () => undefined,
        },
        underTest.options(network),
      )
      for (const name of INHERITED_NAMES.slice(0, 2)) {
        const bodies = recorded.answers.slice(0, 3).flatMap((body) => [...namesInJson(body, name)])
        for (const body of [...bodies, ...CODES_OF_REFUSALS.map((field) => ({ [field]: name }))]) {
          for (const code of [200, 400, 500]) {
            next = { code, headers: {}, body: JSON.stringify(body) }
            for (const asking of asked(operator)) {
              const answer = await clock.advanceUntil('answer', asking())
              if (answer.is !== 'declined') continue
              assert.ok(isFailureReason(answer.reason), `${answer.reason} for ${next.body}`)
            }
          }
        }
      }
      await service.remove()
    })

    it('requests: no place of one makes the simulator throw', async () => {
      const recorded: Recorded = { requests: [], callbacks: [], answers: [] }
      const service = await open(recorded)
      assert.equal(await pay(service, underTest), 200)
      for (const name of INHERITED_NAMES) {
        for (const request of recorded.requests.slice(0, 6))
          for (const changed of namesInMessage(request, name)) service.network.handle(changed)
      }
      await service.remove()
    })
  })
}
