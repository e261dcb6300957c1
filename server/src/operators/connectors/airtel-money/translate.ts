// Translates Airtel's answers into ours. The body decides, not the HTTP code. A request is only
// accepted or refused; an enquiry is read by `data.transaction.status` alone. Any other answer is
// `unknown`.
import type { OperatorAnswer } from '../../../domain/payments/operator-report.ts'
import { type FailureReason, isFailureReason } from '../../../domain/payments/payment-status.ts'
import { type Answered, asObject, asText, MIXED_UP, wholeFrancs } from '../../http-call.ts'
import type { Unknown } from '../../operator.ts'

/**
 * Gateway, application and product answer in three shapes. A field not of its form is undefined.
 */
interface Envelope {
  transaction: Transaction | undefined
  /** `status.success`. Samples of successes have it false: it never decides alone. */
  success: boolean | undefined
  /**
   * `status.code`: what the application means by an HTTP code, in a body that comes with another.
   */
  innerCode: number | undefined
  /** response_code, result_code and the gateway's status_code, as far as present. */
  codes: string[]
  message: string
  /** OAuth's `error`. */
  oauthError: string | undefined
}

interface Transaction {
  id: string | undefined
  status: string | undefined
  airtelMoneyId: string | undefined
  /** The documents have no amount in an enquiry. If the network sends one, it is compared. */
  amount: unknown
  currency: string | undefined
}

/**
 * The forms of Airtel's codes. Nothing else is recorded as a code: an answer may repeat what we
 * sent.
 */
const CODE = /^(DP\d{11}|ESB\d{6}|ROUTER\d{3}|\d{6,7}|CONNECTION_TIMEOUT)$/

/** Undefined unless the body is a JSON object: gateways may send a page, or nothing. */
export function readEnvelope(body: unknown): Envelope | undefined {
  const fields = asObject(body)
  if (fields === undefined) return undefined
  const status = asObject(fields.status) ?? {}
  const transaction = asObject(asObject(fields.data)?.transaction)
  return {
    transaction: transaction && {
      id: asText(transaction.id),
      status: asText(transaction.status),
      airtelMoneyId: asText(transaction.airtel_money_id),
      amount: transaction.amount,
      currency: asText(transaction.currency),
    },
    success: typeof status.success === 'boolean' ? status.success : undefined,
    innerCode: Number(asText(status.code)) || undefined,
    codes: [status.response_code, status.result_code, fields.status_code]
      .map((code) => asText(code) ?? '')
      .filter((code) => CODE.test(code)),
    message: asText(status.message) ?? asText(fields.status_message) ?? '',
    oauthError: asText(fields.error),
  }
}

const IN_PROCESS = 'DP00800001006'
/** The codes of a request that was taken. */
const TAKEN = ['DP00800001001', IN_PROCESS, 'ESB000010']

const isOfAnother = ({ transaction }: Envelope, reference: string): boolean =>
  transaction?.id !== undefined && transaction.id !== reference

/** Of a request for payment. `enquire`: the network has the id already, or cannot say. */
export function readRequest(reply: Answered, reference: string): OperatorAnswer | 'enquire' {
  const envelope = readEnvelope(reply.body)
  if (envelope === undefined) return notUnderstood(reply)
  if (isOfAnother(envelope, reference)) return MIXED_UP
  const row = rowOf(envelope)
  if (row?.means === 'enquire') return 'enquire'
  if (envelope.success !== true) return readRefusal(reply, envelope)
  const code = envelope.codes[0]
  if (reply.code === 200 && envelope.codes.every((each) => TAKEN.includes(each))) {
    return { is: 'accepted', ...(code !== undefined && { code }) }
  }
  return { ...notUnderstood(reply), ...(code !== undefined && { code }) }
}

/** Of an enquiry. `reference` and `currency` are ours. */
export function readStatus(reply: Answered, reference: string, currency: string): OperatorAnswer {
  const envelope = readEnvelope(reply.body)
  if (envelope === undefined) return notUnderstood(reply)
  const { transaction } = envelope
  if (isOfAnother(envelope, reference)) return MIXED_UP
  if (transaction?.status === undefined) return readMissing(reply, envelope)
  const code = { code: rowOf(envelope)?.code ?? transaction.status }
  switch (transaction.status) {
    case 'TS':
      return readPaid('succeeded', transaction, currency)
    case 'TR':
      return readPaid('refunded', transaction, currency)
    case 'TF':
      return { is: 'declined', reason: reasonOfFailure(envelope), ...code }
    case 'TE':
      return { is: 'declined', reason: 'expired', ...code }
    case 'TA':
    case 'TIP':
    case 'TI':
      return { is: 'accepted', code: transaction.status }
    default:
      return { is: 'unknown', why: 'the enquiry has a status that is not understood' }
  }
}

/** Of a refund. Samples of a success have `success` false, so its own status decides. */
export function readRefund(
  reply: Answered,
  asked: { amountXof: number },
): OperatorAnswer | 'enquire' {
  const envelope = readEnvelope(reply.body)
  if (envelope === undefined) return notUnderstood(reply)
  const { transaction, innerCode = reply.code, codes } = envelope
  const isDone = /^(success\.?|TS|TR)$/i.test(transaction?.status ?? '')
  if (
    isDone &&
    reply.code === 200 &&
    innerCode === 200 &&
    codes.every((each) => TAKEN.includes(each))
  ) {
    const operatorReference = transaction?.airtelMoneyId
    if (operatorReference === undefined)
      return { is: 'unknown', why: 'the refund has no airtel_money_id' }
    // The network refunds the whole amount, and its answer has no amount.
    return { is: 'succeeded', amountXof: asked.amountXof, operatorReference }
  }
  const row = rowOf(envelope)
  if (row?.means === 'enquire') return 'enquire'
  // The network does not know the payment, so nothing was refunded.
  if (row?.means === 'not_found' && envelope.success === false) {
    return { is: 'declined', reason: 'operator_error', code: row.code }
  }
  return readRefusal(reply, envelope)
}

/**
 * Without the status of a payment: the network has no such payment, or the enquiry itself failed.
 */
function readMissing(reply: Answered, envelope: Envelope): OperatorAnswer {
  const row = rowOf(envelope)
  if (row?.means === 'not_found') return { is: 'not_known' }
  const isFine = reply.code === 200 && envelope.innerCode === 200 && envelope.success === true
  if (isFine && envelope.codes.every((each) => TAKEN.includes(each))) {
    if (envelope.transaction === undefined && !envelope.codes.includes(IN_PROCESS))
      return { is: 'not_known' }
    return { is: 'unknown', why: 'the enquiry has a payment without its status' }
  }
  const answer = readRefusal(reply, envelope)
  // A refused enquiry is no refusal of the payment.
  if (answer.is !== 'declined' || row === undefined) return answer
  return { is: 'unknown', why: `the enquiry was refused: ${row.about}`, code: row.code }
}

/** An answer that is no success, by its code. */
function readRefusal(reply: Answered, envelope: Envelope): OperatorAnswer {
  const row = rowOf(envelope)
  if (row === undefined) return notUnderstood(reply)
  const outright = isRefusedOutright(reply.code) ? { neverLeft: true as const } : {}
  const why = `${row.code}: ${row.about}`
  switch (row.means) {
    case 'misconfigured':
      return { is: 'unknown', why, misconfigured: true, ...outright, code: row.code }
    case 'enquire':
    case 'in_doubt':
    case 'not_found':
      return { is: 'unknown', why, code: row.code }
    default:
      return isExplicit(reply, envelope)
        ? {
            is: 'declined',
            reason: row.means,
            code: row.code,
            ...(row.remedy !== undefined && {
              misconfigured: { kind: 'settings', remedy: row.remedy },
            }),
          }
        : { is: 'unknown', why, code: row.code }
  }
}

/** The network may report a fault of its own after it took the payment. */
function isExplicit({ code }: Answered, { success, innerCode = code }: Envelope): boolean {
  const isServerFault = [code, innerCode].some((each) => each >= 500 || each === 408)
  return !isServerFault && (success === false || (success === undefined && code >= 400))
}

function readPaid(
  is: 'succeeded' | 'refunded',
  { airtelMoneyId, amount, currency: reportedCurrency }: Transaction,
  currency: string,
): OperatorAnswer {
  if (airtelMoneyId === undefined)
    return { is: 'unknown', why: 'the enquiry has a success without an airtel_money_id' }
  if (reportedCurrency !== undefined && reportedCurrency !== currency) {
    return {
      is: 'contradicts',
      reported: `paid in ${/^[A-Z]{3}$/.test(reportedCurrency) ? reportedCurrency : 'another currency'}`,
    }
  }
  if (amount === undefined) return { is, operatorReference: airtelMoneyId }
  const amountXof = wholeFrancs(amount)
  if (amountXof === undefined)
    return { is: 'unknown', why: 'the enquiry has an amount that is not understood' }
  return { is, amountXof, operatorReference: airtelMoneyId }
}

function reasonOfFailure(envelope: Envelope): FailureReason {
  const row = rowOf(envelope)
  if (row?.failed !== undefined) return row.failed
  return isFailureReason(row?.means) ? row.means : 'operator_error'
}

const rowOf = ({ codes, message }: Envelope): CodeRow | undefined =>
  CODES.find(
    (row) => codes.includes(row.code) && (row.message === undefined || row.message.test(message)),
  )

/** Whether the gateway itself refused the call, before the application received it. */
const isRefusedOutright = (code: number): boolean => code === 401 || code === 403 || code === 429

/** An answer without a known code, often not JSON. */
function notUnderstood({ code, body }: Answered): Unknown {
  const form = typeof body === 'object' ? 'an answer that is not understood' : 'no JSON'
  const answer: Unknown = { is: 'unknown', why: `HTTP ${code} with ${form}` }
  if (!isRefusedOutright(code)) return answer
  if (code === 429) return { ...answer, why: 'HTTP 429: too many calls', neverLeft: true }
  return {
    ...answer,
    why: `HTTP ${code}: is our address allowed there?`,
    neverLeft: true,
    misconfigured: true,
  }
}

// Every code of Airtel's documents and what it means for us: the source of the translation and of
// the table in facts.md. The first row that matches decides, so specific codes come before general
// ones.

/**
 * What a code means in an answer that is not a success:
 * a failure reason: refused, and nothing was created;
 * `enquire`: the network has the id already, or cannot say: only an enquiry decides;
 * `in_doubt`: it may have been created, and the service asks later;
 * `not_found`: the network has no such payment;
 * `misconfigured`: our request is not as this application must send it.
 */
type Meaning = FailureReason | 'enquire' | 'in_doubt' | 'not_found' | 'misconfigured'

export interface CodeRow {
  code: string
  /** Where one code has several meanings: the words that distinguish them. */
  message?: RegExp
  means: Meaning
  /**
   * Why a payment with TF failed; by default what the code means as a refusal, else operator_error.
   */
  failed?: FailureReason
  /** What to change, where a refusal with this code is about our configuration. */
  remedy?: string
  about: string
}

const REMEDIES = {
  country: 'set the option country to the country of the application in the Airtel portal',
  currency: 'set the option currency to the currency of the application in the Airtel portal',
  account:
    'the application is not set up for this country: ask Airtel to enable collections for it',
} as const

export const CODES: readonly CodeRow[] = [
  { code: 'ESB000041', means: 'enquire', about: 'External transaction id already exists' },
  { code: 'DP00900001011', means: 'enquire', about: 'Similar transaction exists' },
  { code: 'DP00900001017', means: 'enquire', about: 'Duplicate transaction id' },
  { code: 'ESB000045', means: 'not_found', about: 'No transaction found with the id' },
  { code: '521002', means: 'payer_not_found', about: 'Wrong length of the number' },
  { code: 'ESB000033', means: 'payer_not_found', about: 'Wrong length of the number' },
  { code: 'ESB000036', means: 'payer_not_found', about: 'Wrong form of the number' },

  { code: 'DP00800001000', means: 'enquire', about: 'Ambiguous' },
  { code: 'DP00800001002', means: 'declined', about: 'Incorrect PIN' },
  // One list of codes has it as "in progress": it ends no payment before an enquiry has TF.
  {
    code: 'DP00800001003',
    means: 'in_doubt',
    failed: 'limit_reached',
    about: 'Limit of the wallet exceeded',
  },
  { code: 'DP00800001004', means: 'amount_not_allowed', about: 'Amount below the minimum' },
  {
    code: 'DP00800001005',
    message: /msisdn not found/i,
    means: 'payer_not_found',
    about: 'Number not found',
  },
  { code: 'DP00800001005', means: 'expired', about: 'The payer did not enter the PIN' },
  { code: 'DP00800001006', means: 'in_doubt', about: 'In process' },
  { code: 'DP00800001007', means: 'insufficient_funds', about: 'Not enough balance' },
  { code: 'DP00800001008', means: 'declined', about: 'Refused' },
  {
    code: 'DP00800001009',
    means: 'operator_error',
    about: 'Do not honor: a refusal without a cause',
  },
  {
    code: 'DP00800001010',
    means: 'payer_not_allowed',
    about: 'Not permitted: barred, churned or not registered',
  },
  { code: 'DP00800001024', means: 'in_doubt', failed: 'expired', about: 'Timed out' },
  { code: 'DP00800001025', means: 'not_found', about: 'Transaction not found' },
  { code: 'DP00800001026', means: 'misconfigured', about: 'Signature and body do not match' },
  { code: 'DP00800001029', means: 'expired', about: 'Expired' },

  { code: 'DP00900001000', means: 'enquire', about: 'Ambiguous' },
  { code: 'DP00900001003', means: 'limit_reached', about: 'Limit of the day reached' },
  { code: 'DP00900001004', means: 'amount_not_allowed', about: 'Invalid amount' },
  { code: 'DP00900001005', means: 'operator_error', about: 'Failed' },
  { code: 'DP00900001006', means: 'in_doubt', about: 'Processing' },
  { code: 'DP00900001007', means: 'insufficient_funds', about: 'Insufficient funds' },
  { code: 'DP00900001009', means: 'payer_not_allowed', about: 'Invalid initiatee' },
  { code: 'DP00900001010', means: 'payer_not_allowed', about: 'User not allowed' },
  { code: 'DP00900001012', means: 'payer_not_found', about: 'Invalid mobile number' },
  {
    code: 'DP00900001013',
    message: /country|currency|missing/i,
    means: 'misconfigured',
    about: 'Header or field missing',
  },
  { code: 'DP00900001013', means: 'operator_error', about: 'Refused' },
  { code: 'DP00900001014', means: 'in_doubt', failed: 'expired', about: 'Timed out' },
  { code: 'DP00900001015', means: 'not_found', about: 'Transaction not found' },
  { code: 'DP00900001016', means: 'misconfigured', about: 'Signature and body do not match' },

  { code: 'ESB000001', means: 'in_doubt', about: 'Something went wrong' },
  { code: 'ESB000004', means: 'in_doubt', about: 'Error while initiating the payment' },
  { code: 'ESB000008', means: 'misconfigured', about: 'Field or header missing or not valid' },
  { code: 'ESB000011', means: 'operator_error', about: 'Failed' },
  { code: 'ESB000014', means: 'in_doubt', about: 'Error while fetching the status' },
  {
    code: 'ESB000034',
    means: 'operator_error',
    remedy: REMEDIES.country,
    about: 'Invalid country',
  },
  {
    code: 'ESB000035',
    means: 'operator_error',
    remedy: REMEDIES.currency,
    about: 'Invalid currency',
  },
  {
    code: 'ESB000039',
    means: 'operator_error',
    remedy: REMEDIES.account,
    about: 'Vendor not configured for the country',
  },
  { code: '0000900', means: 'in_doubt', about: 'Ambiguous' },

  {
    code: 'ROUTER001',
    means: 'operator_error',
    remedy: REMEDIES.account,
    about: 'Wallet not configured',
  },
  { code: 'ROUTER003', means: 'misconfigured', about: 'Header or body parameters missing' },
  {
    code: 'ROUTER005',
    means: 'operator_error',
    remedy: REMEDIES.account,
    about: 'Country route not configured',
  },
  {
    code: 'ROUTER006',
    means: 'operator_error',
    remedy: REMEDIES.country,
    about: 'Invalid country',
  },
  {
    code: 'ROUTER007',
    means: 'operator_error',
    remedy: REMEDIES.account,
    about: 'Not authorized for the country',
  },
  { code: 'ROUTER110', means: 'misconfigured', about: 'Partner not found: no X-Country' },
  {
    code: 'ROUTER112',
    means: 'operator_error',
    remedy: REMEDIES.currency,
    about: 'Invalid currency',
  },
  { code: 'ROUTER117', means: 'in_doubt', about: 'Request timeout' },
  { code: 'ROUTER119', means: 'misconfigured', about: 'Currency missing or not valid' },
  { code: 'CONNECTION_TIMEOUT', means: 'in_doubt', about: 'The gateway had no answer in time' },
]
