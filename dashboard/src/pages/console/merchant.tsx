// A merchant for the staff: its business, documents, own connections, team, results, webhooks and
// history.
import { Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  AccountRow,
  EnvironmentName,
  MerchantBody,
} from '../../../../server/src/dashboard-api/contract.ts'
import { useRead } from '../../api/account.ts'
import { fileAt } from '../../api/client.ts'
import { useServiceRight } from '../../api/session.ts'
import { dotted, formatAmount, formatBytes, formatCount, formatDayAndTime } from '../../format.ts'
import { Card, PageTitle, Read } from '../../parts/page.tsx'
import {
  Address,
  Details,
  State,
  TextDetail,
  type Tone,
  useConnectionName,
  When,
} from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'
import { CONNECTION_TONES } from '../account/networks.tsx'
import { VALIDATION_TONES } from '../account/settings.tsx'
import { ENDPOINT_TONES } from '../developers/webhooks.tsx'
import { useActorName } from './audit.tsx'
import { ChangeStatus, STATUS_TONES, View } from './merchants.tsx'

export const useMerchant = (merchantId: string) =>
  useRead('console', 'GET /merchants/:merchantId', { merchantId })

export function Merchant() {
  const { merchants, shell } = useWords()
  const { merchantId = '' } = useParams({ strict: false }) as { merchantId?: string }
  const reading = useMerchant(merchantId)
  const [isViewing, setViewing] = useState(false)
  const back = { to: '/console/merchants', name: shell.console.merchants }
  return (
    <>
      <PageTitle title={reading.data?.name ?? shell.console.merchants} back={back}>
        <Button variant="default" onClick={() => setViewing(true)}>
          {merchants.view}
        </Button>
      </PageTitle>
      <Read reading={reading} lines={10}>
        {(merchant) => (
          <>
            <Body merchant={merchant} />
            {isViewing && <View merchant={merchant} close={() => setViewing(false)} />}
          </>
        )}
      </Read>
    </>
  )
}

function Body({ merchant }: { merchant: MerchantBody }) {
  const [changing, setChanging] = useState<{
    environment: EnvironmentName
    to?: AccountRow['status']
  }>()
  return (
    <>
      <div className="grid">
        <div className="half stack">
          <MerchantFile
            merchant={merchant}
            decide={(to) => setChanging({ environment: 'live', to })}
          />
          <OwnConnections accounts={merchant.accounts} />
        </div>
        <div className="half stack">
          {merchant.accounts.map((account) => (
            <Results
              key={account.accountId}
              account={account}
              change={() => setChanging({ environment: account.environment })}
            />
          ))}
        </div>
        <Team team={merchant.team} />
        <History history={merchant.history} />
      </div>
      {changing !== undefined && (
        <ChangeStatus merchant={merchant} {...changing} close={() => setChanging(undefined)} />
      )}
    </>
  )
}

const BUSINESS = ['legalName', 'registration', 'city', 'address', 'contact'] as const

interface MerchantFileProps {
  merchant: MerchantBody
  /** Where a file under review can be decided. */
  decide?(to: AccountRow['status']): void
}

/** What a validation rests on: an approver sees the same before approving. */
export function MerchantFile({ merchant, decide }: MerchantFileProps) {
  const { account, activity, common } = useWords()
  const { approval, business, documents, validation, merchantId } = merchant
  const mayOpen = useServiceRight('reviewFiles')
  return (
    <Card title={account.tabs.business}>
      <p className="state-line">
        <State tone={VALIDATION_TONES[validation.state]}>
          {account.validation.states[validation.state]}
        </State>
      </p>
      {validation.reason !== null && (
        <p className={validation.state === 'validated' ? 'note calm' : 'note'}>
          {account.validation.reason(validation.reason)}
        </p>
      )}
      <Details>
        <TextDetail
          name={common.country}
          text={account.business.countries[business.country] ?? business.country}
        />
        {BUSINESS.map((name) => (
          <TextDetail key={name} name={account.business[name]} text={business[name] || '–'} />
        ))}
      </Details>
      <h3 className="apart">{activity.groups.document}</h3>
      {documents.length === 0 && <p className="soft">{account.documents.none}</p>}
      <ul className="plain-list">
        {documents.map(({ documentId, name, bytes, uploadedAt }) => (
          <li key={documentId}>
            <span>
              {mayOpen ? (
                <a
                  href={fileAt('console', 'GET /merchants/:merchantId/documents/:documentId', {
                    merchantId,
                    documentId,
                  })}
                  target="_blank"
                  rel="noreferrer"
                >
                  {name}
                </a>
              ) : (
                <b>{name}</b>
              )}
              <span className="sub">
                {formatBytes(bytes)} ·&nbsp;
                <When at={uploadedAt} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {decide !== undefined && mayOpen && validation.state === 'asked' && (
        <Decision approval={approval} decide={decide} />
      )}
    </Card>
  )
}

/** Of a file that one administrator has approved, the second approval is a task. */
function Decision({
  approval,
  decide,
}: Pick<MerchantBody, 'approval'> & { decide(to: AccountRow['status']): void }) {
  const { merchants, shell, tasks } = useWords()
  if (approval !== null)
    return (
      <div className="note apart">
        <p>{merchants.halfApproved(approval.askedBy)}</p>
        <Link to="/console/tasks">{shell.console.tasks}</Link>
      </div>
    )
  return (
    <div className="buttons apart">
      <Button onClick={() => decide('validated')}>{tasks.approve}</Button>
      <Button variant="default" onClick={() => decide('unvalidated')}>
        {tasks.reject}
      </Button>
    </div>
  )
}

function Results({
  account,
  change,
}: {
  account: MerchantBody['accounts'][number]
  change(): void
}) {
  const { common, home, merchants, shell, webhooks } = useWords()
  const { environment, status, reason, collected, succeeded, failed, operators, endpoints } =
    account
  return (
    <Card title={shell[environment]}>
      <p className="state-line">
        <State tone={STATUS_TONES[status]}>{merchants.statuses[status]}</State>
        <button
          type="button"
          className="plain underlined"
          aria-label={`${merchants.change}, ${shell[environment]}`}
          onClick={change}
        >
          {merchants.change}
        </button>
      </p>
      {reason !== null && <p className={status === 'validated' ? 'note calm' : 'note'}>{reason}</p>}
      <Details>
        <TextDetail name={`${common.collected} ${home.total(30)}`} text={formatAmount(collected)} />
        <TextDetail name={home.succeeded} text={formatCount(succeeded)} />
        <TextDetail name={home.failed} text={formatCount(failed)} />
        {operators.map((each) => (
          <TextDetail
            key={each.operator}
            name={each.name}
            text={home.operatorRow(
              formatCount(each.succeeded),
              formatCount(each.succeeded + each.failed),
            )}
          />
        ))}
        <TextDetail name={merchants.accountId} text={account.accountId} copies />
      </Details>
      {endpoints.map(({ url, state, failingSince, lastStatus }) => (
        <p key={url} className="small">
          <State tone={ENDPOINT_TONES[state] as Tone}>{webhooks.endpointStates[state]}</State>{' '}
          <span className="mono breaks">
            <Address url={url} />
          </span>
          {failingSince !== null && (
            <span className="sub">
              {dotted(
                webhooks.failingSince(formatDayAndTime(failingSince)),
                webhooks.answered(lastStatus),
              )}
            </span>
          )}
        </p>
      ))}
    </Card>
  )
}

function OwnConnections({ accounts }: { accounts: MerchantBody['accounts'] }) {
  const { connections, merchants, networks, shell } = useWords()
  const connectionName = useConnectionName()
  const rows = accounts.flatMap(({ environment, connections }) =>
    connections.map((connection) => ({ ...connection, environment })),
  )
  return (
    <Card title={merchants.networks}>
      {rows.length === 0 && <p className="soft">{merchants.noNetworks}</p>}
      <ul className="plain-list">
        {rows.map(
          ({ connectionId, connector, label, serves, environment, state, since, reason }) => (
            <li key={connectionId}>
              <span>
                <b>{label}</b>
                <span className="sub">
                  {dotted(
                    connectionName(connector),
                    serves.map(connectionName).join(', '),
                    shell[environment],
                  )}
                </span>
                <State tone={CONNECTION_TONES[state]}>{networks.states[state]}</State>
                {since !== null && (
                  <span className="sub">{connections.since(formatDayAndTime(since))}</span>
                )}
                {reason !== null && <span className="sub">{reason}</span>}
              </span>
            </li>
          ),
        )}
      </ul>
    </Card>
  )
}

function Team({ team }: { team: MerchantBody['team'] }) {
  const { account, shell, merchants } = useWords()
  return (
    <Card className="half" title={account.tabs.team}>
      {team.length === 0 && <p className="soft">{merchants.noPeople}</p>}
      <ul className="plain-list">
        {team.map(({ personId, name, email, role, lastSeenAt }) => (
          <li key={personId}>
            <span>
              <b>{name}</b> ·&nbsp;{shell.roles[role]}
              <span className="sub">
                {email} {lastSeenAt !== null && <>·&nbsp;{<When at={lastSeenAt} />}</>}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function History({ history }: { history: MerchantBody['history'] }) {
  const { account, activity } = useWords()
  const actorName = useActorName()
  return (
    <Card className="half" title={account.tabs.activity}>
      {history.length === 0 && <p className="soft">{activity.empty}</p>}
      <ul className="plain-list">
        {history.map(({ number, at, by, action }) => (
          <li key={number}>
            <span>
              <b>{activity.actions[action] ?? action}</b>
              <span className="sub">
                {actorName(by)} ·&nbsp;
                <When at={at} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
