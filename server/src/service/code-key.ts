// The database's key for public references: written once, and from then on part of every code.
import { makeCodeKey, usesQuickCodes } from '../domain/public-reference.ts'
import type { Queries } from '../store/engine/database.ts'
import { requireMigration } from '../store/engine/migrate.ts'
import { writeFactOnce } from '../store/service/service-facts.ts'

export const CODE_KEY = 'public_reference_key'
const QUICK_CODES = '0019_quick_codes'

/** Returns the key, whichever process wrote it. */
export async function writeCodeKeyOnce(tx: Queries, random: Uint8Array): Promise<string> {
  const key = await writeFactOnce(tx, CODE_KEY, makeCodeKey(random))
  await refuseOlderServers(tx, key)
  return key
}

/** A server that does not know quick codes would give other ones to the same payments (D-123). */
export async function refuseOlderServers(tx: Queries, key: string): Promise<void> {
  if (usesQuickCodes(key)) await requireMigration(tx, QUICK_CODES)
}
