// The console's figures: counted in this process at next to no cost, written down a few times a minute while anything happens, and read over all
// processes (ADR-0016). A process in which nothing happens writes nothing.
import type { Clock, Random } from '../domain/clock-and-random.ts'
import { type HourFigures, MINUTE_MS, MINUTES, type MinuteCounts, sumHour } from '../domain/minute-figures.ts'
import { base32 } from '../domain/reference.ts'
import { type MinuteFigures, minuteFigures } from '../observability/minute-figures.ts'
import type { Database } from '../store/engine/database.ts'
import { listOtherMinutes, removeMinutes, writeMinute } from '../store/figures/minute-figures.ts'

export interface FiguresRecorder extends Omit<MinuteFigures, 'counted'> {
  /** Of all processes; of the others as they last wrote it down. */
  read(): Promise<HourFigures>
  /** Writes down what is not. */
  stop(): Promise<void>
}

const EVERY_MS = 20_000

export function figuresRecorder({
  db,
  clock,
  random,
}: {
  db: Database
  clock: Clock
  random: Random
}): FiguresRecorder {
  const process = base32(random.bytes(10), 16)
  let waiting = new Set<MinuteCounts>()
  let isScheduled = false
  let writing: Promise<void> = Promise.resolve()

  const ring = minuteFigures(clock, (minute) => {
    waiting.add(minute)
    if (isScheduled) return
    isScheduled = true
    clock.after(EVERY_MS, flush)
  })

  function flush(): void {
    isScheduled = false
    const minutes = waiting
    waiting = new Set()
    // With the store away a chart misses a part of a minute, and nothing else does.
    if (minutes.size > 0) writing = writing.then(() => write(minutes)).catch(() => {})
  }

  const firstMinute = (): number => Math.floor(clock.now() / MINUTE_MS) - MINUTES + 1

  async function write(minutes: ReadonlySet<MinuteCounts>): Promise<void> {
    for (const minute of minutes) await writeMinute(db, process, minute)
    await removeMinutes(db, firstMinute())
  }

  const { created, settled, backlog } = ring
  return {
    ...{ created, settled, backlog },
    async read() {
      const others = await listOtherMinutes(db, process, firstMinute())
      return sumHour([...ring.counted(), ...others], firstMinute() + MINUTES - 1)
    },
    async stop() {
      flush()
      await writing
    },
  }
}
