// The account's activity log, newest first: who, what, before, after and from where. For its owners.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ActivityRow, TeamBody } from '../../../../server/src/dashboard-api/shapes.ts'
import { usePages, useRead } from '../../api/account.ts'
import { usePlace } from '../../api/session.ts'
import { BookIcon } from '../../parts/icons.tsx'
import { Empty } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

const NO_FILTERS = { actor: '', action: '', since: '', until: '' }
type Filters = typeof NO_FILTERS

export function Activity() {
  const { account, activity, common } = useWords()
  const { base } = usePlace()
  const [filters, setFilters] = useState(NO_FILTERS)
  const pages = usePages<ActivityRow>(base, 'audit', filters)
  const whoOf = useWho()
  const isFiltered = Object.values(filters).some(Boolean)
  return (
    <>
      <p className="soft lead">{activity.lead}</p>
      <FilterFields filters={filters} change={setFilters} />
      <PagedRows
        label={account.tabs.activity}
        pages={pages}
        keyOf={({ number }) => number}
        columns={[
          {
            heading: activity.what,
            cell: ({ action, subject, at, ...row }) => (
              <>
                <b>{activity.actions[action] ?? action}</b>
                {subject !== null && <span className="sub breaks">{subject}</span>}
                <span className="sub until-sm">
                  {whoOf(row)}
                  {row.from !== null && ` · ${row.from}`} · <When at={at} />
                </span>
              </>
            ),
          },
          {
            heading: activity.change,
            isBelow: true,
            cell: ({ before, after }) => (
              <>
                {before !== null && <Facts name={activity.before} facts={before} />}
                {after !== null && <Facts name={activity.after} facts={after} />}
              </>
            ),
          },
          {
            heading: activity.who,
            from: 'sm',
            cell: (row) => (
              <>
                {whoOf(row)}
                {row.from !== null && <span className="sub mono">{row.from}</span>}
              </>
            ),
          },
          { heading: common.date, from: 'sm', at: 'end', isTight: true, cell: ({ at }) => <When at={at} /> },
        ]}
        empty={<Empty icon={<BookIcon size={40} />} title={isFiltered ? activity.noMatch : activity.empty} />}
      />
    </>
  )
}

function useWho(): (row: Pick<ActivityRow, 'by'>) => string {
  const { activity } = useWords()
  return ({ by: { is, name } }) => {
    if (is === 'service') return name === '' ? activity.service : activity.ofService(name)
    return is === 'key' ? activity.key(name) : name
  }
}

function FilterFields({ filters, change }: { filters: Filters; change(filters: Filters): void }) {
  const { activity, common, developers, money } = useWords()
  const { base } = usePlace()
  const { data: team } = useRead<TeamBody>(base, 'team')
  const set = (name: keyof Filters) => ({
    value: filters[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      change({ ...filters, [name]: currentTarget.value }),
  })
  const people = team?.members.map(({ personId: value, name: label }) => ({ value, label })) ?? []
  const groups = Object.entries(activity.groups).map(([value, label]) => ({ value, label }))
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
          data={[{ value: '', label: developers.keys.everything }, ...groups]}
          {...set('action')}
        />
        <TextInput label={common.from} type="date" {...set('since')} />
        <TextInput label={common.to} type="date" {...set('until')} />
        {Object.values(filters).some(Boolean) && (
          <Button variant="subtle" className="clear" onClick={() => change(NO_FILTERS)}>
            {money.list.clear}
          </Button>
        )}
      </div>
    </div>
  )
}

/** What an entry of a log changed, in words. */
export function Facts({ name, facts }: { name: string; facts: Record<string, unknown> }) {
  const { activity, shell } = useWords()
  const named: Readonly<Record<string, string>> = {
    ...activity.statuses,
    ...shell.roles,
    sandbox: shell.sandbox,
    live: shell.live,
  }
  const text = (value: unknown): string => {
    if (value === null || value === '') return '–'
    if (Array.isArray(value))
      return value.length === 0 ? '–' : value.map(text).join(typeof value[0] === 'object' ? ' · ' : ', ')
    if (typeof value === 'object') return lines(value as Record<string, unknown>)
    return named[String(value)] ?? String(value)
  }
  const lines = (values: Record<string, unknown>): string =>
    Object.entries(values)
      .map(([fact, value]) => `${activity.facts[fact] ?? fact.replaceAll('_', ' ')} ${text(value)}`)
      .join(', ')
  return (
    <span className="sub breaks">
      <b>{name}</b> {lines(facts)}
    </span>
  )
}
