// The connector to MTN MoMo: payments by the Collection product, refunds by the Disbursement
// product where its credentials are set. facts.md has the facts of the network's documents.
import { withDigits } from '../../../domain/countries/msisdn.ts'
import type { OperatorAnswer, RefundAnswer } from '../../../domain/payments/operator-report.ts'
import {
  looksLikeReference,
  referenceOfUuid,
  uuidOfReference,
} from '../../../domain/payments/reference.ts'
import { type Connection, type ConnectionDeps, defineConnector } from '../../connector.ts'
import { parseObject } from '../../http-call.ts'
import type {
  CallbackRequest,
  Collection,
  Operator,
  ReadCallback,
  Reversal,
  Unknown,
} from '../../operator.ts'
import {
  faultOfCallbackUrl,
  type MtnMomoOptions,
  momoProduct,
  mtnMomoOptions,
  PLATFORMS,
  type Product,
  SANDBOX_ADDRESS,
} from './calls.ts'
import { checkConnection, testCredentials } from './check.ts'
import { readRequestAnswer, readStatusAnswer } from './translate.ts'

const productFields = (product: string): string[] =>
  ['subscriptionKey', 'apiUser', 'apiKey'].map((name) => product + name)

export const mtnMomo = defineConnector<MtnMomoOptions>({
  name: 'mtn-momo',
  addresses: { live: PLATFORMS.new.address, sandbox: SANDBOX_ADDRESS },
  prompts: ['mtn_bj'],
  pages: [],
  options: mtnMomoOptions,
  fields: [
    ...productFields('').map((name) => ({ name })),
    { name: 'platform', choices: ['new', 'old'] },
    ...productFields('disbursement.').map((name) => ({ name, isOptional: true as const })),
  ],
  sandboxOptions: { targetEnvironment: 'sandbox', currency: 'EUR' },
  addressOf: (environment, { platform }) =>
    environment === 'live' ? PLATFORMS[platform].address : SANDBOX_ADDRESS,
  connect,
})

/** How long to wait after a 503 before the same reference is sent once more. */
const PAUSE_AFTER_503_MS = 2_000
const PATHS = { payment: '/v1_0/requesttopay', refund: '/v1_0/refund' } as const
const BY_HAND: RefundAnswer = {
  is: 'by_hand',
  why: 'this connection has no credentials of the Disbursement product: refund in the partner portal of MTN',
}

type Asked = { product: Product; kind: 'payment' | 'refund'; reference: string }

function connect(deps: ConnectionDeps, options: MtnMomoOptions): Connection {
  const { name, clock, deadlineMs } = deps
  const collection = momoProduct('collection', options, deps, options)
  const disbursement =
    options.disbursement && momoProduct('disbursement', options.disbursement, deps, options)

  const callbackHeader = (reference: string): Record<string, string> => {
    const url = options.sendsCallbackUrl ? deps.callbackUrl(reference) : undefined
    // No header at all where there is no address: an empty one is answered with 400.
    return url && faultOfCallbackUrl(url, deps.environment) === undefined
      ? { 'x-callback-url': url }
      : {}
  }

  async function ask(
    { product, kind, reference }: Asked,
    body: object,
    headers = {},
  ): Promise<OperatorAnswer> {
    const endsAt = clock.now() + deadlineMs
    const send = () =>
      product.call(
        {
          method: 'POST',
          path: PATHS[kind],
          headers: {
            'content-type': 'application/json',
            'x-reference-id': uuidOfReference(reference),
            ...headers,
          },
          body: JSON.stringify(body),
        },
        endsAt,
      )
    let result = await send()
    const isRepeated =
      'code' in result && result.code === 503 && endsAt - clock.now() > 2 * PAUSE_AFTER_503_MS
    if (isRepeated) {
      await new Promise<void>((resolve) => void clock.after(PAUSE_AFTER_503_MS, resolve))
      result = await send()
    }
    const answer = 'is' in result ? result : readRequestAnswer(result, kind)
    // A gateway may answer 503 although the network accepted it: an unsent second call proves
    // nothing about the first.
    if (answer !== 'duplicate')
      return isRepeated && answer.is === 'unknown' ? mayHaveLeft(answer) : answer
    const known = await askAbout({ product, kind, reference }, endsAt)
    // It has the reference: a payment that cannot be read yet must not count as never received.
    const saysMore = known.is !== 'not_known' && known.is !== 'unknown'
    return saysMore ? known : { is: 'accepted', code: 'RESOURCE_ALREADY_EXIST' }
  }

  async function askAbout(
    { product, kind, reference }: Asked,
    endsAt: number,
  ): Promise<OperatorAnswer> {
    const id = uuidOfReference(reference)
    const result = await product.call(
      { method: 'GET', path: `${PATHS[kind]}/${id}`, headers: {} },
      endsAt,
    )
    return 'is' in result
      ? result
      : readStatusAnswer(result, { kind, currency: options.currency, reference, id })
  }

  const operator: Operator = {
    name,
    request: (order) =>
      ask(
        { product: collection, kind: 'payment', reference: order.reference },
        requestToPayBody(order, options),
        callbackHeader(order.reference),
      ),
    status: (reference) =>
      askAbout({ product: collection, kind: 'payment', reference }, clock.now() + deadlineMs),
    refund: async (reversal): Promise<RefundAnswer> =>
      disbursement === undefined
        ? BY_HAND
        : ask(
            { product: disbursement, kind: 'refund', reference: reversal.refundReference },
            refundBody(reversal, options),
          ),
    refundStatus: async ({ refundReference: reference }): Promise<RefundAnswer> =>
      disbursement === undefined
        ? BY_HAND
        : askAbout({ product: disbursement, kind: 'refund', reference }, clock.now() + deadlineMs),
    parseCallback: readCallback,
  }
  const checked = { deps, options, collection, disbursement }
  return { operator, check: () => checkConnection(checked), test: () => testCredentials(checked) }
}

function mayHaveLeft({ neverLeft: _, ...rest }: Unknown): Unknown {
  return rest
}

/** Beyond this MTN answers 400. */
const LONGEST_TEXT = 160

/**
 * Only characters that never caused trouble, and never none: an apostrophe is refused, a payment
 * with an ampersand is lost after its 202, an empty text was answered with 500. @internal
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

function requestToPayBody(
  { reference, msisdn, amountXof, publicReference }: Collection,
  { currency, msisdnDigits }: MtnMomoOptions,
): object {
  const text = cleanText(publicReference, 'Paiement')
  return {
    amount: String(amountXof),
    currency,
    // The only name of ours that callbacks and the partner portal's reports carry.
    externalId: reference,
    payer: { partyIdType: 'MSISDN', partyId: withDigits(msisdn, msisdnDigits) },
    payerMessage: text,
    payeeNote: text,
  }
}

const refundBody = (
  { refundReference, reference, amountXof }: Reversal,
  { currency }: MtnMomoOptions,
): object => ({
  amount: String(amountXof),
  currency,
  externalId: refundReference,
  payerMessage: 'Remboursement',
  payeeNote: 'Remboursement',
  referenceIdToRefund: uuidOfReference(reference),
})

/** A callback has our reference in its address, and as externalId in the body. MTN signs none. */
function readCallback({ path, headers, body }: CallbackRequest): ReadCallback | undefined {
  const fields = parseObject(body)
  // Split, because /\/+$/ takes 0.8 s on a path of 16 KiB of slashes, and any client can send one.
  const inPath = path.split('/').filter((part) => part !== '')
  for (const place of [
    inPath.join('/'),
    fields?.externalId,
    headers['x-reference-id'],
    fields?.referenceId,
  ]) {
    const name = typeof place === 'string' ? place : ''
    const reference = looksLikeReference(name) ? name : referenceOfUuid(name)
    if (reference !== undefined) return { reference, isGenuine: false }
  }
  return undefined
}
