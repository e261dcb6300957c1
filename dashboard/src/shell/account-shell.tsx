// A merchant's pages: the account is in the address, and its environment is unmistakable.
import { SegmentedControl } from '@mantine/core'
import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { post } from '../api/client.ts'
import { useLiveUpdates } from '../api/live.ts'
import * as format from '../format.ts'
import { AccountIcon, CodeIcon, HomeIcon, LinkIcon, PaymentsIcon, PhoneIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { chooseMerchant } from '../session/chosen-merchant.ts'
import { type Place, placeOf, useBecome, useSession } from '../session/session.ts'
import { useWords } from '../words/language.tsx'
import { MissingPage } from './broken-page.tsx'
import { Frame } from './frame.tsx'
import { MerchantSwitch } from './merchant-switch.tsx'
import { MustDo } from './must-do.tsx'
import { SignedIn } from './signed-in.tsx'

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
  const { shell } = useWords()
  const { person, merchants } = useSession()
  const { merchantId } = place.merchant
  useLiveUpdates(place.accountId)
  useEffect(() => chooseMerchant(person.personId, merchantId), [person.personId, merchantId])
  const at = `/a/${place.accountId}`
  const isSandbox = place.environment === 'sandbox'
  const menu = [
    { to: at, name: shell.home, icon: HomeIcon, isExact: true },
    { to: `${at}/payments`, name: shell.payments, icon: PaymentsIcon },
    { to: `${at}/links`, name: shell.links, icon: LinkIcon },
    { to: `${at}/developers`, name: shell.developers, icon: CodeIcon },
    ...(isSandbox ? [{ to: `${at}/phone`, name: shell.phone, icon: PhoneIcon }] : []),
    { to: `${at}/account`, name: shell.account, icon: AccountIcon },
  ]
  return (
    <Frame
      name={place.merchant.name}
      role={shell.roles[place.role]}
      home={at}
      {...(merchants.length > 1 && { switcher: <MerchantSwitch place={place} /> })}
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

/** On every page: whoever wonders why nothing is collected must not have to look for it. */
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
  const { confirm } = useWords().people
  const { email, isConfirmed } = useSession().person
  const { say, complain } = useMessages()
  if (isConfirmed) return null
  const sendAgain = async (): Promise<void> => {
    try {
      await post('confirmation')
      say(confirm.sent(email))
    } catch (error) {
      complain(error)
    }
  }
  return (
    <section className="band unconfirmed" aria-label={confirm.bandName}>
      <span>{confirm.band(email)}</span>
      <button type="button" onClick={() => void sendAgain()}>
        {confirm.again}
      </button>
    </section>
  )
}

function ViewingBand() {
  const { shell } = useWords()
  const { viewing } = useSession()
  const { complain } = useMessages()
  const navigate = useNavigate()
  const become = useBecome()
  if (viewing === null) return null
  const leave = async (): Promise<void> => {
    try {
      become(await post('viewing/end'))
      await navigate({ to: '/console' })
    } catch (error) {
      complain(error)
    }
  }
  return (
    <section className="band viewing" aria-label={shell.consoleName}>
      <span>{shell.viewing(viewing.reason, format.time(viewing.until))}</span>
      <button type="button" onClick={() => void leave()}>
        {shell.leaveViewing}
      </button>
    </section>
  )
}
