// The installation's one root secret. Everything else that must be secret is derived from it for
// its own purpose, so that no key is used for two things. It is stored next to the database, never
// in it.
import { createHmac, hkdfSync } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hashingKeyPlace, type MasterKeyUse } from '../actions/master-key/rotate-master-key.ts'
import { SettingRefused } from '../config.ts'
import type { Random } from '../domain/clock-and-random.ts'
import type { KeyHasher } from '../domain/people/api-key.ts'
import { type MasterBox, type SealPurpose, sealedBox } from '../domain/sealed-box.ts'
import { syncFolder, writeNewFile } from '../store/engine/durable-file.ts'
import type { RetiredHashingKey } from '../store/master-key/sealed-values.ts'

export interface MasterKey {
  /**
   * A key for one purpose. Neither the master key nor another purpose's key can be derived from it.
   */
  derive(purpose: string): Buffer
}

export function loadMasterKey(configured: string, dataDir: string, random: Random): MasterKey {
  return masterKeyOf(configured !== '' ? configured : fromFile(dataDir, random))
}

export function masterKeyOf(hex: string): MasterKey {
  const root = Buffer.from(hex, 'hex')
  return { derive: (purpose) => Buffer.from(hkdfSync('sha256', root, 'karba', purpose, 32)) }
}

/** What a database stores of its master key: enough to recognise it, and useless for decryption. */
export const masterKeyCheck = (master: MasterKey): string =>
  createHmac('sha256', master.derive('check')).update('karba').digest('hex')

export const boxOf = (master: MasterKey, purpose: SealPurpose, random: Random): MasterBox => ({
  ...sealedBox(master.derive(purpose), random),
  masterKeyCheck: masterKeyCheck(master),
})

/** Seals the secrets of webhook endpoints. */
export const secretsBox = (master: MasterKey, random: Random): MasterBox =>
  boxOf(master, 'webhook secrets', random)

/** The parts of a master key that a rotation needs. */
export const useOf = (master: MasterKey, random: Random): MasterKeyUse => ({
  check: masterKeyCheck(master),
  hashingKey: master.derive('api keys').toString('hex'),
  box: (purpose) => boxOf(master, purpose, random),
})

/**
 * The hashes under which an API key may be stored (D-17): those of master keys before this one as
 * well.
 */
export function openKeyHasher(
  master: MasterKey,
  random: Random,
  retired: readonly RetiredHashingKey[],
): KeyHasher {
  const box = boxOf(master, 'hashing keys', random)
  const open = ({ generation, hashingKey }: RetiredHashingKey) =>
    Buffer.from(box.open(hashingKey, hashingKeyPlace(generation)), 'hex')
  const newest = master.derive('api keys')
  const older = retired.map(open)
  const hash = (key: Buffer, apiKey: string) =>
    createHmac('sha256', key).update(apiKey).digest('hex')
  return (apiKey) => [hash(newest, apiKey), ...older.map((key) => hash(key, apiKey))]
}

/** Undefined when there is none yet. */
export function findMasterKey(configured: string, dataDir: string): MasterKey | undefined {
  const file = fileIn(dataDir)
  const stored = (): string | undefined => (existsSync(file) ? readKey(file) : undefined)
  const root = configured !== '' ? configured : stored()
  return root === undefined ? undefined : masterKeyOf(root)
}

export const fileIn = (dataDir: string): string => join(dataDir, 'master.key')

function fromFile(dataDir: string, random: Random): string {
  const file = fileIn(dataDir)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (!existsSync(file)) makeKey(file, random)
    // Nothing may be sealed under a key that a power cut could lose: every reader syncs the folder
    // entry too.
    syncFolder(dataDir)
  } catch (error) {
    throw new SettingRefused(`KARBA_DATA_DIR cannot be written: ${(error as Error).message}.`, {
      cause: error,
    })
  }
  return readKey(file)
}

/** Renamed when complete. Of two processes that start together, both read the same key. */
export function makeKey(file: string, random: Random): void {
  const whole = `${file}.${Buffer.from(random.bytes(6)).toString('hex')}`
  writeNewFile(whole, `${Buffer.from(random.bytes(32)).toString('hex')}\n`)
  try {
    linkSync(whole, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(whole)
  }
}

export function readKey(file: string): string {
  const key = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(key))
    throw new SettingRefused(`${file} must hold 64 hexadecimal digits.`)
  return key
}
