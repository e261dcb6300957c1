// The installation's one root secret. Everything else that must be secret is derived from it for its own purpose, so that
// no key is used for two things. It is kept beside the database, never in it.
import { createHmac, hkdfSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingRefused } from '../config.ts'
import type { Random } from '../domain/clock-and-random.ts'

export interface MasterKey {
  /** A key for one purpose. Neither the master key nor another purpose's key can be derived from it. */
  derive(purpose: string): Buffer
}

export function loadMasterKey(configured: string, dataDir: string, random: Random): MasterKey {
  const root = Buffer.from(configured !== '' ? configured : fromFile(dataDir, random), 'hex')
  return { derive: (purpose) => Buffer.from(hkdfSync('sha256', root, 'karba', purpose, 32)) }
}

/** The hash under which an API key is stored (D-17). */
export function keyHasher(master: MasterKey): (apiKey: string) => string {
  const key = master.derive('api keys')
  return (apiKey) => createHmac('sha256', key).update(apiKey).digest('hex')
}

function fromFile(dataDir: string, random: Random): string {
  const file = join(dataDir, 'master.key')
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    // `wx` fails if the file exists: of two processes that start together, one writes and both read.
    writeFileSync(file, `${Buffer.from(random.bytes(32)).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new SettingRefused(`KARBA_DATA_DIR cannot be written: ${(error as Error).message}.`, { cause: error })
    }
  }
  const key = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(key)) throw new SettingRefused(`${file} must hold 64 hexadecimal digits.`)
  return key
}
