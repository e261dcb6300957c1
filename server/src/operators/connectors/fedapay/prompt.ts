// A prompt on the payer's phone: create the transaction, ask for its token, keep its id, and send the prompt. Money can move only after the third
// call. What goes wrong before it is answered as never sent, and the next try goes on where this one stopped.
import type { OperatorAnswer } from '../../../domain/operator-report.ts'
import type { ConnectionDeps } from '../../connector.ts'
import type { Collection } from '../../operator.ts'
import type { FedapayOptions } from './options.ts'
import { isOk, type Transactions, transactionsOf } from './transactions.ts'
import { answerAbout, isPromptNotSent, isRefusal, notAnswered, refusalOf, statusOf } from './translate.ts'
import {
  asObject,
  type NewTransaction,
  type PhoneNumber,
  PROMPT_MARK,
  type Prompt,
  readAmount,
  type Transaction,
} from './wire.ts'

const LIVE_MODES = { mtn_bj: 'mtn_open', moov_bj: 'moov', celtiis_bj: 'sbin', airtel_ne: 'airtel_ne' } as const
/** The only one that FedaPay's sandbox has. */
const SANDBOX_MODE = 'momo_test'

type PromptedOperator = keyof typeof LIVE_MODES
export const PROMPTED = Object.keys(LIVE_MODES) as PromptedOperator[]

export function prompter(deps: ConnectionDeps, options: FedapayOptions) {
  const { environment } = deps
  const { xofCurrencyId, modeTellsPrompt } = options

  async function request(collection: Collection): Promise<OperatorAnswer> {
    const mode = modeOf(collection.operator)
    if (mode === undefined) {
      return { is: 'unknown', why: 'FedaPay does not prompt this operator', neverLeft: true, misconfigured: true }
    }
    const transactions = transactionsOf(deps, options)
    const made = await transactions.findOrCreate(transactionFor(collection), collection.networkId)
    if ('answer' in made) return notAsked(made.answer)
    const { transaction, isNew } = made
    if (!isNew) {
      if (readAmount(transaction.amount) !== collection.amountXof) {
        return { is: 'unknown', why: 'FedaPay has another amount under this reference' }
      }
      if (!isUnprompted(transaction)) return answerAbout(transaction, { ...collection, xofCurrencyId })
    }
    const token = await transactions.token(transaction.id)
    if ('answer' in token) return notAsked(token.answer)
    const networkId = String(transaction.id)
    // After a crash the id proves that the payer may have been asked, and is the way to find out.
    if (!(await collection.keepNetworkId(networkId)))
      return { is: 'unknown', why: 'the transaction’s id could not be kept', neverLeft: true }
    const body = { token: token.token, phone_number: phoneNumberOf(collection) }
    return prompt(transactions, mode, body, { ...collection, networkId })
  }

  async function prompt(
    transactions: Transactions,
    mode: string,
    body: Prompt,
    { reference, networkId }: Collection,
  ): Promise<OperatorAnswer> {
    const result = await transactions.call('POST', `/v1/${mode}`, body)
    if (isOk(result) && asObject(result.body) !== undefined) return { is: 'accepted' }
    if (!isRefusal(result)) return notAnswered(result, 'prompting the payer')
    // It may refuse because the payer is already being asked: the transaction shows whether anybody was.
    const found = await transactions.find(reference, networkId)
    if ('answer' in found) return notAnswered(result, 'prompting the payer')
    if (isUnprompted(found.transaction)) return refusalOf(result)
    return answerAbout(found.transaction, { reference, xofCurrencyId })
  }

  async function status(reference: string, networkId: string | null = null): Promise<OperatorAnswer> {
    const found = await transactionsOf(deps, options).find(reference, networkId)
    if ('answer' in found) return found.answer
    const answer = statusOf(found.transaction, { reference, xofCurrencyId })
    // Created for a prompt that was not sent: nobody was asked for money.
    return answer.is === 'accepted' && isUnprompted(found.transaction) ? { is: 'not_known', notAsked: true } : answer
  }

  const isUnprompted = (transaction: Transaction): boolean => modeTellsPrompt && isPromptNotSent(transaction)

  const isPrompted = (operator: string): operator is PromptedOperator => Object.hasOwn(LIVE_MODES, operator)

  function modeOf(operator: string): string | undefined {
    if (!isPrompted(operator)) return undefined
    return options.modes[operator] ?? (environment === 'sandbox' ? SANDBOX_MODE : LIVE_MODES[operator])
  }

  function transactionFor(collection: Collection): NewTransaction {
    const { reference, amountXof, publicReference } = collection
    const { customerEmail: email } = options
    return {
      description: publicReference,
      amount: amountXof,
      currency: { iso: 'XOF' },
      merchant_reference: reference,
      custom_metadata: PROMPT_MARK,
      customer: { ...(email !== undefined && { email }), phone_number: phoneNumberOf(collection) },
    }
  }

  function phoneNumberOf({ msisdn }: Collection): PhoneNumber {
    const digits = options.beninNumbers ?? (environment === 'sandbox' ? 'eight_digits' : 'ten_digits')
    const number = digits === 'eight_digits' ? msisdn.replace(/^22901(?=\d{8}$)/, '229') : msisdn
    return { number: `+${number}`, country: msisdn.startsWith('227') ? 'ne' : 'bj' }
  }

  return { request, status }
}

/** No payer was asked yet, whatever became of the call. */
const notAsked = (answer: OperatorAnswer): OperatorAnswer =>
  answer.is === 'unknown' ? { ...answer, neverLeft: true } : answer
