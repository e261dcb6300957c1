// A payer chooses how to pay a link. An attempt is a row; of any number of tabs one begins it, and until it has ended nobody else can. The
// amount is the link's, never the browser's.
import { EVERY_ACCOUNT, type Payer } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { type Country, isCountry } from '../../domain/country.ts'
import type { Environment } from '../../domain/environment.ts'
import { availableMethods, linkState } from '../../domain/link-state.ts'
import { readMsisdn } from '../../domain/msisdn.ts'
import type { OperatorReport } from '../../domain/operator-report.ts'
import { type HostedMethodName, isLinkMethod, type LinkMethod, type PaymentLink } from '../../domain/payment-link.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { HostedMethod } from '../../operators/hosted-method.ts'
import type { Database } from '../../store/engine/database.ts'
import { beginAttempt, insertPaymentAttempt, type NewAttempt, setProviderUrl } from '../../store/links/link-attempts.ts'
import { findLinkIn } from '../../store/links/payment-links.ts'
import { insertStory } from '../../store/payments/payment-story.ts'
import { findOperatorPayment } from '../../store/payments/pending-payments.ts'
import type { PaymentDispatcher } from '../payments/create-payment.ts'
import { openLink } from './find-link.ts'

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

export interface PayInput {
  method: string
  /** How many attempts the payer's page knew of: a page that is behind begins nothing. */
  attempts: number
  country: string
  msisdn: string
  /** The page they have before them, in its language: where they come back to. */
  page: string
}

/** Where the payer goes to pay, for a method with a page of its own. */
export interface BegunPayment {
  goTo?: string
}

type PayRefused = RefusedAs<'link_not_found' | 'page_behind' | 'msisdn_not_valid' | 'provider_unreachable'>

export async function payPaymentLink(
  deps: PayLinkDeps,
  caller: Payer,
  input: PayInput,
): Promise<BegunPayment | PayRefused> {
  const link = await openLink(deps, caller)
  if (isRefused(link)) return link
  const { method } = input
  if (!isLinkMethod(method) || !availableMethods(link, deps.linkMethods(link.environment)).includes(method)) {
    return { refused: 'page_behind' }
  }
  return method === 'mobile' ? payByPhone(deps, link, input) : payOnPage(deps, link, method, input)
}

async function payByPhone(deps: PayLinkDeps, link: PaymentLink, input: PayInput): Promise<BegunPayment | PayRefused> {
  const { country } = input
  const subscriber = isCountry(country) ? readMsisdn(input.msisdn, country, link.environment) : undefined
  const operator =
    subscriber && isCountry(country) ? deps.operatorFor(link.environment, country, subscriber.prefix) : undefined
  if (subscriber === undefined || operator === undefined) return { refused: 'msisdn_not_valid' }
  const now = deps.clock.now()
  const payer = { operator, country, msisdn: subscriber.msisdn, msisdnWritten: input.msisdn.trim() }
  // As if claimed when it is handed over here, else due at once for whoever has a dispatcher.
  const dueAt = deps.dispatcher === undefined ? now : now + deps.leaseMs
  const begun = await begin(deps, link, input, { method: 'mobile', ...payer, handedOverAt: null, dueAt })
  if (begun === undefined) return { refused: 'page_behind' }
  const payment = await findOperatorPayment(deps.db, link, link.reference)
  if (payment !== undefined) deps.dispatcher?.take(payment, now)
  return {}
}

async function payOnPage(
  deps: PayLinkDeps,
  link: PaymentLink,
  method: HostedMethodName,
  input: PayInput,
): Promise<BegunPayment | PayRefused> {
  const provider = deps.hosted(link.environment, method)
  if (provider === undefined) return { refused: 'page_behind' }
  const now = deps.clock.now()
  const payer = { operator: method, country: '', msisdn: null, msisdnWritten: null }
  // The provider is told below, by opening its page: from then on it is only asked.
  const begun = await begin(deps, link, input, { method, ...payer, handedOverAt: now, dueAt: now + deps.leaseMs })
  if (begun === undefined) return { refused: 'page_behind' }
  const goTo = await provider.open({
    reference: begun.attemptReference,
    amountXof: link.amountXof,
    publicReference: link.publicReference,
    merchantName: link.merchantName,
    title: link.title,
    returnUrl: new URL(input.page, deps.pageUrl(link.linkReference)).href,
  })
  if (goTo === undefined) {
    // Nobody has the page's address, so nobody can pay there: the link is open again at once.
    const payment = await findOperatorPayment(deps.db, link, link.reference)
    const answer = { is: 'declined', reason: 'operator_error' } as const
    if (payment?.attemptReference === begun.attemptReference) {
      await deps.recordOutcome({ payment, via: 'request', calledAt: now, answer })
    }
    return { refused: 'provider_unreachable' }
  }
  await setProviderUrl(deps.db, begun.attemptReference, goTo)
  return { goTo }
}

type AttemptDetails = Pick<
  NewAttempt,
  'method' | 'operator' | 'country' | 'msisdn' | 'msisdnWritten' | 'handedOverAt' | 'dueAt'
>

/** Undefined when the page was behind. */
async function begin(
  { db, clock, random, nextStoryEntry }: PayLinkDeps,
  { linkReference }: PaymentLink,
  input: PayInput,
  payer: AttemptDetails,
): Promise<NewAttempt | undefined> {
  const attemptReference = makeReference(random.bytes(REFERENCE_BYTES))
  const [moved, started] = [await nextStoryEntry(), await nextStoryEntry()]
  return db.transaction(async (tx) => {
    const at = clock.now()
    const link = await findLinkIn(tx, EVERY_ACCOUNT, linkReference)
    if (link === undefined || linkState(link, at).is !== 'open' || link.attempts !== input.attempts) return undefined
    const { accountId, number, status } = link
    const begun = { ...payer, accountId, number, attempt: link.attempts + 1, attemptReference, at }
    if (!(await beginAttempt(tx, status as 'initiated' | 'pending', begun))) return undefined
    await insertPaymentAttempt(tx, begun)
    if (status === 'initiated') {
      const detail = { from: 'initiated', to: 'pending' }
      await insertStory(tx, accountId, number, moved, { at, kind: 'moved', detail })
    }
    const detail = { attempt: begun.attempt, method: payer.method, operator: payer.operator }
    await insertStory(tx, accountId, number, started, { at, kind: 'attempt', detail })
    return begun
  })
}
