// The staff's tasks: files to review, approvals, anomalies, refunds by hand, refused connections,
// statements that cannot be fetched. One person takes a task.
import { Button, NativeSelect } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TaskRow } from '../../../../server/src/dashboard-api/contract.ts'
import { useChange, usePages } from '../../api/account.ts'
import { ask } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatAmount, formatDayAndTime } from '../../format.ts'
import { bound, Confirm, choicesOf, RowButton } from '../../parts/form.tsx'
import { TasksIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Empty, PageTitle, Read } from '../../parts/page.tsx'
import { type Column, PagedRows } from '../../parts/rows.tsx'
import { useConnectionName, useOperatorName, When } from '../../parts/values.tsx'
import type { Words } from '../../words/fr.ts'
import { useWords } from '../../words/language.tsx'
import { MerchantFile, useMerchant } from './merchant.tsx'
import { PaymentFacts, useAnyPayment } from './payments.tsx'

type How = keyof Words['tasks']['hows']

const HOWS: Partial<Record<TaskRow['kind'], readonly How[]>> = {
  anomaly: ['close', 'accept', 'refund'],
  refund_by_hand: ['made', 'given_up'],
}

/** When what they are about is done. */
const ENDS_BY_ITSELF: readonly TaskRow['kind'][] = [
  'connection_refused',
  'review_file',
  'statement_not_fetched',
]

const isApproval = ({ kind }: TaskRow): boolean =>
  kind === 'approve_live' || kind === 'approve_refund'

type Deed = 'take' | 'release' | 'approve' | 'reject' | 'resolve'

export function Tasks() {
  const { shell, tasks } = useWords()
  const { act } = useMessages()
  const change = useChange('console')
  const pages = usePages('console', 'GET /tasks')
  const [asked, setAsked] = useState<{ deed: Deed; task: TaskRow }>()
  const [how, setHow] = useState<How>('close')
  const subjectOf = useSubject()
  const changesOf = useChanges()
  const send = (deed: Deed, { taskId }: TaskRow, note = '') => {
    const sent =
      deed === 'resolve'
        ? ask('console', 'POST /tasks/:taskId/resolve', { taskId, how, note })
        : ask('console', `POST /tasks/:taskId/${deed}`, { taskId })
    // Refused: the list is older than the task.
    sent.catch(() => void change(Promise.resolve(), 'tasks'))
    return change(sent, 'tasks', 'merchants')
  }
  const doIt = (deed: Deed, task: TaskRow): void => {
    if (deed === 'take' || deed === 'release') void act(() => send(deed, task))
    else {
      setHow(HOWS[task.kind]?.[0] ?? 'close')
      setAsked({ deed, task })
    }
  }
  const hows = asked?.deed === 'resolve' ? HOWS[asked.task.kind] : undefined
  return (
    <>
      <PageTitle title={shell.console.tasks} />
      <PagedRows
        label={shell.console.tasks}
        pages={pages}
        columns={useColumns(doIt)}
        keyOf={({ taskId }) => taskId}
        empty={<Empty icon={<TasksIcon size={40} />} title={tasks.empty} help={tasks.emptyHelp} />}
      />
      <Confirm
        isOpen={asked !== undefined}
        close={() => setAsked(undefined)}
        title={asked === undefined ? '' : tasks.kinds[asked.task.kind]}
        lead={asked === undefined ? '' : subjectOf(asked.task)}
        act={asked === undefined ? '' : tasks[asked.deed]}
        isDangerous={asked?.deed === 'reject'}
        reason={asked?.deed === 'resolve' ? { label: tasks.proof } : undefined}
        onAct={async (note) => asked && send(asked.deed, asked.task, note)}
        done={shell.saved}
      >
        {asked !== undefined && asked.task.changes.length > 0 && (
          <p className="warn">{changesOf(asked.task)}</p>
        )}
        {asked?.task.kind === 'approve_live' && (
          <ApprovedFile merchantId={asked.task.merchantId ?? ''} />
        )}
        {asked?.task.kind === 'approve_refund' && (
          <ApprovedPayment reference={asked.task.subject} />
        )}
        {hows !== undefined && (
          <NativeSelect
            label={tasks.how}
            data={choicesOf(tasks.hows, hows)}
            {...bound(how, setHow)}
          />
        )}
      </Confirm>
    </>
  )
}

// What the second person approves: the merchant's file, or the payment of a refund.

const ApprovedFile = ({ merchantId }: { merchantId: string }) => (
  <Read reading={useMerchant(merchantId)}>
    {(merchant) => <MerchantFile merchant={merchant} />}
  </Read>
)

const ApprovedPayment = ({ reference }: { reference: string }) => (
  <Read reading={useAnyPayment(reference)}>{(body) => <PaymentFacts body={body} />}</Read>
)

const isOfMerchant = (kind: TaskRow['kind']): boolean =>
  kind === 'review_file' || kind === 'approve_live'

/** The first is the main one. */
function deedsOf(task: TaskRow): Deed[] {
  if (isApproval(task)) return task.mayApprove ? ['approve', 'reject'] : ['reject']
  if (task.takenBy === null) return ['take']
  return ENDS_BY_ITSELF.includes(task.kind) ? ['release'] : ['resolve', 'release']
}

/** The page that shows what a task is about. */
const pageOf = ({ kind, merchantId, subject }: TaskRow): string => {
  if (isOfMerchant(kind)) return `/console/merchants/${merchantId}`
  if (kind === 'statement_not_fetched') return '/console/files'
  return kind === 'connection_refused' ? '/console/connections' : `/console/payments/${subject}`
}

const AMOUNTS = ['refundSum', 'paymentAmount', 'amount', 'asked', 'reported']
/** Facts whose values are codes of ours. */
const NAMED = ['recorded', 'reported', 'kind', 'witness']

/** The connection of a task, in words. */
function useConnectionText(): (connection: NonNullable<TaskRow['connection']>) => string {
  const { shell } = useWords()
  const nameOf = useConnectionName()
  return (connection) => `${nameOf(connection)}, ${shell[connection.environment]}`
}

/** What a task is about, in words. */
function useSubject(): (task: TaskRow) => string {
  const connectionText = useConnectionText()
  return ({ kind, merchantName, subject, connection }) => {
    if (isOfMerchant(kind)) return merchantName
    return connection === null || kind === 'anomaly' ? subject : connectionText(connection)
  }
}

/** What changed since an approval was requested, in words. */
function useChanges(): (task: TaskRow) => string {
  const { tasks, activity } = useWords()
  const statusName = (status: string | null): string => activity.statuses[status ?? ''] ?? ''
  const shown = (change: TaskRow['changes'][number]): string => {
    if (change.what === 'status')
      return tasks.changes.status(statusName(change.from), statusName(change.to))
    if (change.what !== 'refunds') return tasks.changes[change.what]
    return tasks.changes.refunds(formatAmount(change.from), formatAmount(change.to))
  }
  return ({ changes, mayApprove }) => {
    const sentence = `${tasks.changedSince} ${changes.map(shown).join(' ; ')}.`
    return mayApprove ? sentence : `${sentence} ${tasks.onlyReject}`
  }
}

/** A fact of a task in words: its name says what its value is. */
function useFactText(): (name: string, value: unknown) => string {
  const { one, status, tasks } = useWords()
  const operatorName = useOperatorName()
  const statuses: Readonly<Record<string, string>> = {
    ...one.answers,
    ...status,
    ...tasks.anomalies,
    ...tasks.witnesses,
  }
  return (name, value) => {
    const text = String(value ?? '–')
    if (name === 'operator') return operatorName(text)
    if (typeof value === 'number' && AMOUNTS.includes(name)) return formatAmount(value)
    if (name === 'acceptedAt') return formatDayAndTime(Date.parse(text))
    return NAMED.includes(name) ? (statuses[text] ?? text.replaceAll('_', ' ')) : text
  }
}

function useColumns(doIt: (deed: Deed, task: TaskRow) => void): Column<TaskRow>[] {
  const { tasks } = useWords()
  return [
    { heading: tasks.task, cell: (task) => <TaskFacts task={task} /> },
    {
      heading: tasks.taken,
      isBelow: true,
      // An approval is not taken: every member of staff but the one who asked can give it.
      cell: (task) =>
        task.takenBy ?? (!isApproval(task) && <span className="soft">{tasks.free}</span>),
    },
    {
      heading: <span className="hidden">{tasks.take}</span>,
      isBelow: true,
      at: 'end',
      cell: (task) => <TaskButtons task={task} doIt={doIt} />,
    },
  ]
}

function TaskFacts({ task }: { task: TaskRow }) {
  const { tasks } = useWords()
  const connectionText = useConnectionText()
  const factText = useFactText()
  const changesOf = useChanges()
  const { kind, merchantName, subject, amount, askedBy, connection } = task
  return (
    <>
      <Link to={pageOf(task)} className="underlined">
        <b>{tasks.kinds[kind]}</b>
      </Link>{' '}
      {amount !== null && <span>·&nbsp;{formatAmount(amount)}</span>}
      {connection !== null && <span className="sub">{connectionText(connection)}</span>}
      <span className="sub">
        {merchantName}
        {!isOfMerchant(kind) && (
          <>
            {merchantName !== '' && ' ·\u00a0'}
            <span className="mono">{subject}</span>
          </>
        )}
      </span>
      <span className="sub">
        <When at={task.createdAt} /> {askedBy !== null && `·\u00a0${tasks.asked(askedBy)}`}
      </span>
      {kind === 'connection_refused' && <span className="sub">{tasks.refusedHelp}</span>}
      {kind === 'statement_not_fetched' && <span className="sub">{tasks.notFetchedHelp}</span>}
      {Object.entries(task.detail).map(([name, value]) => (
        <span className="sub" key={name}>
          {tasks.facts[name] ?? `${name.replaceAll('_', ' ')}:`} {factText(name, value)}
        </span>
      ))}
      {task.changes.length > 0 && <span className="sub warn">{changesOf(task)}</span>}
    </>
  )
}

type TaskButtonsProps = { task: TaskRow; doIt(deed: Deed, task: TaskRow): void }

function TaskButtons({ task, doIt }: TaskButtonsProps) {
  const { tasks } = useWords()
  const { person } = useSession()
  const subjectOf = useSubject()
  const isOwn = isApproval(task) && task.askedBy === person.name
  if (isOwn) return <span className="sub">{tasks.own}</span>
  return (
    <div className="buttons end">
      {task.kind === 'review_file' && (
        <Button
          component={Link}
          to={pageOf(task)}
          aria-label={`${tasks.openFile}, ${task.merchantName}`}
        >
          {tasks.openFile}
        </Button>
      )}
      {deedsOf(task).map((deed, at) => (
        <RowButton
          key={deed}
          name={tasks[deed]}
          label={`${tasks[deed]}, ${tasks.kinds[task.kind]}, ${subjectOf(task)}`}
          isMain={at === 0 && task.kind !== 'review_file'}
          onClick={() => doIt(deed, task)}
        />
      ))}
    </div>
  )
}
