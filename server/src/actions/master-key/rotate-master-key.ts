// Rotates the store to a new master key: every sealed value is resealed, and the key that API keys
// were hashed with is kept, sealed. One transaction: after a crash the store uses only the old key
// or only the new one. Audited.
import { type AccountCaller, isOfService } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import type { SealedBox, SealPurpose } from '../../domain/sealed-box.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import {
  listRetiredHashingKeys,
  listSealed,
  MASTER_KEY_CHECK,
  putRetiredHashingKey,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedValue,
  writeSealed,
} from '../../store/master-key/sealed-values.ts'
import { replaceFact } from '../../store/service/service-facts.ts'
import type { Deps } from '../deps.ts'

export interface MasterKeyUse {
  /** What the store recognises the master key by. */
  check: string
  /** What API keys are hashed with, as hexadecimal digits. */
  hashingKey: string
  box(purpose: SealPurpose): SealedBox
}

export interface RotationInput {
  from: MasterKeyUse
  to: MasterKeyUse
  /**
   * Throws while other processes use the store. Called when none can start before the rotation
   * ends.
   */
  refuseBesideOthers?(tx: Queries): Promise<void>
}

const SLICE = 500

export const hashingKeyPlace = (generation: number): string => `hashing_key ${generation}`

export async function rotateMasterKey(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  { from, to, refuseBesideOthers }: RotationInput,
): Promise<{ resealed: number } | RefusedAs<'caller_not_allowed' | 'master_key_changed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  return db.transaction(async (tx) => {
    // First, so that of two that rotate at the same time the second waits here, and then finds
    // another key.
    if (!(await replaceFact(tx, MASTER_KEY_CHECK, from.check, to.check)))
      return { refused: 'master_key_changed' }
    await refuseBesideOthers?.(tx)
    const at = clock.now()
    let resealed = await resealHashingKeys(tx, { from, to }, at)
    for (const column of SEALED_COLUMNS) resealed += await resealColumn(tx, column, { from, to })
    await insertAudit(tx, caller, {
      at,
      action: 'master_key.rotate',
      subject: 'service',
      detail: { resealed },
    })
    return { resealed }
  })
}

async function resealHashingKeys(
  tx: Queries,
  { from, to }: RotationInput,
  at: number,
): Promise<number> {
  const [opens, seals] = [from.box('hashing keys'), to.box('hashing keys')]
  const retired = await listRetiredHashingKeys(tx)
  for (const key of retired) {
    const place = hashingKeyPlace(key.generation)
    const hashingKey = seals.seal(opens.open(key.hashingKey, place), place)
    await putRetiredHashingKey(tx, { ...key, hashingKey })
  }
  const generation = (retired[0]?.generation ?? 0) + 1
  const hashingKey = seals.seal(from.hashingKey, hashingKeyPlace(generation))
  await putRetiredHashingKey(tx, { generation, hashingKey, retiredAt: at })
  return retired.length
}

async function resealColumn(tx: Queries, column: SealedColumn, { from, to }: RotationInput) {
  const [opens, seals] = [from.box(column.purpose), to.box(column.purpose)]
  let resealed = 0
  for await (const value of sealedValues(tx, column)) {
    const place = sealedPlace(column, value)
    const sealed = seals.seal(opens.open(value.sealed, place), place)
    await writeSealed(tx, column, { ...value, sealed })
    resealed++
  }
  return resealed
}

async function* sealedValues(db: Queries, column: SealedColumn): AsyncGenerator<SealedValue> {
  for (let after = { ownerId: '', id: '' }; ; ) {
    const slice = await listSealed(db, column, after, SLICE)
    yield* slice
    const last = slice.at(-1)
    if (last === undefined) return
    after = last
  }
}

/**
 * A secret that is being rolled moves to the column of the old one as it is, so both are sealed for
 * the same place.
 */
const sealedPlace = ({ column }: SealedColumn, { id }: SealedValue): string =>
  `${id} ${column.replace(/^old_/, '')}`

/** Opens every sealed value: their number, and the columns with one that does not open. */
export async function openEverySecret(
  db: Queries,
  master: MasterKeyUse,
): Promise<{ opened: number; unopened: string[] }> {
  let opened = 0
  const unopened = new Set<string>()
  for (const column of SEALED_COLUMNS) {
    const box = master.box(column.purpose)
    for await (const value of sealedValues(db, column)) {
      if (opens(box, value.sealed, sealedPlace(column, value))) opened++
      else unopened.add(`${column.table}.${column.column}`)
    }
  }
  return { opened, unopened: [...unopened] }
}

function opens(box: SealedBox, sealed: string, place: string): boolean {
  try {
    box.open(sealed, place)
    return true
  } catch {
    return false
  }
}
