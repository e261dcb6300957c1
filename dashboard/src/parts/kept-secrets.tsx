// Secrets of the sandbox that a person has not said to have yet. Nothing in live: there a secret is
// shown once.
import { Button } from '@mantine/core'
import type { SecretRow } from '../../../server/src/dashboard-api/contract.ts'
import { SECRETS, useRead } from '../api/account.ts'
import { ask } from '../api/client.ts'
import { may, usePlace } from '../api/session.ts'
import { useWords } from '../words/language.tsx'
import { useMessages } from './messages.tsx'
import { Card } from './page.tsx'
import { CodeBlock } from './values.tsx'

/** Only those of keys, or of webhook endpoints; all without `of`. */
export function KeptSecrets({ of }: { of?: SecretRow['of'] }) {
  const { environment, role } = usePlace()
  if (environment !== 'sandbox' || !may(role, 'manageKeys')) return null
  return <Unacknowledged of={of} />
}

function Unacknowledged({ of }: { of: SecretRow['of'] | undefined }) {
  const { keys } = useWords()
  const { base } = usePlace()
  const { data } = useRead(base, 'GET /secrets')
  const acknowledge = useAcknowledge()
  const { act } = useMessages()
  const rows = data?.rows.filter((row) => of === undefined || row.of === of) ?? []
  if (rows.length === 0) return null
  return (
    <Card title={keys.kept}>
      <p className="soft lead">{keys.keptLead}</p>
      <div className="stack">
        {rows.map(({ subject, of: kind, name, secret }) => {
          const title = name === null ? keys.keptKinds[kind] : `${keys.keptKinds[kind]} : ${name}`
          return (
            <div key={subject} className="kept">
              <p className="small breaks">{title}</p>
              <CodeBlock text={secret} name={title} />
              <Button
                variant="light"
                onClick={() => void act(() => acknowledge(subject))}
                aria-label={`${keys.have}, ${title}`}
              >
                {keys.have}
              </Button>
            </div>
          )
        })}
      </div>
    </Card>
  )
}

/** Nobody can read the secret from now on. */
export function useAcknowledge(): (subject: string) => Promise<unknown> {
  const { base, change } = usePlace()
  return (subject) => change(ask(base, 'POST /secrets/:subject/have', { subject }), SECRETS)
}
