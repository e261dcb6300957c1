// The search box and the filters of the list of payments. What is chosen is in the page's address.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import type { PaymentRow } from '../../../server/src/dashboard-api/shapes.ts'
import { SHOWN_OPERATORS } from '../../../server/src/domain/operator-names.ts'
import { FilterIcon, SearchIcon } from '../parts/icons.tsx'
import { useWords } from '../words/language.tsx'

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

export function PaymentFilterBar({ filters, change }: BarProps) {
  const { money, account } = useWords()
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
        <TextInput
          className="grow"
          type="search"
          size="md"
          radius="xl"
          value={text}
          leftSection={<SearchIcon size={18} />}
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
            label={list.state}
            value={filters.status ?? ''}
            onChange={({ currentTarget }) => set('status', currentTarget.value)}
            data={[
              { value: '', label: list.anyState },
              ...STATES.map((value) => ({ value, label: money.status[value] })),
            ]}
          />
          <NativeSelect
            label={list.operator}
            value={filters.operator ?? ''}
            onChange={({ currentTarget }) => set('operator', currentTarget.value)}
            data={[{ value: '', label: list.anyOperator }, ...operators]}
          />
          <TextInput
            label={list.from}
            type="date"
            value={filters.from ?? ''}
            onChange={({ currentTarget }) => set('from', currentTarget.value)}
          />
          <TextInput
            label={list.to}
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
