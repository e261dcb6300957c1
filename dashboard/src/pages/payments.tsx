// The list of payments: newest first, one search box, filters, page by page, and an export as CSV.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import {
  OPERATORS,
  type PaymentRow,
  type PaymentSumBody,
} from '../../../server/src/dashboard-api/contract.ts'
import { usePages, useRead } from '../api/account.ts'
import { fileAt, saveFile } from '../api/client.ts'
import { may, usePlace } from '../api/session.ts'
import {
  dayName,
  endOf,
  formatAmount,
  formatChange,
  formatCount,
  formatPhone,
  startOf,
} from '../format.ts'
import { ActButton, bound, choicesOf, SearchField } from '../parts/form.tsx'
import { DownloadIcon, FilterIcon, PaymentsIcon, SearchIcon } from '../parts/icons.tsx'
import { Empty, PageTitle } from '../parts/page.tsx'
import { type Column, PagedRows, TwoLines } from '../parts/rows.tsx'
import { PaymentState, useOperatorName, When } from '../parts/values.tsx'
import { momentsBefore, type Period, PRESETS, periodOf } from '../periods.ts'
import { useLanguage, useWords } from '../words/language.tsx'

export function Payments() {
  const { words, language } = useLanguage()
  const { list } = words
  const { accountId, base, role } = usePlace()
  const filters = useSearch({ from: '/a/$accountId/payments' })
  const navigate = useNavigate({ from: '/a/$accountId/payments' })
  const pages = usePages(base, 'GET /payments', asked(filters))
  const sum = pages.data?.pages[0]?.sum ?? null
  const isFiltered = Object.keys(filters).length > 0
  const change = (next: PaymentFilters): void =>
    void navigate({ to: '.', search: next, replace: true })
  return (
    <>
      <PageTitle title={words.shell.payments}>
        <Button
          component="a"
          href={`/dashboard/counter/${accountId}?lang=${language}`}
          variant="light"
        >
          {words.receipts.counter}
        </Button>
        <Button component={Link} to={`/a/${accountId}/refunds`} variant="light">
          {words.refunds.title}
        </Button>
        {may(role, 'seeTurnover') && (
          <ExportButton url={fileAt(base, 'GET /payments.csv', { ...asked(filters), language })} />
        )}
      </PageTitle>
      <PaymentFilterBar filters={filters} change={change} />
      {isFiltered && sum !== null && <FilteredSum filters={filters} sum={sum} />}
      <PagedRows
        label={words.shell.payments}
        pages={pages}
        columns={useColumns(accountId)}
        keyOf={({ reference }) => reference}
        opens
        empty={
          isFiltered ? (
            <Empty icon={<SearchIcon size={40} />} title={list.noMatch} help={list.noMatchHelp}>
              <Button variant="light" onClick={() => change({})}>
                {list.clear}
              </Button>
            </Empty>
          ) : (
            <Empty icon={<PaymentsIcon size={40} />} title={list.empty} help={list.emptyHelp}>
              {may(role, 'makeLinks') && (
                <Button component={Link} to={`/a/${accountId}/links`}>
                  {words.home.makeLink}
                </Button>
              )}
            </Empty>
          )
        }
      />
    </>
  )
}

/** As the server takes them: days become moments. */
const asked = ({
  from,
  to,
  ...rest
}: PaymentFilters): Record<string, string | number | undefined> => ({
  ...rest,
  from: from === undefined ? undefined : startOf(from),
  to: to === undefined ? undefined : endOf(to),
})

/** For the customer and for the merchant. */
export const References = ({
  publicReference,
  transactionId,
}: Pick<PaymentRow, 'publicReference' | 'transactionId'>) => (
  <>
    <span className="mono">{publicReference}</span>
    {transactionId !== null && (
      <span className="sub cut" title={transactionId}>
        {transactionId}
      </span>
    )}
  </>
)

/** A narrow line ends between two groups of digits. */
const breakable = (phone: string): string => phone.replaceAll('\u00a0', ' ')

function useColumns(accountId: string): Column<PaymentRow>[] {
  const { common, failures, list } = useWords()
  const operatorName = useOperatorName()
  return [
    {
      heading: list.payer,
      cell: ({ reference, payerName, msisdn, operator, createdAt, failureReason }) => (
        <>
          <Link
            className="opener"
            to="/a/$accountId/payments/$reference"
            params={{ accountId, reference }}
          >
            {payerName ?? (msisdn === null ? list.unknownPayer : breakable(formatPhone(msisdn)))}
          </Link>
          <span className="sub parts">
            {payerName !== null && msisdn !== null && (
              <span className="own-line">{formatPhone(msisdn)}</span>
            )}
            {operator !== null && <span>{operatorName(operator)}</span>}
            <span className="until-sm">
              <When at={createdAt} isShort />
            </span>
          </span>
          {failureReason !== null && (
            <span className="sub until-sm">{failures[failureReason] ?? failureReason}</span>
          )}
        </>
      ),
    },
    {
      heading: list.reference,
      from: 'md',
      isTight: true,
      cell: (row) => <References {...row} />,
    },
    {
      heading: common.date,
      from: 'sm',
      isTight: true,
      cell: ({ createdAt }) => <When at={createdAt} />,
    },
    {
      heading: common.state,
      from: 'sm',
      cell: ({ status, failureReason, refundedAmount }) => (
        <TwoLines sub={failureReason !== null && (failures[failureReason] ?? failureReason)}>
          <PaymentState status={status} refundedAmount={refundedAmount} />
        </TwoLines>
      ),
    },
    {
      heading: common.amount,
      at: 'end',
      isTight: true,
      cell: ({ amount, status, fee, refundedAmount }) => (
        <>
          <b>{formatAmount(amount)}</b>
          {fee !== null && status !== 'refunded' && (
            <span className="sub from-sm">{list.net(formatAmount(fee.net), fee.basis)}</span>
          )}
          {status === 'succeeded' && refundedAmount > 0 && (
            <span className="sub">{list.refunded(formatAmount(refundedAmount))}</span>
          )}
          <span className="sub until-sm">
            <PaymentState status={status} refundedAmount={refundedAmount} />
          </span>
        </>
      ),
    },
  ]
}

/**
 * How many payments the filters find, and what they add up to; with dates, also in the period
 * before.
 */
function FilteredSum({ filters, sum }: { filters: PaymentFilters; sum: PaymentSumBody }) {
  const { list } = useWords()
  const now = Math.floor(Date.now() / 60_000) * 60_000
  const { from, to = dayName(now) } = filters
  const period = from === undefined || from > to ? undefined : { from, to }
  return (
    <p className="sums parts" role="status">
      <span>
        <b>{list.count(sum.count, formatCount(sum.count), sum.isMore)}</b>
      </span>
      <span>{list.total(formatAmount(sum.amount), sum.isMore)}</span>
      {filters.status === undefined && (
        <span>{list.collected(formatAmount(sum.collected), sum.isMore)}</span>
      )}
      {period !== undefined && <SumBefore filters={filters} period={period} sum={sum} now={now} />}
    </p>
  )
}

type SumBeforeProps = {
  filters: PaymentFilters
  period: Period
  sum: PaymentSumBody
  now: number
}

function SumBefore({ filters, period, sum, now }: SumBeforeProps) {
  const { base } = usePlace()
  const { list } = useWords()
  const { data } = useRead(base, 'GET /payments', {
    ...asked(filters),
    ...momentsBefore(period, now),
    limit: 1,
  })
  const before = data?.sum ?? null
  if (before === null) return null
  const isExact = !sum.isMore && !before.isMore && before.amount > 0
  const change = isExact ? ` (${formatChange(sum.amount / before.amount - 1)})` : ''
  return (
    <span className="soft">
      {list.before(
        list.count(before.count, formatCount(before.count), before.isMore),
        list.total(formatAmount(before.amount), before.isMore) + change,
      )}
    </span>
  )
}

const NEW_LINE = 10

/** Shows how many rows have arrived; the server allows one export at a time for each person. */
function ExportButton({ url }: { url: string }) {
  const { list } = useWords()
  const [rows, setRows] = useState<number>()
  async function save(): Promise<void> {
    let lines = 0
    setRows(0)
    try {
      await saveFile(url, (part) => {
        for (const byte of part) if (byte === NEW_LINE) lines++
        // The first line is that of the headings.
        setRows(Math.max(0, lines - 1))
      })
    } finally {
      setRows(undefined)
    }
  }
  return (
    <>
      {rows !== undefined && (
        <span className="soft" role="status">
          {list.exported(formatCount(rows))}
        </span>
      )}
      <ActButton variant="default" leftSection={<DownloadIcon size={18} />} action={save}>
        {list.csv}
      </ActButton>
    </>
  )
}

/**
 * The filters of the list of payments, in its address: a list can be bookmarked and sent to a
 * colleague.
 */
export type PaymentFilters = Partial<
  Record<'search' | 'status' | 'operator' | 'from' | 'to' | AmountName, string>
>
type AmountName = 'minimum' | 'maximum'

const STATES: readonly PaymentRow['status'][] = [
  'succeeded',
  'pending',
  'failed',
  'refunded',
  'initiated',
]
const TYPING_MS = 250

interface FilterProps {
  filters: PaymentFilters
  change(filters: PaymentFilters): void
}

/** One filter set; an empty value takes it away. */
const withFilter = (
  filters: PaymentFilters,
  name: keyof PaymentFilters,
  value: string,
): PaymentFilters =>
  Object.fromEntries(
    Object.entries({ ...filters, [name]: value }).filter(([, each]) => each !== ''),
  )

/** The search box and the periods are always there; the other fields when a person opens them. */
function PaymentFilterBar({ filters, change }: FilterProps) {
  const { list } = useWords()
  const { search, ...others } = filters
  const chosen = Object.keys(others).length
  const [isOpen, setOpen] = useState(chosen > 0)
  const [text, setText] = useState(search ?? '')
  const set = (name: keyof PaymentFilters, value: string): void =>
    change(withFilter(filters, name, value))
  const setSoon = useDebouncedCallback(set, TYPING_MS)
  return (
    <div className="filters">
      <div className="filter-row">
        <SearchField
          placeholder={list.search}
          aria-label={list.searchHelp}
          {...bound(text, (typed) => {
            setText(typed)
            setSoon('search', typed.trim())
          })}
        />
        <Button
          variant={chosen > 0 ? 'light' : 'default'}
          size="md"
          radius="xl"
          className="filter-button"
          leftSection={<FilterIcon size={18} />}
          aria-expanded={isOpen}
          aria-label={list.filters}
          onClick={() => setOpen(!isOpen)}
        >
          <span className="wide-word">{list.filters}</span>
          {chosen > 0 && `\u00a0(${chosen})`}
        </Button>
      </div>
      <Presets filters={filters} change={change} />
      {isOpen && (
        <div className="filter-fields">
          <FilterFields filters={filters} set={set} setSoon={setSoon} />
          {chosen > 0 && (
            <Button
              variant="subtle"
              className="clear"
              onClick={() => change(search === undefined ? {} : { search })}
            >
              {list.clear}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** Periods to choose with one press; a second press takes the period away. */
function Presets({ filters, change }: FilterProps) {
  const { list } = useWords()
  return (
    <div className="presets">
      {PRESETS.map((preset) => {
        const period = periodOf(preset, Date.now())
        const isChosen = filters.from === period.from && filters.to === period.to
        const { from: _from, to: _to, ...rest } = filters
        return (
          <Button
            key={preset}
            size="compact-md"
            radius="xl"
            variant={isChosen ? 'light' : 'default'}
            aria-pressed={isChosen}
            onClick={() => change(isChosen ? rest : { ...filters, ...period })}
          >
            {list.presets[preset]}
          </Button>
        )
      })}
    </div>
  )
}

type SetFilter = (name: keyof PaymentFilters, value: string) => void

interface FilterFieldsProps {
  filters: PaymentFilters
  set: SetFilter
  /** Once a person stops typing. */
  setSoon: SetFilter
}

function FilterFields({ filters, set, setSoon }: FilterFieldsProps) {
  const { account, common, list, status } = useWords()
  const { countries } = account.business
  const field = (name: keyof PaymentFilters) =>
    bound(filters[name] ?? '', (value) => set(name, value))
  const operators = OPERATORS.map(({ operator, country, name }) => ({
    value: operator,
    label: `${name} (${countries[country]})`,
  }))
  return (
    <>
      <NativeSelect
        label={common.state}
        data={[{ value: '', label: common.all }, ...choicesOf(status, STATES)]}
        {...field('status')}
      />
      <NativeSelect
        label={common.operator}
        data={[{ value: '', label: common.all }, ...operators]}
        {...field('operator')}
      />
      <TextInput label={common.from} type="date" {...field('from')} />
      <TextInput label={common.to} type="date" {...field('to')} />
      <AmountField
        label={list.minimum}
        first={filters.minimum}
        set={(digits) => setSoon('minimum', digits)}
      />
      <AmountField
        label={list.maximum}
        first={filters.maximum}
        set={(digits) => setSoon('maximum', digits)}
      />
    </>
  )
}

type AmountFieldProps = { label: string; first: string | undefined; set(digits: string): void }

function AmountField({ label, first = '', set }: AmountFieldProps) {
  const [text, setText] = useState(first)
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      rightSection={<span className="soft unit">F</span>}
      {...bound(text, (typed) => {
        const digits = typed.replace(/\D/g, '')
        setText(digits)
        set(digits)
      })}
    />
  )
}
