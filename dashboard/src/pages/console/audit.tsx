// The audit log, newest first, with filters.
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { AuditRow } from '../../../../server/src/dashboard-api/shapes.ts'
import { usePages } from '../../api/account.ts'
import { bound } from '../../parts/form.tsx'
import { PageTitle } from '../../parts/page.tsx'
import { useWords } from '../../words/language.tsx'
import { LogRows } from '../account/activity.tsx'

const TYPING_MS = 250
const FILTERS = ['actor', 'action', 'subject'] as const

export function Audit() {
  const { activity, shell, audit } = useWords()
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
              {...bound(typed[name], (value) => setTyped({ ...typed, [name]: value.trim() }))}
            />
          ))}
        </div>
      </div>
      <LogRows
        label={shell.console.audit}
        pages={pages}
        what={({ number, action, subject }) => (
          <>
            <b>{action}</b> <span className="soft">#{number}</span>
            <span className="sub mono">{subject}</span>
          </>
        )}
        who={({ actor }) => actor}
        shortWho={({ actor }) => actor}
        changeAt={{ from: 'md' }}
        empty={audit.empty}
      />
    </>
  )
}
