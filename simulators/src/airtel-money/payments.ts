// Payments and refunds, and their faults.
import {
  type FaultBoard,
  isObject,
  type PartDeps,
  type PayerDecision,
  parseObject,
  type WireReaction,
  type WireRequest,
} from '../network.ts'
import {
  type Application,
  type MessageSigning,
  readOrder,
  refuseContentType,
  refuseHeaders,
} from './access.ts'
import {
  CONNECTION_TIMEOUT,
  ID_EXISTS,
  MISSING_PARAMS,
  NOT_FOUND,
  refunded,
  refusal,
  routerRefusal,
  taken,
  UNAVAILABLE,
  withCommas,
} from './answers.ts'
import { type CallbacksDeps, scheduleCallbacks } from './callbacks.ts'
import {
  type Behaviour,
  behaviourOf,
  ENDINGS,
  type Ending,
  PROMPT_LASTS_MS,
} from './numbers-and-faults.ts'
import {
  isDebited,
  refundIdOf,
  type StatusChange,
  type Wallet,
  type WalletPayment,
} from './wallet.ts'

export interface PaymentsDeps extends PartDeps {
  application: Application
  wallet: Wallet
  signing: MessageSigning
  callbacks: CallbacksDeps
}

const LATE_SUCCESS_MS = 600_000
const SLOW_MS = 30_000
const ANSWER_AFTER_CALLBACK_MS = 1_000

function refuse(
  { faults, application, signing }: PaymentsDeps,
  request: WireRequest,
): WireReaction | undefined {
  if (faults.strikes('country_not_allowed'))
    return routerRefusal(400, 'ROUTER007', 'User Not authorized for country')
  const isLost = faults.strikes('currency_header_is_lost')
  const headers = isLost ? { ...request.headers, 'x-currency': undefined } : request.headers
  return (
    refuseContentType(request) ?? refuseHeaders({ headers }, application) ?? signing.refuse(request)
  )
}

export function take(deps: PaymentsDeps, request: WireRequest): WireReaction {
  const { faults, wallet, application } = deps
  if (faults.strikes('request_is_cut')) return { cut: true }
  if (faults.strikes('payments_unavailable')) return UNAVAILABLE
  const refused = refuse(deps, request)
  if (refused !== undefined) return refused
  const order = readOrder(request.body, application)
  if (!('id' in order)) return order
  const known = wallet.find(order.id)
  if (known !== undefined) {
    known.requests++
    return ID_EXISTS
  }
  const behaviour = behaviourOf(order.msisdn)
  if (behaviour.refused !== undefined) return refusal(behaviour.refused)
  const isQuick = faults.strikes('callback_before_the_answer')
  const changes = isQuick ? [change(deps, ENDINGS.approve, 0)] : planned(deps, behaviour)
  const payment = wallet.take(order, behaviour.waiting ?? 'TIP', changes)
  scheduleCallbacks(deps.callbacks, payment, changes)
  return answerTaken(faults, order.id, isQuick ? ANSWER_AFTER_CALLBACK_MS : 0)
}

const change = ({ clock }: PaymentsDeps, ending: Ending, afterMs: number): StatusChange => ({
  ...ending,
  at: clock.now() + afterMs,
})

function planned(
  deps: PaymentsDeps,
  { ends = ENDINGS.approve, after = deps.decideAfterMs }: Behaviour,
): StatusChange[] {
  if (after === 'never') return []
  if (!deps.faults.strikes('fails_then_succeeds')) return [change(deps, ends, after)]
  const late = change(deps, ENDINGS.approve, Math.max(after, LATE_SUCCESS_MS))
  return [change(deps, ENDINGS.decline, after), late]
}

function answerTaken(faults: FaultBoard, id: string, afterMs: number): WireReaction {
  if (faults.strikes('answer_is_cut')) return { cut: true }
  if (faults.strikes('answer_never_comes')) return { silent: true }
  if (faults.strikes('gateway_times_out')) return CONNECTION_TIMEOUT
  if (faults.strikes('router_times_out')) return routerRefusal(408, 'ROUTER117', 'Request Timeout')
  if (faults.strikes('asks_itself_twice')) return ID_EXISTS
  if (faults.strikes('answers_timed_out'))
    return refusal({ responseCode: 'DP00800001024', message: 'Transaction Timed Out' })
  if (faults.strikes('answers_something_wrong')) {
    const message = 'Something Went Wrong'
    return refusal({ responseCode: 'DP00800001005', innerCode: '500', message, http: 500 })
  }
  const delay = faults.strikes('answer_takes_30_seconds') ? SLOW_MS : afterMs
  return {
    ...taken(faults.strikes('id_is_false') ? false : id),
    ...(delay > 0 && { afterMs: delay }),
  }
}

/** The whole amount of a payment that was paid, by Airtel's own id of it. */
export function refund(deps: PaymentsDeps, request: WireRequest): WireReaction {
  const { faults, wallet } = deps
  const refused = refuse(deps, request)
  if (refused !== undefined) return refused
  const { transaction } = parseObject(request.body) ?? {}
  const asked = isObject(transaction) ? transaction.airtel_money_id : undefined
  if (typeof asked !== 'string' || asked === '') return MISSING_PARAMS
  const payment = wallet.findPaid(asked)
  if (payment === undefined) return NOT_FOUND
  if (payment.refundedAt.length > 0) {
    const message = 'Transaction with similar information already exists in this system.'
    return refusal({ responseCode: 'DP00900001011', message })
  }
  if (faults.strikes('refund_without_float'))
    return refusal({ responseCode: 'DP00900001007', message: 'Insufficient Funds' })
  payment.refundedAt.push(deps.clock.now())
  if (faults.strikes('refund_is_cut')) return { cut: true }
  if (faults.strikes('refund_times_out')) return CONNECTION_TIMEOUT
  return refunded(refundIdOf(asked), !faults.strikes('refund_success_is_false'))
}

export function decide(deps: PaymentsDeps, id: string, decision: PayerDecision): boolean {
  const { clock, wallet, callbacks } = deps
  const payment = wallet.find(id)
  if (payment === undefined || wallet.ending(payment) !== undefined) return false
  const leftMs =
    decision === 'ignore' ? Math.max(0, payment.takenAt + PROMPT_LASTS_MS - clock.now()) : 0
  payment.changes = [change(deps, ENDINGS[decision], leftMs)]
  scheduleCallbacks(callbacks, payment, payment.changes)
  return true
}

const NOT_FOUND_MS = 60_000
const AMBIGUOUS_MS = 2 * 3_600_000

export function answerEnquiry(deps: PaymentsDeps, id: string): WireReaction {
  const { clock, faults, wallet } = deps
  if (faults.strikes('enquiry_fails')) {
    return refusal({
      resultCode: 'ESB000014',
      innerCode: '500',
      message: 'An error occurred while fetching the transaction status.',
    })
  }
  if (faults.strikes('enquiry_has_no_data'))
    return { code: 200, body: { status: statusOf('DP00800001001', true) } }
  const payment = wallet.find(id)
  if (payment === undefined || faults.isOn('forgets_payments')) return NOT_FOUND
  const age = clock.now() - payment.takenAt
  if (faults.isOn('not_found_for_a_minute') && age < NOT_FOUND_MS) return NOT_FOUND
  if (faults.isOn('ambiguous_for_two_hours') && age < AMBIGUOUS_MS) return waiting(payment, 'TA')
  const ending = wallet.ending(payment)
  if (ending === undefined) return waiting(payment, payment.waiting)
  const { status, message } = ending
  if (isDebited(ending)) return paid(deps, payment)
  const code = ending.code === undefined ? {} : { response_code: `DP008000010${ending.code}` }
  return {
    code: 200,
    body: {
      data: { transaction: { id: payment.id, message, status } },
      status: { ...code, code: '200', success: false, message: 'FAILED' },
    },
  }
}

function waiting({ id }: WalletPayment, status: 'TIP' | 'TA' | 'TI'): WireReaction {
  const code = status === 'TA' ? 'DP00800001000' : 'DP00800001006'
  const transaction = { id, message: 'Transaction in progress', status }
  return { code: 200, body: { data: { transaction }, status: statusOf(code, true) } }
}

function paid(
  { faults, application }: PaymentsDeps,
  { id, amount, airtelMoneyId, refundedAt }: WalletPayment,
): WireReaction {
  const isReversed = refundedAt.length > 0 && faults.isOn('tells_reversals')
  const code = faults.isOn('success_with_code_in_process') ? 'DP00800001006' : 'DP00800001001'
  const transaction = {
    airtel_money_id: airtelMoneyId,
    id,
    message: isReversed ? 'Transaction Reversed' : 'success',
    status: isReversed ? 'TR' : 'TS',
    // The documents have no amount here: these are for clients that read one.
    ...(faults.isOn('tells_another_amount') && { amount: amount + 1 }),
    ...(faults.isOn('tells_amount_with_decimals') && { amount: withCommas(amount) }),
    ...(faults.isOn('tells_another_currency') && {
      currency: application.currency === 'XAF' ? 'XOF' : 'XAF',
    }),
  }
  return { code: 200, body: { data: { transaction }, status: statusOf(code, true) } }
}

const statusOf = (responseCode: string, success: boolean): object => ({
  code: '200',
  message: 'SUCCESS',
  result_code: 'ESB000010',
  response_code: responseCode,
  success,
})
