// What actions take from the runtime. Each action names the part that it uses.
import type { KeyHasher } from '../domain/api-key.ts'
import type { Clock, Random } from '../domain/clock-and-random.ts'
import type { PublicReferences } from '../domain/public-reference.ts'
import type { MasterBox } from '../domain/sealed-box.ts'
import type { Database } from '../store/engine/database.ts'

export interface Deps {
  db: Database
  clock: Clock
  random: Random
  publicReferences: PublicReferences
  /** The number of the next payment. */
  nextNumber(): Promise<number>
  /** The number of the next entry in a payment's history. */
  nextStoryEntry(): Promise<number>
  hashKey: KeyHasher
  /** Seals the keys with which merchants' servers sign orders. */
  orderKeys: MasterBox
}

/** Of an action that moves a payment: its history and its event are in the same commit. */
export type MoveDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'nextStoryEntry'>
