// Late money: a debit after its payment had failed. Staff accept the payment as paid, with its
// event, or refund the money, once the network has said again that it was paid: a statement alone
// may be forged (D-187). Either closes the anomaly, in the same commit.

import type { Anomaly } from '../../domain/books/anomaly.ts'
import { entryOf } from '../../domain/ledger/ledger.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import { orderReferenceOf } from '../../domain/payments/payment.ts'
import type { PaymentStatus } from '../../domain/payments/payment-status.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/payments/reference.ts'
import { type AccountCaller, actorOf, isOfService, scopeOf } from '../../domain/people/caller.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { isPlainText, LONGEST_NOTE, maskCardNumbers } from '../../domain/texts/free-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { insertEntries } from '../../store/books/entries.ts'
import { settleContradictions } from '../../store/books/open-lines.ts'
import type { Transaction } from '../../store/engine/database.ts'
import {
  acceptLateAttempt,
  countOnPoster,
  linkOfPayment,
  setLinkDue,
} from '../../store/links/payment-links.ts'
import {
  findLateMoney,
  type LateMoney,
  listAnomalies,
  resolveAnomaly,
} from '../../store/payments/anomalies.ts'
import { acceptLatePayment, insertStory } from '../../store/payments/payment-moves.ts'
import { claimOrder, findByRequestReference, findStatus } from '../../store/payments/payments.ts'
import { insertRefund } from '../../store/payments/refunds.ts'
import { refundDetail } from '../../wire/payment.ts'
import { type AskOperator, type Deps, type MoveDeps, refusable, rollBack } from '../deps.ts'
import { writeEvents } from '../events/write-event.ts'

type LateMoneyInput = { anomalyId: string; note: string }

export interface LateMoneyDeps extends MoveDeps {
  askOperator: AskOperator
}

export async function acceptLateMoney(
  deps: LateMoneyDeps,
  caller: AccountCaller,
  input: LateMoneyInput,
): Promise<{ reference: string } | Refused> {
  const found = await findLatePayment(deps, caller, input)
  if (isRefused(found)) return found
  const { payment, late } = found
  const { accountId, number, reference, attemptReference } = payment
  const entry = await deps.nextStoryEntry()
  return refusable(deps.db, async (tx): Promise<{ reference: string } | Refused> => {
    const at = deps.clock.now()
    const from = (await findStatus(tx, accountId, number)) as PaymentStatus
    const { operatorReference } = late
    // Another payment may have its order by now: then this money goes back.
    const orderReference = orderReferenceOf(payment)
    if (
      orderReference !== null &&
      (await claimOrder(tx, { accountId, number, orderReference })) !== undefined
    )
      return { refused: 'late_money_not_needed', status: from }
    if (!(await acceptLatePayment(tx, payment, { operatorReference, at })))
      return { refused: 'late_money_not_needed', status: from }
    if (attemptReference !== null) {
      await acceptLateAttempt(tx, attemptReference)
      await setLinkDue(tx, payment, null)
      await countOnPoster(tx, payment, { payments: 1, amountXof: payment.amountXof })
    }
    const detail = { from, to: 'succeeded', by: actorOf(caller), operatorReference }
    await insertStory(tx, [{ accountId, number, entry, at, kind: 'moved', detail }])
    const linkReference =
      attemptReference === null ? undefined : await linkOfPayment(tx, accountId, number)
    const move = { to: 'succeeded', validatedAt: at, operatorReference } as const
    await writeEvents(tx, deps.random, [{ payment: { ...payment, linkReference }, move }], at)
    await close(tx, caller, input, { at, action: 'anomaly.accept', seen: late.detail })
    await insertEntries(tx, [entryOf('payment', payment, { at, madeBy: actorOf(caller) })])
    return { reference }
  })
}

export async function refundLateMoney(
  deps: LateMoneyDeps,
  caller: AccountCaller,
  input: LateMoneyInput,
): Promise<{ refundReference: string; reference: string } | Refused> {
  const found = await findLatePayment(deps, caller, input)
  if (isRefused(found)) return found
  const { payment, late } = found
  const { accountId, number, reference } = payment
  const refundReference = makeReference(deps.random.bytes(REFERENCE_BYTES))
  const entry = await deps.nextStoryEntry()
  return refusable(
    deps.db,
    async (tx): Promise<{ refundReference: string; reference: string } | Refused> => {
      const at = deps.clock.now()
      const requestedBy = actorOf(caller)
      const { amountXof } = payment
      const refund = {
        accountId,
        number,
        refundReference,
        amountXof,
        requestedBy,
        createdAt: at,
        late,
      }
      if (!(await insertRefund(tx, refund))) return { refused: 'refund_exists' }
      const detail = refundDetail(refundReference, { by: requestedBy, of: late.requestReference })
      await insertStory(tx, [{ accountId, number, entry, at, kind: 'refund_asked', detail }])
      await close(tx, caller, input, { at, action: 'anomaly.refund', seen: late.detail })
      return { refundReference, reference }
    },
  )
}

interface LatePayment {
  payment: OperatorPayment
  late: LateMoney
}

/** With the network's own reference: that of a statement may be forged. */
async function findLatePayment(
  deps: LateMoneyDeps,
  caller: AccountCaller,
  { anomalyId, note }: LateMoneyInput,
): Promise<LatePayment | Refused> {
  // Only staff of the service can find out whether money was really moved.
  if (!isOfService(caller)) return { refused: 'anomaly_not_found' }
  if (!isPlainText(note, LONGEST_NOTE)) return { refused: 'note_not_valid', longest: LONGEST_NOTE }
  const found = await findOpen(deps, caller, anomalyId)
  if (isRefused(found)) return found
  const { payment } = found
  const answer = await deps.askOperator(payment)
  if (answer === undefined || answer.is === 'unknown') return { refused: 'late_money_unknown' }
  if (answer.is !== 'succeeded') return { refused: 'late_money_denied', reported: answer.is }
  if ((answer.amountXof ?? payment.amountXof) !== payment.amountXof)
    return { refused: 'late_money_denied', reported: 'contradicts' }
  // The answer may have changed what is known, or another person may have been first.
  const now = await findOpen(deps, caller, anomalyId)
  if (isRefused(now)) return now
  return {
    payment: now.payment,
    late: { ...now.late, operatorReference: answer.operatorReference },
  }
}

async function findOpen(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  anomalyId: string,
): Promise<LatePayment | RefusedAs<'anomaly_not_late_money'>> {
  const late = await findLateMoney(db, scopeOf(caller), anomalyId)
  const payment = late && (await findByRequestReference(db, late.requestReference))
  return payment === undefined
    ? { refused: 'anomaly_not_late_money' }
    : { payment, late: late as LateMoney }
}

async function close(
  tx: Transaction,
  caller: AccountCaller,
  input: LateMoneyInput,
  { at, action, ...late }: { at: number; action: string; seen?: string },
): Promise<void> {
  const { anomalyId } = input
  const note = maskCardNumbers(input.note)
  const resolved = await resolveAnomaly(tx, scopeOf(caller), anomalyId, {
    at,
    by: actorOf(caller),
    note,
    ...late,
  })
  // Another person closed the anomaly at the same time, or the network reversed its money.
  if (resolved === undefined) return rollBack({ refused: 'anomaly_not_found' })
  // An accepted payment explains the line of the network's statement: the line is judged again.
  const line = action === 'anomaly.accept' ? { dueAt: at } : { at, by: actorOf(caller), note }
  await settleContradictions(tx, resolved, line)
  await insertAudit(tx, caller, {
    at,
    action,
    subject: anomalyId,
    accountId: resolved.accountId,
    detail: { note },
  })
}

export interface ListAnomaliesInput extends PageInput {
  openOnly?: boolean | undefined
}

export async function listLatestAnomalies(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { openOnly = false, ...pageInput }: ListAnomaliesInput,
): Promise<Page<Anomaly> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(pageInput, ['number', 'text'], [Number.MAX_SAFE_INTEGER, ''])
  if (isRefused(wanted)) return wanted
  const [at, anomalyId] = wanted.cursor
  const found = await listAnomalies(
    db,
    scopeOf(caller),
    { openOnly },
    { at, anomalyId },
    wanted.limit + 1,
  )
  return pageOf(found, wanted.limit, (anomaly) => [anomaly.at, anomaly.anomalyId])
}

export function closeAnomaly(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  input: LateMoneyInput,
): Promise<{ anomalyId: string } | Refused> {
  return refusable(db, async (tx): Promise<{ anomalyId: string } | Refused> => {
    // Only staff of the service can find out whether money was really moved twice.
    if (!isOfService(caller)) return { refused: 'anomaly_not_found' }
    if (!isPlainText(input.note, LONGEST_NOTE))
      return { refused: 'note_not_valid', longest: LONGEST_NOTE }
    await close(tx, caller, input, { at: clock.now(), action: 'anomaly.resolve' })
    return { anomalyId: input.anomalyId }
  })
}
