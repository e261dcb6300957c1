// Whether payments can be recorded, for /readyz. Its usual probe writes little, which may fit on a full disk or beside a lock where a payment
// does not. So once the store has refused a request, payments are inserted and undone until that works again.
import type { Clock, Random } from '../domain/clock-and-random.ts'
import type { Database } from '../store/engine/database.ts'
import { canRecordPayments } from '../store/payments/payments.ts'
import { canWrite } from '../store/service/service-facts.ts'

export interface RecordingProbe {
  /** Told of every answer. */
  answered(method: string, code: number): void
  works(): Promise<boolean>
}

const PROBE_BYTES = 20

export function recordingProbe(db: Database, clock: Pick<Clock, 'now'>, random: Random): RecordingProbe {
  let wasRefused = false
  let probing: Promise<boolean> | undefined

  async function probe(): Promise<boolean> {
    const name = `probe ${Buffer.from(random.bytes(PROBE_BYTES)).toString('hex')}`
    wasRefused = !(await canRecordPayments(db, name, clock.now()))
    return !wasRefused
  }

  return {
    answered: (method, code) => {
      if (method === 'POST' && code === 503) wasRefused = true
    },
    works: async () => {
      if (!(await canWrite(db, clock.now()))) return false
      if (!wasRefused) return true
      // One at a time: behind a lock it waits for longer than it is waited for.
      probing ??= probe().finally(() => {
        probing = undefined
      })
      return probing
    },
  }
}
