// A statement of one connection for a month or a day: its sums, how much the network confirms, its
// movements, its files.
import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  MovementRow,
  NamedConnection,
  StatementBody,
} from '../../../../server/src/dashboard-api/contract.ts'
import { usePages, useRead } from '../../api/account.ts'
import { fileAt, saveFile } from '../../api/client.ts'
import { usePlace } from '../../api/session.ts'
import {
  dayName,
  formatAmount,
  formatDay,
  formatMonth,
  formatPercent,
  formatSignedAmount,
  noonOf,
} from '../../format.ts'
import { Meter } from '../../parts/charts.tsx'
import { ActButton, bound } from '../../parts/form.tsx'
import { BookIcon, DownloadIcon } from '../../parts/icons.tsx'
import { Card, Empty, Read } from '../../parts/page.tsx'
import { type Column, PagedRows } from '../../parts/rows.tsx'
import { Detail, Details, State, useConnectionName, When } from '../../parts/values.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { type MoneyFilters, MovementName } from './where.tsx'

export function Statements() {
  const { books } = useWords()
  const { base } = usePlace()
  const reading = useRead(base, 'GET /money')
  return (
    <Read reading={reading}>
      {({ connections }) => {
        const [first] = connections
        if (first === undefined)
          return (
            <Card>
              <Empty
                icon={<BookIcon size={40} />}
                title={books.statement.none}
                help={books.statement.noneHelp}
              />
            </Card>
          )
        return <Chosen connections={connections} first={first.connection} />
      }}
    </Read>
  )
}

interface Period {
  connection: string
  /** Days, both inclusive. */
  from: string
  to: string
}

function Chosen({
  connections,
  first,
}: {
  connections: readonly NamedConnection[]
  first: string
}) {
  const search = useSearch({ strict: false }) as MoneyFilters
  const navigate = useNavigate()
  const { connection = first, day } = search
  const month = search.month ?? dayName(Date.now()).slice(0, 7)
  const change = (next: MoneyFilters): void =>
    void navigate({ to: '.', search: { connection, ...next }, replace: true })
  const period = { connection, ...(day === undefined ? daysOf(month) : { from: day, to: day }) }
  return (
    <>
      <PeriodFields connections={connections} chosen={{ connection, month, day }} change={change} />
      <Statement
        period={period}
        month={day === undefined ? month : undefined}
        hasOthers={connections.length > 1}
      />
    </>
  )
}

function daysOf(month: string): { from: string; to: string } {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return { from: `${month}-01`, to: new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10) }
}

const MOST_MONTHS = 24

/** The last months, this one first. */
function lastMonths(): string[] {
  const [year, number] = dayName(Date.now()).split('-').map(Number) as [number, number]
  return Array.from({ length: MOST_MONTHS }, (_, back) =>
    new Date(Date.UTC(year, number - 1 - back, 1)).toISOString().slice(0, 7),
  )
}

interface PeriodFieldsProps {
  connections: readonly NamedConnection[]
  chosen: { connection: string; month: string; day: string | undefined }
  change(next: MoneyFilters): void
}

function PeriodFields({
  connections,
  chosen: { connection, month, day },
  change,
}: PeriodFieldsProps) {
  const { statement, connection: name } = useWords().books
  const nameOf = useConnectionName()
  const today = dayName(Date.now())
  return (
    <div className="filters">
      <div className="filter-fields period">
        <NativeSelect
          label={name}
          data={connections.map((each) => ({ value: each.connection, label: nameOf(each) }))}
          {...bound(connection, (value) =>
            change({ connection: value, ...(day === undefined ? { month } : { day }) }),
          )}
        />
        <div>
          <span className="field-name" aria-hidden="true">
            {statement.by}
          </span>
          <SegmentedControl
            fullWidth
            aria-label={statement.by}
            value={day === undefined ? 'month' : 'day'}
            onChange={(by) => change(by === 'month' ? { month } : { day: today })}
            data={[
              { value: 'month', label: statement.month },
              { value: 'day', label: statement.day },
            ]}
          />
        </div>
        {day === undefined ? (
          <NativeSelect
            label={statement.month}
            data={lastMonths().map((value) => ({ value, label: formatMonth(value) }))}
            {...bound(month, (value) => change({ month: value }))}
          />
        ) : (
          <TextInput
            label={statement.day}
            type="date"
            max={today}
            {...bound(day, (value) => value !== '' && change({ day: value }))}
          />
        )}
      </div>
    </div>
  )
}

/** All connections and formats as one file, once the month is over. */
function WholeMonth({ month }: { month: string }) {
  const { language, words } = useLanguage()
  const { wholeMonth } = words.books.statement
  const { base } = usePlace()
  const isOver = month < dayName(Date.now()).slice(0, 7)
  return (
    <Card title={wholeMonth.title}>
      <p className="soft lead">{wholeMonth.lead}</p>
      {isOver ? (
        <div className="buttons">
          <ActButton
            leftSection={<DownloadIcon size={18} />}
            action={() => saveFile(fileAt(base, 'GET /statement/package', { month, language }))}
          >
            {wholeMonth.download(formatMonth(month))}
          </ActButton>
        </div>
      ) : (
        <p className="sub">{wholeMonth.notOver(formatMonth(month))}</p>
      )}
    </Card>
  )
}

interface StatementProps {
  period: Period
  /** Undefined when the period is a day. */
  month: string | undefined
  hasOthers: boolean
}

function Statement({ period, month, hasOthers }: StatementProps) {
  const { books } = useWords()
  const { base } = usePlace()
  const { from, to, connection } = period
  const reading = useRead(base, 'GET /statement/summary', { connection, from, to })
  const pages = usePages(base, 'GET /statement/movements', { connection, from, to })
  const columns = useColumns()
  return (
    <Read reading={reading} lines={10}>
      {(body) => (
        <div className="grid">
          <Card className="half">
            <Sums body={body} />
          </Card>
          <div className="half stack">
            <Card title={books.statement.confirmed}>
              <Confirmed body={body} />
            </Card>
            <Card title={books.statement.download}>
              <Downloads period={period} hasOthers={hasOthers} />
            </Card>
            {month !== undefined && <WholeMonth month={month} />}
          </div>
          <div>
            <h2 className="part-title">{books.statement.movements}</h2>
            <PagedRows
              label={books.statement.movements}
              pages={pages}
              columns={columns}
              keyOf={({ entry }) => entry}
              opens
              empty={
                <Empty
                  icon={<BookIcon size={40} />}
                  title={books.statement.empty}
                  help={books.statement.emptyHelp}
                />
              }
            />
          </div>
        </div>
      )}
    </Read>
  )
}

const ALWAYS = ['collected', 'refunded', 'fees', 'taxes', 'withheld', 'settled'] as const
const SOMETIMES = ['unexplained', 'other'] as const

function Sums({ body }: { body: StatementBody }) {
  const { statement } = useWords().books
  const shown = [...ALWAYS, ...SOMETIMES.filter((sum) => body[sum] !== 0)]
  return (
    <>
      {body.is_shared && <p className="sub">{statement.shared}</p>}
      <Details>
        <Detail name={statement.opening}>
          <b>{formatAmount(body.opening)}</b>
        </Detail>
        {shown.map((sum) => (
          <Detail key={sum} name={statement[sum]}>
            {formatSignedAmount(body[sum])}
          </Detail>
        ))}
        <Detail name={statement.closing}>
          <b>{formatAmount(body.closing)}</b>
        </Detail>
      </Details>
    </>
  )
}

function Confirmed({ body: { confirmed, collected, reconciliation } }: { body: StatementBody }) {
  const { statement } = useWords().books
  const { not_confirmed, on_other_days, of_other_days } = reconciliation
  if (collected === 0 && confirmed === 0)
    return <p className="soft">{statement.nothingCollected}</p>
  const known = collected - not_confirmed
  const share = collected === 0 ? 1 : Math.min(1, known / collected)
  return (
    <>
      <Meter
        name={statement.confirmedOf(formatAmount(known), formatAmount(collected))}
        value={formatPercent(share)}
        share={share}
        tone={share === 1 ? 'good' : undefined}
      />
      <p className="sub">{statement.confirmedHelp}</p>
      {confirmed !== collected && (
        <Details>
          <Detail name={statement.collected}>{formatAmount(collected)}</Detail>
          {not_confirmed !== 0 && (
            <Detail name={statement.reconciliation.notConfirmed}>
              {formatSignedAmount(-not_confirmed)}
            </Detail>
          )}
          {on_other_days !== 0 && (
            <Detail name={statement.reconciliation.onOtherDays}>
              {formatSignedAmount(-on_other_days)}
            </Detail>
          )}
          {of_other_days !== 0 && (
            <Detail name={statement.reconciliation.ofOtherDays}>
              {formatSignedAmount(of_other_days)}
            </Detail>
          )}
          <Detail name={statement.reconciliation.confirmed}>
            <b>{formatAmount(confirmed)}</b>
          </Detail>
        </Details>
      )}
    </>
  )
}

const FORMATS = ['pdf', 'csv', 'xlsx', 'camt053', 'syscohada', 'json'] as const

function Downloads({
  period: { connection, from, to },
  hasOthers,
}: {
  period: Period
  hasOthers: boolean
}) {
  const { language, words } = useLanguage()
  const { statement } = words.books
  const { base } = usePlace()
  const [isOfAll, setOfAll] = useState(false)
  const asked = isOfAll ? { from, to, language } : { connection, from, to, language }
  return (
    <div className="stack">
      {hasOthers && (
        <SegmentedControl
          fullWidth
          aria-label={statement.downloadOf}
          value={isOfAll ? 'all' : 'one'}
          onChange={(value) => setOfAll(value === 'all')}
          data={[
            { value: 'one', label: statement.ofOne },
            { value: 'all', label: statement.ofAll },
          ]}
        />
      )}
      <div className="buttons">
        {FORMATS.filter((each) => !isOfAll || each !== 'json').map((each) => (
          <ActButton
            key={each}
            variant="default"
            leftSection={<DownloadIcon size={18} />}
            action={() => saveFile(fileAt(base, 'GET /statement', { ...asked, format: each }))}
          >
            {statement.formats[each]}
          </ActButton>
        ))}
      </div>
    </div>
  )
}

function useColumns(): Column<MovementRow>[] {
  const { books, common } = useWords()
  const { statement } = books
  // A line that only confirms has no row here: one that has is not explained.
  const nameOf = (kind: string): string => books.unexplainedKinds[kind] ?? books.kinds[kind] ?? kind
  // What a network's statement brought is booked by the import, and counts on the day that the
  // network names.
  const when = ({ bookedAt, valueDay }: Pick<MovementRow, 'bookedAt' | 'valueDay'>) =>
    dayName(bookedAt) === valueDay ? <When at={bookedAt} /> : formatDay(noonOf(valueDay))
  const confirmation = (isConfirmed: boolean) => (
    <State tone={isConfirmed ? 'good' : 'wait'}>
      {isConfirmed ? statement.isConfirmed : statement.notConfirmed}
    </State>
  )
  return [
    {
      heading: books.movement,
      cell: ({ kind, explained, reference, publicReference, transactionId, ...dated }) => (
        <>
          <MovementName name={explained ?? nameOf(kind)} reference={reference} />
          {publicReference !== null && <span className="sub mono">{publicReference}</span>}
          {transactionId !== null && (
            <span className="sub cut from-sm" title={transactionId}>
              {transactionId}
            </span>
          )}
          <span className="sub until-sm">{when(dated)}</span>
        </>
      ),
    },
    { heading: common.date, from: 'sm', isTight: true, cell: when },
    {
      heading: statement.confirmed,
      from: 'md',
      cell: ({ isConfirmed }) => confirmation(isConfirmed),
    },
    {
      heading: common.amount,
      at: 'end',
      isTight: true,
      cell: ({ amount, balance, isConfirmed }) => (
        <>
          <b>{formatSignedAmount(amount)}</b>
          <span className="sub until-sm">
            <span className="hidden">{statement.balance}</span> {formatAmount(balance)}
          </span>
          <span className="sub until-sm">{confirmation(isConfirmed)}</span>
        </>
      ),
    },
    {
      heading: statement.balance,
      from: 'sm',
      at: 'end',
      isTight: true,
      cell: ({ balance }) => formatAmount(balance),
    },
  ]
}
