// Differences between networks' statements and the books: what each one is, both sides, the next
// step, and who closed it. The same list for a merchant and for staff.
import { NativeSelect, SegmentedControl, Textarea } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { DifferenceRow, PaymentRow } from '../../../../server/src/dashboard-api/contract.ts'
import { useChange, usePages, useRead } from '../../api/account.ts'
import type { BooksBase } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { may, usePlace, useServiceRight } from '../../api/session.ts'
import {
  dotted,
  formatAmount,
  formatDayAndTime,
  formatSignedAmount,
  formatTime,
} from '../../format.ts'
import { bound, choicesOf, Dialog, Form, RowButton, Send } from '../../parts/form.tsx'
import { CheckIcon } from '../../parts/icons.tsx'
import { Empty, PageTitle, Read } from '../../parts/page.tsx'
import { type Column, PagedRows } from '../../parts/rows.tsx'
import { PaymentState, useConnectionName, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'
import { CloseDifference } from './close-difference.tsx'
import type { MoneyFilters } from './where.tsx'

export function AccountDifferences() {
  const { accountId, base, role } = usePlace()
  return (
    <Differences
      base={base}
      mayClose={may(role, 'closeDifferences')}
      paymentsAt={`/a/${accountId}/payments`}
    />
  )
}

export function ConsoleDifferences() {
  const { shell } = useWords()
  const mayClose = useServiceRight('manageStatements')
  return (
    <>
      <PageTitle title={shell.console.differences} />
      <Differences base="console" mayClose={mayClose} mayConfirm={mayClose} />
    </>
  )
}

interface DifferencesProps {
  base: BooksBase
  mayClose: boolean
  /** Staff say which payment a line is about that names none. */
  mayConfirm?: boolean
  /** Where a payment opens; staff look one up by its reference. */
  paymentsAt?: string
}

const STATES = ['open', 'closed'] as const
const ORDERS = { open: ['oldest', 'largest'], closed: ['newest', 'largest'] } as const

function Differences({ base, mayClose, mayConfirm = false, paymentsAt }: DifferencesProps) {
  const { differences } = useWords().books
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as MoneyFilters
  const state = STATES.find((each) => each === search.state) ?? 'open'
  const orders = ORDERS[state]
  const order = orders.find((each) => each === search.order) ?? orders[0]
  const show = (next: MoneyFilters): void =>
    void navigate({ to: '.', search: { state, order, ...next }, replace: true })
  const [closing, setClosing] = useState<DifferenceRow>()
  const [finding, setFinding] = useState<DifferenceRow>()
  const findWords = useFindWords()
  const pages = usePages(base, 'GET /books/differences', {
    open: String(state === 'open'),
    order,
  })
  const empty =
    state === 'open'
      ? { title: differences.empty, help: differences.emptyHelp }
      : { title: differences.emptyClosed }
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
          data={choicesOf(differences.orders, orders)}
          {...bound(order, (value) => show({ order: value }))}
        />
      </div>
      <PagedRows
        label={differences.states[state]}
        pages={pages}
        columns={useColumns(
          paymentsAt,
          mayClose ? setClosing : undefined,
          mayConfirm ? setFinding : undefined,
        )}
        keyOf={({ differenceId }) => differenceId}
        empty={<Empty icon={<CheckIcon size={40} />} {...empty} />}
      />
      <Dialog
        isOpen={closing !== undefined}
        close={() => setClosing(undefined)}
        title={closing?.closed == null ? differences.closeTitle : differences.correctTitle}
      >
        {closing !== undefined && (
          <CloseDifference base={base} difference={closing} done={() => setClosing(undefined)} />
        )}
      </Dialog>
      <Dialog
        isOpen={finding !== undefined}
        close={() => setFinding(undefined)}
        title={finding && findWords(finding).title}
      >
        {finding !== undefined && (
          <FindPayment difference={finding} done={() => setFinding(undefined)} />
        )}
      </Dialog>
    </>
  )
}

/** The line gives back money of a payment with several refunds that fit. */
const isRefund = ({ kind, line, payment }: DifferenceRow): boolean =>
  kind === 'refund_without_payment' && line?.type === 'refund' && payment !== null

/** Or a customer paid, and the line names no payment. */
const canBeFound = (row: DifferenceRow): boolean =>
  isRefund(row) || (row.kind === 'missing_here' && row.line?.type === 'collection')

function useFindWords() {
  const { payment, refund } = useWords().books.differences.find
  return (row: DifferenceRow) => (isRefund(row) ? refund : payment)
}

function FindPayment({ difference, done }: { difference: DifferenceRow; done(): void }) {
  const { differenceId } = difference
  const { shell, books } = useWords()
  const words = useFindWords()(difference)
  const change = useChange('console')
  const reading = useRead('console', 'GET /books/differences/:differenceId/suggestions', {
    differenceId,
  })
  const [chosen, setChosen] = useState('')
  return (
    <Read reading={reading}>
      {({ rows }) =>
        rows.length === 0 ? (
          <p>{words.none}</p>
        ) : (
          <Form
            done={words.confirmed}
            onSend={async ({ note = '' }) => {
              const reference = chosen || (rows[0]?.reference ?? '')
              await change(
                ask('console', 'POST /books/differences/:differenceId/confirm', {
                  differenceId,
                  reference,
                  note,
                }),
                'books',
              )
              done()
            }}
          >
            <p>{words.lead}</p>
            <NativeSelect
              label={words.label}
              data={rows.map(({ reference, transactionId, amount, validatedAt }) => ({
                value: reference,
                label: dotted(
                  transactionId || reference,
                  formatAmount(amount),
                  formatTime(validatedAt),
                ),
              }))}
              {...bound(chosen || (rows[0]?.reference ?? ''), setChosen)}
            />
            <Textarea
              name="note"
              label={books.differences.note}
              rows={3}
              maxLength={300}
              required
            />
            <Send>{shell.confirm}</Send>
          </Form>
        )
      }
    </Read>
  )
}

const DAY_MS = 86_400_000

/** Compared amounts show what they differ by; the amounts themselves are on both sides. */
const amountOf = ({ difference, amount }: DifferenceRow): string =>
  difference === null ? formatAmount(amount) : formatSignedAmount(difference)

function useColumns(
  paymentsAt: string | undefined,
  close: ((row: DifferenceRow) => void) | undefined,
  find: ((row: DifferenceRow) => void) | undefined,
): Column<DifferenceRow>[] {
  const { differences } = useWords().books
  const nameOf = useConnectionName()
  const findWords = useFindWords()
  const labelOf = (deed: string, row: DifferenceRow): string =>
    `${deed}, ${differences.kinds[row.kind]}, ${amountOf(row)}`
  return [
    {
      heading: differences.difference,
      cell: (row) => (
        <>
          <b>{differences.kinds[row.kind]}</b>
          <span className="sub parts">
            <span>
              <b>{amountOf(row)}</b>
            </span>
            <span>{nameOf(row)}</span>
            {paymentsAt === undefined && row.merchantName !== null && (
              <span>{row.merchantName}</span>
            )}
            <span>
              {differences.days(Math.max(0, Math.floor((Date.now() - row.foundAt) / DAY_MS)))}
            </span>
          </span>
          {row.closed === null ? (
            <p className="next-step">
              <b>{differences.next}</b> {row.nextStep}
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
      cell: (row) => <Ours row={row} paymentsAt={paymentsAt} />,
    },
    ...(close === undefined
      ? []
      : [
          {
            heading: <span className="hidden">{differences.close}</span>,
            isBelow: true,
            at: 'end' as const,
            cell: (row: DifferenceRow) => (
              <div className="buttons end">
                {find !== undefined && row.closed === null && canBeFound(row) && (
                  <RowButton
                    name={findWords(row).find}
                    label={labelOf(findWords(row).find, row)}
                    onClick={() => find(row)}
                  />
                )}
                {row.isOwn && row.closed === null && (
                  <RowButton
                    name={differences.close}
                    label={labelOf(differences.close, row)}
                    isMain
                    onClick={() => close(row)}
                  />
                )}
                {row.isOwn && row.closed?.reason != null && (
                  <RowButton
                    name={differences.correct}
                    label={labelOf(differences.correct, row)}
                    onClick={() => close(row)}
                  />
                )}
              </div>
            ),
          },
        ]),
  ]
}

function Closing({
  closed: { at, by, note, reason },
}: {
  closed: NonNullable<DifferenceRow['closed']>
}) {
  const { differences } = useWords().books
  const who = by === '' ? differences.byLine : differences.closedBy(differences.people[by] ?? by)
  return (
    <p className="next-step">
      {reason !== null && <b>{reason}. </b>}
      <b>{who}</b>, {formatDayAndTime(at)}
      {note !== '' && <span className="sub breaks">{note}</span>}
    </p>
  )
}

function Theirs({ row: { kind, line, detail } }: { row: DifferenceRow }) {
  const { differences } = useWords().books
  const { expected, opening } = detail
  return (
    <>
      <span className="sub until-sm">{differences.theirs}</span>
      {line === null ? (
        <span className="sub">
          {kind === 'balance_does_not_add_up' &&
          typeof expected === 'number' &&
          typeof opening === 'number'
            ? differences.balances(formatAmount(expected), formatAmount(opening))
            : differences.noLine}
        </span>
      ) : (
        <>
          <span className="together">
            {differences.types[line.type] ?? line.type} <b>{formatSignedAmount(line.amount)}</b>
          </span>
          <span className="sub parts">
            <span>
              <When at={line.at} />
            </span>
            {line.fee > 0 && <span>{differences.fee(formatAmount(line.fee))}</span>}
          </span>
          {line.networkReference !== '' && (
            <span className="sub mono breaks">{line.networkReference}</span>
          )}
          {line.text !== '' && <span className="sub breaks">{line.text}</span>}
          {line.row !== null && line.file !== null && (
            <span className="sub breaks">{differences.row(line.row, line.file)}</span>
          )}
        </>
      )}
    </>
  )
}

function Ours({
  row: { payment, detail },
  paymentsAt,
}: {
  row: DifferenceRow
  paymentsAt: string | undefined
}) {
  const { differences } = useWords().books
  const { received, expectedFee } = detail
  return (
    <>
      <span className="sub until-sm">{differences.ours}</span>
      {payment === null ? (
        <span className="sub">
          {typeof received === 'number'
            ? differences.atBank(formatAmount(received))
            : differences.noPayment}
        </span>
      ) : (
        <>
          <span className="state-line first">
            <b className="together">{formatAmount(payment.amount)}</b>{' '}
            <PaymentState status={payment.status as PaymentRow['status']} />
          </span>
          <span className="sub">
            <When at={payment.validatedAt ?? payment.createdAt} />
          </span>
          {typeof expectedFee === 'number' && (
            <span className="sub">{differences.tariffFee(formatAmount(expectedFee))}</span>
          )}
          {paymentsAt === undefined ? (
            <span className="sub mono breaks">{payment.reference}</span>
          ) : (
            <Link
              className="inline-link mono breaks"
              to={`${paymentsAt}/${payment.reference}` as string}
            >
              {payment.transactionId || payment.reference}
            </Link>
          )}
        </>
      )}
    </>
  )
}
