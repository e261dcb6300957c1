// What the simulated Airtel says when it is asked about a payment, and the summary of all that were paid.
import type { Clock } from '../../../domain/clock-and-random.ts'
import type { FaultBoard } from '../faults.ts'
import type { WireReaction } from '../network.ts'
import { NOT_FOUND, refusal, withCommas } from './answers.ts'
import type { Application } from './checks.ts'
import { isDebited, type Wallet, type WalletPayment } from './wallet.ts'

export interface EnquiryDeps {
  clock: Clock
  faults: FaultBoard
  wallet: Wallet
  application: Application
}

const NOT_FOUND_MS = 60_000
const AMBIGUOUS_MS = 2 * 3_600_000

export function answerEnquiry(deps: EnquiryDeps, id: string): WireReaction {
  const { clock, faults, wallet } = deps
  if (faults.strikes('enquiry_fails')) {
    return refusal({
      resultCode: 'ESB000014',
      innerCode: '500',
      message: 'An error occurred while fetching the transaction status.',
    })
  }
  if (faults.strikes('enquiry_has_no_data')) return { code: 200, body: { status: statusOf('DP00800001001', true) } }
  const payment = wallet.find(id)
  if (payment === undefined || faults.isOn('forgets_payments')) return NOT_FOUND
  const age = clock.now() - payment.takenAt
  if (faults.isOn('not_found_for_a_minute') && age < NOT_FOUND_MS) return NOT_FOUND
  if (faults.isOn('ambiguous_for_two_hours') && age < AMBIGUOUS_MS) return waiting(payment, 'TA')
  const ending = wallet.ending(payment)
  if (ending === undefined) return waiting(payment, payment.waiting)
  const { status, message } = ending
  if (isDebited(ending)) return paid(deps, payment)
  const code =
    faults.isOn('failure_without_a_code') || ending.code === undefined
      ? {}
      : { response_code: `DP008000010${ending.code}` }
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
  { faults, application }: EnquiryDeps,
  { id, amount, airtelMoneyId, refunds }: WalletPayment,
): WireReaction {
  const isReversed = refunds > 0 && faults.isOn('tells_reversals')
  const code = faults.isOn('success_with_code_in_process') ? 'DP00800001006' : 'DP00800001001'
  const transaction = {
    airtel_money_id: airtelMoneyId,
    id,
    message: isReversed ? 'Transaction Reversed' : 'success',
    status: isReversed ? 'TR' : 'TS',
    // The documents have no amount here: these are for clients that read one all the same.
    ...(faults.isOn('tells_another_amount') && { amount: amount + 1 }),
    ...(faults.isOn('tells_amount_with_decimals') && { amount: withCommas(amount) }),
    ...(faults.isOn('tells_another_currency') && { currency: application.currency === 'XAF' ? 'XOF' : 'XAF' }),
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

/** `from` and `to` in seconds or milliseconds; `offset` is a page. */
export function answerSummary({ wallet, application }: EnquiryDeps, query: URLSearchParams): WireReaction {
  const number = (name: string): number | undefined => Number(query.get(name) ?? '') || undefined
  const time = (name: string): number | undefined => {
    const value = number(name)
    return value !== undefined && value < 1e11 ? value * 1_000 : value
  }
  const [from = 0, to = Number.POSITIVE_INFINITY] = [time('from'), time('to')]
  const [limit = 100, page = 0] = [number('limit'), number('offset')]
  const found = wallet.all().filter((each) => {
    const ending = wallet.ending(each)
    return isDebited(ending) && each.takenAt >= from && each.takenAt <= to
  })
  const { currency } = application
  return {
    code: 200,
    body: {
      data: {
        count: found.length,
        transactions: found.slice(page * limit, (page + 1) * limit).map((each) => ({
          charges: { service: 0 },
          payee: { currency, msisdn: 0, name: 'SIMULATED MERCHANT' },
          payer: { currency, msisdn: Number(each.msisdn), name: 'Simulated Payer' },
          service: { type: 'MERCHPAY' },
          transaction: {
            airtel_money_id: each.airtelMoneyId,
            amount: each.amount,
            created_at: each.takenAt,
            id: each.number,
            reference_number: each.id,
            status: 'TS',
          },
        })),
      },
      status: { code: 200, message: 'SUCCESS', result_code: 'ESB000010', success: true },
    },
  }
}
