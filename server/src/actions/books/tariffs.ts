// Staff set what a network takes of each collection; payments then show their expected fee.

import { type DatedTariff, isTariff, type KeptTariff } from '../../domain/ledger/tariff.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { actorOf, type Caller, isOfService } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { keepTariff, listKeptTariffs } from '../../store/books/tariffs.ts'
import type { Deps } from '../deps.ts'
import type { UploadDeps } from './kept-files.ts'

export async function setTariff(
  { db, clock, isConnected }: Pick<UploadDeps, 'db' | 'clock' | 'isConnected'>,
  caller: Caller,
  { environment, connection, ...tariff }: ConnectionKey & DatedTariff,
): Promise<
  KeptTariff | RefusedAs<'caller_not_allowed' | 'connection_not_found' | 'tariff_not_valid'>
> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  if (!(await isConnected({ environment, connection }))) return { refused: 'connection_not_found' }
  if (!isTariff(tariff)) return { refused: 'tariff_not_valid' }
  const at = clock.now()
  const kept = { environment, connection, ...tariff, setBy: actorOf(caller), setAt: at }
  await db.transaction(async (tx) => {
    await keepTariff(tx, kept)
    const subject = `${environment}/${connection}`
    await insertAudit(tx, caller, {
      at,
      action: 'tariff.set',
      subject,
      accountId: null,
      detail: tariff,
    })
  })
  return kept
}

export async function listTariffs(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
): Promise<{ tariffs: KeptTariff[] } | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  return { tariffs: await listKeptTariffs(db) }
}
