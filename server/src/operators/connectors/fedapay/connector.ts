// FedaPay: an aggregator that prompts payers of MTN, Moov and Celtiis in Benin and of Airtel in
// Niger, and has a page for cards and wallets. facts.md lists what its documents say and what is
// not verified.
import { createHmac } from 'node:crypto'
import type { Clock } from '../../../domain/clock-and-random.ts'
import { countryOfOperator } from '../../../domain/countries/country.ts'
import { withDigits } from '../../../domain/countries/msisdn.ts'
import type { OperatorAnswer, RefundAnswer } from '../../../domain/payments/operator-report.ts'
import { looksLikeReference } from '../../../domain/payments/reference.ts'
import {
  type ConnectionDeps,
  defineConnector,
  type GivenNames,
  givenNames,
} from '../../connector.ts'
import {
  asObject,
  asText,
  isSameSignature,
  MIXED_UP,
  parseObject,
  wholeFrancs,
} from '../../http-call.ts'
import type {
  CallbackRequest,
  Collection,
  HostedMethod,
  Operator,
  ReadCallback,
  Reversal,
} from '../../operator.ts'
import {
  type FedapayOptions,
  fedapayOptions,
  isOk,
  pathOf,
  type Transactions,
  transactionsOf,
} from './calls.ts'
import { checkConnection, testCredentials } from './check.ts'
import { fedapayStatements } from './statements.ts'
import {
  answerAbout,
  isPending,
  isPromptNotSent,
  isRefusal,
  type NewTransaction,
  notAnswered,
  type PhoneNumber,
  PROMPT_MARK,
  refusalOf,
  statusOf,
  type Transaction,
  wasPrompted,
} from './translate.ts'

const LIVE_MODES = {
  mtn_bj: 'mtn_open',
  moov_bj: 'moov',
  celtiis_bj: 'sbin',
  airtel_ne: 'airtel_ne',
} as const
/** The only one that FedaPay's sandbox has. */
const SANDBOX_MODE = 'momo_test'

/** A hundred transactions of some 1,500 bytes, with room for long descriptions. */
const LARGEST_PAGE_BYTES = 1_048_576

export const fedapayConnector = defineConnector<FedapayOptions>({
  name: 'fedapay',
  addresses: { live: 'https://api.fedapay.com', sandbox: 'https://sandbox-api.fedapay.com' },
  prompts: Object.keys(LIVE_MODES),
  pages: ['bank_card', 'wallet'],
  options: fedapayOptions,
  fields: [{ name: 'secretKey' }, { name: 'webhookSecret', isOptional: true }],
  connect(deps, options) {
    const tokens = givenNames()
    const prompts = prompter(deps, options, tokens)

    /** A person refunds in the dashboard; the transaction shows it afterwards. */
    async function refund(reversal: Reversal): Promise<RefundAnswer> {
      const answer = await prompts.status(reversal.reference, reversal.networkId)
      return answer.is === 'refunded'
        ? { ...answer, is: 'succeeded' }
        : { is: 'by_hand', why: refundByHand(reversal) }
    }

    const shared = {
      name: deps.name,
      refund,
      refundStatus: refund,
      parseCallback: callbackReader(deps.clock, options.webhookSecret),
    } satisfies Partial<Operator>
    return {
      operator: { ...shared, ...prompts },
      // The page was opened when the attempt began. If that was not recorded, only a status call is
      // possible.
      hosted: {
        ...shared,
        ...hostedPage(deps, options, tokens),
        status: prompts.status,
        request: ({ reference, networkId }) => prompts.status(reference, networkId),
      },
      statements: fedapayStatements({
        get: (path) =>
          transactionsOf(deps, options).call('GET', path, undefined, LARGEST_PAGE_BYTES),
        clock: deps.clock,
        xofCurrencyId: options.xofCurrencyId,
      }),
      check: () => checkConnection(deps, options),
      test: () => testCredentials(deps, options),
    }
  },
})

const refundByHand = ({ operatorReference, operator, amountXof }: Reversal): string =>
  operator === 'mtn_bj'
    ? `FedaPay has no call for refunds: refund ${amountXof} F CFA of ${operatorReference} in the FedaPay dashboard, under Collects.`
    : `FedaPay refunds nothing but MTN payments in its dashboard: pay ${amountXof} F CFA of ${operatorReference} back in another way.`

/**
 * A prompt on the payer's phone: create the transaction, get its token, keep its id, send the
 * prompt. Only the last call can move money. A failure before it is reported as never sent, and the
 * next attempt continues there.
 */
function prompter(
  deps: ConnectionDeps,
  options: FedapayOptions,
  tokens: GivenNames,
): Pick<Operator, 'request' | 'status'> {
  const { environment } = deps
  const { xofCurrencyId, modeTellsPrompt, customerEmail: email } = options

  async function request(collection: Collection): Promise<OperatorAnswer> {
    const mode = modeOf(collection.operator)
    if (mode === undefined) {
      return {
        is: 'unknown',
        why: 'FedaPay does not prompt this operator',
        neverLeft: true,
        misconfigured: true,
      }
    }
    const transactions = transactionsOf(deps, options)
    const made = await transactions.findOrCreate(transactionFor(collection), collection.networkId)
    if ('answer' in made) return notAsked(made.answer)
    const { transaction, isNew } = made
    if (wholeFrancs(transaction.amount) !== collection.amountXof) {
      const answer = {
        is: 'unknown',
        why: 'FedaPay has another amount under this reference',
      } as const
      return isNew ? notAsked(answer) : answer
    }
    if (!isNew && !isUnprompted(transaction))
      return answerAbout(transaction, { ...collection, xofCurrencyId })
    const token = await transactions.token(transaction.id)
    if ('answer' in token) return notAsked(token.answer)
    // With the token of another transaction this payer would be asked for another payment.
    if (tokens.isOfAnother(token.token, collection.reference)) return notAsked(MIXED_UP)
    const networkId = String(transaction.id)
    // After a crash the id proves that the payer may have been asked, and is the way to find out.
    if (!(await collection.keepNetworkId(networkId)))
      return { is: 'unknown', why: 'the transaction’s id could not be kept', neverLeft: true }
    const body = { token: token.token, phone_number: phoneNumberOf(collection) }
    return prompt(transactions, `/v1/${mode}`, body, { ...collection, networkId })
  }

  async function prompt(
    transactions: Transactions,
    path: string,
    body: object,
    { reference, networkId }: Collection,
  ): Promise<OperatorAnswer> {
    const result = await transactions.call('POST', path, body)
    if (isOk(result) && asObject(result.body) !== undefined) return { is: 'accepted' }
    if (!isRefusal(result)) return notAnswered(result, 'prompting the payer')
    // FedaPay may refuse because the payer has a prompt already: the transaction shows whether one
    // was sent.
    const found = await transactions.find(reference, networkId)
    if ('answer' in found) return notAnswered(result, 'prompting the payer')
    if (isUnprompted(found.transaction)) return refusalOf(result)
    return answerAbout(found.transaction, { reference, xofCurrencyId })
  }

  async function status(
    reference: string,
    networkId: string | null = null,
  ): Promise<OperatorAnswer> {
    const found = await transactionsOf(deps, options).find(reference, networkId)
    if ('answer' in found) return found.answer
    const answer = statusOf(found.transaction, { reference, xofCurrencyId })
    // Created for a prompt that was not sent: no payer was asked for money.
    return answer.is === 'accepted' && isUnprompted(found.transaction)
      ? { is: 'not_known', notAsked: true }
      : answer
  }

  const isUnprompted = (transaction: Transaction): boolean =>
    modeTellsPrompt && isPromptNotSent(transaction)

  const isPrompted = (operator: string): operator is keyof typeof LIVE_MODES =>
    Object.hasOwn(LIVE_MODES, operator)

  function modeOf(operator: string): string | undefined {
    if (!isPrompted(operator)) return undefined
    return (
      options.modes[operator] ?? (environment === 'sandbox' ? SANDBOX_MODE : LIVE_MODES[operator])
    )
  }

  const transactionFor = (collection: Collection): NewTransaction => ({
    description: collection.publicReference,
    amount: collection.amountXof,
    currency: { iso: 'XOF' },
    merchant_reference: collection.reference,
    custom_metadata: PROMPT_MARK,
    customer: { ...(email !== undefined && { email }), phone_number: phoneNumberOf(collection) },
  })

  function phoneNumberOf({ msisdn, operator }: Collection): PhoneNumber {
    const form = options.beninNumbers ?? (environment === 'sandbox' ? 'eight_digits' : 'ten_digits')
    const number = `+${withDigits(msisdn, form === 'eight_digits' ? 8 : 10)}`
    const country = countryOfOperator(operator)
    if (country === undefined) throw new Error(`${operator} has no country`)
    return { number, country: country.toLowerCase() }
  }

  return { request, status }
}

/** No payer was asked yet, also if the call was lost. */
const notAsked = (answer: OperatorAnswer): OperatorAnswer =>
  answer.is === 'unknown' ? { ...answer, neverLeft: true } : answer

const LONGEST_DESCRIPTION = 255
const DELETED: OperatorAnswer = {
  is: 'declined',
  reason: 'cancelled',
  mayChange: true,
  code: 'deleted',
}

/**
 * FedaPay's page, for cards and wallets. No payer is asked before one opens it: until then it is in
 * progress.
 */
function hostedPage(
  deps: ConnectionDeps,
  options: FedapayOptions,
  tokens: GivenNames,
): Pick<HostedMethod, 'open' | 'cancel'> {
  const { xofCurrencyId, customerEmail: email } = options

  return {
    async open({ reference, amountXof, merchantName, title, returnUrl, keepNetworkId }) {
      const transactions = transactionsOf(deps, options)
      const wanted: NewTransaction = {
        description: `${merchantName}: ${title}`.slice(0, LONGEST_DESCRIPTION),
        amount: amountXof,
        currency: { iso: 'XOF' },
        merchant_reference: reference,
        callback_url: returnUrl,
        ...(email !== undefined && { customer: { email } }),
      }
      const made = await transactions.findOrCreate(wanted, null)
      // No payer has the page's address yet, so none can have paid there.
      if ('answer' in made || wholeFrancs(made.transaction.amount) !== amountXof) return undefined
      if (!(await keepNetworkId(String(made.transaction.id)))) return undefined
      const token = await transactions.token(made.transaction.id)
      if ('answer' in token || tokens.isOfAnother(token.token, reference)) return undefined
      return token.url === undefined ? undefined : { goTo: token.url }
    },

    // Deleting ends a transaction and takes its record away. So only one that no payer tried to pay
    // is deleted.
    async cancel(reference, networkId = null) {
      const transactions = transactionsOf(deps, options)
      const found = await transactions.find(reference, networkId)
      if ('answer' in found) return found.answer
      const { transaction } = found
      const answer = answerAbout(transaction, { reference, xofCurrencyId })
      if (!options.cancelByDelete || !isPending(transaction) || wasPrompted(transaction))
        return answer
      const deleted = await transactions.call('DELETE', pathOf(transaction.id))
      if (isOk(deleted)) return DELETED
      // Only its answer may be lost, and the page gone.
      const left = await transactions.find(reference, String(transaction.id))
      return 'answer' in left && left.answer.is === 'not_known' ? DELETED : answer
    },
  }
}

const SIGNATURE_HEADER = 'x-fedapay-signature'
const OLDEST_MS = 300_000

/**
 * Reads webhooks: `X-FEDAPAY-SIGNATURE: t=<seconds>,s=<hex>`, an HMAC-SHA256 with the webhook's
 * secret over `<t>.<body>`. FedaPay signs each attempt again, so an old signature is a replay.
 */
function callbackReader(clock: Clock, webhookSecret: string | undefined) {
  return ({ headers, body }: CallbackRequest): ReadCallback | undefined => {
    const isSigned =
      webhookSecret !== undefined &&
      isSignedBy(webhookSecret, String(headers[SIGNATURE_HEADER] ?? ''), body, clock)
    if (webhookSecret !== undefined && !isSigned) return undefined
    const reference = referenceIn(body)
    // FedaPay counts any answer but 200 as an error, and switches the webhook off after ten.
    if (reference === undefined) return isSigned ? { reference: null, isGenuine: true } : undefined
    return { reference, isGenuine: isSigned }
  }
}

function isSignedBy(secret: string, header: string, body: Buffer, clock: Clock): boolean {
  const parts = header.split(',').map((part) => part.trim().split('='))
  const seconds = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(seconds) || clock.now() - Number(seconds) * 1_000 > OLDEST_MS) return false
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
  return parts.some(
    ([name, hex = '']) => name === 's' && isSameSignature(Buffer.from(hex, 'hex'), expected),
  )
}

/** Of our transaction; events about customers and payouts have none. The entity may be text. */
function referenceIn(body: Buffer): string | undefined {
  const entity = parseObject(body)?.entity
  const transaction = typeof entity === 'string' ? parseObject(entity) : asObject(entity)
  const reference = asText(transaction?.merchant_reference) ?? ''
  return looksLikeReference(reference) ? reference : undefined
}
