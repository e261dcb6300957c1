// The connector to Airtel Money: prompts on payers' phones, enquiries, and full refunds. facts.md
// has the facts.
import { createHmac } from 'node:crypto'
import type { OperatorAnswer, RefundAnswer } from '../../../domain/payments/operator-report.ts'
import { looksLikeReference } from '../../../domain/payments/reference.ts'
import { lookUp } from '../../../domain/texts/free-text.ts'
import {
  type Connection,
  type ConnectionDeps,
  defineConnector,
  givenNames,
} from '../../connector.ts'
import { asObject, asText, isSameSignature, parseObject } from '../../http-call.ts'
import type {
  CallbackRequest,
  Collection,
  Operator,
  ReadCallback,
  Reversal,
  Unknown,
} from '../../operator.ts'
import { type AirtelOptions, airtelOptions, gateway, PROMPTED } from './calls.ts'
import { checkConnection, testCredentials } from './check.ts'
import { readRefund, readRequest, readStatus } from './translate.ts'

export const airtelMoney = defineConnector<AirtelOptions>({
  name: 'airtel-money',
  // Each country has its own hosts, and none is published for Niger.
  addresses: {},
  prompts: [PROMPTED],
  pages: [],
  refundsWholeOnly: true,
  options: airtelOptions,
  fields: [
    { name: 'clientId' },
    { name: 'clientSecret' },
    { name: 'callbackKey', isOptional: true },
  ],
  connect,
})

function connect(deps: ConnectionDeps, options: AirtelOptions): Connection {
  const { clock, deadlineMs } = deps
  const { version, country, currency, callingCode } = options
  const airtel = gateway(deps, options)
  const refundIds = givenNames()

  async function enquire(reference: string, endsAt: number): Promise<OperatorAnswer> {
    const reply = await airtel.get(`/standard/v1/payments/${reference}`, endsAt)
    return 'is' in reply ? reply : readStatus(reply, reference, currency)
  }

  async function request(collection: Collection): Promise<OperatorAnswer> {
    const { reference, msisdn, amountXof } = collection
    const endsAt = clock.now() + deadlineMs
    if (!msisdn.startsWith(callingCode)) {
      return {
        is: 'unknown',
        why: 'the number is of another country',
        neverLeft: true,
        misconfigured: true,
      }
    }
    const body = {
      reference: paymentText(collection.publicReference),
      subscriber: { country, currency, msisdn: msisdn.slice(callingCode.length) },
      transaction: { amount: amountXof, country, currency, id: reference },
    }
    const reply = await airtel.post(`/merchant/v${version}/payments/`, body, endsAt)
    const answer = 'is' in reply ? reply : readRequest(reply, reference)
    if (answer !== 'enquire') return answer
    const found = await enquire(reference, endsAt)
    if (found.is === 'not_known') {
      return {
        is: 'unknown',
        why: 'the network says that it has the payment, and does not find it',
      }
    }
    return found.is === 'unknown' ? asSent(found) : found
  }

  async function refund(reversal: Reversal): Promise<RefundAnswer> {
    const endsAt = clock.now() + deadlineMs
    const body = { transaction: { airtel_money_id: reversal.operatorReference } }
    const reply = await airtel.post(`/standard/v${version}/payments/refund`, body, endsAt)
    const answer = 'is' in reply ? reply : readRefund(reply, reversal)
    // The answer does not name the payment that it is about, only the refund.
    const isMixedUp =
      answer !== 'enquire' &&
      answer.is === 'succeeded' &&
      refundIds.isOfAnother(answer.operatorReference, reversal.refundReference)
    if (answer !== 'enquire' && !isMixedUp) return answer
    const found = await refundStatusBefore(reversal, endsAt)
    return found.is === 'unknown' ? asSent(found) : found
  }

  /**
   * No enquiry for refunds, and no idempotency key: only a payment reported as reversed proves one.
   */
  async function refundStatusBefore(
    { reference, operatorReference }: Reversal,
    endsAt: number,
  ): Promise<RefundAnswer> {
    const answer = await enquire(reference, endsAt)
    switch (answer.is) {
      case 'refunded':
        return { ...answer, is: 'succeeded' }
      case 'unknown':
        return answer
      default:
        return {
          is: 'by_hand',
          why: `look in the Airtel portal whether ${operatorReference} was refunded`,
        }
    }
  }

  const operator: Operator = {
    name: deps.name,
    request,
    status: (reference) => enquire(reference, clock.now() + deadlineMs),
    refund,
    refundStatus: (reversal) => refundStatusBefore(reversal, clock.now() + deadlineMs),
    parseCallback: (callback) => readCallback(callback, options),
  }
  return {
    operator,
    check: () => checkConnection(deps, airtel, options),
    test: () => testCredentials(deps, airtel),
  }
}

/** The enquiry may never have left, but the request before it did. */
const asSent = ({ why, misconfigured, code }: Unknown): Unknown => ({
  is: 'unknown',
  why: `sent, and then: ${why}`,
  ...(misconfigured && { misconfigured }),
  ...(code !== undefined && { code }),
})

/** The text shown to the payer: 4 to 64 letters and digits. */
const paymentText = (publicReference: string): string =>
  publicReference
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 64)
    .padStart(4, '0')

/** The partner's answer in Airtel's documents. */
const ANSWER = '{"code":200,"status":"SUCCESS"}'

/**
 * One callback address for all payments: the body names the payment. With authentication on it has
 * a hash.
 */
function readCallback(
  { headers, body }: CallbackRequest,
  { callbackKey, callbackHashHeader }: AirtelOptions,
): ReadCallback | undefined {
  const { transaction: reported, hash } = parseObject(body) ?? {}
  const transaction = asObject(reported)
  const reference = asText(transaction?.id) ?? ''
  if (transaction === undefined || !looksLikeReference(reference)) return undefined
  const given =
    callbackHashHeader === undefined ? hash : lookUp(headers, callbackHashHeader.toLowerCase())
  if (callbackKey !== undefined && !isHash(given, transaction, callbackKey)) return undefined
  return { reference, isGenuine: callbackKey !== undefined, answer: ANSWER }
}

/**
 * Not documented which bytes are hashed: clients in use take `transaction` as compact JSON, in its
 * order.
 */
const isHash = (given: unknown, transaction: object, key: string): boolean =>
  isSameSignature(
    Buffer.from(asText(given) ?? '', 'base64'),
    createHmac('sha256', key).update(JSON.stringify(transaction)).digest(),
  )
