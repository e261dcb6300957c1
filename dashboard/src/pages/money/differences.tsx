// Differences between networks' statements and the books: what each one is, both sides, the next step, and who closed
// it. The same list for a merchant and for staff.
import { NativeSelect, SegmentedControl } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { DifferenceRow } from '../../../../server/src/dashboard-api/shapes.ts'
import { SERVICE_RIGHTS } from '../../../../server/src/domain/role.ts'
import { useChange, usePages } from '../../api/account.ts'
import { post } from '../../api/client.ts'
import { may, usePlace, useSession } from '../../api/session.ts'
import * as format from '../../format.ts'
import { useConnectionName } from '../../parts/connections.ts'
import { bound, Confirm, choicesOf, RowButton } from '../../parts/form.tsx'
import { CheckIcon } from '../../parts/icons.tsx'
import { Empty, PageTitle } from '../../parts/page.tsx'
import { type Column, PagedRows } from '../../parts/rows.tsx'
import { PaymentState, When } from '../../parts/values.tsx'
import { useSpoken, useWords } from '../../words/language.tsx'
import type { MoneyFilters } from './filters.ts'

export function AccountDifferences() {
  const { accountId, base, role } = usePlace()
  return <Differences base={base} mayClose={may(role, 'keepBooks')} paymentsAt={`/a/${accountId}/payments`} />
}

export function ConsoleDifferences() {
  const { shell } = useWords()
  const { service } = useSession()
  const mayClose = (SERVICE_RIGHTS.keepBooks as readonly string[]).includes(service?.role ?? '')
  return (
    <>
      <PageTitle title={shell.console.differences} />
      <Differences base="console" mayClose={mayClose} />
    </>
  )
}

interface DifferencesProps {
  base: string
  mayClose: boolean
  /** Where a payment opens; staff look one up by its reference. */
  paymentsAt?: string
}

const STATES = ['open', 'closed'] as const
const ORDERS = ['age', 'amount'] as const

function Differences({ base, mayClose, paymentsAt }: DifferencesProps) {
  const { differences } = useWords().books
  const change = useChange(base)
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as MoneyFilters
  const state = STATES.find((each) => each === search.state) ?? 'open'
  const order = ORDERS.find((each) => each === search.order) ?? 'age'
  const show = (next: MoneyFilters): void =>
    void navigate({ to: '.', search: { state, order, ...next } as never, replace: true })
  const [closing, setClosing] = useState<DifferenceRow>()
  const pages = usePages<DifferenceRow>(base, 'differences', { state, order })
  const empty =
    state === 'open' ? { title: differences.empty, help: differences.emptyHelp } : { title: differences.emptyClosed }
  return (
    <>
      <p className="soft lead">{differences.lead}</p>
      <div className="title-row">
        <SegmentedControl
          value={state}
          onChange={(value) => show({ state: value })}
          data={choicesOf(differences.states, STATES)}
          aria-label={differences.difference}
        />
        <NativeSelect
          aria-label={differences.order}
          data={choicesOf(differences.orders, ORDERS)}
          {...bound(order, (value) => show({ order: value }))}
        />
      </div>
      <PagedRows
        label={differences.states[state]}
        pages={pages}
        columns={useColumns(paymentsAt, mayClose ? setClosing : undefined)}
        keyOf={({ differenceId }) => differenceId}
        empty={<Empty icon={<CheckIcon size={40} />} {...empty} />}
      />
      <Confirm
        isOpen={closing !== undefined}
        close={() => setClosing(undefined)}
        title={differences.closeTitle}
        lead={differences.closeLead}
        act={differences.close}
        reason={{ label: differences.note, help: differences.noteHelp }}
        onAct={(note) =>
          change(post(`${base}/differences/${closing?.differenceId}/close`, { note }), 'differences', 'money')
        }
        done={differences.closed}
      />
    </>
  )
}

const DAY_MS = 86_400_000

function useColumns(
  paymentsAt: string | undefined,
  close: ((row: DifferenceRow) => void) | undefined,
): Column<DifferenceRow>[] {
  const { differences } = useWords().books
  const nameOf = useConnectionName()
  return [
    {
      heading: differences.difference,
      cell: (row) => (
        <>
          <b>{differences.kinds[row.kind]}</b> <span className="together">· {format.amount(row.amount)}</span>
          <span className="sub parts">
            <span>{nameOf(row.connection)}</span>
            {paymentsAt === undefined && row.merchantName !== '' && <span>{row.merchantName}</span>}
            <span>{differences.days(Math.max(0, Math.floor((Date.now() - row.at) / DAY_MS)))}</span>
          </span>
          {row.closed === null ? (
            <p className="next-step">
              <b>{differences.next}</b> {differences.steps[row.kind]}
            </p>
          ) : (
            <Closing closed={row.closed} />
          )}
        </>
      ),
    },
    { heading: differences.theirs, isBelow: true, cell: (row) => <Theirs row={row} /> },
    {
      heading: differences.ours,
      isBelow: true,
      cell: (row) => <Ours row={row} {...(paymentsAt !== undefined && { paymentsAt })} />,
    },
    ...(close === undefined
      ? []
      : [
          {
            heading: <span className="hidden">{differences.close}</span>,
            isBelow: true,
            at: 'end' as const,
            cell: (row: DifferenceRow) =>
              row.closed === null && (
                <RowButton
                  name={differences.close}
                  label={`${differences.close} : ${differences.kinds[row.kind]}, ${format.amount(row.amount)}`}
                  isMain
                  onClick={() => close(row)}
                />
              ),
          },
        ]),
  ]
}

function Closing({ closed: { at, by, note } }: { closed: NonNullable<DifferenceRow['closed']> }) {
  const { language, words } = useSpoken()
  const { differences } = words.books
  const who = by === null ? differences.byLine : differences.closedBy(differences.people[by] ?? by)
  return (
    <p className="next-step">
      <b>{who}</b>, {format.dayAndTime(at, language)}
      {note !== '' && <span className="sub breaks">{note}</span>}
    </p>
  )
}

function Theirs({ row: { line } }: { row: DifferenceRow }) {
  const { differences } = useWords().books
  return (
    <>
      <span className="sub until-sm">{differences.theirs}</span>
      {line === null ? (
        <span className="sub">{differences.noLine}</span>
      ) : (
        <>
          <span className="together">
            {differences.types[line.type] ?? line.type} <b>{format.signedAmount(line.amount)}</b>
          </span>
          <span className="sub parts">
            <span>
              <When at={line.bookedAt} />
            </span>
            {line.fee > 0 && <span>{differences.fee(format.amount(line.fee))}</span>}
          </span>
          {line.reference !== '' && <span className="sub mono breaks">{line.reference}</span>}
          {line.text !== '' && <span className="sub breaks">{line.text}</span>}
          <span className="sub breaks">{differences.row(line.row, line.file)}</span>
        </>
      )}
    </>
  )
}

function Ours({ row: { payment }, paymentsAt }: { row: DifferenceRow; paymentsAt?: string }) {
  const { differences } = useWords().books
  return (
    <>
      <span className="sub until-sm">{differences.ours}</span>
      {payment === null ? (
        <span className="sub">{differences.noPayment}</span>
      ) : (
        <>
          <span className="state-line first">
            <b>{format.amount(payment.amount)}</b> <PaymentState status={payment.status} />
          </span>
          <span className="sub">
            <When at={payment.at} />
          </span>
          {paymentsAt === undefined ? (
            <span className="sub mono breaks">{payment.reference}</span>
          ) : (
            <Link className="inline-link mono" to={`${paymentsAt}/${payment.reference}` as string}>
              {payment.publicReference}
            </Link>
          )}
        </>
      )}
    </>
  )
}
