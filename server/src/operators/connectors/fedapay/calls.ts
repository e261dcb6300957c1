// The options of a FedaPay connection, and the calls about one transaction, which share the
// deadline of one call of the interface. Our reference is FedaPay's merchant_reference, under which
// a transaction is created once. It is read by FedaPay's own id, a documented route; the route by
// merchant_reference is the fallback. docs/operators-file.md is generated from the options'
// descriptions.
import { z } from 'zod'
import type { OperatorAnswer } from '../../../domain/payments/operator-report.ts'
import type { ConnectionDeps } from '../../connector.ts'
import { type Answered, type CallResult, MIXED_UP } from '../../http-call.ts'
import {
  isNoSuchThing,
  isNotKnown,
  isRefusal,
  mayBeTaken,
  type NewTransaction,
  notAnswered,
  readPageToken,
  readTransaction,
  refusalOf,
  type Transaction,
  takenAndHidden,
} from './translate.ts'

const mode = z.string().regex(/^[a-z_]+$/)

export const fedapayOptions = (secret: z.ZodType<string>) =>
  z.strictObject({
    secretKey: secret.describe('Secret key, sk_live_… or sk_sandbox_….'),
    webhookSecret: secret
      .optional()
      .describe('Webhook secret, wh_…. Without it anyone can trigger a poll.'),
    modes: z
      .strictObject({
        mtn_bj: mode.optional(),
        moov_bj: mode.optional(),
        celtiis_bj: mode.optional(),
        airtel_ne: mode.optional(),
      })
      .default({})
      .describe(
        'FedaPay’s names of operators, where they differ from mtn_open, moov, sbin and airtel_ne (sandbox: momo_test).',
      ),
    beninNumbers: z
      .enum(['ten_digits', 'eight_digits'])
      .optional()
      .describe(
        'Whether numbers of Benin are sent with their 01; by default yes in live, no in sandbox.',
      ),
    customerEmail: z
      .email()
      .optional()
      .describe('Email address of every customer, where FedaPay asks for one.'),
    modeTellsPrompt: z
      .boolean()
      .default(true)
      .describe(
        'Whether a transaction without mode, payment method and error proves that its payer was never prompted.',
      ),
    cancelByDelete: z
      .boolean()
      .default(true)
      .describe(
        'Whether an unused page is deleted when its payer gives up; otherwise it can be paid until it expires.',
      ),
    xofCurrencyId: z
      .int()
      .default(1)
      .describe('FedaPay’s id of XOF; any other id is another currency.'),
    userAgent: z.string().default('Karba/1.0').describe('User-Agent; the gateway may refuse some.'),
  })

export type FedapayOptions = z.infer<ReturnType<typeof fedapayOptions>>

type NoTransaction = { answer: OperatorAnswer }
type Found = { transaction: Transaction } | NoTransaction
type Method = 'GET' | 'POST' | 'DELETE'

/**
 * A call with less time left would be cut off: a payer may then be prompted for a payment that is
 * given up.
 */
const SHORTEST_CALL_MS = 1_000

export type Transactions = ReturnType<typeof transactionsOf>

/** From now on these calls share one deadline. */
export function transactionsOf(
  { send, clock, deadlineMs }: ConnectionDeps,
  { secretKey, userAgent }: FedapayOptions,
) {
  const until = clock.now() + deadlineMs
  const headers = {
    authorization: `Bearer ${secretKey}`,
    accept: 'application/json',
    'user-agent': userAgent,
  }

  async function call(
    method: Method,
    path: string,
    body?: object,
    mostBytes?: number,
  ): Promise<CallResult> {
    const timeoutMs = until - clock.now()
    if (timeoutMs < SHORTEST_CALL_MS)
      return { failed: 'no time was left for the next call', neverLeft: true }
    if (body === undefined)
      return send({ method, path, headers, timeoutMs, ...(mostBytes && { mostBytes }) })
    const typed = { ...headers, 'content-type': 'application/json' }
    return send({ method, path, headers: typed, body: JSON.stringify(body), timeoutMs })
  }

  const read = (result: CallResult): Transaction | undefined =>
    isOk(result) ? readTransaction(result.body) : undefined

  /** `not_known` only when no route shows it. What is found has our reference. */
  async function find(reference: string, networkId: string | null): Promise<Found> {
    const byId =
      networkId === null ? undefined : await call('GET', `${pathOf(networkId)}?include=currency`)
    const shown = byId && read(byId)
    if (shown !== undefined && isOurs(shown, reference)) return { transaction: shown }
    if (byId !== undefined && shown === undefined && !isNoSuchThing(byId)) {
      return { answer: notAnswered(byId, 'reading the transaction') }
    }
    const result = await call('GET', `${pathByReference(reference)}?include=currency`)
    // Another transaction under the id proves nothing about ours.
    if (isNotKnown(result)) return { answer: shown === undefined ? { is: 'not_known' } : MIXED_UP }
    const transaction = read(result)
    if (transaction === undefined) return { answer: notAnswered(result, 'reading the transaction') }
    return isOurs(transaction, reference) ? { transaction } : { answer: MIXED_UP }
  }

  return {
    call,
    find,
    /** `isNew` unless an earlier try had created it. */
    async findOrCreate(
      wanted: NewTransaction,
      networkId: string | null,
    ): Promise<{ transaction: Transaction; isNew: boolean } | NoTransaction> {
      if (networkId !== null) {
        const found = await find(wanted.merchant_reference, networkId)
        if ('transaction' in found) return { ...found, isNew: false }
        if (found.answer.is !== 'not_known') return found
      }
      const result = await call('POST', '/v1/transactions', wanted)
      const transaction = read(result)
      if (transaction !== undefined) {
        return isOurs(transaction, wanted.merchant_reference)
          ? { transaction, isNew: true }
          : { answer: MIXED_UP }
      }
      if (!isRefusal(result)) return { answer: notAnswered(result, 'creating the transaction') }
      // The form of FedaPay's refusal of a second creation is not documented, so this looks for a
      // first one. Finding none proves nothing: look-ups may lag, and the route may be missing.
      const found = await find(wanted.merchant_reference, null)
      if ('transaction' in found) return { ...found, isNew: false }
      if (found.answer.is !== 'not_known') return found
      return { answer: mayBeTaken(result) ? takenAndHidden(result) : refusalOf(result) }
    },
    async token(id: number): Promise<{ token: string; url: string | undefined } | NoTransaction> {
      const result = await call('POST', `${pathOf(id)}/token`, {})
      const token = isOk(result) ? readPageToken(result.body) : undefined
      return token ?? { answer: notAnswered(result, 'asking for a token') }
    },
  }
}

const isOurs = ({ merchant_reference: reported }: Transaction, reference: string): boolean =>
  reported === reference

export const pathOf = (id: string | number): string => `/v1/transactions/${encodeURIComponent(id)}`
export const pathByReference = (reference: string): string =>
  `/v1/transactions/merchant/${encodeURIComponent(reference)}`

export const isOk = (result: CallResult): result is Answered =>
  'code' in result && result.code >= 200 && result.code < 300
