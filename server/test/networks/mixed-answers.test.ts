// A proxy or a cache between us and a network may mix up its answers: that of another payment, an
// earlier one of the same payment, or the one before. At every HTTP call of every connector, no
// such answer may move a payment, or make us prompt another payment's transaction; the next honest
// answers end the payment with one debit.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { WireReaction } from '../../../simulators/src/network.ts'
import type { OperatorAnswer, RefundAnswer } from '../../src/domain/payments/operator-report.ts'
import type { Call, CallResult } from '../../src/operators/http-call.ts'
import { simulator } from '../../src/simulator/connector.ts'
import { get, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import {
  bookedUnder,
  DECIDE_AFTER_MS,
  type NetworkUnderTest,
  openConnection,
  openServiceOnNetwork,
  orderOn,
  reactionTo,
  referenceOf,
} from './harness.ts'
import { FEDAPAY, NETWORKS, rulesOf } from './networks.ts'

type Mix =
  | 'another payment’s'
  | 'another payment’s, from a cache'
  | 'an earlier one'
  | 'the one before'
const MIXES: readonly Mix[] = [
  'another payment’s',
  'another payment’s, from a cache',
  'an earlier one',
  'the one before',
]
const ASKED = ['request', 'status', 'refund', 'refundStatus'] as const
type Asked = (typeof ASKED)[number]
/** What has become of the other payment. */
const OTHERS = ['waits', 'paid and refunded', 'declined'] as const
type Other = (typeof OTHERS)[number]

/** Payers without funds, with their country code. */
const NO_FUNDS: Readonly<Record<keyof typeof NETWORKS, string>> = {
  mtn: '2290197000002',
  airtel: '22797000007',
  fedapay: '2290166000003',
  pawapay: '2290151345049',
}
const OTHERS_AMOUNT = 1_500
const AMOUNT = 2_500
/** More HTTP calls than any call of the interface makes. */
const MOST_CALLS = 8

interface Heard {
  shape: string
  path: string
  result: CallResult
}

/** The same call about another payment has the same shape. */
const shapeOf = ({ method, path }: Call): string =>
  `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{9,}/g, '{name}')}`

/** Strikes once, at the nth call from now on. */
function proxy() {
  const heard: Heard[] = []
  let strike: { mix: Mix; after: number } | undefined
  let hasStruck = false

  const wrongAnswer = (call: Call, mix: Mix): CallResult | undefined => {
    const shape = shapeOf(call)
    if (mix === 'the one before') return heard.at(-1)?.result
    if (mix === 'an earlier one') return heard.find(({ path }) => path === call.path)?.result
    return heard.find(
      (each) => each.shape === shape && (call.method === 'POST' || each.path !== call.path),
    )?.result
  }
  const takeStrike = (isCache: boolean, call: Call): CallResult | undefined => {
    if (strike === undefined || (strike.mix === 'another payment’s, from a cache') !== isCache)
      return undefined
    if (strike.after-- > 0) return undefined
    const wrong = wrongAnswer(call, strike.mix)
    strike = undefined
    hasStruck = true
    return wrong
  }
  return {
    strikeAt: (mix: Mix, after: number): void => {
      strike = { mix, after }
    },
    /** Whether it has struck; from now on every answer is honest. */
    end: (): boolean => {
      strike = undefined
      return hasStruck
    },
    instead: (call: Call) => takeStrike(true, call),
    hears: (call: Call, result: CallResult): CallResult => {
      const wrong = takeStrike(false, call)
      if (wrong !== undefined) return wrong
      heard.push({ shape: shapeOf(call), path: call.path, result })
      return result
    },
  }
}

interface Case {
  network: keyof typeof NETWORKS
  asked: Asked
  mix: Mix
  other: Other
  /** Which of the HTTP calls is answered wrongly. */
  nth: number
}

/** False when fewer calls are made. */
async function isHeld({ network, asked, mix, other, nth }: Case): Promise<boolean> {
  const underTest: NetworkUnderTest = NETWORKS[network]
  const between = proxy()
  const opened = openConnection(underTest, { instead: between.instead, hears: between.hears })
  const { request, status, refund, refundStatus, clock } = opened
  const kept: Record<number, string> = {}
  const ask = (number: number, msisdn = underTest.payer) =>
    request(
      {
        msisdn,
        amountXof: number === 1 ? OTHERS_AMOUNT : AMOUNT,
        networkId: kept[number] ?? null,
        keepNetworkId: async (id) => {
          kept[number] = id
          return true
        },
      },
      number,
    )
  const reversal = (number: number, answer: OperatorAnswer) => ({
    amountXof: number === 1 ? OTHERS_AMOUNT : AMOUNT,
    operatorReference: answer.is === 'succeeded' ? answer.operatorReference : '',
    networkId: kept[number] ?? null,
  })
  const isRefund = asked === 'refund' || asked === 'refundStatus'

  await ask(1, other === 'declined' ? NO_FUNDS[network] : underTest.payer)
  if (other !== 'waits') await clock.advance(DECIDE_AFTER_MS)
  const first = await status(1, kept[1])
  if (other === 'paid and refunded') {
    await refund(reversal(1, first), 1)
    await clock.advance(DECIDE_AFTER_MS)
    await refundStatus(reversal(1, first), 1)
  }
  let paid: OperatorAnswer = { is: 'not_known' }
  if (asked !== 'request') {
    assert.equal((await ask(2)).is, 'accepted')
    await status(2, kept[2])
  }
  if (isRefund) {
    await clock.advance(DECIDE_AFTER_MS)
    paid = await status(2, kept[2])
    assert.equal(paid.is, 'succeeded')
  }
  if (asked === 'refundStatus') await refund(reversal(2, paid), 2)

  between.strikeAt(mix, nth)
  const calls = {
    request: () => ask(2),
    status: () => status(2, kept[2]),
    refund: () => refund(reversal(2, paid), 2),
    refundStatus: () => refundStatus(reversal(2, paid), 2),
  } satisfies Record<Asked, () => Promise<RefundAnswer>>
  const answer = await calls[asked]()
  if (!between.end()) return false

  const about = `${JSON.stringify(answer)}, call ${nth + 1} of ${asked}`
  const booked = (number: number) =>
    opened.network
      .books()
      .find(({ amountXof }) => amountXof === (number === 1 ? OTHERS_AMOUNT : AMOUNT))
  if (!isRefund) {
    assert.ok(
      answer.is === 'accepted' || answer.is === 'unknown' || answer.is === 'not_known',
      about,
    )
    const next =
      answer.is === 'unknown' && answer.neverLeft === true ? await ask(2) : await status(2, kept[2])
    assert.notEqual(next.is, 'declined', about)
    await clock.advance(DECIDE_AFTER_MS)
    await status(1, kept[1])
    const last = await status(2, kept[2])
    const expected = booked(2)?.debits === 1 ? 'succeeded' : 'not_known'
    assert.equal(last.is, expected, about)
    assert.ok(
      (booked(1)?.debits ?? 0) <= 1 && (booked(2)?.debits ?? 0) <= 1,
      `two debits: ${about}`,
    )
    assert.equal(booked(1)?.debits, other === 'declined' ? 0 : 1, about)
  } else {
    const isMade = booked(2)?.refunds === 1
    if (answer.is === 'succeeded') assert.ok(isMade, `no refund was made: ${about}`)
    assert.notEqual(answer.is, 'declined', about)
    assert.ok((booked(2)?.refunds ?? 0) <= 1, about)
  }
  return true
}

for (const network of Object.keys(NETWORKS) as (keyof typeof NETWORKS)[]) {
  const { connector } = NETWORKS[network]
  const { rule } = rulesOf(connector.name)
  describe(`${connector.name}: mixed-up answers`, () => {
    for (const asked of ASKED)
      for (const mix of MIXES)
        rule(`${asked} does not believe ${mix} at any of its calls`, async () => {
          let struck = 0
          for (const other of OTHERS)
            for (let nth = 0; nth < MOST_CALLS; nth++) {
              if (!(await isHeld({ network, asked, mix, other, nth }))) break
              struck++
            }
          assert.ok(struck > 0)
        })
  })
}

describe('fedapay: mixed-up answers in a whole service', () => {
  const { rule } = rulesOf('fedapay')
  rule(
    'a creation that is answered with the one before: each payer is debited once, for their own payment',
    async () => {
      const created: WireReaction[] = []
      const service = await openServiceOnNetwork(
        FEDAPAY,
        SQLITE,
        {},
        {
          hear: (call, network) => {
            const reaction = reactionTo(network, call)
            if (call.method !== 'POST' || call.path !== '/v1/transactions') return reaction
            created.push(reaction)
            return created.length === 2 ? (created[0] as WireReaction) : reaction
          },
          callBack: (_callback, deliver) => deliver(),
        },
      )
      try {
        const { secretKey } = (await service.merchant()).accounts.sandbox
        const references: string[] = []
        for (const number of ['66000001', '66000001']) {
          references.push(
            (await post(service, secretKey, orderOn(FEDAPAY, number))).body.reference as string,
          )
          await service.clock.advance(500)
        }
        await service.clock.advance(120_000)
        assert.ok(created.length > 2, 'the second creation was made again')
        for (const reference of references) {
          assert.equal((await get(service, secretKey, reference)).body.status, 'succeeded')
          assert.deepEqual(
            bookedUnder(service, reference).map(({ debits }) => debits),
            [1],
          )
        }
      } finally {
        await service.remove()
      }
    },
  )
})

describe('simulated network: mixed-up answers', () => {
  const { rule } = rulesOf('simulator')
  rule('an answer that names another payment, session or refund is unknown', async () => {
    const body = {
      reference: referenceOf(2),
      status: 'succeeded',
      amount: 1_500,
      operator_reference: 'SIM-2',
    }
    const send = async (): Promise<CallResult> => ({ code: 200, headers: {}, body })
    const { status, refundStatus } = simulator({ name: 'simulated', send, token: 'token' })
    const expected = { is: 'unknown', why: 'the answer is about another payment' }
    assert.deepEqual(await status(referenceOf(1)), expected)
    assert.equal((await status(referenceOf(2))).is, 'succeeded')
    const reversal = {
      reference: referenceOf(2),
      operator: 'mtn_bj',
      amountXof: 1_500,
      networkId: null,
    }
    const asked = { ...reversal, operatorReference: 'SIM-2', refundReference: referenceOf(7) }
    assert.deepEqual(await refundStatus(asked), expected)
  })
})
