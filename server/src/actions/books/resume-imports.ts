// Goes on with imports that a crash cut off, from the kept bytes of their files; so with those that
// are being taken back. An import whose file is no longer kept, or whose columns have changed
// since, is taken back: half of a file explains nothing for certain.

import type { ColumnMapping, KeptStatementFile } from '../../domain/books/statement.ts'
import { actorOf, type ServiceItself } from '../../domain/people/caller.ts'
import { isRefused } from '../../domain/refusals/refusal.ts'
import { findKeptFile } from '../../store/books/kept-files.ts'
import { beginTakeBack, findCutOff } from '../../store/books/take-backs.ts'
import { type ImportFileDeps, importStatementFile, mappingOf, readByOf } from './import-file.ts'
import { contentOf } from './kept-files.ts'
import { parsingTurn } from './parsing-turn.ts'
import { asSoleImport } from './sole-import.ts'
import { finishTakeBack } from './take-back-import.ts'

export type ResumeDeps = Omit<ImportFileDeps, 'isConnected'>

const CUT_OFF = 'The import was cut off, and could not go on.'

/** One file. True when there may be more. */
export async function resumeImport(deps: ResumeDeps, caller: ServiceItself): Promise<boolean> {
  const { db, clock } = deps
  const file = await findCutOff(db, await db.time())
  if (file === undefined) return false
  if (file.state === 'importing') {
    const outcome = await goOn(deps, caller, file)
    if (outcome !== 'cannot go on') return outcome === 'done'
  }
  const done = await asSoleImport(deps, file, async (pauseAfter) => {
    if (file.state === 'importing')
      await beginTakeBack(db, file.fileId, { at: clock.now(), by: actorOf(caller), note: CUT_OFF })
    return finishTakeBack({ ...deps, pauseAfter }, file)
  })
  return !isRefused(done)
}

async function goOn(
  deps: ResumeDeps,
  caller: ServiceItself,
  file: KeptStatementFile,
): Promise<'done' | 'busy' | 'cannot go on'> {
  const kept = file.keptId === null ? undefined : await findKeptFile(deps.db, file.keptId)
  if (kept === undefined) return 'cannot go on'
  const { environment, connection, name, firstDay, lastDay, witness } = file
  const open = () => contentOf(deps, kept)
  const fetched = witness === 'network' ? { fetched: { firstDay, lastDay, repeatedDays: 0 } } : {}
  const given = { environment, connection, name, open, isDryRun: false, ...fetched }
  // The connection may be removed meanwhile: its money has moved all the same.
  const importing = { ...deps, isConnected: () => true }
  const mapping = await mappingOf(importing, given, await parsingTurn(deps, caller))
  if (isRefused(mapping)) return 'cannot go on'
  const dateOrder = ORDERS.find(
    (order) => readByOf({ ...mapping, dateOrder: order }) === file.readBy,
  )
  if (dateOrder === undefined && file.readBy !== readByOf(mapping)) return 'cannot go on'
  const outcome = await importStatementFile(importing, caller, { ...given, dateOrder })
  if (!isRefused(outcome)) return 'done'
  const isBusy =
    outcome.refused === 'import_under_way' || outcome.refused === 'too_many_statements_read'
  return isBusy ? 'busy' : 'cannot go on'
}

const ORDERS = ['day_first', 'month_first'] as const satisfies readonly ColumnMapping['dateOrder'][]
