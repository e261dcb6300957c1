// A merchant's home: collected amounts, success rates, reasons of failures, and what needs
// attention.
import { Anchor, Button, SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type Attention,
  type HomeBody,
  isMerchantConnection,
} from '../../../server/src/dashboard-api/contract.ts'
import { useRead } from '../api/account.ts'
import { may, usePlace } from '../api/session.ts'
import {
  formatAmount,
  formatCount,
  formatDay,
  formatDayAndTime,
  formatPercent,
  noonOf,
} from '../format.ts'
import { type Bar, BarChart, Meter, SuccessMeter } from '../parts/charts.tsx'
import { PaymentsIcon } from '../parts/icons.tsx'
import { KeptSecrets } from '../parts/kept-secrets.tsx'
import { MoneyChanges } from '../parts/money-changes.tsx'
import { Card, Empty, PageTitle, Read } from '../parts/page.tsx'
import { useConnectionName, useOperatorName } from '../parts/values.tsx'
import { useWords } from '../words/language.tsx'

const PERIODS = ['7', '30', '90', '365']
const MOST_BARS = 90

export function Home() {
  const { shell, home } = useWords()
  const { base } = usePlace()
  const [days, setDays] = useState('30')
  const reading = useRead(base, 'GET /home', { days: Number(days) })
  return (
    <>
      <PageTitle title={shell.home}>
        <SegmentedControl
          value={days}
          onChange={setDays}
          data={PERIODS.map((each) => ({ value: each, label: home.days(Number(each)) }))}
          aria-label={home.period}
        />
      </PageTitle>
      <Read reading={reading} lines={10}>
        {(body) => <Body body={body} days={Number(days)} />}
      </Read>
    </>
  )
}

function Body({ body, days }: { body: HomeBody; days: number }) {
  const words = useWords()
  const { home } = words
  const { today } = body
  const operatorName = useOperatorName()
  const total = body.days.reduce((sum, each) => sum + (each.collected ?? 0), 0)
  const { role } = usePlace()
  const seesTurnover = may(role, 'seeTurnover')
  const [good, bad] = (['succeeded', 'failed'] as const).map((name) =>
    body.days.reduce((sum, each) => sum + each[name], 0),
  ) as [number, number]
  const isEmpty = good + bad + today.pending + today.succeeded + today.failed === 0
  const byWeek = body.days.length > MOST_BARS
  const chartName = byWeek ? home.byWeek : home.byDay
  return (
    <div className="grid">
      {body.attention.length > 0 && (
        <Card title={home.attention}>
          <AttentionList attention={body.attention} />
        </Card>
      )}
      <MoneyChanges />
      <KeptSecrets />
      {may(role, 'seeBooks') && <MoneyLine />}
      {isEmpty ? (
        <FirstSteps
          isValidated={!body.attention.some(({ kind }) => kind === 'account_not_validated')}
        />
      ) : (
        <>
          <Card className={seesTurnover ? 'third' : ''}>
            <h2 className="soft small">
              {today.collected === null ? words.shell.today : home.today}
            </h2>
            {today.collected !== null && <p className="big">{formatAmount(today.collected)}</p>}
            <dl className="facts">
              <Fact name={home.succeeded} value={formatCount(today.succeeded)} />
              <Fact name={home.failed} value={formatCount(today.failed)} />
              <Fact name={words.status.pending} value={formatCount(today.pending)} />
            </dl>
            <dl className="facts apart">
              {seesTurnover && (
                <Fact
                  name={`${words.common.collected} ${home.total(days)}`}
                  value={formatAmount(total)}
                />
              )}
              <Fact
                name={home.success}
                value={good + bad === 0 ? '–' : formatPercent(good / (good + bad))}
              />
            </dl>
          </Card>
          {seesTurnover && (
            <Card className="two-thirds" title={chartName}>
              <BarChart
                bars={byWeek ? weeks(body) : daysOf(body)}
                name={chartName}
                heading={[home.day, words.common.collected]}
              />
            </Card>
          )}
          <Card className="half" title={home.operators}>
            {body.operators.length === 0 && <p className="soft">{home.noOperators}</p>}
            {body.operators.map(({ operator, succeeded, failed }) => (
              <SuccessMeter
                key={operator}
                name={
                  <>
                    {operatorName(operator)}{' '}
                    <span className="soft">
                      ·&nbsp;
                      {home.operatorRow(formatCount(succeeded), formatCount(succeeded + failed))}
                    </span>
                  </>
                }
                succeeded={succeeded}
                failed={failed}
              />
            ))}
          </Card>
          <Card className="half" title={home.failures}>
            {body.failures.length === 0 && <p className="soft">{home.noFailures}</p>}
            {body.failures.map(({ reason, count }) => (
              <Meter
                key={reason}
                name={words.failures[reason] ?? reason}
                value={formatCount(count)}
                share={count / Math.max(...body.failures.map((each) => each.count))}
              />
            ))}
          </Card>
        </>
      )}
    </div>
  )
}

/** What is not yet in the bank, and how many differences are open. */
function MoneyLine() {
  const { books, home } = useWords()
  const { accountId, base } = usePlace()
  const { data } = useRead(base, 'GET /money')
  if (data === undefined || data.connections.length === 0) return null
  const { receivable, wallet, in_transit, withheld } = data.whole
  const at = `/a/${accountId}/money`
  return (
    <Card className="money-line">
      <h2>{books.tabs.where}</h2>
      <p className="money-rest">
        <b>{formatAmount(receivable + wallet + in_transit + withheld)}</b> {books.home.rest}
      </p>
      {data.openDifferences > 0 && (
        <Anchor component={Link} to={`${at}/differences`} className="differences" fw={600}>
          {books.differences.count(data.openDifferences)}
        </Anchor>
      )}
      <Anchor component={Link} to={at} fw={600} aria-label={`${home.see}, ${books.tabs.where}`}>
        {home.see}
      </Anchor>
    </Card>
  )
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

/** An account that is not validated refuses payments: its first step is the validation. */
function FirstSteps({ isValidated }: { isValidated: boolean }) {
  const { home } = useWords()
  const { accountId, role } = usePlace()
  const linkHelp = may(role, 'makeLinks') ? home.linkHelp : undefined
  const firstStep = may(role, 'seeDevelopers') ? home.emptyHelp : linkHelp
  return (
    <Card>
      <Empty
        icon={<PaymentsIcon size={44} />}
        title={home.empty}
        help={isValidated ? firstStep : home.firstValidation}
      >
        {!isValidated && may(role, 'changeSettings') && (
          <Button component={Link} to={`/a/${accountId}/account/business`}>
            {home.seeValidation}
          </Button>
        )}
        {isValidated && may(role, 'makeLinks') && (
          <Button component={Link} to={`/a/${accountId}/links`}>
            {home.makeLink}
          </Button>
        )}
        {may(role, 'seeDevelopers') && (
          <Button component={Link} to={`/a/${accountId}/developers`} variant="default">
            {home.seeKeys}
          </Button>
        )}
      </Empty>
    </Card>
  )
}

const daysOf = ({ days }: HomeBody): Bar[] =>
  days.map(({ day, collected }) => ({
    label: formatDay(noonOf(day)),
    value: collected ?? 0,
  }))

/**
 * Seven days in a bar, up to today. An incomplete first week is left out: it would look like a bad
 * one.
 */
function weeks({ days }: HomeBody): Bar[] {
  const bars: Bar[] = []
  for (let at = days.length % 7; at < days.length; at += 7) {
    const week = days.slice(at, at + 7)
    const label = formatDay(noonOf(week[0]?.day ?? ''))
    bars.push({ label, value: week.reduce((sum, each) => sum + (each.collected ?? 0), 0) })
  }
  return bars
}

type Line = { text: string; tone: 'bad' | 'wait' | 'calm'; page?: string }

function AttentionList({ attention }: { attention: readonly Attention[] }) {
  const words = useWords()
  const { home } = words
  const { accountId, role } = usePlace()
  const activity = may(role, 'seeActivity') ? { page: 'account/activity' } : {}
  const connectionName = useConnectionName()
  const networkName = ({ operator, name }: { operator: string; name: string }): string =>
    isMerchantConnection(operator) ? name : connectionName(operator)
  const lineOf = (each: Attention): Line => {
    switch (each.kind) {
      case 'endpoint_failing':
        return {
          text: home.endpointFailing(
            each.url,
            formatDayAndTime(each.since),
            words.webhooks.answered(each.lastStatusCode),
          ),
          tone: 'bad',
          page: 'developers/webhooks',
        }
      case 'key_ending':
        return {
          text: home.keyEnding(each.key, formatDayAndTime(each.at)),
          tone: 'wait',
          page: 'developers/keys',
        }
      case 'operator_down':
        return {
          text: home.operatorDown(networkName(each), formatDayAndTime(each.since)),
          tone: 'bad',
        }
      case 'operator_paused':
        return {
          text: home.operatorPaused(networkName(each), formatDayAndTime(each.since), each.reason),
          tone: 'wait',
        }
      case 'operator_refuses':
        return {
          text: home.operatorRefuses(networkName(each), formatDayAndTime(each.since)),
          tone: 'bad',
          page: 'account/networks',
        }
      case 'account_not_validated':
        return { text: home.notValidated, tone: 'wait', page: 'account/business' }
      case 'account_suspended':
        return { text: home.suspended(each.reason ?? ''), tone: 'bad', page: 'account/business' }
      case 'no_endpoint':
        return { text: home.noEndpoint, tone: 'calm', page: 'developers/webhooks' }
      case 'viewed_by_service':
        return {
          text: home.viewedByService(each.by, formatDayAndTime(each.at), each.reason),
          tone: 'calm',
          ...activity,
        }
    }
  }
  return (
    <ul className="attention">
      {attention.map(lineOf).map(({ text, tone, page }) => (
        <li key={text} className={tone}>
          <span>{text}</span>
          {page !== undefined && (
            <Anchor
              component={Link}
              to={`/a/${accountId}/${page}`}
              c="inherit"
              fw={600}
              underline="always"
              aria-label={`${home.see}, ${text}`}
            >
              {home.see}
            </Anchor>
          )}
        </li>
      ))}
    </ul>
  )
}
