// Argon2id on Node's thread pool, so that the main thread keeps answering. Few run at once, because
// each takes 46 MiB and a core; the queue is short, so that each is answered soon. Networks take
// turns, by their /48: a flood from one does not block the others.
import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Random } from '../domain/clock-and-random.ts'
import { fairTurns, widestNetwork } from '../domain/limits/fair-shares.ts'
import {
  PASSWORD_COST,
  type PasswordCost,
  type PasswordHash,
  type Passwords,
  PasswordsBusy,
  readHash,
  SALT_BYTES,
  TAG_BYTES,
  writeHash,
} from '../domain/people/password.ts'

const MOST_AT_ONCE = 2
const MOST_WAITING = 100
/** About two seconds of one core. */
const MOST_WAITING_OF_NETWORK = 30

const derive = promisify(argon2)

export function passwordHasher(random: Random, cost: PasswordCost = PASSWORD_COST): Passwords {
  const inTurn = fairTurns({
    atOnce: MOST_AT_ONCE,
    mostWaiting: MOST_WAITING,
    mostWaitingOfGroup: MOST_WAITING_OF_NETWORK,
    busy: () => new PasswordsBusy('too many passwords wait to be checked'),
  })

  const tagOf = (
    password: string,
    { memoryKib, passes, parallelism, salt, tag }: PasswordHash,
    network: string,
  ): Promise<Buffer> =>
    inTurn(widestNetwork(network), () =>
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
    ...cost,
    salt: Buffer.from(random.bytes(SALT_BYTES)),
    tag: Buffer.alloc(TAG_BYTES),
  })

  return {
    async hash(password, network = '') {
      const made = fresh()
      return writeHash({ ...made, tag: await tagOf(password, made, network) })
    },
    async verify(password, stored, network) {
      const kept = stored === undefined ? undefined : readHash(stored)
      const compared = kept ?? fresh()
      const isEqual = timingSafeEqual(await tagOf(password, compared, network), compared.tag)
      return isEqual && kept !== undefined
    },
  }
}
