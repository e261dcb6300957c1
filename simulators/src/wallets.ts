// A merchant's wallet at a network without the network's API: movements are booked directly, for demo data.
import * as airtel from './airtel-money/statement.ts'
import * as mtn from './mtn-momo/statement.ts'
import type { Clock, PlantedFault, Random, StatementFault, StatementPeriod, Tariff } from './network.ts'
import { type Moved, type StatementDeps, walletStatements } from './statements.ts'

/** A payment, or a refund with a negative amount. */
export type BookedMovement = Omit<Moved<never>, 'of'>

export interface BookedWallet {
  tariff: Tariff
  /** In the order of time. */
  book(movement: BookedMovement): void
  /** Undefined when no payment is left that no statement has shown. */
  plant(kind: StatementFault): PlantedFault | undefined
  /** The file of the network's portal. */
  statement(period: StatementPeriod): Uint8Array
}

export interface WalletDeps {
  clock: Pick<Clock, 'now'>
  random: Random
}

type Made = Pick<
  StatementDeps<never>,
  'format' | 'tariff' | 'hasFeeLines' | 'settlement' | 'unknownReferences' | 'write'
>

/** Some days have more refunds than payments, and a planted fault may take from the wallet. */
const leavesXof = 20_000

const WALLETS = {
  'mtn-momo': {
    ...{ format: 'mtn-momo-csv', tariff: mtn.MTN_TARIFF, settlement: { ...mtn.MTN_SETTLEMENT, leavesXof } },
    ...{ unknownReferences: mtn.unknownReferences, write: mtn.writeStatement },
  },
  'airtel-money': {
    ...{
      format: 'airtel-money-csv',
      tariff: airtel.AIRTEL_TARIFF,
      settlement: { ...airtel.AIRTEL_SETTLEMENT, leavesXof },
    },
    ...{ hasFeeLines: true, unknownReferences: airtel.unknownReferences },
    write: (lines, period) => airtel.writeStatement(lines, period, 'XOF'),
  },
} as const satisfies Record<string, Made>

/** The wallet is empty at first. Each evening all but 20,000 F goes to the bank. */
export function bookedWallet(network: keyof typeof WALLETS, { clock, random }: WalletDeps): BookedWallet {
  const moved: Moved<never>[] = []
  const made: Made = WALLETS[network]
  const unused = { after: () => () => {} }
  const statements = walletStatements<never>({
    ...{ ...made, clock: { ...unused, now: () => clock.now() }, random, firstBalanceXof: 0, moved: () => moved },
  })
  return {
    tariff: made.tariff,
    book: (movement) => void moved.push({ ...movement, of: undefined }),
    plant: (kind) => statements.plant({ kind }),
    statement: (period) => statements.statement(period).bytes,
  }
}
