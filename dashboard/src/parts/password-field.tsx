// A password, with a button that shows it.
import { PasswordInput } from '@mantine/core'
import { useWords } from '../words/language.tsx'

interface PasswordFieldProps {
  name: string
  label: string
  help?: string
  /** Tells the browser's password keeper whether to offer one or to make one. */
  kind: 'current-password' | 'new-password'
}

const SHORTEST = 10

export function PasswordField({ name, label, help, kind }: PasswordFieldProps) {
  const { people } = useWords()
  return (
    <PasswordInput
      name={name}
      label={label}
      size="md"
      required
      autoComplete={kind}
      visibilityToggleButtonProps={{ 'aria-label': people.showPassword, tabIndex: 0 }}
      {...(help !== undefined && { description: help })}
      {...(kind === 'new-password' && { minLength: SHORTEST })}
    />
  )
}
