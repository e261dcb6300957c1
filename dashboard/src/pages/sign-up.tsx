// A new person with a new merchant, whose sandbox is open at once.
import { Anchor, TextInput } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { SessionBody, SignUpInput } from '../../../server/src/dashboard-api/shapes.ts'
import { post } from '../api/client.ts'
import { Form, Send } from '../parts/form.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { useBecome } from '../session/session.ts'
import { Entrance } from '../shell/entrance.tsx'
import { useSpoken } from '../words/language.tsx'

export function SignUp() {
  const { words, language } = useSpoken()
  const { people } = words
  const navigate = useNavigate()
  const become = useBecome()
  return (
    <Entrance title={people.signUp} lead={people.signUpLead}>
      <Form
        onSend={async ({ name = '', email = '', password = '', merchantName = '' }) => {
          const input: SignUpInput = { name, email, password, merchantName, language }
          become(await post<SessionBody>('sign-up', input))
          await navigate({ to: '/' })
        }}
      >
        <TextInput
          name="merchantName"
          label={people.merchantName}
          size="md"
          required
          maxLength={80}
          autoComplete="organization"
        />
        <TextInput name="name" label={people.yourName} size="md" required maxLength={80} autoComplete="name" />
        <TextInput name="email" label={people.email} type="email" size="md" required autoComplete="username" />
        <PasswordField name="password" label={people.password} help={people.passwordHelp} kind="new-password" />
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
