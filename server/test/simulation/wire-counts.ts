// How much went through the real networks of a world, and how often the checks had to excuse something.
import { isSilentlyPaid } from './wire-invariants.ts'
import type { World } from './world.ts'

export interface WireCounts {
  wireCalls: number
  wirePayments: number
  wireDebits: number
  wireRefunds: number
  wireCallbacks: number
  lostAnswers: number
  /** Debited after the network had said that it failed. */
  wireLateMoney: number
  /** Failed for good by the network's word, and debited later without a callback that was taken. */
  silentlyPaid: number
  /** Accepted by a network that then had no such payment. */
  forgotten: number
}

export function wireCounts({ wire }: World, forgotten: readonly string[]): WireCounts {
  const { all, seen } = wire
  const books = all.flatMap(({ manner, network }) =>
    network.books().map((each) => ({ ...each, reference: manner.referenceOf(each) })),
  )
  const debited = books.filter(({ debits }) => debits > 0)
  return {
    wireCalls: seen.calls,
    wirePayments: books.length,
    wireDebits: debited.length,
    wireRefunds: books.filter(({ refunds }) => refunds > 0).length,
    wireCallbacks: seen.callbacks,
    lostAnswers: seen.lost,
    wireLateMoney: debited.filter(({ reference }) => seen.failures.has(reference)).length,
    silentlyPaid: debited.filter(({ reference }) => isSilentlyPaid(wire, reference)).length,
    forgotten: forgotten.length,
  }
}
