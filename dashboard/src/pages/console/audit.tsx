// The audit log, newest first, with filters.
import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { AuditRow } from '../../../../server/src/dashboard-api/contract.ts'
import { usePages } from '../../api/account.ts'
import { dotted } from '../../format.ts'
import { bound, choicesOf } from '../../parts/form.tsx'
import { PageTitle } from '../../parts/page.tsx'
import { useWords } from '../../words/language.tsx'
import { LogRows } from '../account/activity.tsx'

const TYPING_MS = 250
const FILTERS = ['actor', 'subject'] as const

/** A person or key by name, with the role if there was one. */
export function useActorName(): (by: AuditRow['by']) => string {
  const { activity, shell } = useWords()
  const roles: Readonly<Record<string, string>> = { ...activity.actors, ...shell.roles }
  return ({ as, name }) => (as === 'person' ? name : dotted(name, roles[as] ?? as))
}

export function Audit() {
  const { activity, shell, audit, keys } = useWords()
  const actorName = useActorName()
  const labels = { actor: activity.who, subject: audit.subject }
  const [typed, setTyped] = useState({ actor: '', action: '', subject: '' })
  const [filters] = useDebouncedValue(typed, TYPING_MS)
  const pages = usePages('console', 'GET /audit', filters)
  return (
    <>
      <PageTitle title={shell.console.audit} />
      <p className="soft lead">{audit.lead}</p>
      <div className="filters">
        <div className="filter-fields">
          <NativeSelect
            label={activity.what}
            data={[{ value: '', label: keys.everything }, ...choicesOf(activity.actions)]}
            {...bound(typed.action, (action) => setTyped({ ...typed, action }))}
          />
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
            <b>{activity.actions[action] ?? action}</b> <span className="soft">#{number}</span>
            <span className="sub breaks">{subject}</span>
          </>
        )}
        who={({ by }) => actorName(by)}
        shortWho={({ by }) => actorName(by)}
        changeAt={{ from: 'md' }}
        empty={audit.empty}
      />
    </>
  )
}
