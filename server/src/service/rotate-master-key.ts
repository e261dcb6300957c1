// Gives the installation a new master key, while no server runs. The new key is kept before the
// store is put under it, so that a crash at any point leaves a key for the store, and running it
// again finishes the rotation.
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { rotateMasterKey } from '../actions/master-key/rotate-master-key.ts'
import { type Config, SettingRefused } from '../config.ts'
import type { AccountCaller } from '../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../domain/refusals/refusal.ts'
import type { Queries } from '../store/engine/database.ts'
import { syncFolder } from '../store/engine/durable-file.ts'
import { countConnections } from '../store/engine/postgres-pool.ts'
import { lockSqliteFile } from '../store/engine/sqlite-files.ts'
import { fileIn, makeKey, masterKeyOf, readKey, useOf } from './master-key.ts'
import { isSqlite, openFile, openRuntime, realRandom, WrongMasterKey } from './runtime.ts'

/** With 0 values, an earlier interrupted rotation was completed. */
export type Rotated = { resealed: number } | RefusedAs<'caller_not_allowed' | 'master_key_changed'>

type Keys = { old: string; new: string }

export async function rotateKeyOfFile(config: Config, caller: AccountCaller): Promise<Rotated> {
  const file = fileIn(config.dataDir)
  const [next, aside] = [`${file}.next`, `${file}.old`]
  if (!existsSync(file)) throw new SettingRefused(`There is no master key at ${file}.`)
  return whileNoServerRuns(config, async () => {
    if (!existsSync(next) && existsSync(aside)) {
      // The new key has its final name already: only the old file was left.
      removeDurably(aside, config)
      return { resealed: 0 }
    }
    if (!existsSync(next)) makeKey(next, realRandom)
    if (!existsSync(aside)) linkSync(file, aside)
    syncFolder(config.dataDir)
    const rotated = await rotateStore(config, caller, { old: readKey(file), new: readKey(next) })
    if (isRefused(rotated)) return rotated
    renameSync(next, file)
    syncFolder(config.dataDir)
    removeDurably(aside, config)
    return rotated
  })
}

function removeDurably(file: string, { dataDir }: Config): void {
  rmSync(file)
  syncFolder(dataDir)
}

/** With KARBA_MASTER_KEY set. The caller has kept the new key, or shown it, before. */
export function rotateKeyOfSetting(
  config: Config,
  caller: AccountCaller,
  newKey: string,
): Promise<Rotated> {
  return whileNoServerRuns(config, () =>
    rotateStore(config, caller, { old: config.masterKey, new: newKey }),
  )
}

async function whileNoServerRuns<T>(config: Config, work: () => Promise<T>): Promise<T> {
  const unlock = isSqlite(config) ? openFile(config, lockSqliteFile) : () => {}
  try {
    return await work()
  } finally {
    unlock()
  }
}

/** Distinguishes this command's connections to PostgreSQL from those of servers. */
const OWN_NAME = 'karba_master_key'

async function rotateStore(config: Config, caller: AccountCaller, keys: Keys): Promise<Rotated> {
  if (keys.old === keys.new)
    throw new SettingRefused('The new master key is the old one. Give another.')
  const [from, to] = [masterKeyOf(keys.old), masterKeyOf(keys.new)]
  const own = isSqlite(config)
    ? config
    : { ...config, databaseUrl: withName(config.databaseUrl, OWN_NAME) }
  const open = (master: typeof from) => openRuntime(own, { master, mayMigrate: false })
  const runtime = await open(from).catch(async (error: unknown) => {
    if (!(error instanceof WrongMasterKey)) throw error
    // An interrupted rotation may have put the store under the new key: if not, the first sentence
    // is right.
    await (await open(to).catch(() => Promise.reject(error))).close()
  })
  if (runtime === undefined) return { resealed: 0 }
  try {
    const sides = { from: useOf(from, realRandom), to: useOf(to, realRandom) }
    return await rotateMasterKey(
      runtime,
      caller,
      isSqlite(config) ? sides : { ...sides, refuseBesideOthers },
    )
  } finally {
    await runtime.close()
  }
}

const withName = (url: string, name: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}application_name=${name}`

/** A server asks the time of its store every few seconds: where one runs, there is a connection. */
async function refuseBesideOthers(tx: Queries): Promise<void> {
  const sessions = await countConnections(tx, OWN_NAME)
  if (sessions === 0) return
  throw new SettingRefused(
    `Karba is running on this database: ${sessions} sessions. Stop every server, worker and command first.`,
  )
}
