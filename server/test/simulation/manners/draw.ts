// Chooses the real networks of a simulated world and the operators that each serves. Half of the worlds have none.
import type { SeededRandom } from '../../kit/seeded-random.ts'
import { AIRTEL_MONEY } from './airtel-money.ts'
import { FEDAPAY } from './fedapay.ts'
import type { Manner } from './manner.ts'
import { MTN_MOMO } from './mtn-momo.ts'
import { PAWAPAY } from './pawapay.ts'

export interface DrawnManner {
  manner: Manner
  /** The operators whose customers it prompts in this world. */
  operators: string[]
  /** Which merchant of the world has this connection; undefined for one of the installation. */
  merchant?: number
}

/** Networks with a fixed credential in each call, by which a wallet is told from the others. */
const OWNED_WAYS: readonly { manner: Manner; operators: readonly string[] }[] = [
  { manner: MTN_MOMO, operators: ['mtn_bj'] },
  { manner: PAWAPAY, operators: ['mtn_bj', 'moov_bj'] },
  { manner: FEDAPAY, operators: ['moov_bj', 'celtiis_bj'] },
  { manner: FEDAPAY, operators: ['mtn_bj', 'airtel_ne'] },
]

/** Connections of the first merchants; a third of the worlds have none. The last merchant never has one. */
export function drawOwned(random: SeededRandom, merchants: number): DrawnManner[] {
  if (random.percent(33)) return []
  return Array.from({ length: merchants - 1 }, (_, merchant) => {
    const count = random.pick([1, 1, 2])
    return Array.from({ length: count }, () => {
      const { manner, operators } = random.pick(OWNED_WAYS)
      return { manner, operators: [...operators], merchant }
    })
  }).flat()
}

/** The real networks that can reach each operator. */
const WAYS: Readonly<Record<string, readonly Manner[]>> = {
  mtn_bj: [MTN_MOMO, MTN_MOMO, MTN_MOMO, FEDAPAY, PAWAPAY],
  moov_bj: [FEDAPAY, PAWAPAY, PAWAPAY],
  celtiis_bj: [FEDAPAY],
  airtel_ne: [AIRTEL_MONEY, AIRTEL_MONEY, FEDAPAY],
}
/** One of these is always included, so that each network gets its share of worlds. */
const FIRST = ['mtn_bj', 'mtn_bj', 'moov_bj', 'airtel_ne']

/** The other operators stay on the simulated network. */
export function drawManners(random: SeededRandom): DrawnManner[] {
  if (random.percent(50)) return []
  const drawn = new Map<Manner, string[]>()
  const first = random.pick(FIRST)
  for (const [operator, ways] of Object.entries(WAYS)) {
    if (operator !== first && random.percent(65)) continue
    const manner = random.pick(ways)
    drawn.set(manner, [...(drawn.get(manner) ?? []), operator])
  }
  return [...drawn].map(([manner, operators]) => ({ manner, operators }))
}
