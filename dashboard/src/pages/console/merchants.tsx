// Merchants with the state of each environment. Staff validate, suspend or view one, always with a
// reason.
import { NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  AccountRow,
  EnvironmentName,
  MerchantRow,
} from '../../../../server/src/dashboard-api/contract.ts'
import { useChange, usePages } from '../../api/account.ts'
import { ask } from '../../api/client.ts'
import { firstAccount, useBecome } from '../../api/session.ts'
import { bound, Confirm, choicesOf, RowButton, SearchField } from '../../parts/form.tsx'
import { PersonIcon, SearchIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Empty, PageTitle } from '../../parts/page.tsx'
import { type Column, PagedRows } from '../../parts/rows.tsx'
import { State, type Tone, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

export const STATUS_TONES: Readonly<Record<AccountRow['status'], Tone>> = {
  unvalidated: 'wait',
  validated: 'good',
  suspended: 'bad',
}
const TYPING_MS = 250

/** With an environment, a change of its status; without one, a view of the merchant's pages. */
type Wish = { merchant: MerchantRow; environment?: EnvironmentName }

export function Merchants() {
  const { shell, merchants } = useWords()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), TYPING_MS)
  const [wish, setWish] = useState<Wish>()
  const pages = usePages('console', 'GET /merchants', { search })
  return (
    <>
      <PageTitle title={shell.console.merchants} />
      <div className="filters">
        <SearchField
          placeholder={merchants.search}
          aria-label={merchants.search}
          {...bound(text, setText)}
        />
      </div>
      <PagedRows
        label={shell.console.merchants}
        pages={pages}
        columns={useColumns(setWish)}
        keyOf={({ merchantId }) => merchantId}
        empty={
          search === '' ? (
            <Empty
              icon={<PersonIcon size={40} />}
              title={merchants.empty}
              help={merchants.emptyHelp}
            />
          ) : (
            <Empty icon={<SearchIcon size={40} />} title={merchants.noMatch} />
          )
        }
      />
      {wish?.environment && (
        <ChangeStatus
          merchant={wish.merchant}
          environment={wish.environment}
          close={() => setWish(undefined)}
        />
      )}
      {wish && !wish.environment && (
        <View merchant={wish.merchant} close={() => setWish(undefined)} />
      )}
    </>
  )
}

function useColumns(ask: (wish: Wish) => void): Column<MerchantRow>[] {
  const { common, shell, merchants } = useWords()
  const environmentColumn = (environment: EnvironmentName): Column<MerchantRow> => ({
    heading: shell[environment],
    isBelow: true,
    cell: (merchant) => {
      const account = merchant.accounts.find((each) => each.environment === environment)
      if (account === undefined) return <span className="soft">{merchants.none}</span>
      return (
        <>
          <span className="soft until-sm">{shell[environment]} </span>
          <State tone={STATUS_TONES[account.status]}>{merchants.statuses[account.status]}</State>
          {account.reason !== null && <span className="sub">{account.reason}</span>}
          <span className="sub">
            <button
              type="button"
              className="plain underlined"
              aria-label={`${merchants.change}, ${merchant.name}, ${shell[environment]}`}
              onClick={() => ask({ merchant, environment })}
            >
              {merchants.change}
            </button>
          </span>
        </>
      )
    },
  })
  return [
    {
      heading: common.merchant,
      cell: (merchant) => (
        <>
          <Link
            to="/console/merchants/$merchantId"
            params={{ merchantId: merchant.merchantId }}
            className="underlined"
          >
            <b>{merchant.name}</b>
          </Link>
          <span className="sub until-md">
            <When at={merchant.createdAt} />
          </span>
          {merchant.validationAsked && <State tone="wait">{merchants.asked}</State>}
        </>
      ),
    },
    environmentColumn('sandbox'),
    environmentColumn('live'),
    {
      heading: common.since,
      from: 'md',
      isTight: true,
      cell: ({ createdAt }) => <When at={createdAt} />,
    },
    {
      heading: <span className="hidden">{merchants.view}</span>,
      isBelow: true,
      at: 'end',
      cell: (merchant) => (
        <RowButton
          name={merchants.viewAct}
          label={`${merchants.viewAct}, ${merchant.name}`}
          onClick={() => ask({ merchant })}
        />
      ),
    },
  ]
}

type NamedMerchant = Pick<MerchantRow, 'merchantId' | 'name'>

interface ChangeStatusProps {
  merchant: NamedMerchant
  environment: EnvironmentName
  to?: AccountRow['status']
  close(): void
}

export function ChangeStatus({
  merchant,
  environment,
  to = 'validated',
  close,
}: ChangeStatusProps) {
  const { common, shell, merchants } = useWords()
  const { say } = useMessages()
  const change = useChange('console')
  const [status, setStatus] = useState(to)
  const { merchantId } = merchant
  const wantsSecond = environment === 'live' && status === 'validated'
  return (
    <Confirm
      isOpen
      close={close}
      title={merchants.changeTitle(merchant.name, shell[environment])}
      act={shell.confirm}
      reason={{ label: common.reason, help: merchants.reasonHelp }}
      isDangerous={status === 'suspended'}
      onAct={async (reason) => {
        const asked = { merchantId, environment, status, reason }
        const { is } = await change(
          ask('console', 'POST /merchants/:merchantId/:environment/status', asked),
          'merchants',
          'tasks',
        )
        say(is === 'waiting' ? merchants.asksSecond : merchants.changed)
      }}
    >
      <NativeSelect
        label={merchants.status}
        data={choicesOf(merchants.statuses, ['validated', 'suspended', 'unvalidated'])}
        {...bound(status, setStatus)}
        description={wantsSecond && merchants.secondPerson}
      />
    </Confirm>
  )
}

export function View({ merchant, close }: { merchant: NamedMerchant; close(): void }) {
  const { common, merchants } = useWords()
  const become = useBecome()
  const navigate = useNavigate()
  return (
    <Confirm
      isOpen
      close={close}
      title={merchants.viewTitle(merchant.name)}
      lead={merchants.viewLead}
      act={merchants.viewAct}
      reason={{ label: common.reason }}
      onAct={async (reason) => {
        const session = await ask('console', 'POST /merchants/:merchantId/view', {
          merchantId: merchant.merchantId,
          reason,
        })
        become(session)
        const account = firstAccount(session)
        if (account !== undefined)
          await navigate({ to: '/a/$accountId', params: { accountId: account.accountId } })
      }}
    />
  )
}
