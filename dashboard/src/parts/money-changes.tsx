// Changes of where live money goes: the proof that each asks for again, and those that wait for a
// second owner.
import { Group } from '@mantine/core'
import { useState } from 'react'
import type { MoneyChangeRow } from '../../../server/src/dashboard-api/contract.ts'
import { useChange, useRead } from '../api/account.ts'
import { ask } from '../api/client.ts'
import { may, usePlace, useSession } from '../api/session.ts'
import { formatDayAndTime } from '../format.ts'
import { useWords } from '../words/language.tsx'
import {
  CodeField,
  Confirm,
  codeOf,
  type Fields,
  FormDialog,
  PasswordField,
  RowButton,
  Send,
} from './form.tsx'
import { Card } from './page.tsx'
import { useConnectionName } from './values.tsx'

/** The password, or a code of a person with TOTP. */
export function ProofField() {
  const { people, moneyChanges } = useWords()
  const { totp } = useSession().person
  return totp ? (
    <CodeField label={people.code} description={moneyChanges.proofHelp} />
  ) : (
    <PasswordField
      name="password"
      label={people.password}
      help={moneyChanges.proofHelp}
      kind="current-password"
    />
  )
}

export type Proof = { password?: string; code?: string }

export const proofOf = (fields: Fields): Proof => ({
  ...(fields.password !== undefined && { password: fields.password }),
  ...(fields.code !== undefined && { code: codeOf(fields) }),
})

/**
 * The changes are the live account's. Some are asked for on pages of the sandbox too: the PI-SPI
 * alias.
 */
export function useLiveMoney() {
  const { base: here, merchant } = usePlace()
  const live = merchant.accounts.find(({ environment }) => environment === 'live')
  const base = live === undefined ? here : (`accounts/${live.accountId}` as const)
  const change = useChange(base)
  return { base, changeMoney: <Answer,>(sent: Promise<Answer>) => change(sent, 'money-changes') }
}

/** Nothing for other roles, and while nothing waits. */
export const MoneyChanges = ({ className }: { className?: string }) =>
  may(usePlace().role, 'manageConnections') ? <Waiting className={className} /> : null

function Waiting({ className = '' }: { className: string | undefined }) {
  const { moneyChanges, shell } = useWords()
  const { change } = usePlace()
  const { base, changeMoney } = useLiveMoney()
  const { data } = useRead(base, 'GET /money-changes')
  const [asked, setAsked] = useState<{ verb: 'confirm' | 'reject'; row: MoneyChangeRow }>()
  const textOf = useChangeText()
  const rows = data?.rows ?? []
  if (rows.length === 0) return null
  const close = (): void => setAsked(undefined)
  const changeId = asked?.row.changeId ?? ''
  const send = (verb: 'confirm' | 'reject', proof: Proof) => {
    const sent = ask(base, `POST /money-changes/:changeId/${verb}`, { changeId, ...proof })
    return changeMoney(change(sent, 'connections', 'settings'))
  }
  const question =
    asked === undefined ? '' : moneyChanges.asked(asked.row.askedBy, textOf(asked.row))
  return (
    <Card title={moneyChanges.title} className={className}>
      <ul className="attention">
        {rows.map((row) => (
          <li key={row.changeId} className="wait">
            <span>
              {moneyChanges.asked(row.askedBy, textOf(row))}
              <span className="sub">
                {row.isOwn ? moneyChanges.ownWaits : moneyChanges.waits}{' '}
                {moneyChanges.until(formatDayAndTime(row.endsAt))}
              </span>
            </span>
            <Group gap="xs" wrap="nowrap">
              <RowButton
                name={row.isOwn ? moneyChanges.withdraw : moneyChanges.reject}
                label={`${row.isOwn ? moneyChanges.withdraw : moneyChanges.reject}, ${textOf(row)}`}
                onClick={() => setAsked({ verb: 'reject', row })}
              />
              {!row.isOwn && (
                <RowButton
                  name={shell.confirm}
                  label={`${shell.confirm}, ${textOf(row)}`}
                  isMain
                  onClick={() => setAsked({ verb: 'confirm', row })}
                />
              )}
            </Group>
          </li>
        ))}
      </ul>
      <FormDialog
        isOpen={asked?.verb === 'confirm'}
        close={close}
        title={moneyChanges.confirmTitle}
        done={moneyChanges.confirmed}
        onSend={(fields) => send('confirm', proofOf(fields))}
      >
        <p>{question}</p>
        <p className="soft">{moneyChanges.confirmLead}</p>
        <ProofField />
        <Send>{shell.confirm}</Send>
      </FormDialog>
      <Confirm
        isOpen={asked?.verb === 'reject'}
        close={close}
        title={asked?.row.isOwn ? moneyChanges.withdraw : moneyChanges.reject}
        lead={question}
        act={asked?.row.isOwn ? moneyChanges.withdraw : moneyChanges.reject}
        onAct={() => send('reject', {})}
        done={moneyChanges.rejected}
      />
    </Card>
  )
}

function useChangeText(): (row: MoneyChangeRow) => string {
  const { moneyChanges } = useWords()
  const nameOf = useConnectionName()
  return ({ detail }) => {
    if (detail.kind === 'pi_alias') return moneyChanges.alias(detail.alias, detail.earlier)
    if (detail.kind === 'credentials') return moneyChanges.credentials(detail.label)
    const { label, connector, serves } = detail
    return moneyChanges.connection(label, nameOf(connector), serves.map(nameOf).join(', '))
  }
}
