// Runs every way in which a network fails in the field, with a whole service: what becomes of the payment, what the merchant is told, and how
// often the payer is debited in the network's own books. Never twice. On SQLite each row; on PostgreSQL those in which the store can matter, and in the
// long form each row too.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BookedPayment } from '../../../simulators/src/network.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { uuidOfReference } from '../../src/domain/reference.ts'
import { makeLog } from '../../src/observability/log.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { get, order, post } from '../kit/service.ts'
import { SQLITE, STORES } from '../kit/stores.ts'
import { tries } from '../kit/tries.ts'
import type { FaultCase } from './fault-case.ts'
import { type NetworkUnderTest, openServiceOnNetwork, type ServiceOnNetwork } from './network-under-test.ts'

const MISCONFIGURED = /refused for its credentials or settings/
const MINUTE_MS = 60_000
const IS_LONG_FORM = tries(0, 1) > 0

export function testFaults(underTest: NetworkUnderTest, cases: readonly FaultCase[]): void {
  for (const store of STORES) {
    describe(`${underTest.connector.name} on ${store.name}`, () => {
      const lines: string[] = []
      let service: ServiceOnNetwork
      let secretKey: string
      before(async () => {
        const log = makeLog('info', { write: (line) => void lines.push(line) })
        service = await openServiceOnNetwork(underTest, store, { log })
        secretKey = (await service.merchant()).accounts.sandbox.secretKey
      })
      after(() => service.remove())

      for (const each of store === SQLITE || IS_LONG_FORM ? cases : whereStoresMatter(cases)) {
        it(`${each.fault}: ${each.about}`, async () => {
          service.network.reset()
          await untilCalled(service, secretKey, underTest)
          // The network no longer knows the token that the ordinary payment left behind.
          if (each.withoutToken === true) service.network.reset()
          lines.length = 0
          const reference = await runCase(service, secretKey, underTest, each)
          await assertOutcome(service, secretKey, reference, each, lines)
        })
      }
    })
  }
}

/** Callbacks that come at the same time as the answer to a call, or as one another. */
const RACES = [1, 4]

/** The races, and of the others the first of every outcome: rows with the same outcome write the same, whatever the network said on the way. */
function whereStoresMatter(cases: readonly FaultCase[]): FaultCase[] {
  const written = ({ refunded, expect: { story, misconfigured, ...outcome } }: FaultCase): string =>
    JSON.stringify({ refunded, outcome })
  const firsts = new Map(cases.toReversed().map((each) => [written(each), each]))
  return cases.filter((each) => RACES.includes(each.fault) || firsts.get(written(each)) === each)
}

const bodyFor = ({ operator, msisdn }: NetworkUnderTest, number = msisdn): Record<string, unknown> =>
  order({ msisdn: number, country: operator.endsWith('_bj') ? 'BJ' : 'NE' })

/** What an earlier fault left behind is over: an ordinary payment succeeds. */
async function untilCalled(service: ServiceOnNetwork, secretKey: string, underTest: NetworkUnderTest): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const { body } = await post(service, secretKey, bodyFor(underTest))
    await service.clock.advance(6_000)
    if ((await get(service, secretKey, body.reference as string)).body.status === 'succeeded') return
    await pass(service, 2 * MINUTE_MS)
    if ((await get(service, secretKey, body.reference as string)).body.status === 'succeeded') return
  }
  assert.fail('an ordinary payment does not succeed')
}

/** As often as a pending payment is asked about, at the most. */
const STEP_MS = 30_000
/** For the first questions about a payment, which come sooner, and for the callbacks about it. */
const CLOSELY_MS = 20_000

/** Step by step; after the first moments with a pause between the steps, in which what is due runs once: nothing is asked more often than that. */
async function pass({ clock }: ServiceOnNetwork, ms: number): Promise<void> {
  const closely = Math.min(ms, CLOSELY_MS)
  await clock.advance(closely)
  for (let left = ms - closely; left > 0; left -= STEP_MS) {
    const step = Math.min(left, STEP_MS)
    await clock.sleep(step - Math.min(step, 1_000))
    await clock.advance(Math.min(step, 1_000))
  }
}

async function runCase(
  service: ServiceOnNetwork,
  secretKey: string,
  underTest: NetworkUnderTest,
  { arrange, msisdn, later = [], refunded, forMs }: FaultCase,
): Promise<string> {
  const { network } = service
  arrange?.(network)
  const { code, body } = await post(service, secretKey, bodyFor(underTest, msisdn))
  assert.equal(code, 200, JSON.stringify(body))
  const reference = body.reference as string
  let passedMs = 0
  for (const [afterMs, act] of later) {
    await pass(service, afterMs - passedMs)
    passedMs = afterMs
    act(network)
  }
  await pass(service, forMs - passedMs)
  if (refunded === true) {
    granted(await refundPayment(service, TESTER, { name: reference }))
    await pass(service, forMs)
  }
  return reference
}

async function assertOutcome(
  service: ServiceOnNetwork,
  secretKey: string,
  reference: string,
  { expect }: FaultCase,
  lines: readonly string[],
): Promise<void> {
  const { body } = await get(service, secretKey, reference)
  const story = await storyOf(service, reference)
  const booked = service.network.books().filter((each) => isOf(each, reference))
  const total = (of: (each: BookedPayment) => number): number => booked.reduce((sum, each) => sum + of(each), 0)
  const found = {
    status: body.status,
    reason: body.failure_reason,
    debits: total(({ debits }) => debits),
    refunds: total(({ refunds }) => refunds),
    events: await eventsOf(service, reference),
    anomalies: await anomaliesOf(service, reference),
    refundByHand: await isRefundByHand(service, reference),
    misconfigured: lines.some((line) => MISCONFIGURED.test(line)),
    missing: (expect.story ?? []).filter((words) => !story.includes(words)),
  }
  assert.deepEqual(
    found,
    {
      status: expect.status,
      reason: expect.reason,
      debits: expect.debits,
      refunds: expect.refunds ?? 0,
      events: expect.events,
      anomalies: expect.anomalies ?? [],
      refundByHand: expect.refundByHand ?? false,
      misconfigured: expect.misconfigured ?? false,
      missing: [],
    },
    story,
  )
}

/** Networks know a payment by its reference, or by the UUID that was made of it. */
const isOf = ({ id, clientReference }: BookedPayment, reference: string): boolean =>
  [reference, uuidOfReference(reference)].some((name) => name === id || name === clientReference)

const OF_PAYMENT = '(account_id, number) in (select account_id, number from payments where reference = $1)'

async function storyOf({ db }: ServiceOnNetwork, reference: string): Promise<string> {
  const rows = await db.rows<{ kind: string; detail: string }>(
    `select kind, detail from payment_story where ${OF_PAYMENT} order by entry`,
    [reference],
  )
  return rows.map(({ kind, detail }) => `${kind} ${detail}`).join('\n')
}

async function eventsOf({ db }: ServiceOnNetwork, reference: string): Promise<string[]> {
  const rows = await db.rows<{ event: string }>(`select event from events where ${OF_PAYMENT} order by sequence`, [
    reference,
  ])
  return rows.map(({ event }) => event.replace('payment.', ''))
}

async function anomaliesOf({ db }: ServiceOnNetwork, reference: string): Promise<string[]> {
  const rows = await db.rows<{ kind: string }>(`select kind from payment_anomalies where ${OF_PAYMENT} order by kind`, [
    reference,
  ])
  return rows.map(({ kind }) => kind)
}

async function isRefundByHand({ db }: ServiceOnNetwork, reference: string): Promise<boolean> {
  const rows = await db.rows(`select 1 as found from refunds where ${OF_PAYMENT} and by_hand_since is not null`, [
    reference,
  ])
  return rows.length > 0
}
