// Confirms the address of a new account. The link of the email alone does nothing: mail scanners follow links, and whoever signed up may be a stranger. The
// password of the sign-up is asked for, and then signs the person in.
import { Anchor } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Confirmed, ConfirmInput, SessionBody, SignInInput } from '../../../server/src/dashboard-api/shapes.ts'
import { post } from '../api/client.ts'
import { Form, Send } from '../parts/form.tsx'
import { useMessages } from '../parts/messages.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { useBecome } from '../session/session.ts'
import { Entrance } from '../shell/entrance.tsx'
import { useWords } from '../words/language.tsx'
import { useMailToken } from './mail-token.ts'

export function Confirm() {
  const { people } = useWords()
  const { confirm } = people
  const token = useMailToken()
  const { say } = useMessages()
  const navigate = useNavigate()
  const become = useBecome()
  return (
    <Entrance title={confirm.title} lead={confirm.lead}>
      <Form
        onSend={async ({ password = '' }) => {
          const { email } = await post<Confirmed>('confirmation/confirm', { token, password } satisfies ConfirmInput)
          say(confirm.done)
          try {
            become(await post<SessionBody>('sign-in', { email, password } satisfies SignInInput))
          } catch {
            // Somebody with two-step sign-in goes on there.
            await navigate({ to: '/sign-in' })
            return
          }
          await navigate({ to: '/' })
        }}
      >
        <PasswordField name="password" label={people.password} kind="current-password" />
        <Send fullWidth>{confirm.submit}</Send>
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
