// Somebody who was invited joins the team: a new person chooses a name and a password, one who is signed in only agrees.
import { Anchor, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AcceptInput, InvitationBody, SessionBody } from '../../../server/src/dashboard-api/shapes.ts'
import { ApiError, post } from '../api/client.ts'
import { Form, NextStep, Send } from '../parts/form.tsx'
import { Waiting } from '../parts/page.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { chooseMerchant } from '../session/chosen-merchant.ts'
import { useBecome } from '../session/session.ts'
import { Entrance } from '../shell/entrance.tsx'
import { useSpoken } from '../words/language.tsx'
import { useMailToken } from './mail-token.ts'

export function Invitation() {
  const { words, language } = useSpoken()
  const { people, shell } = words
  const token = useMailToken()
  const [wantsCode, setWantsCode] = useState(false)
  const navigate = useNavigate()
  const become = useBecome()
  const { data: invitation, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => post<InvitationBody>('invitation/read', { token }),
    retry: false,
  })
  if (error)
    return (
      <Entrance title={people.invitation(shell.product)} lead={people.invitationGone}>
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
  const { merchantId, merchantName, email, role, isKnown } = invitation
  return (
    <Entrance title={people.invitation(merchantName)} lead={people.invitationLead(shell.roles[role], email)}>
      <Form
        onSend={async ({ name = '', password = '', code }) => {
          const own: Partial<AcceptInput> = isKnown ? (code === undefined ? {} : { code }) : { name, language }
          try {
            const input = { token, password, ...own } satisfies AcceptInput
            const session = await post<SessionBody>('invitation/accept', input)
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
          <TextInput name="name" label={people.yourName} size="md" required maxLength={80} autoComplete="name" />
        )}
        <PasswordField
          name="password"
          label={people.password}
          kind={isKnown ? 'current-password' : 'new-password'}
          {...(!isKnown && { help: people.passwordHelp })}
        />
        {wantsCode && (
          <TextInput
            name="code"
            label={people.code}
            description={people.codeHelp}
            size="md"
            required
            autoFocus
            autoCapitalize="none"
            autoComplete="one-time-code"
          />
        )}
        <Send fullWidth>{people.join}</Send>
      </Form>
    </Entrance>
  )
}
