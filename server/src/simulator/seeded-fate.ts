// The fate of an ordinary number in a seeded sandbox: drawn from the seed and the number alone, so that it is the same
// in every run and every process. Test numbers keep their row of the table whatever the seed (D-20).
import { createHash } from 'node:crypto'
import { isTestNumber } from '../domain/msisdn.ts'
import { FAILURE_REASONS, type FailureReason } from '../domain/payment-status.ts'
import { type Fate, scenarioOf } from './scenarios.ts'

const SUCCEEDS = 0.7
/** Shares of all fates, whatever their ending. */
const TAKES_LONGER = 0.3
const LOSES_ITS_CALLBACK = 0.1
const LONGEST_DELAYS = 30

/** A network never answers `never_received`: it is what we conclude when the network does not know the payment. */
const DECLINES = Object.keys(FAILURE_REASONS).filter((reason) => reason !== 'never_received') as FailureReason[]

/** Seed 0 draws nothing: ordinary numbers succeed. */
export function fateOf(seed: number, msisdn: string): Fate {
  if (seed === 0 || isTestNumber(msisdn)) return scenarioOf(msisdn)
  const [ending = 0, reason = 0, longer = 0, delays = 0, callback = 0] = draws(`${seed} ${msisdn}`)
  return {
    ending: ending < SUCCEEDS ? 'succeeded' : (DECLINES[Math.floor(reason * DECLINES.length)] as FailureReason),
    decides: { delays: longer < TAKES_LONGER ? 1 + Math.floor(delays * LONGEST_DELAYS) : 1 },
    ...(callback < LOSES_ITS_CALLBACK && { callbacks: [] }),
  }
}

/** Eight pseudo-random numbers from 0 up to 1, each made from four bytes of a hash. */
function draws(text: string): number[] {
  const bytes = createHash('sha256').update(text).digest()
  return Array.from({ length: 8 }, (_, at) => bytes.readUInt32BE(at * 4) / 2 ** 32)
}
