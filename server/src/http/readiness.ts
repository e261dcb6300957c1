// Whether this process can do its work: read, write, and move payments on. Each check has two seconds; what fails is named, so that the person
// who is woken up knows where to look. Looked at once a second at most, however often it is asked for.
import type { Clock } from '../domain/clock-and-random.ts'
import { keptFor } from '../observability/kept-for.ts'

export interface ReadinessCheck {
  name: string
  /** Throws, or answers false, when this part does not work. */
  works(): Promise<boolean>
}

const CHECK_WITHIN_MS = 2_000
const KEPT_MS = 1_000

/** The names of the parts that do not work. */
export function readiness(clock: Clock, checks: readonly ReadinessCheck[]): () => Promise<string[]> {
  async function check({ name, works }: ReadinessCheck): Promise<string[]> {
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>()
    const cancel = clock.after(CHECK_WITHIN_MS, () => resolve(false))
    const isWorking = await Promise.race([works().catch(() => false), tooLate])
    cancel()
    return isWorking ? [] : [name]
  }

  return keptFor(clock, KEPT_MS, async () => (await Promise.all(checks.map(check))).flat())
}
