// The list of payments: newest first, one search box, filters, page by page, and an export as CSV.

import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { PaymentRow } from '../../../server/src/dashboard-api/shapes.ts'
import { SHOWN_OPERATORS } from '../../../server/src/domain/country.ts'
import { usePages } from '../api/account.ts'
import { getFile, query } from '../api/client.ts'
import { may, usePlace } from '../api/session.ts'
import * as format from '../format.ts'
import { SearchField } from '../parts/form.tsx'
import { DownloadIcon, FilterIcon, PaymentsIcon, SearchIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Empty, PageTitle } from '../parts/page.tsx'
import { type Column, PagedRows } from '../parts/rows.tsx'
import { PaymentState, When } from '../parts/values.tsx'
import { useSpoken, useWords } from '../words/language.tsx'

export function Payments() {
  const { words, language } = useSpoken()
  const { list } = words.money
  const { accountId, base, role } = usePlace()
  const filters = useSearch({ from: '/a/$accountId/payments' })
  const navigate = useNavigate({ from: '/a/$accountId/payments' })
  const pages = usePages<PaymentRow>(base, 'payments', asked(filters))
  const isFiltered = Object.keys(filters).length > 0
  const change = (next: PaymentFilters): void => void navigate({ to: '.', search: next, replace: true })
  return (
    <>
      <PageTitle title={words.shell.payments}>
        <ExportButton path={`${base}/payments.csv${query({ ...asked(filters), language })}`} />
      </PageTitle>
      <PaymentFilterBar filters={filters} change={change} />
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
                  {words.money.home.makeLink}
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
const asked = ({ from, to, ...rest }: PaymentFilters): Record<string, string | number | undefined> => ({
  ...rest,
  from: from === undefined ? undefined : format.startOf(from),
  to: to === undefined ? undefined : format.endOf(to),
})

function useColumns(accountId: string): Column<PaymentRow>[] {
  const { common, money } = useWords()
  const { list } = money
  return [
    {
      heading: list.payer,
      cell: ({ reference, payerName, msisdn, operatorName, createdAt }) => (
        <>
          <Link className="opener" to="/a/$accountId/payments/$reference" params={{ accountId, reference }}>
            {payerName ?? (msisdn === null ? list.unknownPayer : format.phone(msisdn))}
          </Link>
          <span className="sub parts">
            {payerName !== null && msisdn !== null && <span className="own-line">{format.phone(msisdn)}</span>}
            {operatorName !== null && <span>{operatorName}</span>}
            <span className="until-sm">
              <When at={createdAt} isShort />
            </span>
          </span>
        </>
      ),
    },
    {
      heading: list.reference,
      from: 'md',
      isTight: true,
      cell: ({ publicReference, transactionId }) => (
        <>
          <span className="mono">{publicReference}</span>
          {transactionId !== null && (
            <span className="sub cut" title={transactionId}>
              {transactionId}
            </span>
          )}
        </>
      ),
    },
    { heading: common.date, from: 'sm', isTight: true, cell: ({ createdAt }) => <When at={createdAt} /> },
    { heading: common.state, from: 'sm', cell: ({ status }) => <PaymentState status={status} /> },
    {
      heading: common.amount,
      at: 'end',
      isTight: true,
      cell: ({ amount, status }) => (
        <>
          <b>{format.amount(amount)}</b>
          <span className="sub until-sm">
            <PaymentState status={status} />
          </span>
        </>
      ),
    },
  ]
}

const KEPT_AS = 'payments.csv'

/** One export at a time; a message at the foot of the page says why the server refused one. */
function ExportButton({ path }: { path: string }) {
  const { list } = useWords().money
  const { complain } = useMessages()
  const exporting = useMutation({
    mutationFn: () => getFile(path),
    onSuccess: (file) => {
      const address = URL.createObjectURL(file)
      Object.assign(document.createElement('a'), { href: address, download: KEPT_AS }).click()
      setTimeout(() => URL.revokeObjectURL(address), 60_000)
    },
    onError: complain,
  })
  return (
    <Button
      variant="default"
      leftSection={<DownloadIcon size={18} />}
      loading={exporting.isPending}
      onClick={() => exporting.mutate()}
    >
      {list.csv}
    </Button>
  )
}

/** The filters of the list of payments, in its address: a list can be bookmarked and sent to a colleague. */
export interface PaymentFilters {
  search?: string
  status?: string
  operator?: string
  from?: string
  to?: string
  minimum?: string
  maximum?: string
}

const STATES: readonly PaymentRow['status'][] = ['succeeded', 'pending', 'failed', 'refunded', 'initiated']
const TYPING_MS = 250

interface BarProps {
  filters: PaymentFilters
  change(filters: PaymentFilters): void
}

function PaymentFilterBar({ filters, change }: BarProps) {
  const { common, money, account } = useWords()
  const { list } = money
  const { countries } = account.business
  const { search, ...others } = filters
  const chosen = Object.keys(others).length
  const [isOpen, setOpen] = useState(chosen > 0)
  const [text, setText] = useState(search ?? '')
  const set = (name: keyof PaymentFilters, value: string): void => change(without({ ...filters, [name]: value }))
  const setSoon = useDebouncedCallback(set, TYPING_MS)
  const operators = Object.entries(SHOWN_OPERATORS).map(([value, { name }]) => ({
    value,
    label: `${name} (${countries[value.slice(-2).toUpperCase()] ?? value})`,
  }))
  return (
    <div className="filters">
      <div className="filter-row">
        <SearchField
          value={text}
          placeholder={list.search}
          aria-label={list.searchHelp}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setSoon('search', currentTarget.value.trim())
          }}
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
          {chosen > 0 && ` (${chosen})`}
        </Button>
      </div>
      {isOpen && (
        <div className="filter-fields">
          <NativeSelect
            label={common.state}
            value={filters.status ?? ''}
            onChange={({ currentTarget }) => set('status', currentTarget.value)}
            data={[{ value: '', label: common.all }, ...STATES.map((value) => ({ value, label: money.status[value] }))]}
          />
          <NativeSelect
            label={common.operator}
            value={filters.operator ?? ''}
            onChange={({ currentTarget }) => set('operator', currentTarget.value)}
            data={[{ value: '', label: common.all }, ...operators]}
          />
          <TextInput
            label={common.from}
            type="date"
            value={filters.from ?? ''}
            onChange={({ currentTarget }) => set('from', currentTarget.value)}
          />
          <TextInput
            label={common.to}
            type="date"
            value={filters.to ?? ''}
            onChange={({ currentTarget }) => set('to', currentTarget.value)}
          />
          <AmountField name="minimum" label={list.minimum} filters={filters} set={setSoon} />
          <AmountField name="maximum" label={list.maximum} filters={filters} set={setSoon} />
          {chosen > 0 && (
            <Button variant="subtle" className="clear" onClick={() => change(search === undefined ? {} : { search })}>
              {list.clear}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function AmountField({ name, label, filters, set }: AmountFieldProps) {
  const [text, setText] = useState(filters[name] ?? '')
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      rightSection={<span className="soft unit">F</span>}
      value={text}
      onChange={({ currentTarget }) => {
        const digits = currentTarget.value.replace(/\D/g, '')
        setText(digits)
        set(name, digits)
      }}
    />
  )
}

interface AmountFieldProps {
  name: 'minimum' | 'maximum'
  label: string
  filters: PaymentFilters
  set(name: keyof PaymentFilters, value: string): void
}

const without = (filters: PaymentFilters): PaymentFilters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
