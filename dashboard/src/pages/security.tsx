// A person's own security: two-step sign-in with recovery codes, password, open sessions.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { PageOf, SessionRow } from '../../../server/src/dashboard-api/shapes.ts'
import { get, post } from '../api/client.ts'
import { Form, Send } from '../parts/form.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card, Read } from '../parts/page.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { State } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { sessionQuery, useBecome, useSession } from '../session/session.ts'
import { useWords } from '../words/language.tsx'
import { TwoSteps } from './two-steps.tsx'

export function Security() {
  const { mustDo } = useSession()
  return (
    <div className="grid">
      <div className="half stack">
        {mustDo !== 'change_password' && <TwoSteps />}
        {mustDo !== 'set_up_totp' && <Password />}
      </div>
      {mustDo === null && (
        <div className="half stack">
          <Sessions />
        </div>
      )}
    </div>
  )
}

function Password() {
  const { change, passwordHelp } = useWords().people
  const { say } = useMessages()
  const client = useQueryClient()
  return (
    <Card title={change.title}>
      <Form
        clears
        onSend={async ({ current = '', next = '' }) => {
          await post('password', { current, password: next })
          say(change.done)
          await client.invalidateQueries({ queryKey: sessionQuery.queryKey })
        }}
      >
        <PasswordField name="current" label={change.current} kind="current-password" />
        <PasswordField name="next" label={change.next} kind="new-password" help={passwordHelp} />
        <Send>{change.submit}</Send>
      </Form>
    </Card>
  )
}

function Sessions() {
  const { sessions } = useWords().people
  const { say, complain } = useMessages()
  const become = useBecome()
  const reading = useQuery({ queryKey: ['sessions'], queryFn: () => get<PageOf<SessionRow>>('sessions') })
  const end = async (doIt: () => Promise<unknown>): Promise<void> => {
    try {
      await doIt()
      say(sessions.ended)
      await reading.refetch()
    } catch (error) {
      complain(error)
    }
  }
  const leaveAll = async (): Promise<void> => {
    try {
      await post('sign-out-everywhere')
      become(null)
    } catch (error) {
      complain(error)
    }
  }
  return (
    <Card title={sessions.title}>
      <p className="soft lead">{sessions.lead}</p>
      <Read reading={reading}>
        {({ rows }) => (
          <>
            <ul className="plain-list">
              {rows.map(({ sessionId, isThis, browser, network, lastSeenAt }) => (
                <li key={sessionId}>
                  <span>
                    <b>{browser}</b> {isThis && <State tone="calm">{sessions.isThis}</State>}
                    <span className="sub">
                      {network} · <When at={lastSeenAt} />
                    </span>
                  </span>
                  {!isThis && (
                    <Button
                      variant="default"
                      onClick={() => void end(() => post(`sessions/${sessionId}/end`))}
                      aria-label={`${sessions.end} ${browser}`}
                    >
                      {sessions.end}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
            {rows.length > 1 && (
              <Button variant="default" onClick={() => void leaveAll()}>
                {sessions.endAll}
              </Button>
            )}
          </>
        )}
      </Read>
    </Card>
  )
}
