// The account's activity log, newest first: who, what, before, after and from where. For its
// owners.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import {
  type ActivityRow,
  type AuditRow,
  lookUp,
} from '../../../../server/src/dashboard-api/contract.ts'
import { usePages, useRead } from '../../api/account.ts'
import { usePlace } from '../../api/session.ts'
import { dotted } from '../../format.ts'
import { isShownFact, quantityText } from '../../parts/facts.ts'
import { bound, choicesOf } from '../../parts/form.tsx'
import { BookIcon } from '../../parts/icons.tsx'
import { Empty } from '../../parts/page.tsx'
import { type Column, PagedRows, type Pages, TwoLines } from '../../parts/rows.tsx'
import { useConnectionName, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

const SETTLEMENT = /^(.+)-(\d+)$/
const NO_FILTERS = { actor: '', action: '', since: '', until: '' }
type Filters = typeof NO_FILTERS

export function Activity() {
  const { account, activity } = useWords()
  const { base } = usePlace()
  const [filters, setFilters] = useState(NO_FILTERS)
  const connectionName = useConnectionName()
  const pages = usePages(base, 'GET /audit', filters)
  const isFiltered = Object.values(filters).some(Boolean)
  /** A settlement is named by its connection and its line. */
  const subjectText = (action: string, subject: string): string => {
    const [, connection, line] = (action === 'settlement.confirm' && SETTLEMENT.exec(subject)) || []
    return connection === undefined ? subject : dotted(connectionName(connection), line)
  }
  const whoOf = ({ by: { is, name } }: ActivityRow): string => {
    if (is === 'service') return name === '' ? activity.service : activity.ofService(name)
    return is === 'key' ? activity.key(name) : name
  }
  return (
    <>
      <p className="soft lead">{activity.lead}</p>
      <FilterFields filters={filters} change={setFilters} />
      <LogRows
        label={account.tabs.activity}
        pages={pages}
        what={({ action, subject }) => (
          <>
            <b>{activity.actions[action] ?? action}</b>
            {subject !== null && <span className="sub breaks">{subjectText(action, subject)}</span>}
          </>
        )}
        who={whoOf}
        shortWho={(row) => dotted(whoOf(row), row.from)}
        changeAt={{ isBelow: true }}
        empty={isFiltered ? activity.noMatch : activity.empty}
      />
    </>
  )
}

interface LogRowsProps<Row> {
  label: string
  pages: Pages<Row>
  what(row: Row): ReactNode
  who(row: Row): string
  shortWho(row: Row): string
  changeAt: Pick<Column<Row>, 'isBelow' | 'from'>
  empty: string
}

export function LogRows<Row extends ActivityRow | AuditRow>(props: LogRowsProps<Row>) {
  const { label, pages, what, who, shortWho, changeAt, empty } = props
  const { activity, common } = useWords()
  const columns: Column<Row>[] = [
    {
      heading: activity.what,
      cell: (row) => (
        <>
          {what(row)}
          <span className="sub until-sm">
            {shortWho(row)} ·&nbsp;
            <When at={row.at} />
          </span>
        </>
      ),
    },
    {
      heading: activity.change,
      ...changeAt,
      cell: ({ before, after }) => (
        <>
          {before !== null && <Facts name={activity.before} facts={before} />}
          {after !== null && (
            <Facts name={before === null ? undefined : activity.after} facts={after} />
          )}
        </>
      ),
    },
    {
      heading: activity.who,
      from: 'sm',
      cell: (row) => (
        <TwoLines sub={row.from} is="mono">
          {who(row)}
        </TwoLines>
      ),
    },
    {
      heading: common.date,
      from: 'sm',
      at: 'end',
      isTight: true,
      cell: ({ at }) => <When at={at} />,
    },
  ]
  const none = <Empty icon={<BookIcon size={40} />} title={empty} />
  return (
    <PagedRows
      label={label}
      pages={pages}
      keyOf={({ number }) => number}
      columns={columns}
      empty={none}
    />
  )
}

function FilterFields({ filters, change }: { filters: Filters; change(filters: Filters): void }) {
  const { activity, common, keys, list } = useWords()
  const { base } = usePlace()
  const { data: team } = useRead(base, 'GET /team')
  const set = (name: keyof Filters) =>
    bound(filters[name], (value) => change({ ...filters, [name]: value }))
  const people = team?.members.map(({ personId: value, name: label }) => ({ value, label })) ?? []
  return (
    <div className="filters">
      <div className="filter-fields">
        <NativeSelect
          label={activity.who}
          data={[{ value: '', label: activity.everybody }, ...people]}
          {...set('actor')}
        />
        <NativeSelect
          label={activity.what}
          data={[{ value: '', label: keys.everything }, ...choicesOf(activity.groups)]}
          {...set('action')}
        />
        <TextInput label={common.from} type="date" {...set('since')} />
        <TextInput label={common.to} type="date" {...set('until')} />
        {Object.values(filters).some(Boolean) && (
          <Button variant="subtle" className="clear" onClick={() => change(NO_FILTERS)}>
            {list.clear}
          </Button>
        )}
      </div>
    </div>
  )
}

function Facts({ name, facts }: { name: string | undefined; facts: Record<string, unknown> }) {
  const { account, activity, books, emails, keys, phone, shell, status, tasks, team } = useWords()
  const connectionName = useConnectionName()
  const named: Readonly<Record<string, string>> = {
    ...activity.statuses,
    ...status,
    ...shell.roles,
    ...keys.permission,
    ...keys.kinds,
    ...emails.kinds,
    ...account.business.countries,
    fr: shell.french,
    en: shell.english,
    sandbox: shell.sandbox,
    live: shell.live,
    true: team.yes,
    false: team.no,
    ...tasks.kinds,
    ...books.differences.types,
    ...books.files.dateOrders,
    ...activity.roundings,
    ...activity.closingReasons,
    ...activity.signedInBy,
    approve: phone.approve,
    decline: phone.decline,
    no_credit: phone.noCredit,
    ignore: phone.ignore,
  }
  const text = (value: unknown): string => {
    if (value === null || value === '') return '–'
    if (Array.isArray(value))
      return value.length === 0
        ? '–'
        : value.map(text).join(typeof value[0] === 'object' ? ' · ' : ', ')
    if (typeof value === 'object') return lines(value as Record<string, unknown>)
    return lookUp(named, String(value)) ?? connectionName(String(value))
  }
  const factText = (fact: string, value: unknown): string =>
    fact === 'keep_old_ms' && typeof value === 'number'
      ? activity.hours(value / 3_600_000)
      : (quantityText(fact, value) ?? text(value))
  const lines = (values: Record<string, unknown>): string =>
    Object.entries(values)
      .filter(([fact, value]) => isShownFact(fact, value))
      .map(
        ([fact, value]) =>
          `${activity.facts[fact] ?? fact.replaceAll('_', ' ')} ${factText(fact, value)}`,
      )
      .join(', ')
  const shown = lines(facts)
  return (
    shown !== '' && (
      <span className="sub breaks">
        {name !== undefined && <b>{name} </b>}
        {shown}
      </span>
    )
  )
}
