// The person's own menu: language, light or dark, security, sign out.
import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { LanguageName, ProfileInput } from '../../../server/src/dashboard-api/shapes.ts'
import { post, put } from '../api/client.ts'
import { CheckIcon, LockIcon, OutIcon, PersonIcon, SunIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { useBecome, useSession } from '../session/session.ts'
import { useSpoken } from '../words/language.tsx'

const NOTHING = <span className="no-icon" />

export function PersonMenu({ securityAt }: { securityAt: string }) {
  const { shell } = useSpoken().words
  const { person } = useSession()
  const { complain } = useMessages()
  const navigate = useNavigate()
  const become = useBecome()
  const signOut = async (): Promise<void> => {
    try {
      await post('sign-out')
      become(null)
      await navigate({ to: '/sign-in' })
    } catch (error) {
      complain(error)
    }
  }
  return (
    <Menu position="bottom-end" width={250} radius="lg" shadow="md" withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={44} radius="xl" aria-label={shell.me(person.name)}>
          <PersonIcon size={22} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label aria-hidden="true">
          <b className="menu-name">{person.name}</b>
          {person.email}
        </Menu.Label>
        <Menu.Item leftSection={<LockIcon size={18} />} onClick={() => void navigate({ to: securityAt })}>
          {shell.security}
        </Menu.Item>
        <Menu.Divider />
        <Choices
          chosen={(language) =>
            void put('profile', { name: person.name, language } satisfies ProfileInput).catch(complain)
          }
        />
        <Menu.Divider />
        <Menu.Item leftSection={<OutIcon size={18} />} onClick={() => void signOut()}>
          {shell.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Language and colours; also on the pages before signing in. */
function Choices({ chosen }: { chosen?: (language: LanguageName) => void }) {
  const { language, words, speak } = useSpoken()
  const { shell } = words
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const choose = (wanted: LanguageName): void => {
    speak(wanted)
    chosen?.(wanted)
  }
  const mark = (isChosen: boolean) => (isChosen ? <CheckIcon size={18} /> : NOTHING)
  return (
    <>
      <Menu.Label aria-hidden="true">{shell.language}</Menu.Label>
      <Menu.Item leftSection={mark(language === 'fr')} onClick={() => choose('fr')} lang="fr">
        {shell.french}
      </Menu.Item>
      <Menu.Item leftSection={mark(language === 'en')} onClick={() => choose('en')} lang="en">
        {shell.english}
      </Menu.Item>
      <Menu.Label aria-hidden="true">{shell.colours}</Menu.Label>
      {(['auto', 'light', 'dark'] as const).map((each) => (
        <Menu.Item key={each} leftSection={mark(colorScheme === each)} onClick={() => setColorScheme(each)}>
          {shell[each]}
        </Menu.Item>
      ))}
    </>
  )
}

export function ChoicesMenu() {
  const { words, language } = useSpoken()
  return (
    <Menu position="bottom-end" width={220} radius="lg" shadow="md" withinPortal={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={44}
          aria-label={`${words.shell.language}, ${words.shell.colours} (${language})`}
        >
          <SunIcon size={22} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Choices />
      </Menu.Dropdown>
    </Menu>
  )
}
