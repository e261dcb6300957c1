// A real PostgreSQL with a synchronous standby, for tests of a fail-over. Both belong to a process of their own (postgres-pair-keeper.ts).
import { fileURLToPath } from 'node:url'
import { forkKeeper } from './postgres.ts'

const KEEPER = fileURLToPath(new URL('postgres-pair-keeper.ts', import.meta.url))

export interface PostgresPair {
  /** With both hosts. */
  url: string
  /** kill -9 of the server that is written to. */
  killPrimary(): Promise<void>
  /** The standby becomes the one that is written to. */
  promote(): Promise<void>
  /** The killed server becomes the synchronous standby of the other. */
  rebuild(): Promise<void>
  stop(): Promise<void>
}

export async function makePostgresPair(): Promise<PostgresPair> {
  const keeper = forkKeeper(KEEPER)
  return {
    url: await keeper.command('start'),
    killPrimary: async () => void (await keeper.command('kill')),
    promote: async () => void (await keeper.command('promote')),
    rebuild: async () => void (await keeper.command('rebuild')),
    stop: keeper.stop,
  }
}
