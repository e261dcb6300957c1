// The shapes that MTN MoMo reads and writes, and how ours become theirs. Every field of an answer is read as unknown: samples of MTN show
// numbers as text and text as numbers, and a reason as text, as an object, or not at all.
import { uuidOfReference } from '../../../domain/reference.ts'
import type { Collection, Reversal } from '../../operator.ts'

interface RequestToPayBody {
  amount: string
  currency: string
  externalId: string
  payer: { partyIdType: 'MSISDN'; partyId: string }
  payerMessage: string
  payeeNote: string
}

interface RefundBody extends Omit<RequestToPayBody, 'payer'> {
  referenceIdToRefund: string
}

/** Beyond this MTN answers 400. */
const LONGEST_TEXT = 160
const PAYER_TEXT = 'Paiement'
const REFUND_TEXT = 'Remboursement'

/**
 * An apostrophe is refused, an ampersand is accepted and the payment then lost, an empty text has been answered with 500: so only what has
 * never been a problem is sent, and never nothing.
 * @internal
 */
export function cleanText(text: string, otherwise: string): string {
  const plain = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9 .-]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, LONGEST_TEXT)
    .trim()
  return plain === '' ? otherwise : plain
}

const BENIN_TEN_DIGITS = /^22901(\d{8})$/

const partyIdOf = (msisdn: string, digits: 10 | 8): string =>
  digits === 8 ? msisdn.replace(BENIN_TEN_DIGITS, '229$1') : msisdn

export const requestToPayBody = (
  { reference, msisdn, amountXof, publicReference }: Collection,
  { currency, msisdnDigits }: { currency: string; msisdnDigits: 10 | 8 },
): RequestToPayBody => ({
  amount: String(amountXof),
  currency,
  // It is the only name of ours that callbacks and the partner portal's reports carry.
  externalId: reference,
  payer: { partyIdType: 'MSISDN', partyId: partyIdOf(msisdn, msisdnDigits) },
  payerMessage: cleanText(publicReference, PAYER_TEXT),
  payeeNote: cleanText(publicReference, PAYER_TEXT),
})

export const refundBody = (
  { refundReference, reference, amountXof }: Reversal,
  { currency }: { currency: string },
): RefundBody => ({
  amount: String(amountXof),
  currency,
  externalId: refundReference,
  payerMessage: REFUND_TEXT,
  payeeNote: REFUND_TEXT,
  referenceIdToRefund: uuidOfReference(reference),
})

type Fields = Readonly<Record<string, unknown>>

/** Undefined for an answer that is not a JSON object: a page of the gateway, say. */
export const fieldsOf = (body: unknown): Fields | undefined =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Fields) : undefined

/** "100", "100.0", "37,600.00" and 100 are amounts. Undefined for a fraction of a franc and for anything else. */
export function readAmount(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const whole = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.0*)?$/.exec(text)?.[1]
  const amount = Number(whole?.replaceAll(',', '') ?? Number.NaN)
  return Number.isSafeInteger(amount) ? amount : undefined
}

/** An identifier that may come as a number. */
export const readId = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

/** Words and nothing else, so that no key, number or sentence that an answer repeats gets into our records as a code. */
const CODE = /^[A-Za-z]+(?:[_ ][A-Za-z]+)*$/
const LONGEST_CODE = 60

export const readCode = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= LONGEST_CODE && CODE.test(value) ? value : undefined

/** The code of a refusal: MTN says `code`, its token call `error`. */
export function codeOf(body: unknown): string | undefined {
  const fields = fieldsOf(body)
  return readCode(fields?.code) ?? readCode(fields?.error)
}

export const reasonOf = ({ reason }: Fields): string | undefined => readCode(reason) ?? readCode(fieldsOf(reason)?.code)
