// What payers do, by their number. FedaPay documents two that succeed in its sandbox and says that all others fail there; the rest is invented.
import { lookUp } from '../../../domain/look-up.ts'
import type { Status } from './transaction.ts'

export interface Fate {
  /** What happens, one after the other; nothing when the payer never answers. */
  moves: readonly { to: Status; errorCode?: string; afterMs?: number }[]
  about: string
}

const DOCUMENTED: Readonly<Record<string, Fate>> = {
  '64000001': { moves: [{ to: 'approved' }], about: 'The payer approves.' },
  '66000001': { moves: [{ to: 'approved' }], about: 'The payer approves.' },
}

const INVENTED: Readonly<Record<string, Fate>> = {
  '66000002': { moves: [{ to: 'declined' }], about: 'The payer declines.' },
  '66000003': {
    moves: [{ to: 'canceled', errorCode: 'INSUFFICIENT_FUND_ERROR' }],
    about: 'The payer’s account does not hold the amount.',
  },
  '66000004': { moves: [], about: 'The payer never answers: expired after 24 hours.' },
  '66000005': {
    moves: [{ to: 'declined' }, { to: 'approved', afterMs: 600_000 }],
    about: 'The payer declines, and pays ten minutes later.',
  },
  '66000006': {
    moves: [{ to: 'pending', errorCode: 'API_ERROR' }],
    about: 'The payer cancels, and the operator does not say so: pending with an error.',
  },
  '66000007': { moves: [{ to: 'approved' }, { to: 'refunded' }], about: 'Approved, and refunded in the dashboard.' },
  '66000008': {
    moves: [{ to: 'approved' }, { to: 'approved_partially_refunded' }],
    about: 'Approved, and a part refunded in the dashboard.',
  },
  '66000009': { moves: [{ to: 'canceled' }], about: 'Cancelled by the operator.' },
}

const APPROVES: Fate = { moves: [{ to: 'approved' }], about: 'The payer approves.' }
const FAILS: Fate = { moves: [{ to: 'declined' }], about: 'Any other number fails in the sandbox.' }

export const NUMBERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries({ ...DOCUMENTED, ...INVENTED }).map(([number, { about }]) => [number, about])),
  'any other': 'Approves by mtn_open, moov, sbin and the like; fails by momo_test, as in FedaPay’s sandbox.',
}

/** Country codes and Benin's 01 do not matter: a number is known by its last eight digits. */
export function fateOf(number: string, mode: string): Fate {
  const known: Readonly<Record<string, Fate>> = { ...DOCUMENTED, ...INVENTED }
  return lookUp(known, number.slice(-8)) ?? (mode === 'momo_test' ? FAILS : APPROVES)
}
