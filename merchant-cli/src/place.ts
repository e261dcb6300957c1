// How far `karba listen` came in a feed, in a file that only its owner can read, with the secrets that it made up for the receiver.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Place {
  after: number | 'latest'
  replaysAfter: number | 'latest'
  secretHash: string
  signingSecret: string
}

/** One file for each service and key. The name holds a hash, from which the key cannot be found. */
export function placeFile(url: string, secretKey: string): string {
  const name = createHash('sha256').update(`${url}\n${secretKey}`).digest('hex').slice(0, 12)
  const folder = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  return join(folder, 'karba', `listen-${name}.json`)
}

/** Without a file, it begins with the next event. */
export function readPlace(file: string): Place {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Place
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    return {
      after: 'latest',
      replaysAfter: 'latest',
      secretHash: randomBytes(15).toString('hex'),
      signingSecret: `whsec_${randomBytes(32).toString('base64')}`,
    }
  }
}

export function writePlace(file: string, place: Place): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${JSON.stringify(place)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
