// The connections of merchants in one process: opened from the store at the start, and again when one is changed. Every
// process reads the changes of all others within a second.
import { credentialsPlace } from '../actions/operators/merchant-connections.ts'
import type { Config } from '../config.ts'
import type { SealedConnection } from '../domain/merchant-connection.ts'
import type { SealedBox } from '../domain/sealed-box.ts'
import type { Operator, Unknown } from '../operators/operator.ts'
import type { OwnedConnection } from '../operators/registry.ts'
import type { Queries } from '../store/engine/database.ts'
import { listChangedConnections } from '../store/operators/merchant-connections.ts'
import type { OpenedNetwork, OpenNetwork } from './connect-operators.ts'
import { networkOf } from './merchant-networks.ts'

interface MerchantConnectionsDeps {
  config: Config
  db: Queries
  box: SealedBox
  open: OpenNetwork
  /** Logs that one cannot be opened. */
  failed(error: unknown): void
}

type Known = { row: SealedConnection; opened: OpenedNetwork | undefined }

export function merchantConnections({ config, db, box, open, failed }: MerchantConnectionsDeps) {
  const known = new Map<string, Known>()
  let lastVersion = 0

  function openRow(row: SealedConnection): OpenedNetwork | undefined {
    try {
      return open(networkOf(config, row, box.open(row.credentials, credentialsPlace(row.connectionId))))
    } catch (error) {
      failed(new Error(`the connection ${row.connectionId} cannot be opened`, { cause: error }))
      return undefined
    }
  }

  function take(row: SealedConnection): void {
    const before = known.get(row.connectionId)
    const isSame = before?.opened !== undefined && before.row.credentials === row.credentials
    known.set(row.connectionId, { row, opened: isSame ? before.opened : openRow(row) })
    // Its calls in flight end first.
    if (!isSame) void before?.opened?.close().catch(failed)
  }

  return {
    /** All of them, when any has changed since the last reading. */
    read: async (): Promise<readonly OwnedConnection[] | undefined> => {
      const changed = await listChangedConnections(db, lastVersion)
      for (const row of changed) {
        take(row)
        lastVersion = row.version
      }
      return changed.length === 0 ? undefined : [...known.values()].sort(byAge).map(ownedOf)
    },
    /** Ends the calls in flight. */
    close: async (): Promise<void> => {
      await Promise.all([...known.values()].map(({ opened }) => opened?.destroy()))
    },
  }
}

const byAge = ({ row: one }: Known, { row: other }: Known): number =>
  one.createdAt - other.createdAt || (one.connectionId < other.connectionId ? -1 : 1)

/** One that cannot be opened still keeps its account's payments from the installation's wallet. */
function ownedOf({ row, opened }: Known): OwnedConnection {
  const { accountId, environment, connectionId, state } = row
  const { operator, hosted, prompts, pages, statements, refundsWholeOnly } = opened?.connected ?? {
    ...{ operator: closedOperator(connectionId), hosted: undefined, prompts: row.serves.split(','), pages: [] },
    ...{ statements: undefined, refundsWholeOnly: undefined },
  }
  const serves = state === 'removed' ? { prompts: [], pages: [] } : { prompts, pages }
  const isSuspended = state !== 'active' || opened === undefined
  const offers = { refundsWholeOnly, statements: state === 'removed' ? undefined : statements }
  return { ...{ accountId, environment, operator, hosted, isSuspended, ...offers }, ...serves }
}

function closedOperator(name: string): Operator {
  const closed = async (): Promise<Unknown> => ({
    ...{ is: 'unknown', why: 'this connection cannot be opened', neverLeft: true, misconfigured: true },
  })
  return { name, request: closed, status: closed, refund: closed, refundStatus: closed, parseCallback: () => undefined }
}
