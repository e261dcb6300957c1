// Sign in with email, password and perhaps a code; then back to the page that the person wanted.
// And sign up.
import { Anchor, Stack, TextInput } from '@mantine/core'
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { SignInInput } from '../../../server/src/dashboard-api/contract.ts'
import { SELF } from '../api/address.ts'
import { ApiError, ask } from '../api/client.ts'
import { useBecome } from '../api/session.ts'
import {
  CodeField,
  codeOf,
  type Fields,
  Form,
  NextStep,
  PasswordField,
  Send,
} from '../parts/form.tsx'
import { Entrance } from '../shell/frame.tsx'
import { useLanguage, useWords } from '../words/language.tsx'

/** The router leaves this out of its addresses. */
const BASE = '/dashboard'

export function SignIn() {
  const { people, totp } = useWords()
  const { back } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const { history } = useRouter()
  const become = useBecome()
  const [known, setKnown] = useState<SignInInput>()
  const [hasNoPhone, setHasNoPhone] = useState(false)

  async function signIn(fields: Fields): Promise<void> {
    const input: SignInInput =
      known === undefined
        ? { email: fields.email ?? '', password: fields.password ?? '' }
        : { ...known, code: codeOf(fields) }
    try {
      become(await ask(SELF, 'POST /sign-in', input))
    } catch (error) {
      if (!(error instanceof ApiError && error.body.code === 'totp_needed')) throw error
      setKnown(input)
      throw new NextStep()
    }
    if (back === undefined) await navigate({ to: '/', replace: true })
    else history.replace(BASE + back)
  }

  if (known !== undefined)
    return (
      <Entrance title={totp.title} lead={hasNoPhone ? people.recoveryLead : people.codeLead}>
        <Form key="code" onSend={signIn}>
          {/* A new field, not a new label: a phone keeps the keyboard of the focused one. */}
          <CodeField
            key={String(hasNoPhone)}
            label={hasNoPhone ? people.recoveryCode : people.code}
            autoFocus
            autoComplete={hasNoPhone ? 'off' : 'one-time-code'}
            inputMode={hasNoPhone ? 'text' : 'numeric'}
          />
          <Send fullWidth>{people.continue}</Send>
          <Stack gap={4} align="center">
            <Anchor component="button" type="button" onClick={() => setHasNoPhone(!hasNoPhone)}>
              {hasNoPhone ? people.withPhone : people.withoutPhone}
            </Anchor>
            <Anchor component="button" type="button" onClick={() => setKnown(undefined)}>
              {people.otherAccount}
            </Anchor>
          </Stack>
        </Form>
      </Entrance>
    )

  return (
    <Entrance title={people.signIn} lead={back === undefined ? people.signInLead : people.expired}>
      <Form key="password" onSend={signIn}>
        <TextInput
          name="email"
          label={people.email}
          type="email"
          required
          autoComplete="username"
        />
        <PasswordField name="password" label={people.password} kind="current-password" />
        <Send fullWidth>{people.signIn}</Send>
        <Stack gap={4} align="center">
          <Anchor component={Link} to="/forgotten">
            {people.forgot}
          </Anchor>
          <span className="soft centred">{people.firstConfirm}</span>
          <span className="soft centred">
            {people.noAccount}{' '}
            <Anchor component={Link} to="/sign-up" className="inline-link">
              {people.signUp}
            </Anchor>
          </span>
        </Stack>
      </Form>
    </Entrance>
  )
}

export function SignUp() {
  const { words, language } = useLanguage()
  const { people } = words
  const navigate = useNavigate()
  const become = useBecome()
  return (
    <Entrance title={people.signUp} lead={people.signUpLead}>
      <Form
        onSend={async ({ name = '', email = '', password = '', merchantName = '' }) => {
          const body = { name, email, password, merchantName, language }
          become(await ask(SELF, 'POST /sign-up', body))
          await navigate({ to: '/' })
        }}
      >
        <TextInput
          name="merchantName"
          label={people.merchantName}
          required
          maxLength={80}
          autoComplete="organization"
        />
        <TextInput
          name="name"
          label={people.yourName}
          required
          maxLength={80}
          autoComplete="name"
        />
        <TextInput
          name="email"
          label={people.email}
          type="email"
          required
          autoComplete="username"
        />
        <PasswordField
          name="password"
          label={people.password}
          help={people.passwordHelp}
          kind="new-password"
        />
        <Send fullWidth>{people.signUp}</Send>
        <span className="soft centred">
          {people.haveAccount}{' '}
          <Anchor component={Link} to="/sign-in" className="inline-link">
            {people.signIn}
          </Anchor>
        </span>
      </Form>
    </Entrance>
  )
}
