// Runs the rules of fault-rules.ts with a whole service: the payment's outcome, the merchant's
// events, and the number of debits in the network's own books, which is never two. Rows with the
// same outcome write the same, so a run may take the races and the first row of each outcome; in
// the long form it takes every row.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { BookedPayment, ConformanceNetwork } from '../../../simulators/src/network.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { makeLog } from '../../src/observability/log.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { get, post } from '../kit/service.ts'
import type { StoreKind } from '../kit/stores.ts'
import { SCALE } from '../kit/tries.ts'
import { type InjectedFault, type Outcome, RULES } from './fault-rules.ts'
import {
  anomaliesOf,
  bookedUnder,
  type NetworkUnderTest,
  openServiceOnNetwork,
  orderOn,
  rowsOf,
  type ServiceOnNetwork,
  storyOf,
  switchOn,
} from './harness.ts'
import { NETWORKS, type NetworkName } from './networks.ts'

const MISCONFIGURED = /refused for its credentials or settings/
const MINUTE_MS = 60_000
const IS_LONG_FORM = process.env[SCALE] !== undefined
/** Callbacks concurrent with the answer to a call, or with one another. */
const RACES = [1, 4]

interface FaultCase {
  network: NetworkName
  title: string
  fault: number
  injected: InjectedFault
  expect: Outcome
}

const CASES: readonly FaultCase[] = RULES.flatMap(([fault, about, outcome, ways]) =>
  Object.entries(ways).map(([name, given]) => {
    const injected: InjectedFault = typeof given === 'string' ? { on: [given] } : given
    const network = name as NetworkName
    const title = `${NETWORKS[network].connector.name}: fault ${fault}: ${about}`
    return { network, title, fault, injected, expect: { ...outcome, ...injected.expect } }
  }),
)

type Rows = 'each outcome of a network' | 'the other rows' | 'each outcome'

function chosen(rows: Rows): readonly FaultCase[] {
  if (IS_LONG_FORM) return CASES
  if (rows === 'the other rows') {
    const quick = chosen('each outcome of a network')
    return CASES.filter((each) => !quick.includes(each))
  }
  const written = ({
    network,
    injected,
    expect: { story, misconfigured, ...outcome },
  }: FaultCase): string =>
    JSON.stringify({
      network: rows === 'each outcome' ? '' : network,
      refunded: injected.refunded,
      outcome,
    })
  const firsts = new Map(CASES.toReversed().map((each) => [written(each), each]))
  const isRace = ({ fault, network }: FaultCase): boolean =>
    RACES.includes(fault) && (rows !== 'each outcome' || network === 'mtn')
  return CASES.filter((each) => isRace(each) || firsts.get(written(each)) === each)
}

export function faultTests(store: StoreKind, rows: Rows): void {
  const cases = chosen(rows)
  for (const network of Object.keys(NETWORKS) as NetworkName[]) {
    const underTest = NETWORKS[network]
    describe(`${underTest.connector.name}: faults on ${store.name}`, () => {
      const lines: string[] = []
      let opened: Promise<{ service: ServiceOnNetwork; secretKey: string }> | undefined
      const open = async () => {
        const log = makeLog('info', { write: (line) => void lines.push(line) })
        const service = await openServiceOnNetwork(underTest, store, { log })
        return { service, secretKey: (await service.merchant()).accounts.sandbox.secretKey }
      }
      after(async () => (await opened)?.service.remove())

      for (const each of cases.filter((row) => row.network === network)) {
        it(each.title, async () => {
          opened ??= open()
          const { service, secretKey } = await opened
          service.network.reset()
          await untilCalled(service, secretKey, underTest)
          // The network no longer knows the token of the ordinary payment.
          if (each.injected.withoutToken === true) service.network.reset()
          lines.length = 0
          const reference = await runCase(service, secretKey, each)
          await assertOutcome(service, secretKey, reference, each.expect, lines)
        })
      }
    })
  }
}

/** Earlier faults have ended: an ordinary payment succeeds. */
async function untilCalled(
  service: ServiceOnNetwork,
  secretKey: string,
  underTest: NetworkUnderTest,
): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const { body } = await post(service, secretKey, orderOn(underTest))
    await service.clock.advance(6_000)
    if ((await get(service, secretKey, body.reference as string)).body.status === 'succeeded')
      return
    await pass(service, 2 * MINUTE_MS)
    if ((await get(service, secretKey, body.reference as string)).body.status === 'succeeded')
      return
  }
  assert.fail('an ordinary payment does not succeed')
}

/** The shortest polling interval of a pending payment. */
const STEP_MS = 30_000
/** For the first status calls of a payment, which come sooner, and for its callbacks. */
const CLOSELY_MS = 20_000

/**
 * Step by step; after the first moments with a pause between the steps, in which due work runs
 * once: nothing is polled more often.
 */
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
  { network, injected }: FaultCase,
): Promise<string> {
  const underTest = NETWORKS[network]
  const { on = [], later = [], msisdn, refunded = false, minutes = 3 } = injected
  switchOn(service.network, on)
  const { code, body } = await post(service, secretKey, orderOn(underTest, msisdn))
  assert.equal(code, 200, JSON.stringify(body))
  const reference = body.reference as string
  let passedMs = 0
  for (const [after, act] of later) {
    await pass(service, after * MINUTE_MS - passedMs)
    passedMs = after * MINUTE_MS
    if (act === 'faults end') service.network.faults.allOff()
    else if (act === 'payer approves') approve(service.network)
    else switchOn(service.network, act.on)
  }
  await pass(service, minutes * MINUTE_MS - passedMs)
  if (refunded) {
    granted(await refundPayment(service, TESTER, { name: reference }))
    await pass(service, minutes * MINUTE_MS)
  }
  return reference
}

/** The payer of the only undecided payment. */
const approve = (network: ConformanceNetwork): void =>
  assert.ok(network.books().some(({ id }) => network.decide(id, 'approve')))

async function assertOutcome(
  service: ServiceOnNetwork,
  secretKey: string,
  reference: string,
  expect: Outcome,
  lines: readonly string[],
): Promise<void> {
  const { body } = await get(service, secretKey, reference)
  const story = await storyOf(service, reference)
  const events = await rowsOf<{ event: string }>(
    service,
    'select event from events',
    reference,
    'order by sequence',
  )
  const byHand = await rowsOf(
    service,
    'select 1 as found from refunds',
    reference,
    'and by_hand_since is not null',
  )
  const booked = bookedUnder(service, reference)
  const total = (of: (each: BookedPayment) => number): number =>
    booked.reduce((sum, each) => sum + of(each), 0)
  const found = {
    status: body.status,
    reason: body.failure_reason,
    debits: total(({ debits }) => debits),
    refunds: total(({ refunds }) => refunds),
    events: events.map(({ event }) => event.replace('payment.', '')),
    anomalies: await anomaliesOf(service, reference),
    refundByHand: byHand.length > 0,
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
