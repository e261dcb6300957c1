// What the actions of people need.
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { Passwords } from '../../domain/password.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import type { Database } from '../../store/engine/database.ts'

export interface PeopleDeps {
  db: Database
  clock: Clock
  random: Random
  passwords: Passwords
  /** Seals TOTP secrets. */
  totpSecrets: MasterBox
}

/** Where a TOTP secret is sealed for; the rotation of the master key names it the same way. */
export const totpPlace = (personId: string): string => `${personId} totp_secret`
