// Argon2id on Node's thread pool, so that the main thread goes on answering; a few at once, because each takes 46 MiB and a core, and no more may
// wait than can be answered soon.
import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Random } from '../domain/clock-and-random.ts'
import {
  PASSWORD_COST,
  type PasswordHash,
  type Passwords,
  PasswordsBusy,
  readHash,
  SALT_BYTES,
  TAG_BYTES,
  writeHash,
} from '../domain/password.ts'

const MOST_AT_ONCE = 2
const MOST_WAITING = 100

const derive = promisify(argon2)

export function passwordHasher(random: Random): Passwords {
  const inTurn = limitedTurns()

  const tagOf = (password: string, { memoryKib, passes, parallelism, salt, tag }: PasswordHash): Promise<Buffer> =>
    inTurn(() =>
      derive('argon2id', {
        message: Buffer.from(password.normalize('NFC')),
        nonce: salt,
        memory: memoryKib,
        passes,
        parallelism,
        tagLength: tag.length,
      }),
    )

  const fresh = (): PasswordHash => ({
    ...PASSWORD_COST,
    salt: Buffer.from(random.bytes(SALT_BYTES)),
    tag: Buffer.alloc(TAG_BYTES),
  })

  return {
    async hash(password) {
      const made = fresh()
      return writeHash({ ...made, tag: await tagOf(password, made) })
    },
    async verify(password, stored) {
      const kept = stored === undefined ? undefined : readHash(stored)
      const compared = kept ?? fresh()
      const isEqual = timingSafeEqual(await tagOf(password, compared), compared.tag)
      return isEqual && kept !== undefined
    },
  }
}

/** Runs work a few at a time, the others in their order. */
function limitedTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= MOST_AT_ONCE) {
      if (waiting.length >= MOST_WAITING) throw new PasswordsBusy('too many passwords wait to be checked')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
