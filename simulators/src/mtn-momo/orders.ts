// Reads the requests to the simulated MTN MoMo, and refuses what the network refuses.
import { isObject, parseObject, type WireReaction, type WireRequest } from '../network.ts'
import { type ApiUser, UUID_V4 } from './access.ts'
import { BAD_REQUEST, INTERNAL_ERROR, WRONG_CALLBACK_HOST, WRONG_CURRENCY } from './answers.ts'
import type { Operation, OperationKind, Order } from './wallet.ts'

const LONGEST_TEXT = 160
const AMOUNT = { EUR: /^\d{1,12}(?:\.\d{1,2})?$/, XOF: /^\d{1,12}(?:\.0{1,2})?$/ } as const
const PARTY_TYPES = ['MSISDN', 'EMAIL', 'PARTY_CODE']

/** The currency of a target environment; the test environment takes euros only. */
export const currencyOf = (environment: string): keyof typeof AMOUNT =>
  environment === 'sandbox' ? 'EUR' : 'XOF'

export function readOrder(
  kind: OperationKind,
  { headers, body }: WireRequest,
  user: ApiUser,
): Order | WireReaction {
  const id = headers['x-reference-id'] ?? ''
  const fields = parseObject(body)
  if (!UUID_V4.test(id) || id === user.id || fields === undefined) return BAD_REQUEST

  const texts = [fields.externalId, fields.payerMessage, fields.payeeNote]
  const [externalId, payerMessage, payeeNote] = texts.map(asText)
  if (texts.some((text) => !isAllowedText(text))) return BAD_REQUEST
  if (externalId?.includes(' ')) return BAD_REQUEST

  const currency = currencyOf(user.environment)
  const amount = asText(fields.amount) ?? ''
  if (typeof fields.currency !== 'string') return BAD_REQUEST
  if (fields.currency !== currency) return WRONG_CURRENCY
  if (!AMOUNT[currency].test(amount) || Number(amount) <= 0) return BAD_REQUEST

  const party =
    kind === 'refund' ? NO_PARTY : readParty(kind === 'requesttopay' ? fields.payer : fields.payee)
  const refundOf = kind === 'refund' ? asText(fields.referenceIdToRefund) : undefined
  if (party === undefined || (kind === 'refund' && !UUID_V4.test(refundOf ?? '')))
    return BAD_REQUEST

  const callbackUrl = headers['x-callback-url']
  const wrongCallback = refusedCallback(callbackUrl, user)
  if (wrongCallback !== undefined) return wrongCallback
  // Production has answered an empty text with 500.
  if (user.environment !== 'sandbox' && (payerMessage === '' || payeeNote === ''))
    return INTERNAL_ERROR
  const texted = { externalId, payerMessage, payeeNote }
  return {
    id: id.toLowerCase(),
    amount: Number(amount),
    currency,
    party,
    ...texted,
    callbackUrl,
    refundOf,
  }
}

/** A refund goes back to the payer of the payment. */
const NO_PARTY: Operation['party'] = { partyIdType: 'MSISDN', partyId: '' }

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

/**
 * Left out, or text without an apostrophe; numbers are taken for text, as samples of the network
 * show them.
 */
function isAllowedText(value: unknown): boolean {
  if (value === undefined || value === null) return true
  const text = asText(value)
  return text !== undefined && text.length <= LONGEST_TEXT && !text.includes("'")
}

function readParty(value: unknown): Operation['party'] | undefined {
  if (!isObject(value)) return undefined
  const { partyIdType, partyId } = value
  const id = asText(partyId) ?? ''
  if (typeof partyIdType !== 'string' || !PARTY_TYPES.includes(partyIdType) || id === '')
    return undefined
  return { partyIdType, partyId: id }
}

/**
 * Without the header there is no callback. With it, its host must be the one that was registered
 * with the API user.
 */
function refusedCallback(
  url: string | undefined,
  { callbackHost }: ApiUser,
): WireReaction | undefined {
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return BAD_REQUEST
  if (callbackHost === undefined) return undefined
  const { host, hostname } = new URL(url)
  // Some clients register a whole address instead of a host.
  const registered = callbackHost
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .toLowerCase()
  return registered === host || registered === hostname ? undefined : WRONG_CALLBACK_HOST
}
