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

const TYPING_MS = 250
const FILTERS = ['actor', 'action', 'subject'] as const

export function Audit() {
  const { audit } = useWords().console
  const [typed, setTyped] = useState({ actor: '', action: '', subject: '' })
  const [filters] = useDebouncedValue(typed, TYPING_MS)
  const pages = usePages<AuditRow>('console', 'audit', filters)
  return (
    <>
      <PageTitle title={audit.title} />
      <p className="soft lead">{audit.lead}</p>
      <div className="filters">
        <div className="filter-fields">
          {FILTERS.map((name) => (
            <TextInput
              key={name}
              label={audit[name]}
              value={typed[name]}
              onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value.trim() })}
            />
          ))}
        </div>
      </div>
      <PagedRows
        label={audit.title}
        pages={pages}
        keyOf={({ number }) => number}
        columns={[
          {
            heading: audit.action,
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
            heading: audit.change,
            from: 'md',
            cell: ({ before, after }) => (
              <>
                {before !== null && <Values name={audit.before} values={before} />}
                {after !== null && <Values name={audit.after} values={after} />}
              </>
            ),
          },
          {
            heading: audit.actor,
            from: 'sm',
            cell: ({ actor, from }) => (
              <>
                {actor}
                {from !== null && <span className="sub mono">{from}</span>}
              </>
            ),
          },
          { heading: audit.when, from: 'sm', at: 'end', isTight: true, cell: ({ at }) => <When at={at} /> },
        ]}
        empty={<Empty icon={<BookIcon size={40} />} title={audit.empty} />}
      />
    </>
  )
}

const Values = ({ name, values }: { name: string; values: Record<string, unknown> }) => (
  <span className="sub">
    {name} :{' '}
    {Object.entries(values)
      .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
      .join(', ')}
  </span>
)
