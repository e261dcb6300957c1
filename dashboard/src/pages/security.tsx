// A person's own security: two-step sign-in with recovery codes, password, open sessions.
import { Button, Switch } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { EmailRow, TotpSetup } from '../../../server/src/dashboard-api/contract.ts'
import { SELF } from '../api/address.ts'
import { ask } from '../api/client.ts'
import { sessionQuery, useBecome, useSession } from '../api/session.ts'
import { browserOf } from '../parts/browser-name.ts'
import {
  CodeField,
  codeOf,
  Form,
  FormDialog,
  PasswordField,
  RowButton,
  Send,
  ShownOnce,
} from '../parts/form.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card, PageTitle, Read } from '../parts/page.tsx'
import { Copyable, State, When } from '../parts/values.tsx'
import { useWords } from '../words/language.tsx'

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
          <Emails />
        </div>
      )}
    </div>
  )
}

function Password() {
  const { change, password, passwordHelp, resetNew } = useWords().people
  const client = useQueryClient()
  return (
    <Card title={password}>
      <Form
        clears
        done={change.done}
        onSend={async ({ current = '', next = '' }) => {
          await ask(SELF, 'POST /password', { current, password: next })
          await client.invalidateQueries({ queryKey: sessionQuery.queryKey })
        }}
      >
        <PasswordField name="current" label={change.current} kind="current-password" />
        <PasswordField name="next" label={resetNew} kind="new-password" help={passwordHelp} />
        <Send>{change.submit}</Send>
      </Form>
    </Card>
  )
}

function Sessions() {
  const { shell, sessions } = useWords()
  const { act } = useMessages()
  const become = useBecome()
  const nameOf = (userAgent: string): string => {
    const { browser, system } = browserOf(userAgent)
    if (browser === undefined || system === undefined)
      return browser ?? system ?? sessions.unknownBrowser
    return sessions.browserOn(browser, system)
  }
  const reading = useQuery({
    queryKey: ['sessions'],
    queryFn: () => ask(SELF, 'GET /sessions'),
  })
  const end = async (sessionId: string): Promise<void> => {
    await ask(SELF, 'POST /sessions/:sessionId/end', { sessionId })
    await reading.refetch()
  }
  const leaveAll = async (): Promise<void> => {
    await ask(SELF, 'POST /sign-out-everywhere')
    become(null)
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
                    <b>{nameOf(browser)}</b>{' '}
                    {isThis && <State tone="calm">{sessions.isThis}</State>}
                    <span className="sub">
                      {network} ·&nbsp;
                      <When at={lastSeenAt} />
                    </span>
                  </span>
                  {!isThis && (
                    <RowButton
                      name={shell.close}
                      label={`${shell.close}, ${nameOf(browser)}, ${network}`}
                      onClick={() => void act(() => end(sessionId), sessions.ended)}
                    />
                  )}
                </li>
              ))}
            </ul>
            {rows.length > 1 && (
              <Button variant="default" onClick={() => void act(leaveAll)}>
                {sessions.endAll}
              </Button>
            )}
          </>
        )}
      </Read>
    </Card>
  )
}

/** Emails that Karba sends by itself. */
function Emails() {
  const { emails } = useWords()
  const { act } = useMessages()
  const reading = useQuery({ queryKey: ['emails'], queryFn: () => ask(SELF, 'GET /emails') })
  const choose = async (kind: EmailRow['kind'], isOn: boolean): Promise<void> => {
    await ask(SELF, 'PUT /emails', { kind, isOn })
    await reading.refetch()
  }
  return (
    <Card title={emails.title}>
      <p className="soft lead">{emails.lead}</p>
      <Read reading={reading}>
        {({ rows }) => (
          <div className="stack">
            {rows.map(({ kind, isOn }) => (
              <Switch
                key={kind}
                label={emails.kinds[kind]}
                checked={isOn}
                onChange={({ currentTarget }) =>
                  void act(() => choose(kind, currentTarget.checked), emails.saved)
                }
              />
            ))}
          </div>
        )}
      </Read>
    </Card>
  )
}

function TwoSteps() {
  const { people, totp } = useWords()
  const { person } = useSession()
  const { act } = useMessages()
  const client = useQueryClient()
  const [setup, setSetup] = useState<TotpSetup>()
  const [codes, setCodes] = useState<string[]>()
  const [asked, setAsked] = useState<'remove' | 'codes'>()
  const readAgain = (): Promise<void> =>
    client.invalidateQueries({ queryKey: sessionQuery.queryKey })
  const begin = async (): Promise<void> => setSetup(await ask(SELF, 'POST /totp/begin'))
  return (
    <Card title={totp.title}>
      <p className="state-line">
        <State tone={person.totp ? 'good' : 'wait'}>
          {totp.states[person.totp ? 'on' : 'off']}
        </State>
      </p>
      <p className="soft lead">{person.totp ? totp.on : totp.off}</p>
      {!person.totp && setup === undefined && (
        <Button onClick={() => void act(begin)}>{totp.setUp}</Button>
      )}
      {person.totp && (
        <div className="buttons">
          <Button variant="default" onClick={() => setAsked('codes')}>
            {totp.newCodes}
          </Button>
          <Button variant="default" onClick={() => setAsked('remove')}>
            {totp.remove}
          </Button>
        </div>
      )}
      {!person.totp && setup !== undefined && (
        <SetUp
          setup={setup}
          done={(recoveryCodes) => {
            setSetup(undefined)
            setCodes(recoveryCodes)
          }}
        />
      )}
      <ShownOnce
        title={totp.codes}
        lead={totp.codesLead}
        act={totp.kept}
        secret={codes?.join('\n')}
        close={() => {
          setCodes(undefined)
          void readAgain()
        }}
      />
      <FormDialog
        isOpen={asked === 'remove'}
        close={() => setAsked(undefined)}
        title={totp.remove}
        onSend={({ password = '', ...fields }) =>
          ask(SELF, 'POST /totp/remove', { password, code: codeOf(fields) })
        }
        sent={readAgain}
      >
        <p>{totp.removeSure}</p>
        <PasswordField name="password" label={people.password} kind="current-password" />
        <CodeField label={people.code} description={people.codeHelp} />
        <Send color="red.9">{totp.remove}</Send>
      </FormDialog>
      <FormDialog
        isOpen={asked === 'codes'}
        close={() => setAsked(undefined)}
        title={totp.newCodes}
        onSend={(fields) => ask(SELF, 'POST /totp/codes', { code: codeOf(fields) })}
        sent={({ recoveryCodes }) => setCodes(recoveryCodes)}
      >
        <CodeField label={people.code} description={people.codeHelp} />
        <Send>{people.continue}</Send>
      </FormDialog>
    </Card>
  )
}

function SetUp({ setup, done }: { setup: TotpSetup; done(codes: string[]): void }) {
  const { people, totp } = useWords()
  return (
    <Form
      onSend={async (fields) => {
        const { recoveryCodes } = await ask(SELF, 'POST /totp/confirm', {
          code: codeOf(fields),
        })
        done(recoveryCodes)
      }}
    >
      <p>{totp.scan}</p>
      <img
        className="qr"
        src={`data:image/svg+xml,${encodeURIComponent(setup.qrSvg)}`}
        alt={totp.qr}
        width={220}
        height={220}
      />
      <p>
        {totp.orType} <Copyable text={setup.secret} name={totp.orType} />
      </p>
      <CodeField label={`${totp.thenCode} (${people.code})`} inputMode="numeric" />
      <Send>{totp.setUp}</Send>
    </Form>
  )
}

/** The page of the console; merchants have it as a part of their account. */
export function OwnSecurity() {
  const { shell } = useWords()
  return (
    <>
      <PageTitle title={shell.security} />
      <Security />
    </>
  )
}
