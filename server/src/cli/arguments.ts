// What is written after a command, read: times, spans of time, lists, and whatever a setting's reader reads. What cannot be read is a
// wrong usage.
import { InvalidArgumentError } from 'commander'
import { LONGEST_OVERLAP_MS } from '../actions/keys/roll-keys.ts'

/** A setting's reader for an option: what it says becomes a wrong usage. */
export function argument<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text)
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`)
    }
  }
}

/** Words with commas between. */
export function listOf<T>(read: (word: string) => T): (text: string) => T[] {
  return (text) => {
    const words = text.split(',').map((word) => word.trim())
    return words.filter((word) => word !== '').map(read)
  }
}

/** With its zone, or it would mean another time on another machine. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

export function time(text: string): number {
  const ms = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Say it as 2026-11-15T09:30:00Z.')
  return ms
}

/** How long something old goes on beside the new. */
export function overlap(text: string): number {
  const ms = spanMs(text === '0' ? '0s' : text)
  if (!(ms <= LONGEST_OVERLAP_MS)) throw new InvalidArgumentError('Say it as 30m or 24h, 72h at the most.')
  return ms
}

/** A time that may be said as a span before now: known once it is known what time it is. */
export type Moment = (now: number) => number

export function moment(text: string): Moment {
  const ago = spanMs(text)
  if (!Number.isNaN(ago)) return (now) => Math.max(0, now - ago)
  const at = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw new InvalidArgumentError('Say it as 24h or 7d ago, or as 2026-11-15T09:30:00Z.')
  return () => at
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function spanMs(text: string): number {
  const parts = /^(\d{1,9})([smhd])$/.exec(text)
  return parts === null ? Number.NaN : Number(parts[1]) * (UNITS_MS[parts[2] as string] as number)
}
