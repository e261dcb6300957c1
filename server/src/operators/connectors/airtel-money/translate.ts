// Airtel's answers in our words. The body decides, not the HTTP code; a request is only ever taken or refused, and an enquiry is read by
// `data.transaction.status` alone. What is not understood is `unknown`.
import { type FailureReason, isFailureReason, type OperatorAnswer } from '../../../domain/outcome.ts'
import { CODES, type CodeRow } from './codes.ts'
import { type Envelope, readEnvelope, wholeFrancs } from './wire.ts'

export interface Reply {
  code: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: unknown
}

export type Unknown = Extract<OperatorAnswer, { is: 'unknown' }>

const IN_PROCESS = 'DP00800001006'
/** The codes of a request that was taken. */
const TAKEN = ['DP00800001001', IN_PROCESS, 'ESB000010']

/** Of a request for payment. `enquire`: the network has the id already, or cannot say. */
export function readRequest(reply: Reply): OperatorAnswer | 'enquire' {
  const envelope = readEnvelope(reply.body)
  if (envelope === undefined) return notUnderstood(reply)
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
export function readStatus(reply: Reply, reference: string, currency: string): OperatorAnswer {
  const envelope = readEnvelope(reply.body)
  if (envelope === undefined) return notUnderstood(reply)
  const { transaction } = envelope
  if (transaction?.id !== undefined && transaction.id !== reference) {
    return { is: 'unknown', why: 'the enquiry answered about another payment' }
  }
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
export function readRefund(reply: Reply, asked: { amountXof: number }): OperatorAnswer | 'enquire' {
  const envelope = readEnvelope(reply.body)
  if (envelope === undefined) return notUnderstood(reply)
  const { transaction, innerCode = reply.code, codes } = envelope
  const isDone = /^(success\.?|TS|TR)$/i.test(transaction?.status ?? '')
  if (isDone && reply.code === 200 && innerCode === 200 && codes.every((each) => TAKEN.includes(each))) {
    const operatorReference = transaction?.airtelMoneyId
    if (operatorReference === undefined) return { is: 'unknown', why: 'the refund has no airtel_money_id' }
    // The network refunds the whole amount, and tells none.
    return { is: 'succeeded', amountXof: asked.amountXof, operatorReference }
  }
  const row = rowOf(envelope)
  if (row?.means === 'enquire') return 'enquire'
  // It does not know what we want refunded: nothing was.
  if (row?.means === 'not_found' && envelope.success === false) {
    return { is: 'declined', reason: 'operator_error', code: row.code }
  }
  return readRefusal(reply, envelope)
}

/** No status of a payment: the network says that there is none, or the enquiry itself failed. */
function readMissing(reply: Reply, envelope: Envelope): OperatorAnswer {
  const row = rowOf(envelope)
  if (row?.means === 'not_found') return { is: 'not_known' }
  const isFine = reply.code === 200 && envelope.innerCode === 200 && envelope.success === true
  if (isFine && envelope.codes.every((each) => TAKEN.includes(each))) {
    if (envelope.transaction === undefined && !envelope.codes.includes(IN_PROCESS)) return { is: 'not_known' }
    return { is: 'unknown', why: 'the enquiry tells of a payment without its status' }
  }
  const answer = readRefusal(reply, envelope)
  // A refused enquiry is no refusal of the payment.
  return answer.is === 'declined'
    ? { is: 'unknown', why: `the enquiry was refused: ${row?.about}`, ...coded(row) }
    : answer
}

/** An answer that is no success, by its code. */
function readRefusal(reply: Reply, envelope: Envelope): OperatorAnswer {
  const row = rowOf(envelope)
  if (row === undefined) return notUnderstood(reply)
  const outright = isRefusedOutright(reply.code) ? { neverLeft: true as const } : {}
  const said = `${row.code}: ${row.about}`
  switch (row.means) {
    case 'misconfigured':
      return { is: 'unknown', why: said, misconfigured: true, ...outright, code: row.code }
    case 'enquire':
    case 'in_doubt':
    case 'not_found':
      return { is: 'unknown', why: said, code: row.code }
    default:
      return isExplicit(reply, envelope)
        ? {
            is: 'declined',
            reason: row.means,
            code: row.code,
            ...(row.mend !== undefined && { misconfigured: { kind: 'settings', mend: row.mend } }),
          }
        : { is: 'unknown', why: said, code: row.code }
  }
}

/** A fault of the network's own, under whatever code, may come after the payment was taken. */
function isExplicit({ code }: Reply, { success, innerCode = code }: Envelope): boolean {
  const isServerFault = [code, innerCode].some((each) => each >= 500 || each === 408)
  return !isServerFault && (success === false || (success === undefined && code >= 400))
}

function readPaid(
  is: 'succeeded' | 'refunded',
  { airtelMoneyId, amount, currency: told }: NonNullable<Envelope['transaction']>,
  currency: string,
): OperatorAnswer {
  if (airtelMoneyId === undefined)
    return { is: 'unknown', why: 'the enquiry tells a success without an airtel_money_id' }
  if (told !== undefined && told !== currency) {
    return { is: 'contradicts', told: `paid in ${/^[A-Z]{3}$/.test(told) ? told : 'another currency'}` }
  }
  if (amount === undefined) return { is, operatorReference: airtelMoneyId }
  const amountXof = wholeFrancs(amount)
  if (amountXof === undefined) return { is: 'unknown', why: 'the enquiry tells an amount that is not understood' }
  return { is, amountXof, operatorReference: airtelMoneyId }
}

function reasonOfFailure(envelope: Envelope): FailureReason {
  const row = rowOf(envelope)
  if (row?.failed !== undefined) return row.failed
  return isFailureReason(row?.means) ? row.means : 'operator_error'
}

const rowOf = ({ codes, message }: Envelope): CodeRow | undefined =>
  CODES.find((row) => codes.includes(row.code) && (row.message === undefined || row.message.test(message)))

const coded = (row: CodeRow | undefined): { code?: string } => (row === undefined ? {} : { code: row.code })

/** Whether the gateway turned the call away itself, before anybody could take it. */
const isRefusedOutright = (code: number): boolean => code === 401 || code === 403 || code === 429

/** Neither a code that we know nor, often, JSON at all. */
function notUnderstood({ code, body }: Reply): Unknown {
  const form = typeof body === 'object' ? 'an answer that is not understood' : 'no JSON'
  const answer: Unknown = { is: 'unknown', why: `HTTP ${code} with ${form}` }
  if (!isRefusedOutright(code)) return answer
  if (code === 429) return { ...answer, why: 'HTTP 429: too many calls', neverLeft: true }
  return { ...answer, why: `HTTP ${code}: is our address allowed there?`, neverLeft: true, misconfigured: true }
}
