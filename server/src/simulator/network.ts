// The behaviour of the simulated network and provider: requests, decisions, refunds, callbacks. A
// decision is computed from the time of the request, so a restart changes nothing. No HTTP here:
// server.ts has it.
import type { Clock } from '../domain/clock-and-random.ts'
import type { Database } from '../store/engine/database.ts'
import { type Behaviour, behaviourOf, type CallbackKind, type Ending } from './scenarios.ts'
import {
  type AnsweredPayment,
  answerSimulatedPayment,
  countRequest,
  decideSession,
  findSession,
  findSimulatedPayment,
  findSimulatedRefund,
  insertSession,
  insertSimulatedPayment,
  insertSimulatedRefund,
  type SimulatedPayment,
  type SimulatedRefund,
  type SimulatedSession,
  sumSimulatedRefunds,
} from './tables.ts'

/** The simulated network's wire form. */
export interface WireAnswer {
  /** Of the payment, session or refund that the call was about. */
  reference?: string
  status: 'accepted' | 'succeeded' | 'declined' | 'refunded' | 'not_known'
  reason?: string
  amount?: number
  operator_reference?: string
}

/** What the network does with a call: it answers, perhaps late, or fails to. */
export type Reaction = { answer: WireAnswer; afterMs?: number } | { does: 'cut' | 'hang' | '5xx' }

export type SimulatedCallback = { reference: string; answer: WireAnswer; genuine: boolean }

export interface SimulatedNetworkDeps {
  db: Database
  clock: Clock
  delayMs: number
  /** If not 0, the outcomes of ordinary numbers are drawn from this seed. */
  seed?: number
  sendCallback(callback: SimulatedCallback): Promise<void>
}

export type SimulatedNetwork = ReturnType<typeof simulatedNetwork>

type PhoneAnswer = 'approve' | 'decline' | 'no_credit' | 'ignore'

const ENDINGS: Readonly<Record<PhoneAnswer, Ending>> = {
  approve: 'succeeded',
  decline: 'declined',
  no_credit: 'insufficient_funds',
  ignore: 'expired',
}

/** How long after it was ignored a prompt expires. */
const IGNORED_FOR_MS = 60_000

/** The sandbox phone: a person answers a prompt, instead of the table of test numbers. */
export function simulatedPhone({
  db,
  clock,
  delayMs,
  seed = 0,
}: Omit<SimulatedNetworkDeps, 'sendCallback'>) {
  /** Whether the prompt is on the phone: sent, undecided and unanswered. */
  const rings = async (reference: string): Promise<boolean> => {
    const payment = await findSimulatedPayment(db, reference)
    if (payment === undefined || payment.ending !== null) return false
    return clock.now() < decisionTime(payment, behaviourOf(seed, payment.msisdn), delayMs)
  }
  return {
    rings,
    /** False when the prompt is no longer on the phone. */
    answer: async (reference: string, answer: PhoneAnswer): Promise<boolean> => {
      if (!(await rings(reference))) return false
      const holdsFrom = clock.now() + (answer === 'ignore' ? IGNORED_FOR_MS : 0)
      return answerSimulatedPayment(db, reference, ENDINGS[answer], holdsFrom)
    },
  }
}

const SLOW_MS = 30_000

export function simulatedNetwork({
  db,
  clock,
  delayMs,
  seed = 0,
  sendCallback,
}: SimulatedNetworkDeps) {
  async function request(asked: Omit<SimulatedPayment, 'requestedAt'>): Promise<Reaction> {
    const behaviour = behaviourOf(seed, asked.msisdn)
    const fault = behaviour.request
    if (fault !== undefined && !fault.registers)
      return { does: fault.does === 'slow' ? 'hang' : fault.does }
    const payment = { ...asked, requestedAt: clock.now() }
    const isNew = await insertSimulatedPayment(db, payment)
    if (!isNew) {
      await countRequest(db, asked.reference)
      return status(asked.reference)
    }
    await scheduleCallbacks(payment, behaviour)
    const answer = truth({ ...payment, ending: null, answeredAt: null }, behaviour)
    if (fault === undefined) return { answer }
    return fault.does === 'slow' ? { answer, afterMs: SLOW_MS } : { does: fault.does }
  }

  async function status(reference: string): Promise<Reaction> {
    const payment = await findSimulatedPayment(db, reference)
    if (payment === undefined) return { answer: { status: 'not_known' } }
    const behaviour = behaviourOf(seed, payment.msisdn)
    const fault = behaviour.status
    if (fault !== undefined && clock.now() < payment.requestedAt + fault.forSeconds * 1_000) {
      return fault.says === 'not_known' ? { answer: { status: 'not_known' } } : { does: fault.says }
    }
    return { answer: truth(payment, behaviour) }
  }

  async function refund(asked: Omit<SimulatedRefund, 'requestedAt'>): Promise<Reaction> {
    const payment = await findSimulatedPayment(db, asked.reference)
    if (payment === undefined) return { answer: { status: 'not_known' } }
    const behaviour = behaviourOf(seed, payment.msisdn)
    const known = await findSimulatedRefund(db, asked.refundReference)
    const left = payment.amountXof - (await sumSimulatedRefunds(db, asked.reference))
    const isGranted =
      truth(payment, behaviour).status === 'succeeded' &&
      (known !== undefined || asked.amountXof <= left)
    if (!isGranted || behaviour.refund === 'refused')
      return { answer: { status: 'declined', reason: 'operator_error' } }
    const isNew = await insertSimulatedRefund(db, { ...asked, requestedAt: clock.now() })
    if (isNew && behaviour.refund === '5xx_first') return { does: '5xx' }
    return refundStatus(asked.refundReference)
  }

  async function refundStatus(refundReference: string): Promise<Reaction> {
    const given = await findSimulatedRefund(db, refundReference)
    const payment = given && (await findSimulatedPayment(db, given.reference))
    if (given === undefined || payment === undefined) return { answer: { status: 'not_known' } }
    if (clock.now() < given.requestedAt + delayMs) return { answer: { status: 'accepted' } }
    return { answer: finalAnswer('succeeded', { ...payment, amountXof: given.amountXof }) }
  }

  function truth(payment: AnsweredPayment, behaviour: Behaviour): WireAnswer {
    const { ending, answeredAt } = payment
    if (ending !== null) {
      return clock.now() < (answeredAt ?? 0) ? { status: 'accepted' } : finalAnswer(ending, payment)
    }
    if (clock.now() < decisionTime(payment, behaviour, delayMs)) return { status: 'accepted' }
    return finalAnswer(behaviour.ending, payment)
  }

  async function scheduleCallbacks(payment: SimulatedPayment, behaviour: Behaviour): Promise<void> {
    const decidedAt = decisionTime(payment, behaviour, delayMs)
    for (const kind of behaviour.callbacks ?? ['truth']) {
      const callback = callbackOf(kind, payment, behaviour)
      if (kind === 'before_answer') await sendCallback(callback)
      else clock.after(Math.max(0, decidedAt - clock.now()), () => void sendCallback(callback))
    }
  }

  return { request, status, refund, refundStatus }
}

function decisionTime(
  { requestedAt }: SimulatedPayment,
  { decides = { delays: 1 } }: Behaviour,
  delayMs: number,
): number {
  return requestedAt + ('seconds' in decides ? decides.seconds * 1_000 : decides.delays * delayMs)
}

function finalAnswer(ending: Ending, { reference, amountXof }: SimulatedPayment): WireAnswer {
  if (ending !== 'succeeded' && ending !== 'refunded') return { status: 'declined', reason: ending }
  return {
    status: ending,
    amount: amountXof,
    operator_reference: `SIM-${reference.slice(0, 10).toUpperCase()}`,
  }
}

function callbackOf(
  kind: CallbackKind,
  payment: SimulatedPayment,
  { ending }: Behaviour,
): SimulatedCallback {
  const { reference } = payment
  const opposite: Ending = ending === 'succeeded' ? 'declined' : 'succeeded'
  const answer = finalAnswer(
    kind === 'contradiction' || kind === 'forged' ? opposite : ending,
    payment,
  )
  if (kind === 'wrong_amount') answer.amount = payment.amountXof + 1
  return { reference, answer, genuine: kind !== 'forged' }
}

// The behaviour of the simulated card and wallet provider: a session is opened, the payer approves,
// declines or leaves, and status calls return the decision. No HTTP here: server.ts has the
// provider's API, routes.ts serves its page.

/** A session without a decision expires after this time. */
const SESSION_LIFE_MS = 10 * 60_000
/**
 * An approved session becomes a payment of the number that succeeds at once, so that it can be
 * refunded.
 */
export const SUCCEEDS_AT_ONCE = '40410000100'

export type SimulatedProvider = ReturnType<typeof simulatedProvider>

export const SIMULATOR_PAGE_PATH = '/simulator/pay/'

export function simulatedProvider({ db, clock }: { db: Database; clock: Clock }) {
  async function status(reference: string): Promise<WireAnswer> {
    const session = await findSession(db, reference)
    if (session === undefined) return { status: 'not_known' }
    const { decision, amountXof: amount, requestedAt } = session
    if (decision === 'approve') {
      return {
        status: 'succeeded',
        amount,
        operator_reference: `PSP-${reference.slice(0, 10).toUpperCase()}`,
      }
    }
    if (decision === 'decline') return { status: 'declined', reason: 'declined' }
    if (decision === 'cancel') return { status: 'declined', reason: 'cancelled' }
    const isOver = clock.now() >= requestedAt + SESSION_LIFE_MS
    // Recorded, so that the payer cannot approve a session that was reported as expired.
    if (isOver && (await decideSession(db, reference, 'cancel')))
      return { status: 'declined', reason: 'expired' }
    return isOver ? status(reference) : { status: 'accepted' }
  }

  return {
    status,
    /** For the provider's page; undefined when there is no such session. */
    find: (reference: string) => findSession(db, reference),
    open: async (session: Omit<SimulatedSession, 'requestedAt' | 'decision'>) => {
      await insertSession(db, { ...session, requestedAt: clock.now() })
      const page = new URL(SIMULATOR_PAGE_PATH + session.reference, session.returnUrl)
      return { status: 'accepted', page_url: page.href } as const
    },
    cancel: async (reference: string): Promise<WireAnswer> => {
      await decideSession(db, reference, 'cancel')
      return status(reference)
    },
    decide: async (reference: string, decision: 'approve' | 'decline'): Promise<void> => {
      const session = await findSession(db, reference)
      if (session === undefined || (await status(reference)).status !== 'accepted') return
      if (!(await decideSession(db, reference, decision)) || decision !== 'approve') return
      const { amountXof } = session
      const payment = { reference, msisdn: SUCCEEDS_AT_ONCE, amountXof, requestedAt: clock.now() }
      await insertSimulatedPayment(db, payment)
    },
  }
}
