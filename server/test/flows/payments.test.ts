// A payment from its create to its outcome: the choice of the operator (D-19, D-43), every sandbox
// scenario (D-15, D-20), and reports that are recorded in one commit.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { recordOutcomes } from '../../src/actions/payments/record-outcomes.ts'
import { readConfig } from '../../src/config.ts'
import type { OperatorPayment } from '../../src/domain/payments/operator-payment.ts'
import type { OperatorAnswer } from '../../src/domain/payments/operator-report.ts'
import { openService } from '../../src/service/compose.ts'
import { SCENARIOS, type Scenario } from '../../src/simulator/scenarios.ts'
import { listStory, type StoryEntry } from '../../src/store/payments/payment-moves.ts'
import { column } from '../kit/callers.ts'
import { insertPending, paymentOf } from '../kit/pending-payments.ts'
import { get, openTestService, order, post } from '../kit/service.ts'
import { shared, sharedWithAccount } from '../kit/shared.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { upTo } from '../kit/webhooks.ts'
import { eventsOf } from '../networks/harness.ts'

const DELAY_MS = 2_000
/** Longer than the longest scenario. */
const ALL_MS = 1_100_000

interface Played {
  reference: string
  createdAt: number
  body: Record<string, unknown>
  story: StoryEntry[]
  events: { event: string; payload: string }[]
}

describe('sandbox scenarios', () => {
  const service = sharedWithAccount(() => openVirtualService())
  const played = new Map<string, Played>()
  before(async () => {
    const { secretKey, accountId, clock, db } = service
    const created = new Map<string, { reference: string; createdAt: number }>()
    for (const { msisdn } of SCENARIOS) {
      const { body } = await post(service, secretKey, order({ msisdn }))
      assert.equal(body.status, 'pending')
      created.set(msisdn, { reference: body.reference as string, createdAt: clock.now() })
    }
    await clock.advance(ALL_MS)
    for (const [msisdn, { reference, createdAt }] of created) {
      const { body } = await get(service, secretKey, reference)
      const { number } = await paymentOf(service, reference)
      const story = await listStory(db, accountId, number)
      played.set(msisdn, {
        reference,
        createdAt,
        body,
        story,
        events: await eventsOf(service, reference),
      })
    }
  })

  for (const scenario of SCENARIOS) {
    const { msisdn, name, ending } = scenario
    it(`${msisdn}, ${name}: ends as ${ending}`, (t) => {
      const { reference, createdAt, body, story, events } = played.get(msisdn) as Played
      t.diagnostic(story.map((entry) => timeline(entry, createdAt)).join(' → '))
      const status = ending === 'succeeded' || ending === 'refunded' ? ending : 'failed'
      assert.equal(body.status, status)
      assert.equal(body.failure_reason, status === 'failed' ? ending : undefined)
      assert.equal('validated_at' in body, status === 'succeeded')

      const moves = story.filter(({ kind }) => kind === 'moved')
      assert.deepEqual([moves.length, moves[0]?.detail.to], [1, status])
      assert.deepEqual(column(events, 'event'), [`payment.${status}`])
      const event = JSON.parse((events[0] as { payload: string }).payload)
      assert.deepEqual(event.data, { ...body, ...(status === 'refunded' && { status }) })

      assert.equal(
        service.calls.request.filter((asked) => asked === reference).length,
        1,
        'it was sent once',
      )
      const settledAfter = (moves[0] as StoryEntry).at - createdAt
      const [earliest, latest] = window(scenario)
      assert.ok(
        settledAfter >= earliest && settledAfter <= latest,
        `${settledAfter} in ${earliest} to ${latest} ms`,
      )
    })
  }

  it('number the account’s events without a gap', async () => {
    const rows = await service.db.read<{ sequence: number }>(
      'select sequence from events order by sequence',
    )
    assert.deepEqual(column(rows, 'sequence'), upTo(SCENARIOS.length))
  })

  it('leave no due payment and no anomaly', async () => {
    assert.deepEqual(
      await service.db.read('select reference from payments where due_at is not null'),
      [],
    )
    assert.deepEqual(await service.db.read('select kind from payment_anomalies'), [])
  })
})

for (const awaySeconds of [5, 60, 1_800]) {
  it(`promise 5: operator times out after debiting, for ${awaySeconds} s: stays pending, never failed, settles within 60 s of the operator answering again`, async () => {
    const service = await openVirtualService()
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const statusNow = async (reference: string) =>
      (await get(service, secretKey, reference)).body.status
    service.network.change = () => ({ does: 'hang' })
    const { reference } = (await post(service, secretKey, order())).body as { reference: string }
    for (let fifth = 0; fifth < 5; fifth++) {
      // Half an hour costs no more than a minute: due work runs once in thirty seconds.
      for (let left = awaySeconds * 200; left > 0; left -= 30_000)
        await service.clock.sleep(Math.min(left, 30_000))
      assert.equal(await statusNow(reference), 'pending')
    }
    assert.equal(
      (await service.db.read('select reference from simulated_payments')).length,
      1,
      'it was debited',
    )
    service.network.change = (reaction) => reaction
    await service.clock.advance(60_000)
    assert.equal(await statusNow(reference), 'succeeded')
    assert.deepEqual(service.calls.request, [reference])
    const events = await service.db.read<{ event: string }>('select event from events')
    assert.deepEqual(column(events, 'event'), ['payment.succeeded'])
    await service.remove()
  })
}

/**
 * The permitted time of settlement: after the network’s decision, and within a minute of its
 * recovery (promise 5).
 */
function window({
  ending,
  decides = { delays: 1 },
  status,
  request,
}: Scenario): [earliest: number, latest: number] {
  if (ending === 'never_received') return [900_000, 960_000]
  const decidedAt = 'seconds' in decides ? decides.seconds * 1_000 : decides.delays * DELAY_MS
  const answersFrom = Math.max(
    decidedAt,
    (status?.forSeconds ?? 0) * 1_000,
    request === undefined ? 0 : 10_000,
  )
  return [decidedAt, answersFrom + 60_000]
}

function timeline({ at, kind, detail }: StoryEntry, createdAt: number): string {
  return `${((at - createdAt) / 1_000).toFixed(1)} s ${kind} ${String(detail.is ?? detail.to)}`
}

describe('routing', () => {
  const TEST_NUMBER = '40410000000'
  const NOT_AVAILABLE = { message: 'Forbidden: Environment Not Available' }

  /** A country, a number, and the operator that gets its payments: `none` refuses them. */
  const SERVICES: [about: string, settings: Record<string, string>, goes: string][] = [
    [
      'with default settings',
      {},
      `NE 93123456 niger_telecoms_ne, BJ 0197123456 mtn_bj, NE ${TEST_NUMBER} airtel_ne, BJ ${TEST_NUMBER} mtn_bj`,
    ],
    [
      'with reassigned prefixes',
      { KARBA_OPERATOR_PREFIXES: 'NE:93=airtel_ne,BJ:97=celtiis_bj' },
      `NE 93123456 airtel_ne, NE 97123456 airtel_ne, NE 90123456 zamani_ne,
       BJ 0197123456 celtiis_bj, BJ 97123456 celtiis_bj, NE ${TEST_NUMBER} airtel_ne`,
    ],
    [
      'with operators of Niger only',
      { KARBA_OPERATORS: 'moov_ne,airtel_ne' },
      `NE 90123456 airtel_ne, NE 94123456 moov_ne, BJ 0197123456 none, BJ ${TEST_NUMBER} none`,
    ],
    [
      'without the default operators',
      {
        KARBA_OPERATORS: 'moov_bj,moov_ne,niger_telecoms_ne',
        KARBA_OPERATOR_PREFIXES: 'BJ:64=mtn_bj',
      },
      `NE 96123456 moov_ne, NE 93123456 niger_telecoms_ne, BJ 0140123456 moov_bj,
       BJ 0164123456 moov_bj, NE ${TEST_NUMBER} moov_ne, BJ ${TEST_NUMBER} moov_bj`,
    ],
  ]

  for (const [about, settings, goes] of SERVICES) {
    it(`routing ${about}: each number goes to its operator, in sandbox and in live`, async (t) => {
      const service = await openTestService(undefined, settings)
      t.after(() => service.remove())
      const { accounts } = await service.merchant()
      for (const way of goes.split(/,\s+/)) {
        const [country, msisdn, operator] = way.split(' ')
        for (const { secretKey } of msisdn === TEST_NUMBER
          ? [accounts.sandbox]
          : Object.values(accounts)) {
          const { code, body } = await post(service, secretKey, order({ country, msisdn }))
          if (operator === 'none') assert.deepEqual([code, body], [403, NOT_AVAILABLE], way)
          else assert.deepEqual([code, body.meta_data], [200, { operator }], way)
        }
      }
    })
  }

  it('the 403 comes after the field checks and before the duplicate check', async () => {
    const service = await openTestService()
    const { accounts } = await service.merchant()
    const { secretKey } = accounts.sandbox
    const taken = order({ country: 'BJ', msisdn: '0197123456' })
    assert.equal((await post(service, secretKey, taken)).code, 200)
    await service.close()

    const { env } = service.place
    const without = await openService(readConfig({ ...env, KARBA_OPERATORS: 'airtel_ne' }))
    try {
      assert.equal((await post(without, secretKey, taken)).code, 403)
      assert.equal((await post(without, secretKey, { ...taken, amount: 1 })).code, 400)
      assert.equal(
        (await post(without, secretKey, { ...taken, customer_name: '\u0007' })).code,
        422,
      )
    } finally {
      await without.close()
      await service.place.remove()
    }
  })
})

// Each payment gets the outcome of its own reports, whatever else is in the batch.
describe('reports in one commit', () => {
  const ACCEPTED: OperatorAnswer = { is: 'accepted' }
  const SUCCEEDED: OperatorAnswer = { is: 'succeeded', amountXof: 1_500, operatorReference: 'OP-1' }
  const MORE: OperatorAnswer = { is: 'succeeded', amountXof: 1_501, operatorReference: 'OP-1' }
  const DECLINED: OperatorAnswer = { is: 'declined', reason: 'insufficient_funds' }
  const SILENT: OperatorAnswer = { is: 'unknown', why: 'no answer within 10 s' }
  const GIVEN_BACK: OperatorAnswer = { is: 'refunded', amountXof: 1_500, operatorReference: 'OP-1' }

  /** One payment’s reports in order, and the expected rows afterwards. */
  const CASES: [answers: OperatorAnswer[], status: string, moves: string[], anomaly?: string][] = [
    [[SUCCEEDED], 'succeeded', ['payment.succeeded']],
    [[DECLINED], 'failed', ['payment.failed']],
    [[ACCEPTED], 'pending', []],
    [[MORE, MORE], 'pending', [], 'amount_mismatch'],
    [[SILENT, SILENT, DECLINED], 'failed', ['payment.failed']],
    [[ACCEPTED, SUCCEEDED], 'succeeded', ['payment.succeeded']],
    [[SUCCEEDED, ACCEPTED], 'succeeded', ['payment.succeeded']],
    [[SUCCEEDED, SUCCEEDED], 'succeeded', ['payment.succeeded']],
    [[SUCCEEDED, DECLINED], 'succeeded', ['payment.succeeded'], 'failure_after_success'],
    [[DECLINED, SUCCEEDED, SUCCEEDED], 'failed', ['payment.failed'], 'success_after_failure'],
    [[SUCCEEDED, GIVEN_BACK], 'refunded', ['payment.succeeded', 'payment.refunded']],
  ]
  const TIMES = 5
  const TEST = { is: 'service', part: 'test' } as const

  for (const store of STORES) {
    describe(`on ${store.name}`, () => {
      const service = shared(() => openTestService(store, { KARBA_ROLE: 'api' }))
      const accounts: string[] = []
      before(async () => {
        for (let merchant = 0; merchant < 2; merchant++) {
          const { accountId } = (await service.merchant()).accounts.sandbox
          accounts.push(accountId)
          await insertPending(service, accountId, CASES.length * TIMES, {
            dueAt: service.clock.now(),
          })
        }
      })

      const texts = async (
        what: string,
        { accountId, number }: OperatorPayment,
        rest = '',
      ): Promise<string[]> => {
        const sql = `select ${what.replace(' from', ' as text from')}
          where account_id = :accountId and number = :number ${rest}`
        return column(await service.db.read<{ text: string }>(sql, { accountId, number }), 'text')
      }

      it('each payment moves according to its own reports, with its history, events and anomaly', async () => {
        const all = 'select reference from payments order by number'
        const references = await service.db.read<{ reference: string }>(all)
        const payments = await Promise.all(
          references.map(({ reference }) => paymentOf(service, reference)),
        )
        const cases = payments.map((payment, at) => ({
          payment,
          case: CASES[at % CASES.length] as (typeof CASES)[0],
        }))
        const calledAt = service.clock.now()
        // The first reports of all payments, then the second ones, …, so that those of one payment
        // are apart.
        const reports = [0, 1, 2].flatMap((nth) =>
          cases.flatMap(({ payment, case: [answers] }) => {
            const answer = answers[nth]
            return answer === undefined
              ? []
              : [{ payment, via: 'status' as const, calledAt, answer }]
          }),
        )
        await recordOutcomes(service, TEST, reports)

        for (const { payment, case: expected } of cases) {
          const [answers, status, moves, ...anomalies] = expected
          const story = column(
            await listStory(service.db, payment.accountId, payment.number),
            'kind',
          )
          const found = {
            status: await texts('status from payments', payment),
            moves: await texts('event from events', payment, 'order by sequence'),
            anomalies: await texts('kind from payment_anomalies', payment),
            story: [
              ...story.filter((kind) => kind === 'status'),
              ...story.filter((kind) => kind === 'moved'),
            ],
          }
          // A repeated report is recorded once.
          const reported = Array(new Set(answers).size).fill('status')
          const wanted = {
            status: [status],
            moves,
            anomalies,
            story: [...reported, ...moves.map(() => 'moved')],
          }
          assert.deepEqual(found, wanted, `${column(answers, 'is')} of ${payment.number}`)
        }
      })

      it('a late report does not reschedule a payment that another process has claimed since', async () => {
        const { accountId } = (await service.merchant()).accounts.sandbox
        const now = service.clock.now()
        await insertPending(service, accountId, 1, { dueAt: now })
        // The claim ended a second ago. Another process has claimed the payment since, and may have
        // sent it.
        const claim =
          'update payments set due_at = :dueAt, claims = 3 where account_id = :accountId'
        await service.db.change(claim, { accountId, dueAt: now + 9_000 })
        const row = async () => {
          const sql = 'select reference, due_at, claims from payments where account_id = :accountId'
          return (
            await service.db.read<{ reference: string; due_at: number; claims: number }>(sql, {
              accountId,
            })
          )[0]!
        }
        const payment = { ...(await paymentOf(service, (await row()).reference)), claims: 2 }
        const report = {
          payment,
          via: 'status',
          calledAt: now,
          answer: { is: 'not_known' },
        } as const
        await recordOutcomes(service, TEST, [{ ...report, claimedDueAt: now - 1_000 }])
        assert.partialDeepStrictEqual({ ...(await row()) }, { due_at: now + 9_000, claims: 3 })
        await recordOutcomes(service, TEST, [{ ...report, claimedDueAt: now + 9_000 }])
        const { due_at: dueAt, claims } = await row()
        assert.ok(dueAt < now + 9_000 && claims === 0, 'only the claim holder reschedules')
      })

      it('the events of each account are numbered without a gap', async () => {
        for (const accountId of accounts) {
          const sql = 'select sequence from events where account_id = :accountId order by sequence'
          const rows = await service.db.read<{ sequence: number }>(sql, { accountId })
          assert.deepEqual(column(rows, 'sequence'), upTo(TIMES * 10))
        }
      })
    })
  }
})
