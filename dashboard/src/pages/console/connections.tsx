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
import { type Column, PagedRows } from '../../parts/rows.tsx'
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

/** The page: a list, and a dialog while the pausing of one connection asks for its reason. */
export function Connections() {
  const { connections, common } = useWords()
  const nameOf = useRowName()
  const { act } = useMessages()
  const change = useChange('console')
  const pages = usePages('console', 'GET /connections')
  const [pausing, setPausing] = useState<ConnectionRow>()
  const resume = (row: ConnectionRow): void =>
    void act(
      () => change(ask('console', `${AT}/resume`, addressed(row)), 'connections'),
      connections.resumed,
    )
  return (
    <>
      <PageTitle title={connections.title} />
      <SharedWarning rows={pages.rows ?? []} />
      <PagedRows
        label={connections.title}
        pages={pages}
        keyOf={({ environment, name }) => `${environment}/${name}`}
        columns={[...useFactColumns(), useButtonColumn({ pause: setPausing, resume })]}
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
        act={common.pause}
        reason={{ label: common.reason }}
        onAct={async (reason) =>
          pausing &&
          change(ask('console', `${AT}/pause`, { ...addressed(pausing), reason }), 'connections')
        }
        done={connections.paused}
      />
    </>
  )
}

function useRowName(): (row: ConnectionRow) => string {
  const connectionName = useConnectionName()
  return ({ name, label }) => connectionName({ connection: name, connectionLabel: label })
}

/** Names the connections that merchants share. */
function SharedWarning({ rows }: { rows: readonly ConnectionRow[] }) {
  const { connections } = useWords()
  const nameOf = useRowName()
  const shared = rows.filter(({ sharedBy }) => sharedBy > 0)
  if (shared.length === 0) return null
  return (
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
  )
}

function useFactColumns(): Column<ConnectionRow>[] {
  const { books, common, connections, shell } = useWords()
  const connectionName = useConnectionName()
  const nameOf = useRowName()
  const networkOf = ({ connector }: ConnectionRow): string =>
    connector === 'simulated' ? connections.simulated : connectionName(connector)
  const routeName = (route: string): string =>
    route === '*' ? connections.everyRoute : connectionName(route)
  return [
    {
      heading: books.connection,
      cell: (row) => (
        <>
          <b>{nameOf(row)}</b>
          <span className="sub">{dotted(shell[row.environment], networkOf(row), row.owner)}</span>
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
      heading: common.state,
      isBelow: true,
      cell: (row) => <ConnectionState row={row} />,
    },
  ]
}

function ConnectionState({ row: { state, since, reason: why } }: { row: ConnectionRow }) {
  const { connections } = useWords()
  return (
    <>
      <State tone={TONES[state]}>{connections.states[state]}</State>
      {since !== null && <span className="sub">{connections.since(formatDayAndTime(since))}</span>}
      {why !== null && <span className="sub">{why}</span>}
      {state === 'closed' && <span className="sub">{connections.closedHelp}</span>}
    </>
  )
}

interface ConnectionActions {
  pause(row: ConnectionRow): void
  resume(row: ConnectionRow): void
}

function useButtonColumn({ pause, resume }: ConnectionActions): Column<ConnectionRow> {
  const { common, connections, shell } = useWords()
  const nameOf = useRowName()
  const resumeWord = ({ state }: ConnectionRow): string =>
    state === 'closed' ? connections.reopen : common.resume
  return {
    heading: <span className="hidden">{common.pause}</span>,
    isBelow: true,
    at: 'end',
    cell: (row) => {
      const isStopped = row.state === 'paused' || row.state === 'closed'
      const name = isStopped ? resumeWord(row) : common.pause
      return (
        <RowButton
          name={name}
          label={`${name}, ${nameOf(row)}, ${shell[row.environment]}`}
          isMain={isStopped}
          onClick={() => (isStopped ? resume(row) : pause(row))}
        />
      )
    },
  }
}
