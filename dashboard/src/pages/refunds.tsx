// The list of refunds: newest first, by state and day. Those that have not ended are one click
// away.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { REFUND_STATUSES, type RefundRow } from '../../../server/src/dashboard-api/contract.ts'
import { usePages } from '../api/account.ts'
import { usePlace } from '../api/session.ts'
import { formatAmount } from '../format.ts'
import { bound, choicesOf } from '../parts/form.tsx'
import { PaymentsIcon, SearchIcon } from '../parts/icons.tsx'
import { Empty, PageTitle } from '../parts/page.tsx'
import { type Column, PagedRows, TwoLines } from '../parts/rows.tsx'
import { State, type Tone, When } from '../parts/values.tsx'
import { useWords } from '../words/language.tsx'

/** In the page's address: a list can be bookmarked and sent to a colleague. */
export type RefundFilters = Partial<Record<'status' | 'from' | 'to', string>>

const OPEN = 'open'

export function Refunds() {
  const { one, refunds } = useWords()
  const { accountId, base } = usePlace()
  const filters = useSearch({ from: '/a/$accountId/refunds' })
  const navigate = useNavigate({ from: '/a/$accountId/refunds' })
  const pages = usePages(base, 'GET /refunds', filters)
  const change = (next: RefundFilters): void =>
    void navigate({ to: '.', search: next, replace: true })
  const isOpen = filters.status === OPEN
  const empty = Object.keys(filters).length === 0 ? refunds.empty : refunds.noMatch
  return (
    <>
      <PageTitle title={refunds.title} back={{ to: `/a/${accountId}/payments`, name: one.back }} />
      <p className="soft lead">{refunds.lead}</p>
      <RefundFilterBar filters={filters} change={change} />
      <PagedRows
        label={refunds.title}
        pages={pages}
        columns={useColumns(accountId)}
        keyOf={({ reference }) => reference}
        opens
        empty={
          <Empty
            icon={empty === refunds.empty ? <PaymentsIcon size={40} /> : <SearchIcon size={40} />}
            title={isOpen ? refunds.noneOpen : empty}
            help={empty === refunds.empty ? refunds.emptyHelp : undefined}
          />
        }
      />
    </>
  )
}

function RefundFilterBar({
  filters,
  change,
}: {
  filters: RefundFilters
  change(next: RefundFilters): void
}) {
  const { common, list, refunds } = useWords()
  const isOpen = filters.status === OPEN
  const set = (name: keyof RefundFilters, value: string): void =>
    change(
      Object.fromEntries(
        Object.entries({ ...filters, [name]: value }).filter(([, each]) => each !== ''),
      ),
    )
  const field = (name: keyof RefundFilters) =>
    bound(filters[name] ?? '', (value) => set(name, value))
  return (
    <div className="filters">
      <div className="presets">
        <Button
          size="compact-md"
          radius="xl"
          variant={isOpen ? 'light' : 'default'}
          aria-pressed={isOpen}
          onClick={() => set('status', isOpen ? '' : OPEN)}
        >
          {refunds.open}
        </Button>
      </div>
      <div className="filter-fields">
        <NativeSelect
          label={common.state}
          data={[
            { value: '', label: common.all },
            { value: OPEN, label: refunds.open },
            ...choicesOf(refunds.states, REFUND_STATUSES),
          ]}
          {...field('status')}
        />
        <TextInput label={common.from} type="date" {...field('from')} />
        <TextInput label={common.to} type="date" {...field('to')} />
        {Object.keys(filters).length > 0 && (
          <Button variant="subtle" className="clear" onClick={() => change({})}>
            {list.clear}
          </Button>
        )}
      </div>
    </div>
  )
}

const TONES: Readonly<Record<RefundRow['status'], Tone>> = {
  waiting_for_approval: 'wait',
  pending: 'wait',
  by_hand: 'wait',
  succeeded: 'good',
  failed: 'bad',
}

function RefundState({ refund: { status, failureReason } }: { refund: RefundRow }) {
  const { failures, refunds } = useWords()
  const isRejected = failureReason === 'approval_rejected'
  const why = failureReason === null || isRejected ? '' : (failures[failureReason] ?? failureReason)
  return (
    <TwoLines sub={why !== '' && why}>
      <State tone={TONES[status]}>{isRejected ? refunds.rejected : refunds.states[status]}</State>
    </TwoLines>
  )
}

function useColumns(accountId: string): Column<RefundRow>[] {
  const { common, refunds } = useWords()
  return [
    {
      heading: refunds.payment,
      cell: (row) => (
        <>
          <Link
            className="opener"
            to="/a/$accountId/payments/$reference"
            params={{ accountId, reference: row.paymentReference }}
          >
            <span className="mono">{row.publicReference}</span>
          </Link>
          <span className="sub cut" title={row.transactionId}>
            {row.transactionId}
          </span>
          <span className="sub until-sm">
            <When at={row.createdAt} isShort />
          </span>
        </>
      ),
    },
    {
      heading: refunds.requested,
      from: 'sm',
      isTight: true,
      cell: ({ createdAt }) => <When at={createdAt} />,
    },
    { heading: common.state, from: 'sm', cell: (row) => <RefundState refund={row} /> },
    {
      heading: common.amount,
      at: 'end',
      isTight: true,
      cell: (row) => (
        <>
          <b>{formatAmount(row.amount)}</b>
          <span className="sub until-sm">
            <RefundState refund={row} />
          </span>
        </>
      ),
    },
  ]
}
