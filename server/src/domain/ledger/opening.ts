// What was in a wallet before its first statement (D-172). The entries that are booked, and the
// amount that the network's files say, give the entries that are still to be booked. Pure.
import type { NewEntry } from './ledger.ts'

/** What the entries of one day add up to. */
export interface BookedOpening {
  day: number
  xof: number
  firstEntry: number
}

export interface Opening {
  day: number
  /** Negative for a wallet that was overdrawn. */
  xof: number
}

interface Place extends Pick<NewEntry, 'accountId' | 'connection' | 'madeBy'> {
  at: number
}

/** A correction names the first entry: a file of earlier days moves the opening before them. */
export function openingEntries(
  booked: readonly BookedOpening[],
  opening: Opening | undefined,
  place: Place,
): NewEntry[] {
  const { accountId, connection, madeBy, at } = place
  const missing = new Map(booked.map(({ day, xof }) => [day, -xof]))
  if (opening !== undefined) missing.set(opening.day, (missing.get(opening.day) ?? 0) + opening.xof)
  const first = booked.length === 0 ? null : Math.min(...booked.map(({ firstEntry }) => firstEntry))
  return [...missing]
    .filter(([, xof]) => xof !== 0)
    .map(([day, xof]) => ({
      accountId,
      connection,
      bookedAt: at,
      day,
      kind: 'opening',
      debit: xof > 0 ? 'wallet' : 'opening',
      credit: xof > 0 ? 'opening' : 'wallet',
      amountXof: Math.abs(xof),
      number: null,
      refundReference: null,
      lineNumber: null,
      madeBy,
      corrects: first,
    }))
}

interface Begun {
  openingXof: number
  closingXof: number
  lastAt: number
}

/**
 * A line that came late, with the time of its payment, makes a file seem to begin before the one
 * that it follows. The sum is that of the lines between the two beginnings.
 */
export const beginsLate = (first: Begun, next: Begun, betweenXof: number): boolean =>
  first.openingXof + betweenXof !== next.openingXof &&
  first.openingXof === next.closingXof &&
  first.lastAt >= next.lastAt
