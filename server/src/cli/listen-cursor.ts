// The cursor of `karba listen` in a feed, in a file that only its owner can read, together with the secrets that it generated for the
// receiver: a restart continues at the cursor and signs with the same secrets.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random } from '../domain/clock-and-random.ts'
import { base32 } from '../domain/reference.ts'
import { makeSigningSecret } from '../webhooks/sign.ts'
import { CommandFailed } from './command-failed.ts'
import type { FeedCursor } from './feed-reader.ts'

export interface Cursor extends FeedCursor {
  /** Generated here, and used where the command got none. */
  secretHash: string
  signingSecret: string
}

/** One file for each service and key. The name holds a hash, from which the key cannot be found. */
export function cursorFile(folder: string, url: string, secretKey: string): string {
  const name = createHash('sha256').update(`${url}\n${secretKey}`).digest('hex').slice(0, 12)
  return join(folder, `listen-${name}.json`)
}

/** Without a file, a new cursor that begins with the next event. */
export function readCursor(file: string, random: Random): Cursor {
  const text = textOf(file)
  if (text !== undefined) {
    const cursor = parse(text)
    if (cursor !== undefined) return cursor
    throw new CommandFailed(`${file} is not a cursor of \`karba listen\`. Name another with --cursor, or remove it.`)
  }
  return {
    after: 'latest',
    replaysAfter: 'latest',
    secretHash: base32(random.bytes(15), 24),
    signingSecret: makeSigningSecret(random.bytes(32)),
  }
}

/** Atomic: a new file replaces the old one. */
export function writeCursor(file: string, cursor: Cursor): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const next = `${file}.${process.pid}.new`
    writeFileSync(next, `${JSON.stringify(cursor)}\n`, { mode: 0o600 })
    renameSync(next, file)
  } catch (error) {
    throw new CommandFailed(`The cursor cannot be kept: ${(error as Error).message}. Name another with --cursor.`)
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw new CommandFailed(`The cursor cannot be read: ${(error as Error).message}. Name another with --cursor.`)
  }
}

function parse(text: string): Cursor | undefined {
  try {
    const { after, replaysAfter, secretHash, signingSecret } = JSON.parse(text) as Cursor
    const havePositions = [after, replaysAfter].every((position) => position === 'latest' || Number.isInteger(position))
    const isComplete = havePositions && typeof secretHash === 'string' && typeof signingSecret === 'string'
    return isComplete ? { after, replaysAfter, secretHash, signingSecret } : undefined
  } catch {
    return undefined
  }
}
