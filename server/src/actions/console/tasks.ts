// The tasks of the staff: files to review, approvals, anomalies, refunds by hand, refused
// connections, statements that cannot be fetched. One person takes a task.

import type { Anomaly } from '../../domain/books/anomaly.ts'
import { type FetchFault, overdueBefore } from '../../domain/books/statement-fetch.ts'
import { dayText } from '../../domain/countries/business-day.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import type { ConfigurationRefusal } from '../../domain/operators/connection.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { type AccountCaller, isOfService, type ServicePerson } from '../../domain/people/caller.ts'
import type { RefundByHand } from '../../domain/refunds/refund.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { type FailedFetch, listFailures } from '../../store/books/statement-fetches.ts'
import type { ApprovalKind } from '../../store/console/tasks.ts'
import {
  findHolder,
  isOpenTask,
  listHolders,
  listOpenTasks,
  listWaitingApprovals,
  listWaitingPayments,
  namesOfMerchants,
  type OpenTask,
  releaseTask,
  takeTask,
  type WaitingApproval,
  type WaitingPayment,
} from '../../store/console/tasks.ts'
import { listConnectionRefusals } from '../../store/operators/connections.ts'
import { listOpenAnomalies } from '../../store/payments/anomalies.ts'
import { findRefundsByHand } from '../../store/payments/refunds.ts'
import { type ChangeSince, changesSince, endsApproval } from '../approvals/relied-on.ts'
import type { Deps } from '../deps.ts'
import {
  acceptLateMoney,
  closeAnomaly,
  type LateMoneyDeps,
  refundLateMoney,
} from '../payments/anomalies.ts'
import { namesOfAskers } from '../payments/read-payment.ts'
import { endRefundByHand } from '../payments/record-refund-outcome.ts'

const REFUND = 'ref_'

/**
 * `rev_…` file to review, `apr_…` approval, `ano_…` anomaly, `ref_…` refund, `con_…` connection,
 * `stm_…` statement. Live before sandbox, and in turns of accounts, so that one with many tasks
 * hides none of the others (D-186).
 */
export async function listTasks(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  _caller: ServicePerson,
  input: PageInput = {},
): Promise<Page<Task> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(input, ['number', 'number', 'text'], [0, 0, ''])
  if (isRefused(wanted)) return wanted
  const { cursor, limit } = wanted
  const found = await listOpenTasks(db, overdueBefore(clock.now()), cursor, limit + 1)
  const page = pageOf(found, limit, ({ isSandbox, turn, accountId }) => [
    isSandbox,
    turn,
    accountId,
  ])
  return { rows: await withDetails({ db, clock }, page.rows), next: page.next }
}

/** What all tasks have. */
interface CommonTask {
  taskId: string
  merchantName: string
  takenBy: string | null
  askedBy: string | null
  /** The merchant whose page shows what the task is about. */
  merchantId: string | null
  /** Whose tasks these are, or which the payment was made through. */
  connection: ConnectionKey | null
  /** Of an approval: what changed since it was requested. */
  changes: ChangeSince[]
  /** Of an approval: false once a change leaves only the rejection. */
  mayApprove: boolean
  createdAt: number
}

interface TaskFacts {
  subject: string
  amount: number | null
  detail: Record<string, string | number | null>
}

type Task = CommonTask &
  TaskFacts &
  (
    | { kind: ApprovalKind | 'review_file' | 'anomaly' | 'refund_by_hand' | 'connection_refused' }
    | { kind: 'statement_not_fetched'; detail: { day: string; fault: FetchFault; why: string } }
  )

/** Without those that ended since they were listed. */
async function withDetails(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  open: readonly OpenTask[],
): Promise<Task[]> {
  const subjects = (kind: OpenTask['kind']): string[] =>
    open.filter((each) => each.kind === kind).map(({ subject }) => subject)
  const approvals = await listWaitingApprovals(db, subjects('approval'))
  const anomalies = await listOpenAnomalies(db, subjects('anomaly'))
  const refunds = await findRefundsByHand(db, subjects('refund_by_hand'))
  const refusals =
    subjects('connection_refused').length === 0 ? [] : await listConnectionRefusals(db)
  const failures = await listFailures(db, subjects('statement_not_fetched').map(connectionIn))
  const merchants = await namesOfMerchants(db, [...new Set(open.map(({ accountId }) => accountId))])
  const askers = await namesOfAskers(
    db,
    approvals.map((each) => each.askedBy),
  )
  const holders = await listHolders(
    db,
    open.map(({ taskId }) => taskId),
  )
  const changes = new Map<string, ChangeSince[]>()
  for (const each of approvals)
    changes.set(each.approvalId, await changesSince(db, each, clock.now()))
  const commonOf = ({ taskId, accountId, at }: OpenTask): CommonTask => ({
    taskId,
    merchantName: merchants.get(accountId) ?? '',
    takenBy: holders.find((each) => each.taskId === taskId)?.name ?? null,
    askedBy: null,
    merchantId: null,
    connection: null,
    changes: changes.get(taskId) ?? [],
    mayApprove: !(changes.get(taskId) ?? []).some(endsApproval),
    createdAt: at,
  })
  const shownBy: Record<OpenTask['kind'], (task: OpenTask) => Task | undefined> = {
    review_file: (task) => ({
      ...commonOf(task),
      kind: 'review_file',
      merchantId: task.subject,
      subject: task.subject,
      amount: null,
      detail: {},
    }),
    approval: (task) => {
      const approval = approvals.find(({ approvalId }) => approvalId === task.subject)
      return approval && { ...commonOf(task), ...approvalFacts(approval, askers) }
    },
    anomaly: (task) => {
      const anomaly = anomalies.find(({ anomalyId }) => anomalyId === task.subject)
      return anomaly && { ...commonOf(task), ...anomalyFacts(anomaly) }
    },
    refund_by_hand: (task) => {
      const refund = refunds.find(({ refundReference }) => refundReference === task.subject)
      return refund && { ...commonOf(task), ...refundFacts(refund) }
    },
    // It ends when the network accepts a payment. Each refusal has its own name, so that none is
    // held by mistake.
    connection_refused: (task) => {
      const refusal = refusals.find((each) => refusalTaskOf(each) === task.taskId)
      return refusal && { ...commonOf(task), ...connectionFacts(refusal) }
    },
    // It ends when the day is fetched: by the worker, or by hand.
    statement_not_fetched: (task) => {
      const failure = failures.find((each) => statementTaskOf(each) === task.taskId)
      return failure && { ...commonOf(task), ...statementFacts(failure) }
    },
  }
  return open.flatMap((task) => shownBy[task.kind](task) ?? [])
}

/** The subject is `live/airtel-niger`. */
const connectionIn = (subject: string): string => subject.slice(subject.indexOf('/') + 1)

const refusalTaskOf = ({
  environment,
  connection,
  operator,
  since,
}: ConfigurationRefusal): string => `con_${environment}.${connection}.${operator}.${since}`

const statementTaskOf = ({ environment, connection, day }: FailedFetch): string =>
  `stm_${environment}.${connection}.${day}`

const approvalFacts = (approval: WaitingApproval, askers: ReadonlyMap<string, string>) => ({
  kind: approval.kind,
  merchantId: approval.merchantId,
  subject: approval.subject,
  amount: approval.amountXof,
  // The limit counts the sum of a payment's refunds, so its approver sees that sum.
  detail:
    approval.kind === 'approve_refund'
      ? { refundSum: approval.refundsXof, paymentAmount: approval.paymentXof }
      : { reason: approval.reason },
  askedBy: askers.get(approval.askedBy) ?? approval.askedBy,
})

const anomalyFacts = ({
  environment,
  connection,
  reference,
  kind,
  operator,
  detail,
  witness,
}: Anomaly) => ({
  kind: 'anomaly' as const,
  subject: reference,
  amount: null,
  connection: { environment, connection },
  detail: { ...plainFacts(detail), kind, operator, ...(witness !== null && { witness }) },
})

const refundFacts = ({ reference, amountXof, operator, operatorReference, why }: RefundByHand) => ({
  kind: 'refund_by_hand' as const,
  subject: reference,
  amount: amountXof,
  detail: { operator, operatorReference, why },
})

const connectionFacts = ({ environment, connection, operator, why }: ConfigurationRefusal) => ({
  kind: 'connection_refused' as const,
  subject: `${environment}/${connection}`,
  amount: null,
  connection: { environment, connection },
  detail: { operator, why },
})

const statementFacts = ({ environment, connection, day, fault, why }: FailedFetch) => ({
  kind: 'statement_not_fetched' as const,
  subject: `${environment}/${connection}`,
  amount: null,
  connection: { environment, connection },
  detail: { day: dayText(day), fault, why },
})

function plainFacts(detail: string): Record<string, string | number | null> {
  const facts = Object.entries(JSON.parse(detail) as Record<string, unknown>)
  return Object.fromEntries(
    facts.map(([name, value]) => [name, typeof value === 'number' ? value : String(value)]),
  )
}

type TaskDeps = Pick<Deps, 'db' | 'clock'>

/** Taking a task twice changes nothing. */
export async function takeTaskFor(
  { db, clock }: TaskDeps,
  caller: ServicePerson,
  { taskId }: { taskId: string },
): Promise<{ taken: true } | Refused> {
  const isOpen = await isOpenTask(db, overdueBefore(clock.now()), taskId)
  if (!isOpen) return { refused: 'task_not_found' }
  return db.transaction(async (tx): Promise<{ taken: true } | Refused> => {
    const at = clock.now()
    if (!(await takeTask(tx, taskId, caller.personId, at))) {
      const holder = await findHolder(tx, taskId)
      return holder?.personId === caller.personId
        ? { taken: true }
        : { refused: 'task_taken', by: holder?.name ?? '' }
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
    const holder = await findHolder(tx, taskId)
    if (holder === undefined) return { refused: 'task_not_found' }
    await releaseTask(tx, taskId)
    const earlier = { person: holder.personId }
    await insertAudit(tx, caller, {
      at: clock.now(),
      action: 'task.release',
      subject: taskId,
      earlier,
    })
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
  deps: LateMoneyDeps,
  caller: ServicePerson,
  { taskId, how, note }: Settlement,
): Promise<object | Refused> {
  const holder = await findHolder(deps.db, taskId)
  if (holder !== undefined && holder.personId !== caller.personId)
    return { refused: 'task_taken', by: holder.name }
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
  if (!('refused' in outcome)) await releaseTask(deps.db, taskId)
  return outcome
}

/** Payers approve within minutes; after this support may get a call. */
const LONG_MS = 10 * 60_000
const MOST_LONG_WAITS = 200

export interface LongWait extends WaitingPayment {
  why: 'not_sent' | 'never_asked' | 'no_outcome_yet'
}

export async function listLongWaits(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
): Promise<{ rows: LongWait[] } | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const rows = await listWaitingPayments(db, clock.now() - LONG_MS, MOST_LONG_WAITS)
  return { rows: rows.map((row) => ({ ...row, why: whyOf(row) })) }
}

function whyOf({ handedOverAt, polls }: WaitingPayment): LongWait['why'] {
  if (handedOverAt === null) return 'not_sent'
  return polls === 0 ? 'never_asked' : 'no_outcome_yet'
}

export async function findAccountName(
  { db }: Pick<Deps, 'db'>,
  _caller: ServicePerson,
  { accountId }: { accountId: string },
): Promise<{ merchantName: string }> {
  const names = await namesOfMerchants(db, [accountId])
  return { merchantName: names.get(accountId) ?? '' }
}
