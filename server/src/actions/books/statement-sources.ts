// The connections whose statements a person may import.
import type { Caller } from '../../domain/caller.ts'
import type { ConnectionKey } from '../../domain/operator-report.ts'
import { importRefusal, type UploadDeps } from './kept-files.ts'

export interface SourceDeps extends Pick<UploadDeps, 'isConnected' | 'isOwnConnection'> {
  /** The connections of the installation and of its merchants. */
  readConnections(): Promise<readonly { environment: ConnectionKey['environment']; name: string }[]>
}

export async function listStatementSources(deps: SourceDeps, caller: Caller): Promise<{ rows: ConnectionKey[] }> {
  const rows: ConnectionKey[] = []
  for (const { environment, name: connection } of await deps.readConnections())
    if ((await importRefusal(caller, { environment, connection }, deps)) === undefined)
      rows.push({ environment, connection })
  return { rows }
}
