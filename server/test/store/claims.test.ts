// Claims on both stores: each due payment or refund is claimed once, accounts take turns
// (ADR-0009), and subscriptions decide which endpoints get a delivery.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { OperatorAnswer } from '../../src/domain/payments/operator-report.ts'
import type { OperatorRefund } from '../../src/domain/refunds/refund.ts'
import { Dispatcher } from '../../src/operators/dispatcher.ts'
import type { Operator } from '../../src/operators/operator.ts'
import { type Database, textOf, type Values } from '../../src/store/engine/database.ts'
import {
  claimDuePayments,
  findAccountsInTurn,
  giveBackPayments,
} from '../../src/store/payments/pending-payments.ts'
import { allDueRefunds, claimDueRefund } from '../../src/store/payments/refunds.ts'
import { findEndpoint, insertEndpoint, removeEndpoint } from '../../src/store/webhooks/endpoints.ts'
import { insertEvents, queueDeliveries } from '../../src/store/webhooks/events.ts'
import { paymentResolver } from '../../src/worker/resolve-payments.ts'
import { column } from '../kit/callers.ts'
import { prompting } from '../kit/direct-operators.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { openTestRuntime, shared } from '../kit/shared.ts'
import { SQLITE, STORES } from '../kit/stores.ts'
import { virtualClock } from '../kit/virtual-clock.ts'

describe('claims', () => {
  const DUE = 2_000
  const NOT_DUE = 100
  const NOW = 1_800_000_000_000
  const LEASE_MS = 15_000

  const AIRTEL = { environment: 'sandbox', connection: 'airtel_ne', kind: 'request' } as const

  async function claimOfAirtel(db: Database, now: number, leaseMs: number, mostOfEach: number) {
    const accountIds = (await findAccountsInTurn(db, AIRTEL, '', 10)).map(
      ({ accountId }) => accountId,
    )
    return (
      await claimDuePayments(db, {
        ...AIRTEL,
        accountIds,
        now,
        leaseMs,
        mostOfEach,
        first: 'oldest',
      })
    ).flat()
  }

  /** Claims again when other workers took every row that it had found. */
  async function claimRefunds(
    db: Database,
    now: number,
    leaseMs: number,
    most: number,
  ): Promise<OperatorRefund[]> {
    const due: string[] = []
    for await (const { refundReference } of allDueRefunds(db, now)) {
      if (due.length === most) break
      due.push(refundReference)
    }
    // A few at a time: two thousand would wait longer for a connection of the pool than the store
    // allows.
    const claimed: OperatorRefund[] = []
    for (let at = 0; at < due.length; at += 20) {
      const claim = (reference: string) => claimDueRefund(db, reference, now, leaseMs)
      const claims = await Promise.all(due.slice(at, at + 20).map(claim))
      claimed.push(...claims.filter((refund) => refund !== undefined))
    }
    return due.length > 0 && claimed.length === 0 ? claimRefunds(db, now, leaseMs, most) : claimed
  }

  const CLAIMS = [
    { what: 'payments', claim: claimOfAirtel, index: 'payments_due', takers: 25 },
    // All workers find the same refunds first, and claim each refund by itself.
    { what: 'refunds', claim: claimRefunds, index: 'refunds_due', takers: 4 },
  ]

  for (const store of STORES) {
    describe(`claims on ${store.name}`, () => {
      const runtime = shared(() => openTestRuntime(store))
      before(async () => {
        await insertPending(runtime, 'acc_claims', DUE, { dueAt: NOW })
        await insertPending(runtime, 'acc_claims', NOT_DUE, { dueAt: NOW + 1 })
        await runtime.db.change(
          `insert into refunds (account_id, number, refund_reference, status, requested_by,
           created_at, due_at,
           amount_xof)
         select account_id, number, reference, 'pending', 'tester', created_at, due_at, amount_xof
         from payments`,
        )
      })

      it('a claim is released only while it is still held', async () => {
        const { db } = runtime
        const early = NOW - 10_000
        await insertPending(runtime, 'acc_given_back', 3, { dueAt: early })
        const mine = await claimOfAirtel(db, early, LEASE_MS, 3)
        const [lost, ...kept] = mine.map((payment) => ({
          ...payment,
          claimedDueAt: early + LEASE_MS,
        }))
        assert.ok(lost)
        await db.change('update payments set due_at = :dueAt where reference = :reference', {
          reference: lost.reference,
          dueAt: NOW + 2 * LEASE_MS,
        })
        await giveBackPayments(db, [...kept, lost], early + 1)
        const again = await claimOfAirtel(db, early + 1, LEASE_MS, 3)
        assert.deepEqual(
          again.map(({ number }) => number).sort(),
          kept.map(({ number }) => number).sort(),
        )
        await db.change(`delete from payments where account_id = 'acc_given_back'`)
      })

      for (const { what, claim, index, takers } of CLAIMS) {
        it(`claims of ${what} find due rows by ${index}`, async () => {
          const { db } = runtime
          await db.alone((_tx, script) => script('analyze'))
          const claims: [sql: string, values: Values][] = []
          const watched: Database = {
            ...db,
            read: (texts, values = {}) => {
              const sql = textOf(texts, store === SQLITE ? 'sqlite' : 'postgres')
              if (/from refunds/.test(sql)) claims.push([sql, values])
              return db.read(sql, values)
            },
            write: (sql, values = {}) => {
              claims.push([sql, values])
              return db.write(sql, values)
            },
          }
          await claim(watched, 0, LEASE_MS, 10)
          const [[sql, values]] = claims as [[string, Values]]
          const explain = store.name === 'SQLite' ? 'explain query plan' : 'explain'
          const plan = JSON.stringify(await db.read(`${explain} ${sql}`, values))
          assert.match(plan, new RegExp(`(USING INDEX|Index Scan using) ${index}`))
        })

        it(`concurrent claims of ${what} take each row once, and none takes more than its limit`, async () => {
          const takes = Array.from({ length: takers }, () => claim(runtime.db, NOW, LEASE_MS, 100))
          const taken = await Promise.all(takes)
          assert.ok(taken.every((some) => some.length <= 100))
          // A claim skips rows that others have locked. It may return fewer rows, and the next
          // claim finds the rest.
          while (taken.at(-1)?.length !== 0 && taken.length < 1_000)
            taken.push(await claim(runtime.db, NOW, LEASE_MS, 100))
          const names = taken.flat().map(({ accountId, number }) => `${accountId} ${number}`)
          assert.deepEqual([names.length, new Set(names).size], [DUE, DUE])
        })

        it(`claims of ${what} end with their lease, so the claims of a dead process are free again`, async () => {
          assert.equal(
            (await claim(runtime.db, NOW + LEASE_MS - 1, LEASE_MS, DUE * 2)).length,
            NOT_DUE,
          )
          assert.equal((await claim(runtime.db, NOW + LEASE_MS, LEASE_MS, DUE * 2)).length, DUE)
        })
      }
    })
  }
})

describe('account turns', () => {
  const ACCOUNTS = ['acc_a', 'acc_b', 'acc_c', 'acc_d']
  const EACH = 6
  const NOW = 1_800_000_000_000
  /** No claimed row becomes due again within a test. */
  const LEASE_MS = 3_600_000
  /** The dispatcher keeps a claim this long: two a second, so two in a claim. */
  const MAX_WAIT_MS = 1_000

  for (const store of STORES) {
    describe(`account turns on ${store.name}`, () => {
      const runtime = shared(() => openTestRuntime(store))
      before(async () => {
        for (const accountId of ACCOUNTS)
          await insertPending(runtime, accountId, EACH, { dueAt: NOW - LEASE_MS })
        await runtime.db.change(
          'update payments set handed_over_at = created_at, due_at = due_at + number',
        )
      })

      it('each account’s newest and oldest payments are claimed, although each turn takes two claims', async () => {
        const clock = virtualClock(NOW)
        const asked = new Set<string>()
        const status = async (reference: string): Promise<OperatorAnswer> => {
          asked.add(reference)
          return { is: 'accepted' }
        }
        const operator = { name: 'airtel_ne', status } as unknown as Operator
        const dispatcher = new Dispatcher({
          operators: { all: () => [prompting('sandbox', operator)] },
          clock,
          limitsOf: () => ({ request: { atOnce: 2 }, status: { atOnce: 2, perSecond: 2 } }),
          leaseMs: LEASE_MS,
          maxWaitMs: MAX_WAIT_MS,
          recordOutcome: async () => {},
          keepNetworkId: async () => true,
          findAccepted: async () => undefined,
          release: async () => assert.fail('something was claimed in vain'),
          failed: (error) => assert.fail(String(error)),
        })
        const round = paymentResolver({ db: runtime.db, clock, dispatcher, leaseMs: LEASE_MS })
        const wanted = 2 * ACCOUNTS.length
        for (let rounds = 0; asked.size < wanted && rounds < 2 * wanted; rounds++) {
          await round()
          await clock.advance(MAX_WAIT_MS)
        }
        const rows = await runtime.db.read<{ account_id: string; reference: string }>(
          'select account_id, reference from payments order by account_id, number',
        )
        const placesOf = (accountId: string): number[] =>
          rows
            .filter(({ account_id }) => account_id === accountId)
            .flatMap(({ reference }, at) => (asked.has(reference) ? [at] : []))
        for (const accountId of ACCOUNTS)
          assert.deepEqual(placesOf(accountId), [0, EACH - 1], accountId)
      })
    })
  }
})

describe('webhook subscriptions', () => {
  const ALL = 'payment.succeeded,payment.failed,payment.refunded'

  for (const store of STORES) {
    describe(`webhook subscriptions on ${store.name}`, () => {
      const runtime = shared(() => openTestRuntime(store, {}, { isMigrated: true }))

      async function addAccount(accountId: string): Promise<void> {
        const { db } = runtime
        await db.change(
          `insert into merchants (merchant_id, name, created_at)
           values ('of ${accountId}', 'Awa', 0)`,
        )
        await db.change(
          `insert into accounts (account_id, merchant_id, environment, status, created_at)
         values (:accountId, :merchantId, 'sandbox', 'validated', 0)`,
          { accountId, merchantId: `of ${accountId}` },
        )
      }

      const add = (accountId: string, endpointId: string, events: string): Promise<void> =>
        runtime.db.transaction((tx) =>
          insertEndpoint(tx, {
            accountId,
            endpointId,
            events,
            url: 'https://shop.example/hook',
            secretHash: '',
            signingSecret: '',
            createdAt: 0,
          }),
        )

      /** The endpoints that get a delivery of such an event. */
      async function receiversOf(
        accountId: string,
        event: string,
        sequence: number,
      ): Promise<string[]> {
        const { db } = runtime
        const eventId = `${accountId} ${sequence}`
        const queuedFor = await db.transaction(async (tx) => {
          await insertEvents(tx, [
            { accountId, sequence, eventId, event, number: 1, payload: '', createdAt: 0 },
          ])
          return queueDeliveries(tx, [
            { accountId, firstSequence: sequence, lastSequence: sequence },
          ])
        })
        const rows = await db.read<{ endpoint_id: string }>(
          `select endpoint_id from webhook_deliveries where account_id = :accountId
            and sequence = :sequence order by endpoint_id`,
          { accountId, sequence },
        )
        assert.deepEqual(queuedFor, rows.length === 0 ? [] : [accountId])
        return rows.map((row) => row.endpoint_id)
      }

      it('an endpoint gets a delivery only for its exact events and its own account', async () => {
        for (const account of ['acc', 'other']) await addAccount(account)
        await add('acc', 'whe_all', ALL)
        await add('acc', 'whe_one', 'payment.failed')
        await add('other', 'whe_other', ALL)
        const EVENTS: [event: string, receivers: string[]][] = [
          ['payment.succeeded', ['whe_all']],
          ['payment.failed', ['whe_all', 'whe_one']],
          // Parts and patterns of an event name, which a substring search would match.
          ['payment', []],
          ['failed', []],
          ['payment_failed', []],
          ['payment.%', []],
          [',', []],
          ['', []],
        ]
        for (const [at, [event, receivers]] of EVENTS.entries()) {
          assert.deepEqual(await receiversOf('acc', event, at + 1), receivers, event)
        }
      })

      it('removing an endpoint removes its subscriptions, and keeps those of others', async () => {
        const [{ db }, accountId] = [runtime, 'acc_removed']
        await addAccount(accountId)
        await add(accountId, 'whe_1', ALL)
        await add(accountId, 'whe_2', 'payment.refunded,payment.succeeded')
        assert.equal(await removeEndpoint(db, accountId, 'whe_1'), true)
        const sql =
          'select endpoint_id as name from webhook_subscriptions where account_id = :accountId'
        assert.deepEqual(column(await db.read<{ name: string }>(sql, { accountId }), 'name'), [
          'whe_2',
          'whe_2',
        ])
        const { events } = (await findEndpoint(db, { accountId }, 'whe_2')) ?? {}
        assert.equal(events, 'payment.succeeded,payment.refunded')
        assert.deepEqual(await receiversOf(accountId, 'payment.succeeded', 1), ['whe_2'])
      })
    })
  }
})
