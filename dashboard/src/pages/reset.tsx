// A forgotten password: asking for a link by mail, and choosing a new password with it.
import { Anchor, TextInput } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { post } from '../api/client.ts'
import { Form, Send } from '../parts/form.tsx'
import { useMessages } from '../parts/messages.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { Entrance } from '../shell/entrance.tsx'
import { useSpoken } from '../words/language.tsx'
import { useMailToken } from './mail-token.ts'

export function Forgotten() {
  const { people } = useSpoken().words
  const [isSent, setSent] = useState(false)
  return (
    <Entrance title={people.resetAsk} {...(!isSent && { lead: people.resetAskLead })}>
      {isSent ? (
        <p className="note" role="status">
          {people.resetSent}
        </p>
      ) : (
        <Form
          onSend={async ({ email = '' }) => {
            await post('password/forgotten', { email })
            setSent(true)
          }}
        >
          <TextInput name="email" label={people.email} type="email" size="md" required autoComplete="username" />
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
  const { people } = useSpoken().words
  const token = useMailToken()
  const { say } = useMessages()
  const navigate = useNavigate()
  return (
    <Entrance title={people.resetNew} lead={people.resetNewLead}>
      <Form
        onSend={async ({ password = '' }) => {
          await post('password/reset', { token, password })
          say(people.resetDone)
          await navigate({ to: '/sign-in' })
        }}
      >
        <PasswordField name="password" label={people.resetNew} help={people.passwordHelp} kind="new-password" />
        <Send fullWidth>{people.change.submit}</Send>
      </Form>
    </Entrance>
  )
}
