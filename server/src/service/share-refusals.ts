// Wires the refusals for our configuration to the log and to the store, which shares them with the other processes.
import type { Logger } from 'pino'
import type { Clock } from '../domain/clock-and-random.ts'
import { configurationRefusals } from '../operators/configuration-refusals.ts'
import type { Database } from '../store/engine/database.ts'
import {
  listConnectionRefusals,
  removeConnectionRefusal,
  writeConnectionRefusal,
} from '../store/operators/connections.ts'

type Deps = { db: Database; clock: Clock; log: Logger; failed(error: unknown): void }

export function shareRefusals({ db, clock, log, failed }: Deps) {
  const writes = { begun: 0, underWay: 0 }
  function write(work: Promise<unknown>): void {
    writes.begun++
    writes.underWay++
    void work.catch(failed).finally(() => {
      writes.underWay--
    })
  }
  const refusals = configurationRefusals({
    clock,
    noticed: ({ environment, connection, operator }, why) =>
      log.warn(
        { environment, connection, operator, why },
        'the network refused a payment for a reason that looks like our configuration',
      ),
    closed: (refusal, isNew) => {
      write(writeConnectionRefusal(db, refusal))
      if (!isNew) return
      const { environment, connection, operator, why } = refusal
      log.error(
        { environment, connection, operator, why },
        'this connection is refused for its credentials or settings and takes no new payments: change what `why` says; it reopens by itself with the first payment that the network accepts',
      )
    },
    reopened: (refusal, calledAt) => {
      write(removeConnectionRefusal(db, refusal, calledAt))
      const { environment, connection, operator, since } = refusal
      const seconds = Math.round((clock.now() - since) / 1_000)
      log.info(
        { environment, connection, operator, seconds },
        'this connection is no longer refused: it takes payments',
      )
    },
  })
  return {
    refusals,
    /** Reads the routes that other processes closed and reopened. */
    read: async () => {
      const { begun, underWay } = writes
      const listed = await listConnectionRefusals(db)
      // The rows read may be older than those that this process has written since.
      if (underWay === 0 && writes.begun === begun) refusals.load(listed)
    },
  }
}
