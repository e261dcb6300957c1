// The frame of a merchant's pages. The account is in the address, and the environment cannot be
// mistaken.
import { Menu, SegmentedControl, UnstyledButton } from '@mantine/core'
import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useLiveUpdates } from '../api/account.ts'
import { SELF } from '../api/address.ts'
import { ask } from '../api/client.ts'
import {
  chooseMerchant,
  may,
  type Place,
  placeOf,
  startOf,
  useBecome,
  useSession,
} from '../api/session.ts'
import { formatTime } from '../format.ts'
import {
  AccountIcon,
  CheckIcon,
  ChooseIcon,
  CodeIcon,
  HomeIcon,
  LinkIcon,
  Mark,
  MoneyIcon,
  PaymentsIcon,
  PhoneIcon,
} from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { MissingPage } from '../parts/page.tsx'
import { useWords } from '../words/language.tsx'
import { Frame, MustDo, SignedIn } from './frame.tsx'

export function AccountShell() {
  const { accountId = '' } = useParams({ strict: false })
  return (
    <SignedIn>
      {(session) => {
        const place = placeOf(session, accountId)
        if (place === undefined) return <MissingPage />
        return session.mustDo === null ? <Account key={accountId} place={place} /> : <MustDo />
      }}
    </SignedIn>
  )
}

function Account({ place }: { place: Place }) {
  const { books, shell } = useWords()
  const { person, merchants } = useSession()
  const { merchantId } = place.merchant
  useLiveUpdates(place.base)
  useEffect(() => chooseMerchant(person.personId, merchantId), [person.personId, merchantId])
  const at = `/a/${place.accountId}`
  const isSandbox = place.environment === 'sandbox'
  const menu = [
    { to: at, name: shell.home, icon: HomeIcon, isExact: true },
    { to: `${at}/payments`, name: shell.payments, icon: PaymentsIcon },
    ...(may(place.role, 'seeBooks')
      ? [{ to: `${at}/money`, name: books.title, icon: MoneyIcon }]
      : []),
    { to: `${at}/links`, name: shell.links, icon: LinkIcon },
    ...(may(place.role, 'seeDevelopers')
      ? [{ to: `${at}/developers`, name: shell.developers, icon: CodeIcon }]
      : []),
    { to: `${at}/account`, name: shell.account, icon: AccountIcon },
    // The last one: the others stay in their places when the environment changes.
    ...(isSandbox ? [{ to: `${at}/phone`, name: shell.phone, icon: PhoneIcon }] : []),
  ]
  return (
    <Frame
      name={place.merchant.name}
      role={shell.roles[place.role]}
      home={at}
      switcher={merchants.length > 1 ? <MerchantSwitch place={place} /> : undefined}
      menu={menu}
      band={
        <>
          <ViewingBand />
          <UnconfirmedBand />
          <SuspendedBand place={place} />
          {isSandbox && (
            <section className="band" aria-label={shell.environment}>
              {shell.sandboxBand}
            </section>
          )}
        </>
      }
      top={<EnvironmentSwitch place={place} />}
      securityAt={`${at}/account/security`}
    />
  )
}

/** Leads to the same page of the other account, where there is such a page. */
function EnvironmentSwitch({ place: { merchant, account, environment } }: { place: Place }) {
  const { shell } = useWords()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const choices = (['sandbox', 'live'] as const).map((each) => ({
    value: each,
    label: shell[each],
    disabled: !merchant.accounts.some((other) => other.environment === each),
  }))
  const go = (wanted: string): void => {
    const other = merchant.accounts.find((each) => each.environment === wanted)
    if (other === undefined) return
    const [, page = ''] = pathname.split(`/a/${account.accountId}`)
    const [first = ''] = page.split('/').filter(Boolean)
    const kept = first === '' || first === 'phone' ? '' : `/${first}`
    void navigate({ to: `/a/${other.accountId}${kept}` })
  }
  return (
    <SegmentedControl
      data={choices}
      value={environment}
      onChange={go}
      radius="xl"
      color={environment === 'sandbox' ? 'amber.8' : 'indigo.8'}
      aria-label={shell.environment}
      title={choices[1]?.disabled ? shell.noLive : ''}
    />
  )
}

/** On every page, so that a suspended merchant sees at once why nothing is collected. */
function SuspendedBand({ place: { account, environment } }: { place: Place }) {
  const { shell } = useWords()
  if (account.status !== 'suspended') return null
  return (
    <section className="band suspended" aria-label={shell.suspendedName}>
      {shell.suspended(shell[environment], account.reason ?? '')}
    </section>
  )
}

/** On every page: without the link of the email, this person cannot sign in again. */
function UnconfirmedBand() {
  const { confirm } = useWords()
  const { email, isConfirmed } = useSession().person
  const { act } = useMessages()
  if (isConfirmed) return null
  return (
    <section className="band unconfirmed" aria-label={confirm.bandName}>
      <span>{confirm.band(email)}</span>
      <button
        type="button"
        className="plain underlined"
        onClick={() => void act(() => ask(SELF, 'POST /confirmation'), confirm.sent(email))}
      >
        {confirm.again}
      </button>
    </section>
  )
}

function ViewingBand() {
  const { shell } = useWords()
  const { viewing } = useSession()
  const { act } = useMessages()
  const navigate = useNavigate()
  const become = useBecome()
  if (viewing === null) return null
  const leave = async (): Promise<void> => {
    become(await ask(SELF, 'POST /viewing/end'))
    await navigate({ to: '/console' })
  }
  return (
    <section className="band viewing" aria-label={shell.consoleName}>
      <span>{shell.viewing(viewing.reason, formatTime(viewing.until))}</span>
      <button type="button" className="plain underlined" onClick={() => void act(leave)}>
        {shell.leaveViewing}
      </button>
    </section>
  )
}

/**
 * For people who work for several merchants: the name at the head of the menu opens the list of the
 * others.
 */
function MerchantSwitch({ place: { merchant, role } }: { place: Place }) {
  const { shell } = useWords()
  const { merchants } = useSession()
  const navigate = useNavigate()
  return (
    <Menu position="bottom-start" width="target" radius="lg" shadow="md" withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className="brand switch">
          <Mark size={32} />
          <span>
            <span className="hidden">{shell.switchMerchant}</span>
            <b>{merchant.name}</b>
            <small>{shell.roles[role]}</small>
          </span>
          <ChooseIcon size={18} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {merchants.map((each) => (
          <Menu.Item
            key={each.merchantId}
            leftSection={
              each.merchantId === merchant.merchantId ? (
                <CheckIcon size={18} />
              ) : (
                <span className="no-icon" />
              )
            }
            aria-current={each.merchantId === merchant.merchantId ? 'true' : undefined}
            onClick={() => void navigate({ to: `/a/${startOf(each)?.accountId}` })}
          >
            {each.name}
            <span className="sub">{shell.roles[each.role]}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
