// Follows the events of accounts for everything in this process that shows what is new: long polls,
// counter screens, open pages. One look for all of them: soon after this process has written an
// event, and at a fixed interval for events of other processes. Its cost depends on the events, not
// on the number of followers.
//
//   idle     nothing is followed
//   waiting  the next look has its time; an event of this process brings it forward
//   looking  the query runs; an event written meanwhile brings the next look forward
//   stopped  the process ends: no more looks
import type { Clock } from '../../domain/clock-and-random.ts'

export interface EventTailDeps {
  clock: Pick<Clock, 'after'>
  isFollowed(): boolean
  /** Reads what is new, and passes it on. */
  look(): Promise<void>
  /** A look failed: the next one is made all the same. */
  failed(error: unknown): void
  everyMs: number
  /** Events that are written together are looked for together. */
  soonMs: number
}

export class EventTail {
  readonly #deps: EventTailDeps
  #mode: 'idle' | 'waiting' | 'looking' | 'stopped' = 'idle'
  /** The look that is waited for comes soon: more events must not postpone it for ever. */
  #isSoon = false
  #isWrittenMeanwhile = false
  #cancel: () => void = () => {}

  constructor(deps: EventTailDeps) {
    this.#deps = deps
  }

  /** Something is followed from now on. */
  followed(): void {
    if (this.#mode === 'idle') this.#waitFor(this.#deps.everyMs)
  }

  /** This process has committed an event. */
  eventWritten(): void {
    if (this.#mode === 'looking') this.#isWrittenMeanwhile = true
    else if (this.#mode === 'waiting' && !this.#isSoon) this.#waitFor(this.#deps.soonMs)
  }

  stop(): void {
    this.#mode = 'stopped'
    this.#cancel()
  }

  #waitFor(ms: number): void {
    this.#cancel()
    this.#mode = 'waiting'
    this.#isSoon = ms === this.#deps.soonMs
    this.#cancel = this.#deps.clock.after(ms, () => void this.#look())
  }

  async #look(): Promise<void> {
    if (!this.#deps.isFollowed()) {
      this.#mode = 'idle'
      return
    }
    this.#mode = 'looking'
    this.#isWrittenMeanwhile = false
    await this.#deps.look().catch((error: unknown) => this.#deps.failed(error))
    if (this.#isStopped()) return
    if (this.#deps.isFollowed())
      this.#waitFor(this.#isWrittenMeanwhile ? this.#deps.soonMs : this.#deps.everyMs)
    else this.#mode = 'idle'
  }

  #isStopped(): boolean {
    return this.#mode === 'stopped'
  }
}
