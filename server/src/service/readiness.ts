// The limit on open files of this process, and how many connections it leaves room for. Each
// connection is an open file: past the limit new ones are reset, networks cannot be called, and
// SQLite cannot open its files.
import { closeSync, openSync } from 'node:fs'
import type { Config } from '../config.ts'
import type { Clock, Random } from '../domain/clock-and-random.ts'
import { singleFlight } from '../domain/limits/single-flight.ts'
import type { Database } from '../store/engine/database.ts'
import { probePayments } from '../store/payments/payments.ts'
import { probeWrite } from '../store/service/service-facts.ts'

/**
 * For calls to networks (200), webhooks (200), and the store's files, threads and log (100).
 */
const RESERVED = 500

/** Undefined without a limit. Node raises the soft limit to the hard one at its start. */
export function openFileLimit(): number | undefined {
  // Of Node 22 and later: without it the report looks up the names of all connected addresses.
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } }
  }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : undefined
}

type ConnectionRoom = ReturnType<typeof connectionRoom>

/**
 * `most`: what the process may hold, the setting or less. `needed`: the limit on open files that
 * the setting needs.
 */
export function connectionRoom(
  { connections: wanted, postgresPool }: Pick<Config, 'connections' | 'postgresPool'>,
  limit: number | undefined,
) {
  const reserved = RESERVED + postgresPool
  // With a small limit, half of it is left for clients.
  const left = limit === undefined ? wanted : limit - Math.min(reserved, Math.floor(limit / 2))
  return { most: Math.min(wanted, left), wanted, limit, needed: wanted + reserved }
}

export const isShort = ({ most, wanted }: ConnectionRoom): boolean => most < wanted

export const shortSentence = ({ most, wanted, limit, needed }: ConnectionRoom): string =>
  `KARBA_CONNECTIONS is ${wanted}, and this process may open ${limit} files: it holds ${most} connections at most. Raise the limit on open files to ${needed} (ulimit -n, LimitNOFILE of systemd, nofile of the container), or lower KARBA_CONNECTIONS.`

export async function canOpenFile(): Promise<boolean> {
  closeSync(openSync(process.execPath, 'r'))
  return true
}

// Whether payments can be recorded, for /readyz. The usual probe may fit on a full disk or pass a
// lock where a payment does not. So once the store has refused a request, payments are inserted and
// rolled back until that works.

export type RecordingProbe = ReturnType<typeof recordingProbe>

const PROBE_BYTES = 20

export function recordingProbe(db: Database, clock: Pick<Clock, 'now'>, random: Random) {
  let wasRefused = false

  /** One at a time: behind a lock, a probe runs longer than its timeout. */
  const probe = singleFlight(async () => {
    const name = `probe ${Buffer.from(random.bytes(PROBE_BYTES)).toString('hex')}`
    await probePayments(db, name, clock.now())
    wasRefused = false
  })

  return {
    /** Called for every answer. */
    answered: (method: string, code: number): void => {
      if (method === 'POST' && code === 503) wasRefused = true
    },
    /** Rejects when nothing can be written. */
    works: async (): Promise<boolean> => {
      await probeWrite(db, clock.now())
      if (wasRefused) await probe()
      return true
    },
  }
}
