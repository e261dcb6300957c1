// Passwords: which ones are accepted, and the form of a hash, with its parameters, so that they can
// be raised.

export type PasswordCost = { memoryKib: number; passes: number; parallelism: number }
export type PasswordHash = PasswordCost & { salt: Buffer; tag: Buffer }

/**
 * Argon2id as OWASP advises: 46 MiB and one pass, as strong as 19 MiB and two (ADR-0014). glibc
 * gives a block of more than 32 MiB back to the system at once. Smaller ones it keeps for each
 * thread: 281 MB resident after twelve sign-ins with 19 MiB and 143 with 46. The price is 130 ms of
 * one core for each hash instead of 60, a third of it for the pages.
 */
export const PASSWORD_COST: PasswordCost = { memoryKib: 47_104, passes: 1, parallelism: 1 }
export const SALT_BYTES = 16
export const TAG_BYTES = 32

export interface Passwords {
  /** `network` is the caller's, whose turns it takes. */
  hash(password: string, network?: string): Promise<string>
  /** Takes the same time when there is no hash to compare with. */
  verify(password: string, stored: string | undefined, network: string): Promise<boolean>
}

/**
 * More passwords wait than the machine can check soon: the caller learns nothing about the
 * password.
 */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy'
}

const FORM =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,64})\$([A-Za-z0-9+/]{40,90})$/

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

export const writeHash = ({ memoryKib, passes, parallelism, salt, tag }: PasswordHash): string =>
  `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`

export function readHash(written: string): PasswordHash | undefined {
  const [, memory, passes, parallelism, salt, tag] = FORM.exec(written) ?? []
  if (salt === undefined || tag === undefined) return undefined
  return {
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

export const SHORTEST_PASSWORD = 10
/** Longer ones would keep the hasher busy. */
export const LONGEST_PASSWORD = 200

export type PasswordFault = 'short' | 'long' | 'easy'

/**
 * Length counts, not kinds of characters. Few different characters, or the own address, are easy.
 */
export function passwordFault(password: string, email: string): PasswordFault | undefined {
  const characters = [...password]
  if (characters.length < SHORTEST_PASSWORD) return 'short'
  if (characters.length > LONGEST_PASSWORD) return 'long'
  const plain = password.toLowerCase()
  const isFew = new Set(characters).size < 5
  const isOwn = plain === email || plain.replace(/\W/g, '') === email.replace(/\W/g, '')
  const isKnown = COMMON.some((word) => plain.startsWith(word) && plain.length - word.length < 4)
  return isFew || isOwn || isKnown || isRun(plain) ? 'easy' : undefined
}

/**
 * Passwords that attackers try first: the most used ones of ten characters and more, and their
 * building blocks.
 */
const COMMON =
  'password motdepasse azertyuiop qwertyuiop 1234567890 iloveyou jetaime administrator'.split(' ')

/** `abcdefghij`, `9876543210` */
function isRun(text: string): boolean {
  const steps = new Set(
    [...text].slice(1).map((character, at) => character.charCodeAt(0) - text.charCodeAt(at)),
  )
  return steps.size === 1
}
