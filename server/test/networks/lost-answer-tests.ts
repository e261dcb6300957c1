// Every connector, with a whole service: the answer to a request or a refund is lost, look-ups lag,
// and the callback comes never, late or early. Each combination ends truthfully, nothing is debited
// or refunded twice, and a debit reported as failed is listed for staff.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type {
  BookedPayment,
  ConformanceNetwork,
  WireCallback,
  WireReaction,
} from '../../../simulators/src/network.ts'
import { listRefundTasks } from '../../src/actions/payments/record-refund-outcome.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { Call } from '../../src/operators/http-call.ts'
import { StoreUnavailable } from '../../src/store/engine/database.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { get, post } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { SQLITE, type StoreKind } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import {
  AIRTEL_MONEY,
  FEDAPAY,
  fieldsOf,
  MTN_MOMO,
  type NetworkKind,
  PAWAPAY,
  textOf,
} from '../simulation/network-kinds.ts'
import {
  anomaliesOf,
  bookedUnder,
  type NetworkUnderTest,
  openServiceOnNetwork,
  orderOn,
  reactionTo,
  rowsOf,
  type ServiceOnNetwork,
  storyOf,
} from './harness.ts'
import { NETWORKS } from './networks.ts'

const NETWORKS_AND_KINDS: readonly [underTest: NetworkUnderTest, networkKind: NetworkKind][] = [
  [NETWORKS.mtn, MTN_MOMO],
  [NETWORKS.airtel, AIRTEL_MONEY],
  [NETWORKS.fedapay, FEDAPAY],
  [NETWORKS.pawapay, PAWAPAY],
]

/**
 * The written rows do not depend on the network, except FedaPay's kept ids and manual refunds,
 * which the faults and store/postgres-statements.test.ts write too. So on PostgreSQL one network
 * represents all, except in the long form.
 */
const differOn = (store: StoreKind, { connector }: NetworkUnderTest): boolean =>
  store === SQLITE || tries(0, 1) > 0 || connector.name === 'mtn-momo'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
/** More than a lease: the next process that claims the payment knows only the store's content. */
const DEAD_MS = 20 * SECOND_MS
const LATE_CALLBACK_MS = 10 * MINUTE_MS
/**
 * The longest lag, twice the quarter of an hour after which `not_known` is believed, and the first
 * rechecks.
 */
const ENDED_AFTER_MS = 50 * MINUTE_MS
const STEP_MS = MINUTE_MS
/**
 * It includes time-outs, early decisions, and prompts after a lag of a minute: every timer runs
 * when it is due.
 */
const CLOSELY_MS = 2 * MINUTE_MS
/** After the last lag little is left to poll. */
const LAGS_END_MS = 25 * MINUTE_MS

interface Lost {
  how: 'heard' | 'cut' | 'silent' | 'dies'
  /**
   * Of FedaPay's calls before the prompt the one that creates the transaction; otherwise the call
   * that can move money.
   */
  of?: 'creation'
}

const HEARD: Lost = { how: 'heard' }
const CUT: Lost = { how: 'cut' }
const SILENT: Lost = { how: 'silent' }
const DIES: Lost = { how: 'dies' }

/** A process that dies loses every in-flight request, so these run separately. */
const BATCHES: readonly [about: string, all: readonly Lost[], ofFedapay: readonly Lost[]][] = [
  ['answers that the line loses', [HEARD, CUT, SILENT], [{ how: 'cut', of: 'creation' }]],
  ['a process that dies before it records the answer', [DIES], [{ how: 'dies', of: 'creation' }]],
]
const LAGS_MS = { none: 0, 'of a minute': MINUTE_MS, 'of twenty minutes': 20 * MINUTE_MS } as const
const CALLBACKS = ['never', 'late', 'early'] as const
const PAYERS = ['approve', 'decline'] as const

interface Combination {
  lost: Lost
  lag: keyof typeof LAGS_MS
  callback: (typeof CALLBACKS)[number]
  payer: (typeof PAYERS)[number]
}

const LAGS = Object.keys(LAGS_MS) as Combination['lag'][]

const combinationsOf = (lost: readonly Lost[]): Combination[] =>
  lost.flatMap((how) =>
    LAGS.flatMap((lag) =>
      CALLBACKS.flatMap((callback) => PAYERS.map((payer) => ({ lost: how, lag, callback, payer }))),
    ),
  )

const ORDINARY: Combination = { lost: HEARD, lag: 'none', callback: 'early', payer: 'approve' }

/**
 * The wire between a service and its network: each request has its combination, by the reference
 * sent to the network.
 */
function faultyWire(networkKind: NetworkKind) {
  const plans = new Map<string, Combination>()
  const takenAt = new Map<string, number>()
  const self = {
    plans,
    /** Of a payment in creation, whose reference is not known yet. */
    current: undefined as Combination | undefined,
    service: undefined as ServiceOnNetwork | undefined,
    /** Until then nothing can be recorded. */
    deadUntil: 0,
    hear,
    callBack,
  }
  const now = (): number => self.service?.clock.now() ?? 0
  const planOf = (reference: string): Combination | undefined =>
    plans.get(reference) ?? self.current

  function hear(call: Call, network: ConformanceNetwork): WireReaction {
    const asked = networkKind.askedAbout(call, network)
    const lagMs = LAGS_MS[planOf(asked ?? '')?.lag ?? 'none']
    const isHidden = asked !== undefined && now() < (takenAt.get(asked) ?? now()) + lagMs
    const reaction = reactionTo(network, isHidden ? networkKind.aboutNothing(call) : call)
    const money = networkKind.moneyCallOf(call, network)
    const created =
      call.path === '/v1/transactions' ? textOf(fieldsOf(call.body).merchant_reference) : ''
    const reference = money?.reference ?? created
    const isSecond = takenAt.has(`${call.path} ${reference}`)
    if (reference === '' || isSecond) return reaction
    takenAt.set(`${call.path} ${reference}`, now()).set(reference, takenAt.get(reference) ?? now())
    if (money?.kind === 'request') decide(network, reference)
    const { lost } = planOf(reference) ?? ORDINARY
    const isLost = (lost.of === 'creation') === (money === undefined)
    return isLost ? lose(reaction, lost) : reaction
  }

  /** The payer decides at once, and the callback precedes the answer; or follows in a second. */
  function decide(network: ConformanceNetwork, reference: string): void {
    const { callback, payer } = planOf(reference) ?? {}
    const booked = network.books().find((each) => networkKind.referenceOf(each) === reference)
    const act = (): void => void (booked && payer && network.decide(booked.id, payer))
    if (callback === 'early') act()
    else self.service?.clock.after(SECOND_MS, act)
  }

  function lose(reaction: WireReaction, { how, of }: Lost): WireReaction {
    if (how === 'dies') self.deadUntil = now() + DEAD_MS
    if (how === 'cut') return { cut: true }
    // A process that dies during the creation must not send the prompt.
    if (how === 'silent' || (how === 'dies' && of === 'creation')) return { silent: true }
    // An early callback comes first.
    return 'code' in reaction ? { ...reaction, afterMs: 1_500 } : reaction
  }

  async function callBack(
    callback: WireCallback,
    deliver: () => Promise<number>,
  ): Promise<number | undefined> {
    const plan = planOf(networkKind.calledBackAbout(callback) ?? '')
    if (plan?.callback === 'never') return undefined
    if (plan?.callback === 'early') return deliver()
    self.service?.clock.after(LATE_CALLBACK_MS, () => void deliver())
    return 200
  }
  return self
}

export function lostAnswerTests(store: StoreKind): void {
  for (const [underTest, networkKind] of NETWORKS_AND_KINDS) {
    if (!differOn(store, underTest)) continue
    describe(`lost answers of ${underTest.connector.name} on ${store.name}`, () => {
      const wire = faultyWire(networkKind)
      const service = shared(() => openServiceOnNetwork(underTest, store, {}, wire))
      let secretKey: string
      before(async () => {
        wire.service = service
        secretKey = (await service.merchant()).accounts.sandbox.secretKey
        dieWith(service, wire)
      })

      async function pass(ms: number): Promise<void> {
        await service.clock.advance(CLOSELY_MS)
        for (let passed = CLOSELY_MS; passed < ms; ) {
          const step = passed < LAGS_END_MS ? STEP_MS : 2 * STEP_MS
          await service.clock.sleep(step - SECOND_MS)
          await service.clock.advance(SECOND_MS)
          passed += step
        }
      }

      async function create(plan: Combination): Promise<string> {
        wire.current = plan
        const { code, body } = await post(service, secretKey, orderOn(underTest))
        assert.equal(code, 200, JSON.stringify(body))
        wire.plans.set(body.reference as string, plan)
        await service.clock.settle()
        wire.current = undefined
        return body.reference as string
      }

      for (const [about, all, ofFedapay] of BATCHES) {
        const combinations = combinationsOf(networkKind === FEDAPAY ? [...all, ...ofFedapay] : all)
        it(`lost answers: ${about}, with every lag and callback: every payment ends truthfully`, async () => {
          const rounds = tries(1, 20)
          for (let round = 0; round < rounds; round++) {
            service.network.reset()
            const made: [string, Combination][] = []
            for (const plan of combinations) {
              // The breaker stays closed: an answer comes before there are ten without one.
              await create(ORDINARY)
              made.push([await create(plan), plan])
            }
            await pass(ENDED_AFTER_MS)
            for (const [reference, plan] of made) await assertTruthful(reference, plan)
          }
          tried(rounds * combinations.length)
        })
      }

      async function assertTruthful(
        reference: string,
        { lost, lag, callback, payer }: Combination,
      ): Promise<void> {
        const { body } = await get(service, secretKey, reference)
        const booked = service.network
          .books()
          .filter((each) => networkKind.referenceOf(each) === reference)
        const debits = booked.reduce((sum, each) => sum + each.debits, 0)
        const listed = await anomaliesOf(service, reference)
        const events = await rowsOf<{ event: string }>(
          service,
          'select event from events',
          reference,
        )
        const isListed = listed.includes('success_after_failure')
        const name = `${JSON.stringify(lost)}, lag ${lag}, callback ${callback}, payer ${payer}: ${JSON.stringify({ ...body, debits, listed })}\n${await storyOf(service, reference)}`
        assert.ok(debits <= 1, `debited twice: ${name}`)
        assert.deepEqual(
          events.map(({ event }) => event),
          [`payment.${body.status}`],
          name,
        )
        if (debits === 0) assert.deepEqual([body.status, isListed], ['failed', false], name)
        else
          assert.ok(
            body.status === 'succeeded' || (body.status === 'failed' && isListed),
            `debited: ${name}`,
          )
        // A lag below the quarter of an hour fails no payment.
        if (lag !== 'of twenty minutes') assert.equal(debits, payer === 'approve' ? 1 : 0, name)
        if (lag !== 'of twenty minutes' && payer === 'approve')
          assert.equal(body.status, 'succeeded', name)
      }

      for (const [about, all] of BATCHES) {
        const plans = all.flatMap((lost) =>
          LAGS.map((lag): Combination => ({ ...ORDINARY, lost, lag })),
        )
        it(`lost answers of refunds: ${about}, with every lag: the refund is made once, or left to staff`, async () => {
          const rounds = tries(1, 20)
          for (let round = 0; round < rounds; round++) {
            service.network.reset()
            const paid: [string, Combination][] = []
            for (const plan of plans) paid.push([await create(ORDINARY), plan])
            await service.clock.advance(MINUTE_MS)
            for (const [reference, plan] of paid) {
              const { refundReference } = granted(
                await refundPayment(service, TESTER, { name: reference }),
              )
              wire.plans.set(refundReference, plan)
            }
            await pass(ENDED_AFTER_MS)
            for (const [reference, plan] of paid) await assertRefunded(reference, plan)
          }
          tried(rounds * plans.length)
        })
      }

      async function assertRefunded(reference: string, { lost, lag }: Combination): Promise<void> {
        const { body } = await get(service, secretKey, reference)
        const [booked] = service.network
          .books()
          .filter((each) => networkKind.referenceOf(each) === reference)
        const refunds = booked?.refunds ?? 0
        const { rows: tasks } = await listRefundTasks(service, TESTER)
        const isByHand = tasks.some((task) => task.reference === reference)
        const name = `${JSON.stringify(lost)}, lag ${lag}: ${JSON.stringify({ ...body, refunds, isByHand })}\n${await storyOf(service, reference)}`
        assert.ok(refunds <= 1, name)
        assert.ok(isByHand || body.status === (refunds === 1 ? 'refunded' : 'succeeded'), name)
      }
    })
  }
}

/** A dead process records nothing, and loses its claims and in-flight calls. */
function dieWith(service: ServiceOnNetwork, wire: ReturnType<typeof faultyWire>): void {
  const { transaction } = service.db
  const refuseDead = (): void => {
    if (service.clock.now() < wire.deadUntil) throw new StoreUnavailable('the process is dead')
  }
  service.db.transaction = async (work) => {
    refuseDead()
    return transaction(work)
  }
}

// A network restarts with empty books: it has lost every payment, refund and token. Its earlier
// answers stay true. The outcome of an accepted payment is never guessed: it stays pending and is
// listed for staff, because its payer may have been debited. A refund is never reported as made,
// nor sent again blindly.

const HOUR_MS = 3_600_000
/** Twice the polling interval of a pending payment. */
const POLL_MS = 60_000

/** The payment's state at the restart. */
const STATES = [
  'declined',
  'succeeded',
  'refunded',
  'being refunded',
  'waiting',
  'debited',
] as const
type State = (typeof STATES)[number] | 'not recorded'

export function emptyBooksTests(store: StoreKind): void {
  for (const underTest of Object.values<NetworkUnderTest>(NETWORKS)) {
    if (!differOn(store, underTest)) continue
    describe(`${underTest.connector.name} restarted with empty books, on ${store.name}`, () => {
      const service = shared(() => openServiceOnNetwork(underTest, store))
      let secretKey: string
      const payments = new Map<State, string>()
      const statusAtRestart = new Map<State, unknown>()
      const refundAtRestart = new Map<State, unknown>()
      const nameOf = (state: State): string => payments.get(state) as string

      before(async () => {
        secretKey = (await service.merchant()).accounts.sandbox.secretKey
        for (const state of ['declined', 'succeeded', 'refunded', 'being refunded'] as const) {
          payments.set(state, await create())
          decide(nameOf(state), state === 'declined' ? 'decline' : 'approve')
        }
        await service.clock.advance(20_000)
        granted(await refundPayment(service, TESTER, { name: nameOf('refunded') }))
        await service.clock.advance(60_000)
        payments.set('waiting', await create())
        payments.set('not recorded', await create())
        payments.set('debited', await create())
        granted(await refundPayment(service, TESTER, { name: nameOf('being refunded') }))
        // Late enough that the network has accepted the refund, and early enough that it has no
        // outcome.
        await service.clock.advance(1_000)
        for (const state of STATES) {
          statusAtRestart.set(state, (await statusOf(nameOf(state))) as string)
          refundAtRestart.set(state, await refundOf(nameOf(state)))
        }
        // As if the process had died before it recorded the answer.
        await service.db.change(
          `update payments
           set handed_over_at = null, accepted_at = null, polls = 0, claims = 1, due_at = :dueAt
           where reference = :reference`,
          { reference: nameOf('not recorded'), dueAt: service.clock.now() },
        )
        decide(nameOf('debited'), 'approve')
        assert.equal(bookOf(nameOf('debited'))?.debits, 1)
        service.network.reset()
        // Some networks restart their numbering: no new payment may be taken for an old one.
        for (const _ of STATES) decide(await create(), 'approve')
        for (let passed = 0; passed < HOUR_MS; passed += POLL_MS) {
          await service.clock.sleep(POLL_MS - 1_000)
          await service.clock.advance(1_000)
        }
        // A forgotten refund is polled for a day, at last every six hours.
        for (let passed = 0; passed < 32 * HOUR_MS; passed += 4 * HOUR_MS) {
          await service.clock.sleep(4 * HOUR_MS)
          await service.clock.advance(5_000)
        }
      })

      async function create(): Promise<string> {
        const { code, body } = await post(service, secretKey, orderOn(underTest))
        assert.equal(code, 200)
        await service.clock.advance(300)
        return body.reference as string
      }

      const bookOf = (reference: string): BookedPayment | undefined =>
        bookedUnder(service, reference)[0]

      function decide(reference: string, decision: 'approve' | 'decline'): void {
        assert.ok(service.network.decide((bookOf(reference) as BookedPayment).id, decision))
      }

      const statusOf = async (reference: string): Promise<unknown> =>
        (await get(service, secretKey, reference)).body.status

      async function refundOf(reference: string): Promise<string | undefined> {
        const status = `case when by_hand_since is null then status else 'by hand' end as status`
        return (
          await rowsOf<{ status: string }>(service, `select ${status} from refunds`, reference)
        )[0]?.status
      }

      it('a payment whose send is not recorded, and that was forgotten with others, is listed and not sent again', async () => {
        const reference = nameOf('not recorded')
        assert.deepEqual(
          [
            await statusOf(reference),
            await anomaliesOf(service, reference),
            bookedUnder(service, reference),
          ],
          ['pending', ['forgotten_by_operator'], []],
        )
      })

      for (const state of ['waiting', 'debited'] as const) {
        it(`forgotten payments: one that was ${state} stays pending and is listed for staff`, async () => {
          const reference = nameOf(state)
          assert.deepEqual(
            [await statusOf(reference), await anomaliesOf(service, reference)],
            ['pending', ['forgotten_by_operator']],
          )
        })
      }

      for (const state of ['declined', 'succeeded', 'refunded'] as const) {
        it(`forgotten payments: one that was ${state} keeps its reported outcome`, async () => {
          const reference = nameOf(state)
          assert.equal(await statusOf(reference), statusAtRestart.get(state))
          assert.equal(await refundOf(reference), refundAtRestart.get(state))
        })
      }

      it('forgotten refunds: an accepted one is neither sent again nor reported as failed, and is left to staff', async () => {
        const before = refundAtRestart.get('being refunded')
        const after = { pending: 'by hand', 'by hand': 'by hand', succeeded: 'succeeded' }[
          before as 'pending'
        ]
        assert.equal(await refundOf(nameOf('being refunded')), after)
        assert.equal(
          await statusOf(nameOf('being refunded')),
          before === 'succeeded' ? 'refunded' : 'succeeded',
        )
      })

      it('new payments succeed, each with its own outcome', async () => {
        const reference = await create()
        decide(reference, 'approve')
        await service.clock.advance(20_000)
        assert.equal(await statusOf(reference), 'succeeded')
      })

      it('a refund requested after the restart is not reported as made', async () => {
        granted(await refundPayment(service, TESTER, { name: nameOf('succeeded') }))
        await service.clock.advance(60_000)
        assert.equal(await statusOf(nameOf('succeeded')), 'succeeded')
        assert.notEqual(await refundOf(nameOf('succeeded')), 'succeeded')
      })
    })
  }
}
