// The keys that older API keys were hashed with, sealed under the master key of today. The newest one is derived from it and not kept.
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface RetiredHashingKey {
  generation: number
  hashingKey: string
  retiredAt: number
}

const RETIRED = columns<RetiredHashingKey>({
  generation: 'generation',
  hashingKey: 'hashing_key',
  retiredAt: 'retired_at',
})

/** Newest first. */
export const listRetiredHashingKeys = (db: Queries): Promise<RetiredHashingKey[]> =>
  db.rows<RetiredHashingKey>(`select ${RETIRED} from retired_hashing_keys order by generation desc`)

/** Adds one, or seals it anew. */
export async function putRetiredHashingKey(tx: Queries, key: RetiredHashingKey): Promise<void> {
  await tx.change(
    `insert into retired_hashing_keys (generation, hashing_key, retired_at) values ($1, $2, $3)
     on conflict (generation) do update set hashing_key = excluded.hashing_key`,
    [key.generation, key.hashingKey, key.retiredAt],
  )
}
