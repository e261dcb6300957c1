// The audit log, newest first, with filters.
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { AuditRow } from '../../../../server/src/dashboard-api/shapes.ts'
import { usePages } from '../../api/account.ts'
import { BookIcon } from '../../parts/icons.tsx'
import { Empty, PageTitle } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'
import { Facts } from '../account/activity.tsx'

const TYPING_MS = 250
const FILTERS = ['actor', 'action', 'subject'] as const

export function Audit() {
  const { activity, common, console, shell } = useWords()
  const { audit } = console
  const labels = { actor: activity.who, action: activity.what, subject: audit.subject }
  const [typed, setTyped] = useState({ actor: '', action: '', subject: '' })
  const [filters] = useDebouncedValue(typed, TYPING_MS)
  const pages = usePages<AuditRow>('console', 'audit', filters)
  return (
    <>
      <PageTitle title={shell.console.audit} />
      <p className="soft lead">{audit.lead}</p>
      <div className="filters">
        <div className="filter-fields">
          {FILTERS.map((name) => (
            <TextInput
              key={name}
              label={labels[name]}
              value={typed[name]}
              onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value.trim() })}
            />
          ))}
        </div>
      </div>
      <PagedRows
        label={shell.console.audit}
        pages={pages}
        keyOf={({ number }) => number}
        columns={[
          {
            heading: activity.what,
            cell: ({ number, action, subject, actor, at }) => (
              <>
                <b>{action}</b> <span className="soft">#{number}</span>
                <span className="sub mono">{subject}</span>
                <span className="sub until-sm">
                  {actor} · <When at={at} />
                </span>
              </>
            ),
          },
          {
            heading: activity.change,
            from: 'md',
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
            cell: ({ actor, from }) => (
              <>
                {actor}
                {from !== null && <span className="sub mono">{from}</span>}
              </>
            ),
          },
          { heading: common.date, from: 'sm', at: 'end', isTight: true, cell: ({ at }) => <When at={at} /> },
        ]}
        empty={<Empty icon={<BookIcon size={40} />} title={audit.empty} />}
      />
    </>
  )
}
