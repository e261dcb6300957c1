// A payer chooses how to pay a link. Of several browser tabs one begins the attempt, and no other
// until it has ended. The amount is the link's, never the browser's. Any payer can type any number:
// prompts are limited (D-60).
import { EVERY_ACCOUNT, type Payer } from '../../domain/caller.ts'
import { type Country, isCountry } from '../../domain/country.ts'
import type { Environment } from '../../domain/environment.ts'
import { availableMethods, browserHashOf, hasBegun, linkState } from '../../domain/link-state.ts'
import {
  type HostedMethodName,
  isHosted,
  isLinkMethod,
  type LinkMethod,
} from '../../domain/methods/methods.ts'
import { isTestNumber, readMsisdn } from '../../domain/msisdn.ts'
import type { ConnectionKey, OperatorReport } from '../../domain/operator-report.ts'
import {
  LINK_LIFE_MS,
  LINK_REFERENCE_BYTES,
  makeLinkReference,
  type PaymentLink,
  readTypedAmount,
} from '../../domain/payment-link.ts'
import { base32, makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import {
  accountRest,
  linkRest,
  NUMBER_MEMORY,
  NUMBER_MEMORY_MS,
  numberRest,
  PAGES_MEMORY,
  PAGES_MEMORY_MS,
  type Rest,
} from '../../domain/try-limit.ts'
import type { HostedMethod } from '../../operators/operator.ts'
import type { Route } from '../../operators/registry.ts'
import type { Queries } from '../../store/engine/database.ts'
import {
  beginAttempt,
  findLink,
  insertInitiatedPayment,
  insertLink,
  insertPaymentAttempt,
  type NewAttempt,
  type NewLink,
  setProviderUrl,
  setTypedAmount,
} from '../../store/links/payment-links.ts'
import {
  findPromptsFromPages,
  findPromptsToNumber,
  lockPrompts,
} from '../../store/links/prompts.ts'
import { insertStory, keepNetworkId } from '../../store/payments/payment-moves.ts'
import { findOperatorPayment } from '../../store/payments/payments.ts'
import type { AskOperator, Deps, MoveDeps } from '../deps.ts'
import type { PaymentDispatcher } from '../payments/create-payment.ts'
import { openLink } from './read-payment-link.ts'

export interface PayLinkDeps extends MoveDeps, Pick<Deps, 'nextNumber' | 'publicReferences'> {
  leaseMs: number
  linkMethods(environment: Environment, accountId: string): readonly LinkMethod[]
  operatorFor(
    environment: Environment,
    country: Country,
    prefix: string,
    accountId: string,
  ): Route | undefined
  pausedFor(
    environment: Environment,
    country: Country,
    prefix: string,
    accountId: string,
  ): string | undefined
  hosted(
    environment: Environment,
    method: HostedMethodName,
    accountId: string,
  ): HostedMethod | undefined
  /** This process's dispatcher; without one, a worker in another process hands payments over. */
  dispatcher: Pick<PaymentDispatcher, 'take'> | undefined
  recordOutcome(report: OperatorReport): Promise<unknown>
  pageUrl(linkReference: string): string
}

export interface PayInput {
  method: string
  /** How many attempts the payer's page knew of: a page that is out of date begins nothing. */
  attempts: number
  country: string
  msisdn: string
  /** The page that the payer is on, in its language: the provider sends them back to it. */
  page: string
  /** What the payer typed on a link without an amount, or chose there; empty on any other. */
  amount: string
  /**
   * The token by which this browser proves that it began the attempt, when its page has chosen one.
   */
  browserToken?: string | undefined
}

export interface BegunPayment {
  /**
   * The link whose page shows what becomes of it: for a payer who came from a poster, one of their
   * own.
   */
  linkReference: string
  goTo?: string
  /**
   * The token by which this browser proves that it began the attempt, unless it chose one itself.
   */
  browserToken?: string
}

type BeginRefused = RefusedAs<'page_behind' | 'payer_must_wait'>
type PayRefused =
  | BeginRefused
  | RefusedAs<
      | 'link_not_found'
      | 'msisdn_not_valid'
      | 'amount_not_valid'
      | 'provider_unreachable'
      | 'payer_operator_closed'
    >

/** 130 random bits. */
const BROWSER_TOKEN_LENGTH = 26

export async function payPaymentLink(
  deps: PayLinkDeps,
  caller: Payer,
  input: PayInput,
): Promise<BegunPayment | PayRefused> {
  const link = await openLink(deps, caller)
  if (isRefused(link)) return link
  const { method } = input
  const possible = deps.linkMethods(link.environment, link.accountId)
  if (!isLinkMethod(method) || !availableMethods(link, possible).includes(method))
    return { refused: 'page_behind' }
  const amountXof =
    link.minimumAmountXof === null
      ? link.amountXof
      : readTypedAmount(input.amount, link.minimumAmountXof)
  if (amountXof === undefined) return { refused: 'amount_not_valid' }
  const payable = await payableOf(deps, link, amountXof)
  return isHosted(method)
    ? payOnPage(deps, payable, method, input)
    : payByPhone(deps, payable, method, input)
}

/**
 * The link to pay with its amount; for a payer who came from a poster, the link created for that
 * payer.
 */
interface Payable {
  opened: PaymentLink
  made: NewLink | undefined
  number: number
  reference: string
  publicReference: string
  linkReference: string
  amountXof: number
}

async function payableOf(
  deps: PayLinkDeps,
  opened: PaymentLink,
  amountXof: number,
): Promise<Payable> {
  const { number, reference, publicReference, linkReference, collected } = opened
  if (collected === null)
    return { opened, made: undefined, number, reference, publicReference, linkReference, amountXof }
  const made = await linkFromPoster(deps, opened, amountXof)
  return { ...made, opened, made }
}

async function linkFromPoster(
  deps: PayLinkDeps,
  poster: PaymentLink,
  amountXof: number,
): Promise<NewLink> {
  const number = await deps.nextNumber()
  const createdAt = deps.clock.now()
  const linkReference = makeLinkReference(deps.random.bytes(LINK_REFERENCE_BYTES))
  return {
    ...poster,
    amountXof,
    number,
    posterNumber: poster.number,
    reference: makeReference(deps.random.bytes(REFERENCE_BYTES)),
    publicReference: deps.publicReferences.of(number),
    linkReference,
    externalReference: linkReference,
    customerName: null,
    openAmount: null,
    isReusable: false,
    createdAt,
    expiresAt: createdAt + LINK_LIFE_MS,
  }
}

async function payByPhone(
  deps: PayLinkDeps,
  payable: Payable,
  method: LinkMethod,
  input: PayInput,
): Promise<BegunPayment | PayRefused> {
  const { opened: link, reference, linkReference } = payable
  const { country } = input
  const subscriber = isCountry(country)
    ? readMsisdn(input.msisdn, country, link.environment)
    : undefined
  if (subscriber === undefined || !isCountry(country)) return { refused: 'msisdn_not_valid' }
  const route = deps.operatorFor(link.environment, country, subscriber.prefix, link.accountId)
  if (route === undefined) {
    const paused = deps.pausedFor(link.environment, country, subscriber.prefix, link.accountId)
    return { refused: 'payer_operator_closed', paused }
  }
  const now = deps.clock.now()
  const payer = { ...route, country, msisdn: subscriber.msisdn, msisdnWritten: input.msisdn.trim() }
  // Recorded as claimed when this process hands it over, else due at once for a worker.
  const dueAt = deps.dispatcher === undefined ? now : now + deps.leaseMs
  // A test number rings nowhere, and all who try the sandbox share it.
  const promptedMsisdn = isTestNumber(subscriber.msisdn) ? null : subscriber.msisdn
  const { browserHash, given } = browserProof(deps, input)
  const details = { method, ...payer, promptedMsisdn, browserHash, handedOverAt: null, dueAt }
  const begun = await begin(deps, payable, input, details)
  if (isRefused(begun)) return begun
  const payment = await findOperatorPayment(deps.db, link, reference)
  if (payment !== undefined) deps.dispatcher?.take(payment, now)
  return { linkReference, ...given }
}

function browserProof(
  { random }: PayLinkDeps,
  { browserToken: chosen }: PayInput,
): { browserHash: string; given: Pick<BegunPayment, 'browserToken'> } {
  if (chosen !== undefined) return { browserHash: browserHashOf(chosen), given: {} }
  const browserToken = base32(random.bytes(17), BROWSER_TOKEN_LENGTH)
  return { browserHash: browserHashOf(browserToken), given: { browserToken } }
}

async function payOnPage(
  deps: PayLinkDeps,
  payable: Payable,
  method: HostedMethodName,
  input: PayInput,
): Promise<BegunPayment | PayRefused> {
  const { opened: link, reference, linkReference, publicReference, amountXof } = payable
  const provider = deps.hosted(link.environment, method, link.accountId)
  if (provider === undefined) return { refused: 'page_behind' }
  const now = deps.clock.now()
  const unknown = { country: '', msisdn: null, msisdnWritten: null, promptedMsisdn: null }
  const payer = { operator: method, connection: provider.name, ...unknown }
  const { browserHash, given } = browserProof(deps, input)
  // Opening the provider's page below is the hand-over: from then on the provider is only polled.
  const handOver = { handedOverAt: now, dueAt: now + deps.leaseMs }
  const begun = await begin(deps, payable, input, { method, ...payer, browserHash, ...handOver })
  if (isRefused(begun)) return begun
  const page = input.page.replace(link.linkReference, linkReference)
  const goTo = await provider.open({
    reference: begun.attemptReference,
    amountXof,
    publicReference,
    merchantName: link.merchantName,
    title: link.createdBy === 'page' ? link.pageWording || link.merchantName : link.title,
    returnUrl: returnUrlOf(page, deps.pageUrl(linkReference), browserHash),
    keepNetworkId: (networkId) =>
      keepNetworkId(
        deps.db,
        { ...begun, reference, environment: link.environment, connection: provider.name },
        { networkId, claimedUntil: begun.dueAt, now: deps.clock.now() },
      ),
  })
  if (goTo === undefined) {
    // No payer has the page's address, so no payment can follow there: the link is open again at
    // once.
    const payment = await findOperatorPayment(deps.db, link, reference)
    const answer = { is: 'declined', reason: 'operator_error' } as const
    if (payment?.attemptReference === begun.attemptReference)
      await deps.recordOutcome({ payment, via: 'request', calledAt: now, answer })
    return { refused: 'provider_unreachable' }
  }
  await setProviderUrl(deps.db, begun.attemptReference, goTo)
  return { linkReference, goTo, ...given }
}

/** The hash identifies the payer in another browser too. No address carries the token itself. */
function returnUrlOf(page: string, pageUrl: string, browserHash: string): string {
  const address = new URL(page, pageUrl)
  address.searchParams.set('payer', browserHash)
  // The provider is polled at once, and not at the next scheduled time.
  address.searchParams.set('returned', '1')
  return address.href
}

type AttemptDetails = Omit<
  NewAttempt,
  | 'accountId'
  | 'number'
  | 'attempt'
  | 'attemptReference'
  | 'amountXof'
  | 'at'
  | 'environment'
  | 'pageAccount'
>

async function begin(
  { db, clock, random, nextStoryEntry }: PayLinkDeps,
  { opened, made, number, amountXof }: Payable,
  input: PayInput,
  details: AttemptDetails,
): Promise<NewAttempt | BeginRefused> {
  const attemptReference = makeReference(random.bytes(REFERENCE_BYTES))
  const [moveEntry, attemptEntry] = [await nextStoryEntry(), await nextStoryEntry()]
  return db.transaction(async (tx): Promise<NewAttempt | BeginRefused> => {
    const at = clock.now()
    const link =
      made === undefined ? await findLink(tx, EVERY_ACCOUNT, opened.linkReference) : opened
    if (link === undefined || linkState(link, at).is !== 'open' || link.attempts !== input.attempts)
      return { refused: 'page_behind' }
    const { accountId, status, environment } = link
    // Strangers can make any number of links in both ways: the limit of one link does not limit
    // them.
    const isPublic = link.createdBy === 'page' || made !== undefined
    const pageAccount = isPublic ? accountId : null
    const names = { accountId, number, attempt: link.attempts + 1, attemptReference, amountXof, at }
    const begun: NewAttempt = { ...details, ...names, environment, pageAccount }
    const rest = await restBefore(tx, link, begun, at)
    if (rest !== undefined) return { refused: 'payer_must_wait', ...rest }
    if (made !== undefined) await insertMade(tx, made)
    else if (link.minimumAmountXof !== null) await setTypedAmount(tx, link, amountXof)
    if (!(await beginAttempt(tx, status as 'initiated' | 'pending', begun)))
      return { refused: 'page_behind' }
    await insertPaymentAttempt(tx, begun)
    if (status === 'initiated') {
      const detail = { from: 'initiated', to: 'pending' }
      await insertStory(tx, [{ accountId, number, entry: moveEntry, at, kind: 'moved', detail }])
    }
    const detail = { attempt: begun.attempt, method: details.method, operator: details.operator }
    await insertStory(tx, [{ accountId, number, entry: attemptEntry, at, kind: 'attempt', detail }])
    return begun
  })
}

async function insertMade(tx: Queries, link: NewLink): Promise<void> {
  if ((await insertInitiatedPayment(tx, link)) && (await insertLink(tx, link))) return
  throw new Error('a generated link reference of 160 random bits was already taken')
}

// Whether a page may begin an attempt now, by the limits of D-60. A step of paying a link, in its
// transaction: what it looks at is locked until the attempt is recorded, so the limits hold for any
// number of processes.

async function restBefore(
  tx: Queries,
  link: PaymentLink,
  { environment, promptedMsisdn: msisdn, pageAccount }: NewAttempt,
  now: number,
): Promise<Rest | undefined> {
  const ofNumber = async (number: string) => {
    const to = { environment, msisdn: number }
    return numberRest(await findPromptsToNumber(tx, to, now - NUMBER_MEMORY_MS, NUMBER_MEMORY), now)
  }
  const ofPages = async (accountId: string) =>
    accountRest(await findPromptsFromPages(tx, accountId, now - PAGES_MEMORY_MS, PAGES_MEMORY), now)
  return (
    linkRest(link, now) ??
    (msisdn === null
      ? undefined
      : await lookTwice(`number ${environment} ${msisdn}`, () => ofNumber(msisdn))) ??
    (pageAccount === null
      ? undefined
      : await lookTwice(`pages of ${pageAccount}`, () => ofPages(pageAccount)))
  )

  /**
   * Under attack most callers must wait: they are refused without queueing for the lock, and
   * without a write.
   */
  async function lookTwice(
    name: string,
    look: () => Promise<Rest | undefined>,
  ): Promise<Rest | undefined> {
    const seen = await look()
    if (seen !== undefined) return seen
    await lockPrompts(tx, name, now)
    return look()
  }
}

// A payer abandons an attempt on a provider's page, to pay in another way. Only the browser that
// began the attempt can end it (D-60). The provider is asked to cancel, and its answer counts: it
// may say that the payer has paid.

export interface AbandonDeps extends Pick<Deps, 'db' | 'clock'> {
  hostedAt(connection: ConnectionKey): HostedMethod | undefined
  recordOutcome(report: OperatorReport): Promise<unknown>
}

/** By then the provider's page is open, or never will be: longer than opening it may take. */
const PAGE_OPENED_WITHIN_MS = 30_000

export async function abandonAttempt(
  { db, clock, hostedAt, recordOutcome }: AbandonDeps,
  caller: Payer,
  { browserTokens }: { browserTokens: readonly string[] },
): Promise<
  | Record<never, never>
  | RefusedAs<'link_not_found' | 'no_attempt_to_abandon' | 'provider_unreachable'>
> {
  const link = await openLink({ db }, caller)
  if (isRefused(link)) return link
  const state = linkState(link, clock.now())
  // A prompt on a phone cannot be cancelled: it expires by itself.
  if (state.is !== 'under_way' || !isHosted(state.method) || !hasBegun(link, browserTokens))
    return { refused: 'no_attempt_to_abandon' }
  const payment = await findOperatorPayment(db, link, link.reference)
  if (payment?.attemptReference == null) return { refused: 'no_attempt_to_abandon' }
  const calledAt = clock.now()
  const answer = await hostedAt(payment)?.cancel(payment.attemptReference, payment.networkId)
  if (answer === undefined) return { refused: 'provider_unreachable' }
  // The page was deleted, or never opened, so no payer has its address: no payment can follow
  // there.
  const isGone = answer.is === 'not_known' && calledAt - payment.requestedAt > PAGE_OPENED_WITHIN_MS
  const mayChange = state.providerUrl === null ? {} : { mayChange: true as const }
  const report = isGone ? ({ is: 'declined', reason: 'cancelled', ...mayChange } as const) : answer
  await recordOutcome({ payment, via: 'status', calledAt, answer: report })
  return {}
}

// A payer is back from the provider's page: the provider is polled now, so that the link's page
// shows the outcome.

export interface ReturnDeps extends Pick<Deps, 'db'> {
  askOperator: AskOperator
}

export async function returnFromProvider(
  { db, askOperator }: ReturnDeps,
  caller: Payer,
): Promise<{ asked: boolean } | RefusedAs<'link_not_found'>> {
  const link = await openLink({ db }, caller)
  if (isRefused(link)) return link
  if (link.attemptStatus !== 'pending' || link.method === null || !isHosted(link.method))
    return { asked: false }
  const payment = await findOperatorPayment(db, link, link.reference)
  if (payment !== undefined) await askOperator(payment)
  return { asked: true }
}
