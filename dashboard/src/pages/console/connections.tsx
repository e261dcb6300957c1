// The connections to the operators' networks: their state, and how staff pause one with a reason
// and resume it.
import { useState } from 'react'
import type { ConnectionRow } from '../../../../server/src/dashboard-api/contract.ts'
import { useChange, usePages } from '../../api/account.ts'
import { ask } from '../../api/client.ts'
import { dotted, formatDayAndTime } from '../../format.ts'
import { Confirm, RowButton } from '../../parts/form.tsx'
import { ConnectionIcon, WarningIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Empty, PageTitle } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { State, type Tone, useConnectionName } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

const TONES: Readonly<Record<ConnectionRow['state'], Tone>> = {
  up: 'good',
  down: 'bad',
  refused: 'bad',
  closed: 'bad',
  paused: 'wait',
  suspended: 'calm',
  unknown: 'calm',
}

const AT = 'POST /connections/:environment/:connection'
const addressed = ({ environment, name: connection }: ConnectionRow) => ({
  environment,
  connection,
})

export function Connections() {
  const words = useWords()
  const { connections } = words
  const connectionName = useConnectionName()
  const { act } = useMessages()
  const change = useChange('console')
  const pages = usePages('console', 'GET /connections')
  const [pausing, setPausing] = useState<ConnectionRow>()
  const shared = (pages.rows ?? []).filter(({ sharedBy }) => sharedBy > 0)
  const nameOf = ({ name, label }: ConnectionRow): string =>
    connectionName({ connection: name, connectionLabel: label })
  const networkOf = ({ connector }: ConnectionRow): string =>
    connector === 'simulated' ? connections.simulated : connectionName(connector)
  const routeName = (route: string): string =>
    route === '*' ? connections.everyRoute : connectionName(route)
  const resume = (row: ConnectionRow): void =>
    void act(
      () => change(ask('console', `${AT}/resume`, addressed(row)), 'connections'),
      connections.resumed,
    )
  const resumeWord = ({ state }: ConnectionRow): string =>
    state === 'closed' ? connections.reopen : words.common.resume
  return (
    <>
      <PageTitle title={connections.title} />
      {shared.length > 0 && (
        <section className="warning" aria-label={connections.sharedTitle}>
          <WarningIcon size={24} />
          <div>
            <b>{connections.sharedTitle}</b>
            <p>
              {connections.shared(
                shared.map((row) => connections.sharedBy(nameOf(row), row.sharedBy)).join(', '),
              )}
            </p>
          </div>
        </section>
      )}
      <PagedRows
        label={connections.title}
        pages={pages}
        keyOf={({ environment, name }) => `${environment}/${name}`}
        columns={[
          {
            heading: words.books.connection,
            cell: (row) => (
              <>
                <b>{nameOf(row)}</b>
                <span className="sub">
                  {dotted(words.shell[row.environment], networkOf(row), row.owner)}
                </span>
                <span className="sub mono">{row.name}</span>
              </>
            ),
          },
          {
            heading: connections.routes,
            from: 'md',
            cell: ({ routes }) => routes.map(routeName).join(', '),
          },
          {
            heading: connections.limits,
            from: 'md',
            cell: ({ limits }) =>
              limits === null
                ? '–'
                : (['request', 'status'] as const).map((each) => (
                    <span key={each} className="sub">
                      {connections.limit[each]}{' '}
                      {connections.limitOf(limits[each].atOnce, limits[each].perSecond)}
                    </span>
                  )),
          },
          {
            heading: words.common.state,
            isBelow: true,
            cell: ({ state, since, reason: why }) => (
              <>
                <State tone={TONES[state]}>{connections.states[state]}</State>
                {since !== null && (
                  <span className="sub">{connections.since(formatDayAndTime(since))}</span>
                )}
                {why !== null && <span className="sub">{why}</span>}
                {state === 'closed' && <span className="sub">{connections.closedHelp}</span>}
              </>
            ),
          },
          {
            heading: <span className="hidden">{words.common.pause}</span>,
            isBelow: true,
            at: 'end',
            cell: (row) => {
              const isStopped = row.state === 'paused' || row.state === 'closed'
              const name = isStopped ? resumeWord(row) : words.common.pause
              const act = () => (isStopped ? resume(row) : setPausing(row))
              return (
                <RowButton
                  name={name}
                  label={`${name}, ${nameOf(row)}, ${words.shell[row.environment]}`}
                  isMain={isStopped}
                  onClick={act}
                />
              )
            },
          },
        ]}
        empty={
          <Empty
            icon={<ConnectionIcon size={40} />}
            title={connections.empty}
            help={connections.emptyHelp}
          />
        }
      />
      <Confirm
        isOpen={pausing !== undefined}
        close={() => setPausing(undefined)}
        title={connections.pauseTitle(pausing === undefined ? '' : nameOf(pausing))}
        lead={connections.pauseLead}
        act={words.common.pause}
        reason={{ label: words.common.reason }}
        onAct={async (reason) =>
          pausing &&
          change(ask('console', `${AT}/pause`, { ...addressed(pausing), reason }), 'connections')
        }
        done={connections.paused}
      />
    </>
  )
}
