// The tasks of the staff: files to review, approvals, anomalies, refunds by hand, refused connections, statements that
// cannot be fetched. One person takes a task.
import { dayText } from '../../domain/business-day.ts'
import { type AccountCaller, isOfService, type ServicePerson, scopeOf } from '../../domain/caller.ts'
import { isMerchantConnection } from '../../domain/merchant-connection.ts'
import type { ConnectionKey } from '../../domain/operator-report.ts'
import type { Refused, RefusedAs } from '../../domain/refusal.ts'
import { overdueBefore } from '../../domain/statement-fetch.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { listOverdue } from '../../store/books/statement-fetches.ts'
import * as taskStore from '../../store/console/tasks.ts'
import { listConnectionRefusals } from '../../store/operators/connections.ts'
import { listAnomalies } from '../../store/payments/anomalies.ts'
import { listRefundsByHand } from '../../store/payments/refunds.ts'
import type { Deps, MoveDeps } from '../deps.ts'
import { acceptLateMoney, closeAnomaly, refundLateMoney } from '../payments/anomalies.ts'
import { namesOfAskers } from '../payments/read-payment.ts'
import { endRefundByHand } from '../payments/record-refund-outcome.ts'
import { type ChangeSince, changesSince } from './relied-on.ts'

/** People work through them: the rest appear when some are done. */
const MOST_LISTED = 200
const REFUND = 'ref_'

/** `rev_…` file to review, `apr_…` approval, `ano_…` anomaly, `ref_…` refund, `con_…` connection, `stm_…` statement. */
export async function listTasks({ db, clock }: Pick<Deps, 'db' | 'clock'>, caller: ServicePerson) {
  const scope = scopeOf(caller)
  const newest = { at: Number.MAX_SAFE_INTEGER, anomalyId: '' }
  const [files, approvals, anomalies, refunds, refusals, overdue, holders] = [
    await taskStore.listFilesToReview(db, MOST_LISTED),
    await taskStore.listWaitingApprovals(db, MOST_LISTED),
    await listAnomalies(db, scope, { openOnly: true }, newest, MOST_LISTED),
    await listRefundsByHand(db, scope, MOST_LISTED),
    (await listConnectionRefusals(db)).filter(({ connection }) => !isMerchantConnection(connection)),
    await listOverdue(db, overdueBefore(clock.now()), MOST_LISTED),
    await taskStore.listHolders(db),
  ]
  const accounts = [...approvals, ...anomalies, ...refunds].map(({ accountId }) => accountId ?? '')
  const merchants = await taskStore.namesOfMerchants(db, [...new Set(accounts)])
  const askedBy = approvals.map((each) => each.askedBy)
  const changes = new Map<string, ChangeSince[]>()
  for (const each of approvals) changes.set(each.approvalId, await changesSince(db, each, clock.now()))
  const askers = await namesOfAskers(db, askedBy)
  const common = (taskId: string, accountId: string | null) => ({
    taskId,
    merchantName: merchants.get(accountId ?? '') ?? '',
    takenBy: holders.find((each) => each.taskId === taskId)?.name ?? null,
    askedBy: null,
    /** The merchant whose page shows what the task is about. */
    merchantId: null as string | null,
    connection: null as ConnectionKey | null,
    /** Of an approval: what changed since it was requested. */
    changes: changes.get(taskId) ?? [],
  })
  const rows = [
    ...files.map(({ merchantId, accountId, merchantName, askedAt }) => ({
      ...common(taskStore.reviewTaskOf(merchantId), accountId),
      ...{ kind: 'review_file' as const, merchantId, merchantName, subject: merchantId, amount: null },
      ...{ detail: {}, createdAt: askedAt },
    })),
    ...approvals.map((approval) => ({
      ...common(approval.approvalId, approval.accountId),
      merchantId: approval.merchantId,
      ...{ kind: approval.kind, subject: approval.subject, amount: approval.amountXof, createdAt: approval.askedAt },
      // The limit counts the sum of a payment's refunds, so its approver sees that sum.
      detail:
        approval.kind === 'approve_refund'
          ? { refundSum: approval.refundsXof, paymentAmount: approval.paymentXof }
          : { reason: approval.reason },
      askedBy: askers.get(approval.askedBy) ?? approval.askedBy,
    })),
    ...anomalies.map(({ anomalyId, accountId, reference, kind, operator, detail, at }) => ({
      ...common(anomalyId, accountId),
      ...{ kind: 'anomaly' as const, subject: reference, amount: null, createdAt: at },
      detail: { ...plainFacts(detail), kind, operator },
    })),
    ...refunds.map(({ refundReference, accountId, reference, operator, operatorReference, amountXof, since, why }) => ({
      ...common(REFUND + refundReference, accountId),
      ...{ kind: 'refund_by_hand' as const, subject: reference, amount: amountXof, createdAt: since },
      detail: { operator, operatorReference, why },
    })),
    // It ends when the network accepts a payment. Each refusal has its own name, so that none is held by mistake.
    ...refusals.map(({ environment, connection, operator, since, why }) => ({
      ...common(`con_${environment}.${connection}.${operator}.${since}`, null),
      ...{
        kind: 'connection_refused' as const,
        subject: `${environment}/${connection}`,
        amount: null,
        createdAt: since,
      },
      ...{ connection: { environment, connection }, detail: { operator, why } },
    })),
    // It ends when the day is fetched: by the worker, or by hand.
    ...overdue.map(({ environment, connection, day, failedAt, fault, why }) => ({
      ...common(`stm_${environment}.${connection}.${day}`, null),
      ...{ kind: 'statement_not_fetched' as const, subject: `${environment}/${connection}`, amount: null },
      ...{ connection: { environment, connection }, createdAt: failedAt },
      detail: { day: dayText(day), fault, why },
    })),
  ]
  return { rows: rows.sort((one, other) => one.createdAt - other.createdAt) }
}

function plainFacts(detail: string): Record<string, string | number | null> {
  const facts = Object.entries(JSON.parse(detail) as Record<string, unknown>)
  return Object.fromEntries(facts.map(([name, value]) => [name, typeof value === 'number' ? value : String(value)]))
}

type TaskDeps = Pick<Deps, 'db' | 'clock'>

/** Taking a task twice changes nothing. */
export async function takeTaskFor(
  { db, clock }: TaskDeps,
  caller: ServicePerson,
  { taskId }: { taskId: string },
): Promise<{ taken: true } | Refused> {
  if (!(await isTask({ db, clock }, caller, taskId))) return { refused: 'task_not_found' }
  return db.transaction(async (tx): Promise<{ taken: true } | Refused> => {
    const at = clock.now()
    if (!(await taskStore.takeTask(tx, taskId, caller.personId, at))) {
      const holder = await taskStore.findHolder(tx, taskId)
      return holder?.personId === caller.personId ? { taken: true } : { refused: 'task_taken', by: holder?.name ?? '' }
    }
    await insertAudit(tx, caller, { at, action: 'task.take', subject: taskId })
    return { taken: true }
  })
}

/** By any of the staff: the holder may be on holiday. */
export async function releaseTaskOf(
  { db, clock }: TaskDeps,
  caller: ServicePerson,
  { taskId }: { taskId: string },
): Promise<{ released: true } | Refused> {
  return db.transaction(async (tx): Promise<{ released: true } | Refused> => {
    const holder = await taskStore.findHolder(tx, taskId)
    if (holder === undefined) return { refused: 'task_not_found' }
    await taskStore.releaseTask(tx, taskId)
    const earlier = { person: holder.personId }
    await insertAudit(tx, caller, { at: clock.now(), action: 'task.release', subject: taskId, earlier })
    return { released: true }
  })
}

export interface Settlement {
  taskId: string
  how: 'close' | 'accept' | 'refund' | 'made' | 'given_up'
  note: string
}

/** Refused while another person holds the task. */
export async function settleTask(
  deps: MoveDeps,
  caller: ServicePerson,
  { taskId, how, note }: Settlement,
): Promise<object | Refused> {
  const holder = await taskStore.findHolder(deps.db, taskId)
  if (holder !== undefined && holder.personId !== caller.personId) return { refused: 'task_taken', by: holder.name }
  const anomaly = { anomalyId: taskId, note }
  const refundReference = taskId.slice(REFUND.length)
  const ways: Record<Settlement['how'], () => Promise<object | Refused>> = {
    close: () => closeAnomaly(deps, caller, anomaly),
    accept: () => acceptLateMoney(deps, caller, anomaly),
    refund: () => refundLateMoney(deps, caller, anomaly),
    made: () => endRefundByHand(deps, caller, { refundReference, isMade: true, proof: note }),
    given_up: () => endRefundByHand(deps, caller, { refundReference, isMade: false, proof: note }),
  }
  const outcome = await ways[how]()
  if (!('refused' in outcome)) await taskStore.releaseTask(deps.db, taskId)
  return outcome
}

async function isTask(deps: TaskDeps, caller: ServicePerson, taskId: string): Promise<boolean> {
  const { rows } = await listTasks(deps, caller)
  return rows.some((each) => each.taskId === taskId)
}

/** Payers approve within minutes; after this support may get a call. */
const LONG_MS = 10 * 60_000
const MOST_LONG_WAITS = 200

export interface LongWait extends taskStore.WaitingPayment {
  why: 'not_sent' | 'never_asked' | 'no_outcome_yet'
}

export async function listLongWaits(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
): Promise<{ rows: LongWait[] } | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const rows = await taskStore.listWaitingPayments(db, clock.now() - LONG_MS, MOST_LONG_WAITS)
  return { rows: rows.map((row) => ({ ...row, why: whyOf(row) })) }
}

function whyOf({ handedOverAt, polls }: taskStore.WaitingPayment): LongWait['why'] {
  if (handedOverAt === null) return 'not_sent'
  return polls === 0 ? 'never_asked' : 'no_outcome_yet'
}

export async function findAccountName(
  { db }: Pick<Deps, 'db'>,
  _caller: ServicePerson,
  { accountId }: { accountId: string },
): Promise<{ merchantName: string }> {
  const names = await taskStore.namesOfMerchants(db, [accountId])
  return { merchantName: names.get(accountId) ?? '' }
}
