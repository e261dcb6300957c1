// A part of the bench: one subject with its figures, measured for each store.
import type { Figure } from './report.ts'
import type { Measured } from './servers.ts'
import type { Settings, Store } from './stores.ts'

export interface Bench {
  store: Store
  bare: Measured
  /** How often each comparison is repeated, and with how many requests. */
  rounds: number
  requests: number
  isQuick: boolean
  /** The largest number of stored payments to measure with. */
  most: number
}

export interface Part {
  name: string
  /** Minutes: only in the whole run, or when it is asked for by name. */
  isLong?: true
  measure(bench: Bench): Promise<Figure[]>
  /** After all stores: writes down what belongs into a document. */
  finish?(): void
}

/** A place that is removed afterwards, whatever happens. */
export async function inPlace<T>(store: Store, work: (place: Settings) => Promise<T>): Promise<T> {
  const place = await store.newPlace()
  try {
    return await work(place)
  } finally {
    await store.remove(place)
  }
}

/** A server that is stopped afterwards. */
export async function running<T>(started: Promise<Measured>, work: (server: Measured) => Promise<T>): Promise<T> {
  const server = await started
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}
