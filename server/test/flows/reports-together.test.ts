// Reports that are recorded in one commit: each payment gets what its own reports say, whatever else is in the batch.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { recordOutcomes } from '../../src/actions/payments/record-outcomes.ts'
import type { OperatorAnswer, OperatorPayment } from '../../src/domain/operator-report.ts'
import { insertPending, paymentOf } from '../kit/pending-payments.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'

const ACCEPTED: OperatorAnswer = { is: 'accepted' }
const SUCCEEDED: OperatorAnswer = { is: 'succeeded', amountXof: 1_500, operatorReference: 'OP-1' }
const MORE: OperatorAnswer = { is: 'succeeded', amountXof: 1_501, operatorReference: 'OP-1' }
const DECLINED: OperatorAnswer = { is: 'declined', reason: 'insufficient_funds' }
const GIVEN_BACK: OperatorAnswer = { is: 'refunded', amountXof: 1_500, operatorReference: 'OP-1' }

/** What one payment's reports are, in their order, and what is there afterwards. */
const CASES: [answers: OperatorAnswer[], status: string, moves: string, anomaly?: string][] = [
  [[SUCCEEDED], 'succeeded', 'payment.succeeded'],
  [[DECLINED], 'failed', 'payment.failed'],
  [[ACCEPTED], 'pending', ''],
  [[MORE], 'pending', '', 'amount_mismatch'],
  [[ACCEPTED, SUCCEEDED], 'succeeded', 'payment.succeeded'],
  [[SUCCEEDED, ACCEPTED], 'succeeded', 'payment.succeeded'],
  [[SUCCEEDED, SUCCEEDED], 'succeeded', 'payment.succeeded'],
  [[SUCCEEDED, DECLINED], 'succeeded', 'payment.succeeded', 'failure_after_success'],
  [[DECLINED, SUCCEEDED], 'failed', 'payment.failed', 'success_after_failure'],
  [[SUCCEEDED, GIVEN_BACK], 'refunded', 'payment.succeeded payment.refunded'],
]
const TIMES = 5

for (const store of STORES) {
  describe(`reports that are recorded together on ${store.name}`, () => {
    let service: TestService
    const accounts: string[] = []
    before(async () => {
      service = await openTestService(store, { KARBA_ROLE: 'api' })
      for (let merchant = 0; merchant < 2; merchant++) {
        const { accountId } = (await service.merchant()).accounts.sandbox
        accounts.push(accountId)
        await insertPending(service, accountId, CASES.length * TIMES, { dueAt: service.clock.now() })
      }
    })
    after(() => service.remove())

    const texts = async (sql: string, { accountId, number }: OperatorPayment): Promise<string> => {
      const rows = await service.db.rows<{ text: string }>(sql, [accountId, number])
      return rows.map(({ text }) => text).join(' ')
    }

    it('move each payment as its own reports say, with its story, its events and its anomaly', async () => {
      const references = await service.db.rows<{ reference: string }>('select reference from payments order by number')
      const payments = await Promise.all(references.map(({ reference }) => paymentOf(service, reference)))
      const cases = payments.map((payment, at) => ({ payment, case: CASES[at % CASES.length] as (typeof CASES)[0] }))
      const calledAt = service.clock.now()
      // The first reports of all payments, then the second ones: those of one payment are apart.
      const reports = [0, 1].flatMap((nth) =>
        cases.flatMap(({ payment, case: [answers] }) => {
          const answer = answers[nth]
          return answer === undefined ? [] : [{ payment, via: 'status' as const, calledAt, answer }]
        }),
      )
      await recordOutcomes(service, { is: 'service', part: 'test' }, reports)

      for (const {
        payment,
        case: [answers, status, moves, anomaly = ''],
      } of cases) {
        const about = `${answers.map(({ is }) => is)} of ${payment.number}`
        const where = 'where account_id = $1 and number = $2'
        assert.equal(await texts(`select status as text from payments ${where}`, payment), status, about)
        assert.equal(await texts(`select event as text from events ${where} order by sequence`, payment), moves, about)
        assert.equal(await texts(`select kind as text from payment_anomalies ${where}`, payment), anomaly, about)
        const told = `select kind as text from payment_story ${where} and kind = 'status'`
        // What is said again is not written again.
        assert.equal((await texts(told, payment)).split(' ').length, new Set(answers).size, about)
        const moved = `select kind as text from payment_story ${where} and kind = 'moved'`
        assert.equal(
          (await texts(moved, payment)).split(' ').filter(Boolean).length,
          moves.split(' ').filter(Boolean).length,
          about,
        )
      }
    })

    it('leave the next call to whoever has claimed the payment since', async () => {
      const { accountId } = (await service.merchant()).accounts.sandbox
      const now = service.clock.now()
      await insertPending(service, accountId, 1, { dueAt: now })
      const [{ reference }] = (await service.db.rows<{ reference: string }>(
        'select reference from payments where account_id = $1',
        [accountId],
      )) as [{ reference: string }]
      // Claimed until a second ago, asked about, and claimed by another process meanwhile, which may have sent it.
      await service.db.change('update payments set due_at = $2, claims = 3 where account_id = $1', [
        accountId,
        now + 9_000,
      ])
      const payment = await paymentOf(service, reference)
      const late = {
        payment: { ...payment, claims: 2 },
        via: 'status',
        calledAt: now,
        answer: { is: 'not_known' },
      } as const
      const row = async (): Promise<unknown> => {
        const [found] = await service.db.rows('select due_at, claims from payments where account_id = $1', [accountId])
        return { ...(found as object) }
      }
      await recordOutcomes(service, { is: 'service', part: 'test' }, [{ ...late, claimedUntil: now - 1_000 }])
      assert.deepEqual(await row(), { due_at: now + 9_000, claims: 3 })
      await recordOutcomes(service, { is: 'service', part: 'test' }, [{ ...late, claimedUntil: now + 9_000 }])
      const { due_at: dueAt, claims } = (await row()) as { due_at: number; claims: number }
      assert.ok(dueAt < now + 9_000 && claims === 0, 'who holds the claim decides')
    })

    it('number the events of each account without a gap', async () => {
      for (const accountId of accounts) {
        const rows = await service.db.rows<{ sequence: number }>(
          'select sequence from events where account_id = $1 order by sequence',
          [accountId],
        )
        assert.deepEqual(
          rows.map(({ sequence }) => sequence),
          rows.map((_, at) => at + 1),
        )
        assert.equal(rows.length, TIMES * 9)
      }
    })
  })
}
