// The pages behind the links in emails: confirm an address, choose a new password, accept an
// invitation.
import { Anchor, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { AcceptInput } from '../../../server/src/dashboard-api/contract.ts'
import { SELF } from '../api/address.ts'
import { ApiError, ask } from '../api/client.ts'
import { chooseMerchant, useBecome } from '../api/session.ts'
import { CodeField, codeOf, Form, NextStep, PasswordField, Send } from '../parts/form.tsx'
import { Waiting } from '../parts/page.tsx'
import { Entrance } from '../shell/frame.tsx'
import { useLanguage, useWords } from '../words/language.tsx'

/**
 * Confirms the address of a new account with the password of the sign-up, then signs the person in.
 * The link alone does nothing: mail scanners follow links, and a stranger may have signed up with
 * this address.
 */
export function Confirm() {
  const { people, shell, confirm } = useWords()
  const token = useMailToken()
  const navigate = useNavigate()
  const become = useBecome()
  const link = useEmailLink(token)
  if (link !== 'works') return <NoForm link={link} title={confirm.title} />
  return (
    <Entrance title={confirm.title} lead={confirm.lead}>
      <Form
        done={confirm.done}
        onSend={async ({ password = '' }) => {
          const { email } = await ask(SELF, 'POST /confirmation/confirm', { token, password })
          // A person with two-step sign-in continues on the sign-in page.
          const session = await ask(SELF, 'POST /sign-in', { email, password }).catch(
            () => undefined,
          )
          if (session !== undefined) become(session)
          await navigate({ to: session === undefined ? '/sign-in' : '/' })
        }}
      >
        <PasswordField name="password" label={people.password} kind="current-password" />
        <Send fullWidth>{shell.confirm}</Send>
        <span className="soft centred">
          {confirm.unknown}{' '}
          <Anchor component={Link} to="/reset" hash={token} className="inline-link">
            {confirm.chooseNew}
          </Anchor>
        </span>
      </Form>
    </Entrance>
  )
}

export function Forgotten() {
  const { people } = useWords()
  const [isSent, setSent] = useState(false)
  return (
    <Entrance title={people.resetAsk} lead={isSent ? undefined : people.resetAskLead}>
      {isSent ? (
        <p className="note" role="status">
          {people.resetSent}
        </p>
      ) : (
        <Form
          onSend={async ({ email = '' }) => {
            await ask(SELF, 'POST /password/forgotten', { email })
            setSent(true)
          }}
        >
          <TextInput
            name="email"
            label={people.email}
            type="email"
            required
            autoComplete="username"
          />
          <Send fullWidth>{people.resetSend}</Send>
        </Form>
      )}
      <p className="centred below-form">
        <Anchor component={Link} to="/sign-in">
          {people.backToSignIn}
        </Anchor>
      </p>
    </Entrance>
  )
}

export function Reset() {
  const { people } = useWords()
  const token = useMailToken()
  const navigate = useNavigate()
  const link = useEmailLink(token)
  if (link !== 'works') return <NoForm link={link} title={people.resetNew} />
  return (
    <Entrance title={people.resetNew} lead={people.resetNewLead}>
      <Form
        done={people.resetDone}
        onSend={async ({ password = '' }) => {
          await ask(SELF, 'POST /password/reset', { token, password })
          await navigate({ to: '/sign-in' })
        }}
      >
        <PasswordField
          name="password"
          label={people.resetNew}
          help={people.passwordHelp}
          kind="new-password"
        />
        <Send fullWidth>{people.change.submit}</Send>
      </Form>
    </Entrance>
  )
}

export function Invitation() {
  const { words, language } = useLanguage()
  const { people, shell } = words
  const token = useMailToken()
  const [wantsCode, setWantsCode] = useState(false)
  const navigate = useNavigate()
  const become = useBecome()
  const { data: invitation, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => ask(SELF, 'POST /invitation/read', { token }),
    retry: false,
  })
  if (error)
    return (
      <Entrance title={people.invitationGone} lead={people.invitationGoneHelp}>
        <Anchor component={Link} to="/sign-in">
          {people.backToSignIn}
        </Anchor>
      </Entrance>
    )
  if (invitation === undefined)
    return (
      <Entrance title={people.invitation('…')}>
        <Waiting lines={3} />
      </Entrance>
    )
  const { merchantId, merchantName, email, role, inviterName, isKnown } = invitation
  return (
    <Entrance
      title={people.invitation(merchantName)}
      lead={people.invitationLead(inviterName, shell.roles[role], email)}
    >
      <Form
        onSend={async ({ name = '', password = '', ...fields }) => {
          const code = wantsCode ? { code: codeOf(fields) } : {}
          const own: Partial<AcceptInput> = isKnown ? code : { name, language }
          try {
            const input = { token, password, ...own } satisfies AcceptInput
            const session = await ask(SELF, 'POST /invitation/accept', input)
            become(session)
            chooseMerchant(session.person.personId, merchantId)
          } catch (error) {
            if (!(error instanceof ApiError && error.body.code === 'totp_needed')) throw error
            setWantsCode(true)
            throw new NextStep()
          }
          await navigate({ to: '/' })
        }}
      >
        {!isKnown && (
          <TextInput
            name="name"
            label={people.yourName}
            required
            maxLength={80}
            autoComplete="name"
          />
        )}
        <PasswordField
          name="password"
          label={people.password}
          kind={isKnown ? 'current-password' : 'new-password'}
          help={isKnown ? undefined : people.passwordHelp}
        />
        {wantsCode && <CodeField label={people.code} description={people.codeHelp} autoFocus />}
        <Send fullWidth>{people.join}</Send>
      </Form>
    </Entrance>
  )
}

type EmailLink = 'works' | 'over' | 'unknown'

/**
 * Whether the link still works. A server that does not answer does not decide: the form then says
 * so.
 */
function useEmailLink(token: string): EmailLink {
  const { data, error } = useQuery({
    queryKey: ['email-link', token],
    queryFn: () => ask(SELF, 'POST /email-link/check', { token }),
    retry: false,
  })
  if (error instanceof ApiError && error.body.code === 'token_not_valid') return 'over'
  return data === undefined && error === null ? 'unknown' : 'works'
}

/** In the place of the form: the link is over, or this is not known yet. */
function NoForm({ link, title }: { link: EmailLink; title: string }) {
  const { people } = useWords()
  if (link === 'unknown')
    return (
      <Entrance title={title}>
        <Waiting lines={3} />
      </Entrance>
    )
  return (
    <Entrance title={people.linkGone} lead={people.linkGoneHelp}>
      <p>
        <Anchor component={Link} to="/forgotten">
          {people.linkAskNew}
        </Anchor>
      </p>
      <p>
        <Anchor component={Link} to="/sign-in">
          {people.backToSignIn}
        </Anchor>
      </p>
    </Entrance>
  )
}

// The token of an email's link. It is behind the #, which browsers never send.
const tokenInAddress = (): string => location.hash.slice(1)

/**
 * Follows the address: opening a newer email in the same tab changes the part behind the # and
 * loads nothing.
 */
function useMailToken(): string {
  const [token, setToken] = useState(tokenInAddress)
  useEffect(() => {
    const read = (): void => setToken(tokenInAddress())
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return token
}
