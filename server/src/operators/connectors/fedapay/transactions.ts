// The calls about one transaction, within the time that a verb may take in all. Our reference is FedaPay's merchant_reference, under which a
// transaction is created once. It is read by FedaPay's own id, a documented route; the route by merchant_reference is the fallback.
import type { OperatorAnswer } from '../../../domain/operator-report.ts'
import type { ConnectionDeps } from '../../connector.ts'
import type { CallResult } from '../../http-call.ts'
import type { FedapayOptions } from './options.ts'
import {
  isNoSuchThing,
  isNotKnown,
  isRefusal,
  mayBeTaken,
  notAnswered,
  refusalOf,
  takenAndHidden,
} from './translate.ts'
import { type NewTransaction, readToken, readTransaction, type Transaction } from './wire.ts'

type NoTransaction = { answer: OperatorAnswer }
type Method = 'GET' | 'POST' | 'DELETE'

/** A call with less than this left would be cut off, and a payer may be prompted whom nobody waits for. */
const SHORTEST_CALL_MS = 1_000

export interface Transactions {
  call(method: Method, path: string, body?: object): Promise<CallResult>
  /** `isNew` unless an earlier try had created it. */
  findOrCreate(
    wanted: NewTransaction,
    networkId: string | null,
  ): Promise<{ transaction: Transaction; isNew: boolean } | NoTransaction>
  /** `not_known` only when no route shows it. */
  find(reference: string, networkId: string | null): Promise<{ transaction: Transaction } | NoTransaction>
  token(id: number): Promise<{ token: string; url: string | undefined } | NoTransaction>
}

/** Begins a verb: from now on its calls share its deadline. */
export function transactionsOf(
  { send, clock, deadlineMs }: Pick<ConnectionDeps, 'send' | 'clock' | 'deadlineMs'>,
  { secretKey, userAgent }: Pick<FedapayOptions, 'secretKey' | 'userAgent'>,
): Transactions {
  const until = clock.now() + deadlineMs
  const headers = { authorization: `Bearer ${secretKey}`, accept: 'application/json', 'user-agent': userAgent }

  async function call(method: Method, path: string, body?: object): Promise<CallResult> {
    const timeoutMs = until - clock.now()
    if (timeoutMs < SHORTEST_CALL_MS) return { failed: 'no time was left for the next call', neverLeft: true }
    if (body === undefined) return send({ method, path, headers, timeoutMs })
    const typed = { ...headers, 'content-type': 'application/json' }
    return send({ method, path, headers: typed, body: JSON.stringify(body), timeoutMs })
  }

  async function find(
    reference: string,
    networkId: string | null,
  ): Promise<{ transaction: Transaction } | NoTransaction> {
    if (networkId !== null) {
      const byId = await call('GET', `${pathOf(networkId)}?include=currency`)
      const transaction = isOk(byId) ? readTransaction(byId.body) : undefined
      if (transaction !== undefined) return { transaction }
      if (!isNoSuchThing(byId)) return { answer: notAnswered(byId, 'reading the transaction') }
    }
    const result = await call('GET', `${pathByReference(reference)}?include=currency`)
    if (isNotKnown(result)) return { answer: { is: 'not_known' } }
    const transaction = isOk(result) ? readTransaction(result.body) : undefined
    return transaction === undefined ? { answer: notAnswered(result, 'reading the transaction') } : { transaction }
  }

  return {
    call,
    find,
    async findOrCreate(wanted, networkId) {
      if (networkId !== null) {
        const found = await find(wanted.merchant_reference, networkId)
        if ('transaction' in found) return { ...found, isNew: false }
        if (found.answer.is !== 'not_known') return found
      }
      const result = await call('POST', '/v1/transactions', wanted)
      const transaction = isOk(result) ? readTransaction(result.body) : undefined
      if (transaction !== undefined) return { transaction, isNew: true }
      if (!isRefusal(result)) return { answer: notAnswered(result, 'creating the transaction') }
      // The form of FedaPay's refusal of a second creation is not documented: whether there is a first one says what it meant. That none is
      // found proves nothing: look-ups may lag, and the route may be missing.
      const found = await find(wanted.merchant_reference, null)
      if ('transaction' in found) return { ...found, isNew: false }
      if (found.answer.is !== 'not_known') return found
      return { answer: mayBeTaken(result) ? takenAndHidden(result) : refusalOf(result) }
    },
    async token(id) {
      const result = await call('POST', `${pathOf(id)}/token`, {})
      const token = isOk(result) ? readToken(result.body) : undefined
      return token ?? { answer: notAnswered(result, 'asking for a token') }
    },
  }
}

export const pathOf = (id: string | number): string => `/v1/transactions/${encodeURIComponent(id)}`
export const pathByReference = (reference: string): string =>
  `/v1/transactions/merchant/${encodeURIComponent(reference)}`

export const isOk = (result: CallResult): result is Extract<CallResult, { code: number }> =>
  'code' in result && result.code >= 200 && result.code < 300
