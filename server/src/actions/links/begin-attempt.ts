// What beginning an attempt to pay a link needs, whatever the method: the link with its amount, the
// limits of D-60, and the transaction in which one of several browser tabs begins the attempt.

import type { Country } from '../../domain/countries/country.ts'
import type { Environment } from '../../domain/environment.ts'
import {
  accountCooldown,
  type Cooldown,
  linkCooldown,
  NUMBER_MEMORY,
  NUMBER_MEMORY_MS,
  numberCooldown,
  PAGES_MEMORY,
  PAGES_MEMORY_MS,
} from '../../domain/limits/try-limit.ts'
import { browserHashOf, linkState } from '../../domain/links/link-state.ts'
import type { PaymentLink } from '../../domain/links/payment-link.ts'
import type { LinkMethod } from '../../domain/methods/methods.ts'
import type { OperatorReport } from '../../domain/payments/operator-report.ts'
import { base32, makeReference, REFERENCE_BYTES } from '../../domain/payments/reference.ts'
import { EVERY_ACCOUNT } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
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
  setLinkDue,
  setTypedAmount,
} from '../../store/links/payment-links.ts'
import {
  findPromptsFromPages,
  findPromptsToNumber,
  lockPrompts,
} from '../../store/links/prompts.ts'
import { insertStory } from '../../store/payments/payment-moves.ts'
import type { Deps, MoveDeps } from '../deps.ts'
import type { PaymentDispatcher } from '../payments/create-payment.ts'

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
  hosted(environment: Environment, method: LinkMethod, accountId: string): HostedMethod | undefined
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

export type BeginRefused = RefusedAs<'page_behind' | 'payer_must_wait'>
export type PayRefused =
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

/**
 * The link to pay with its amount; for a payer who came from a poster, the link created for that
 * payer.
 */
export interface Payable {
  opened: PaymentLink
  made: NewLink | undefined
  number: number
  reference: string
  publicReference: string
  linkReference: string
  amountXof: number
}

/** How an attempt begins: one for each thing that payers do (domain/methods/method.ts). */
export type Begin = (
  deps: PayLinkDeps,
  payable: Payable,
  method: LinkMethod,
  input: PayInput,
) => Promise<BegunPayment | PayRefused>

export function browserProof(
  { random }: PayLinkDeps,
  { browserToken: chosen }: PayInput,
): { browserHash: string; given: Pick<BegunPayment, 'browserToken'> } {
  if (chosen !== undefined) return { browserHash: browserHashOf(chosen), given: {} }
  const browserToken = base32(random.bytes(17), BROWSER_TOKEN_LENGTH)
  return { browserHash: browserHashOf(browserToken), given: { browserToken } }
}

export type AttemptDetails = Omit<
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

export async function begin(
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
    const cooldown = await cooldownBefore(tx, link, begun, at)
    if (cooldown !== undefined) return { refused: 'payer_must_wait', ...cooldown }
    if (made !== undefined) await insertMade(tx, made)
    else if (link.minimumAmountXof !== null) await setTypedAmount(tx, link, amountXof)
    if (!(await beginAttempt(tx, status as 'initiated' | 'pending', begun)))
      return { refused: 'page_behind' }
    await insertPaymentAttempt(tx, begun)
    // A link does not expire while it is being paid: the end of the attempt makes it due again.
    await setLinkDue(tx, begun, null)
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

async function cooldownBefore(
  tx: Queries,
  link: PaymentLink,
  { environment, promptedMsisdn: msisdn, pageAccount }: NewAttempt,
  now: number,
): Promise<Cooldown | undefined> {
  const afterPrompts = async (number: string) => {
    const to = { environment, msisdn: number }
    return numberCooldown(
      await findPromptsToNumber(tx, to, now - NUMBER_MEMORY_MS, NUMBER_MEMORY),
      now,
    )
  }
  const afterPages = async (accountId: string) =>
    accountCooldown(
      await findPromptsFromPages(tx, accountId, now - PAGES_MEMORY_MS, PAGES_MEMORY),
      now,
    )
  return (
    linkCooldown(link, now) ??
    (msisdn === null
      ? undefined
      : await lookTwice(`number ${environment} ${msisdn}`, () => afterPrompts(msisdn))) ??
    (pageAccount === null
      ? undefined
      : await lookTwice(`pages of ${pageAccount}`, () => afterPages(pageAccount)))
  )

  /**
   * Under attack most callers must wait: they are refused without queueing for the lock, and
   * without a write.
   */
  async function lookTwice(
    name: string,
    look: () => Promise<Cooldown | undefined>,
  ): Promise<Cooldown | undefined> {
    const seen = await look()
    if (seen !== undefined) return seen
    await lockPrompts(tx, name, now)
    return look()
  }
}
