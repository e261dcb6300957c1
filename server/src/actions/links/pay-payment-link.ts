// A payer chooses how to pay a link. An attempt is a row; of any number of tabs one begins it, and until it has ended nobody else can. The
// amount is the link's, never the browser's.
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { type Country, isCountry } from '../../domain/country.ts'
import type { Environment } from '../../domain/environment.ts'
import { readMsisdn } from '../../domain/msisdn.ts'
import { type HostedMethodName, isLinkMethod, type LinkMethod } from '../../domain/payment-link.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import type { HostedMethod } from '../../operators/hosted-method.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  beginAttempt,
  findLink,
  findLinkIn,
  insertPaymentAttempt,
  type LinkRow,
  type NewAttempt,
  setProviderUrl,
} from '../../store/links/payment-links.ts'
import { insertStory } from '../../store/payments/payment-story.ts'
import { findOperatorPayment } from '../../store/payments/pending-payments.ts'
import type { PaymentDispatcher } from '../payments/create-payment.ts'
import type { OperatorReport } from '../payments/record-outcomes.ts'
import { availableMethods, linkState } from './link-state.ts'

export interface PayLinkDeps {
  db: Database
  clock: Clock
  random: Random
  nextStoryEntry(): Promise<number>
  leaseMs: number
  linkMethods(environment: Environment): readonly LinkMethod[]
  operatorFor(environment: Environment, country: Country, prefix: string): string | undefined
  hosted(environment: Environment, method: HostedMethodName): HostedMethod | undefined
  /** Where payments are taken to their operators in this process; without one, a worker elsewhere does it. */
  dispatcher: Pick<PaymentDispatcher, 'take'> | undefined
  recordOutcome(report: OperatorReport): Promise<unknown>
  /** The address of a link's page. */
  pageUrl(linkReference: string): string
}

export interface PayWish {
  method: string
  /** How many attempts the payer's page knew of: a page that is behind begins nothing. */
  attempts: number
  country: string
  msisdn: string
  /** The page they have before them, in its language: where they come back to. */
  page: string
}

export type PayAnswer =
  | { is: 'begun'; goTo?: string }
  /** Somebody else is paying, or has paid, or the link is closed: the page as it is now tells. */
  | { is: 'behind' }
  | { is: 'not_found' }
  | { is: 'refused'; problem: 'msisdn_not_valid' | 'provider_unreachable' }

export async function payPaymentLink(deps: PayLinkDeps, linkReference: string, wish: PayWish): Promise<PayAnswer> {
  const row = await findLink(deps.db, linkReference)
  if (row === undefined) return { is: 'not_found' }
  const { method } = wish
  if (!isLinkMethod(method) || !availableMethods(row, deps.linkMethods(row.environment)).includes(method)) {
    return { is: 'behind' }
  }
  return method === 'mobile' ? payByPhone(deps, row, wish) : payOnPage(deps, row, method, wish)
}

async function payByPhone(deps: PayLinkDeps, row: LinkRow, wish: PayWish): Promise<PayAnswer> {
  const { country } = wish
  const subscriber = isCountry(country) ? readMsisdn(wish.msisdn, country, row.environment) : undefined
  const operator =
    subscriber && isCountry(country) ? deps.operatorFor(row.environment, country, subscriber.prefix) : undefined
  if (subscriber === undefined || operator === undefined) return { is: 'refused', problem: 'msisdn_not_valid' }
  const now = deps.clock.now()
  const payer = { operator, country, msisdn: subscriber.msisdn, msisdnWritten: wish.msisdn.trim() }
  // As if claimed when it is handed over here, else due at once for whoever has a dispatcher.
  const dueAt = deps.dispatcher === undefined ? now : now + deps.leaseMs
  const begun = await begin(deps, row, wish, { method: 'mobile', ...payer, handedOverAt: null, dueAt })
  if (begun === undefined) return { is: 'behind' }
  const payment = await findOperatorPayment(deps.db, row.reference)
  if (payment !== undefined) deps.dispatcher?.take(payment, now)
  return { is: 'begun' }
}

async function payOnPage(deps: PayLinkDeps, row: LinkRow, method: HostedMethodName, wish: PayWish): Promise<PayAnswer> {
  const provider = deps.hosted(row.environment, method)
  if (provider === undefined) return { is: 'behind' }
  const now = deps.clock.now()
  const payer = { operator: method, country: '', msisdn: null, msisdnWritten: null }
  // The provider is told below, by opening its page: from then on it is only asked.
  const begun = await begin(deps, row, wish, { method, ...payer, handedOverAt: now, dueAt: now + deps.leaseMs })
  if (begun === undefined) return { is: 'behind' }
  const goTo = await provider.open({
    reference: begun.attemptReference,
    amountXof: row.amount_xof,
    publicReference: row.public_reference,
    merchantName: row.merchant_name,
    title: row.title,
    returnUrl: new URL(wish.page, deps.pageUrl(row.link_reference)).href,
  })
  if (goTo === undefined) {
    // Nobody has the page's address, so nobody can pay there: the link is open again at once.
    const payment = await findOperatorPayment(deps.db, row.reference)
    const answer = { is: 'declined', reason: 'operator_error' } as const
    if (payment?.attemptReference === begun.attemptReference) {
      await deps.recordOutcome({ payment, via: 'request', calledAt: now, answer })
    }
    return { is: 'refused', problem: 'provider_unreachable' }
  }
  await setProviderUrl(deps.db, begun.attemptReference, goTo)
  return { is: 'begun', goTo }
}

type Payer = Pick<NewAttempt, 'method' | 'operator' | 'country' | 'msisdn' | 'msisdnWritten' | 'handedOverAt' | 'dueAt'>

/** Undefined when the page was behind. */
async function begin(
  { db, clock, random, nextStoryEntry }: PayLinkDeps,
  { link_reference: linkReference }: LinkRow,
  wish: PayWish,
  payer: Payer,
): Promise<NewAttempt | undefined> {
  const attemptReference = makeReference(random.bytes(REFERENCE_BYTES))
  const [moved, told] = [await nextStoryEntry(), await nextStoryEntry()]
  return db.transaction(async (tx) => {
    const at = clock.now()
    const row = await findLinkIn(tx, linkReference)
    if (row === undefined || linkState(row, at).is !== 'open' || row.attempts !== wish.attempts) return undefined
    const { account_id: accountId, number, status } = row
    const begun = { ...payer, accountId, number, attempt: row.attempts + 1, attemptReference, at }
    if (!(await beginAttempt(tx, status as 'initiated' | 'pending', begun))) return undefined
    await insertPaymentAttempt(tx, begun)
    if (status === 'initiated') {
      const detail = { from: 'initiated', to: 'pending' }
      await insertStory(tx, accountId, number, moved, { at, kind: 'moved', detail })
    }
    const detail = { attempt: begun.attempt, method: payer.method, operator: payer.operator }
    await insertStory(tx, accountId, number, told, { at, kind: 'attempt', detail })
    return begun
  })
}
