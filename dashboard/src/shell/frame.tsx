// The frames of all pages: for signed-in people a menu and a bar at the top; for others a card in
// the middle.
import { ActionIcon, Drawer, MantineProvider, Menu, useMantineColorScheme } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { LanguageName, SessionBody } from '../../../server/src/dashboard-api/contract.ts'
import { SELF } from '../api/address.ts'
import { ask } from '../api/client.ts'
import { placeOf, sessionQuery, useBecome, useSession } from '../api/session.ts'
import {
  BookIcon,
  CheckIcon,
  ClockIcon,
  ConnectionIcon,
  FiguresIcon,
  LockIcon,
  Mark,
  MenuIcon,
  MoneyIcon,
  OutIcon,
  PersonIcon,
  SearchIcon,
  SunIcon,
  TasksIcon,
  WarningIcon,
} from '../parts/icons.tsx'
import { MessagesProvider, useMessages } from '../parts/messages.tsx'
import { Failed, MissingPage, PageTitle, useDocumentTitle, Waiting } from '../parts/page.tsx'
import { readableColours, styleNonce, THEMES } from '../theme.ts'
import { useLanguage, useWords } from '../words/language.tsx'

interface MenuEntry {
  to: string
  name: string
  icon: ComponentType
  /** The address is this very one, not one below it. */
  isExact?: boolean
}

interface FrameProps {
  name: string
  role: string
  home: string
  /** In the place of the name: leads to other merchants. */
  switcher?: ReactNode
  menu: readonly MenuEntry[]
  /**
   * Above the page: what must not be overlooked. The menu keeps its place when it comes and goes.
   */
  band?: ReactNode
  top?: ReactNode
  securityAt: string
}

export function Frame({ name, role, home, switcher, menu, band, top, securityAt }: FrameProps) {
  const { shell } = useWords()
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  // Focus moves to the new page for screen readers, but not on the first load.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what it follows
  useEffect(() => {
    setOpen(false)
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [pathname])
  const side = (
    <>
      {switcher ?? (
        <Link to={home} className="brand">
          <Mark size={32} />
          <span>
            <b>{name}</b>
            <small>{role}</small>
          </span>
        </Link>
      )}
      <nav className="nav" aria-label={shell.mainMenu}>
        {menu.map(({ to, name: entry, icon: Icon, isExact = false }) => (
          <Link key={to} to={to} activeOptions={{ exact: isExact, includeSearch: false }}>
            <Icon />
            {entry}
          </Link>
        ))}
      </nav>
    </>
  )
  return (
    <>
      <a className="skip" href="#main">
        {shell.skip}
      </a>
      <div className="shell">
        <aside className="side">{side}</aside>
        <div>
          {band}
          <OfflineBand />
          <section className="top" aria-label={shell.topBar}>
            <span className="only-narrow">
              <ActionIcon
                variant="subtle"
                color="gray"
                size={44}
                aria-label={shell.openMenu}
                onClick={() => setOpen(true)}
              >
                <MenuIcon size={24} />
              </ActionIcon>
            </span>
            {top}
            <span className="grow" />
            <PersonMenu securityAt={securityAt} />
          </section>
          <main id="main" ref={main} tabIndex={-1}>
            <Suspense fallback={<Waiting lines={9} />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        size="18rem"
        title={shell.product}
        closeButtonProps={{ 'aria-label': shell.closeMenu }}
      >
        <div className="drawer">{side}</div>
      </Drawer>
    </>
  )
}

function OfflineBand() {
  const { shell } = useWords()
  const { online } = useNetwork()
  if (online) return null
  return (
    <section className="band offline" aria-label={shell.offlineName}>
      {shell.offline}
    </section>
  )
}

function PersonMenu({ securityAt }: { securityAt: string }) {
  const { shell } = useWords()
  const { person } = useSession()
  const { act } = useMessages()
  const navigate = useNavigate()
  const become = useBecome()
  const signOut = async (): Promise<void> => {
    await ask(SELF, 'POST /sign-out')
    become(null)
    await navigate({ to: '/sign-in' })
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
        <Menu.Item
          leftSection={<LockIcon size={18} />}
          onClick={() => void navigate({ to: securityAt })}
        >
          {shell.security}
        </Menu.Item>
        <Menu.Divider />
        <Choices
          chosen={(language) =>
            void act(() => ask(SELF, 'PUT /profile', { name: person.name, language }))
          }
        />
        <Menu.Divider />
        <Menu.Item leftSection={<OutIcon size={18} />} onClick={() => void act(signOut)}>
          {shell.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Choices({ chosen }: { chosen?: (language: LanguageName) => void }) {
  const { language, words, choose } = useLanguage()
  const { shell } = words
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const chooseLanguage = (wanted: LanguageName): void => {
    choose(wanted)
    chosen?.(wanted)
  }
  const mark = (isChosen: boolean) =>
    isChosen ? <CheckIcon size={18} /> : <span className="no-icon" />
  return (
    <>
      <Menu.Label aria-hidden="true">{shell.language}</Menu.Label>
      <Menu.Item
        leftSection={mark(language === 'fr')}
        onClick={() => chooseLanguage('fr')}
        lang="fr"
      >
        {shell.french}
      </Menu.Item>
      <Menu.Item
        leftSection={mark(language === 'en')}
        onClick={() => chooseLanguage('en')}
        lang="en"
      >
        {shell.english}
      </Menu.Item>
      <Menu.Label aria-hidden="true">{shell.colours}</Menu.Label>
      {(['auto', 'light', 'dark'] as const).map((each) => (
        <Menu.Item
          key={each}
          leftSection={mark(colorScheme === each)}
          onClick={() => setColorScheme(each)}
        >
          {shell[each]}
        </Menu.Item>
      ))}
    </>
  )
}

function ChoicesMenu() {
  const { words, language } = useLanguage()
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

/**
 * Shows its pages to signed-in people only. Others sign in first and come back to the same address.
 */
export function SignedIn({ children }: { children: (session: SessionBody) => ReactNode }) {
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const { adopt } = useLanguage()
  const language = session?.person.language
  useEffect(() => {
    if (language !== undefined) adopt(language)
  }, [language, adopt])
  if (session === null) return <ToSignIn />
  if (session !== undefined) return children(session)
  return error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting lines={9} />
}

function ToSignIn() {
  const { href } = useLocation()
  // The address changes before this page is gone: only the first one is where the person was.
  const [back] = useState(href)
  const navigate = useNavigate()
  useEffect(() => {
    void navigate({ to: '/sign-in', search: { back }, replace: true })
  }, [navigate, back])
  return <Waiting lines={9} />
}

const Security = lazy(() =>
  import('../pages/security.tsx').then((page) => ({ default: page.Security })),
)

/**
 * What a person must do before anything else works: set up two-step sign-in, or choose a new
 * password.
 */
export function MustDo() {
  const { people, shell, totp } = useWords()
  const { mustDo } = useSession()
  return (
    <>
      <section className="top" aria-label={shell.topBar}>
        <span className="grow" />
        <ChoicesMenu />
      </section>
      <main>
        <PageTitle title={shell.security} />
        <p className="note" role="status">
          {mustDo === 'set_up_totp' ? totp.must : people.change.must}
        </p>
        <Security />
      </main>
    </>
  )
}

type EntranceProps = { title: string; lead?: string | undefined; children: ReactNode }

export function Entrance({ title, lead, children }: EntranceProps) {
  const { shell } = useWords()
  useDocumentTitle(title)
  return (
    <div className="entrance">
      <header>
        <ChoicesMenu />
      </header>
      <main>
        <div className="logo">
          <Mark size={34} /> {shell.product}
        </div>
        <section className="card">
          <h1>{title}</h1>
          {lead !== undefined && <p className="soft lead">{lead}</p>}
          {children}
        </section>
      </main>
    </div>
  )
}

// The frame of the console for the service's staff.

export function ConsoleShell() {
  const { shell } = useWords()
  const names = shell.console
  return (
    <SignedIn>
      {({ service, mustDo }) => {
        if (service === null) return <MissingPage />
        if (mustDo !== null) return <MustDo />
        return (
          <Frame
            name={shell.consoleName}
            role={shell.roles[service.role]}
            home="/console"
            securityAt="/console/security"
            menu={[
              { to: '/console', name: names.figures, icon: FiguresIcon, isExact: true },
              { to: '/console/merchants', name: names.merchants, icon: PersonIcon },
              { to: '/console/payments', name: names.search, icon: SearchIcon },
              { to: '/console/tasks', name: names.tasks, icon: TasksIcon },
              { to: '/console/waiting', name: names.waiting, icon: ClockIcon },
              { to: '/console/connections', name: names.connections, icon: ConnectionIcon },
              { to: '/console/differences', name: names.differences, icon: WarningIcon },
              { to: '/console/files', name: names.files, icon: MoneyIcon },
              { to: '/console/audit', name: names.audit, icon: BookIcon },
              { to: '/console/security', name: names.security, icon: LockIcon },
            ]}
          />
        )
      }}
    </SignedIn>
  )
}

// Around every page: the colours of the environment, and the messages.

export function Root() {
  const { accountId = '' } = useParams({ strict: false })
  const { data: session } = useQuery({ ...sessionQuery, enabled: accountId !== '' })
  const environment = (session && placeOf(session, accountId)?.environment) ?? 'live'
  return (
    <MantineProvider
      theme={THEMES[environment]}
      cssVariablesResolver={readableColours}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <MessagesProvider>
        <Suspense fallback={<Waiting />}>
          <Outlet />
        </Suspense>
      </MessagesProvider>
    </MantineProvider>
  )
}
