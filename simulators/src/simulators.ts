// Runs one simulated network as a server: `npm run simulator -- mtn-momo`, or `karba simulator
// --network`.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { airtelMoneyNetwork } from './airtel-money/network.ts'
import {
  AIRTEL_SETTLEMENT,
  AIRTEL_TARIFF,
  unknownReferences,
  writeStatement,
} from './airtel-money/statement.ts'
import { fedapayNetwork } from './fedapay/network.ts'
import { mtnMomoNetwork } from './mtn-momo/network.ts'
import {
  MTN_SETTLEMENT,
  MTN_TARIFF,
  unknownReferences as mtnUnknownReferences,
  writeStatement as writeMtnStatement,
} from './mtn-momo/statement.ts'
import {
  type Clock,
  type ConformanceNetwork,
  lookUp,
  type NetworkDeps,
  type PlantedFault,
  type Random,
  type StatementFault,
  type StatementPeriod,
  type Tariff,
  type WireCallback,
} from './network.ts'
import { startNetworkServer } from './network-server.ts'
import { pawapayNetwork } from './pawapay/network.ts'
import { type Moved, type StatementDeps, walletStatements } from './statements.ts'

/**
 * `callbackUrl`: the address that a network's portal would ask for. MTN gets an address with each
 * request instead.
 */
type MakeNetwork = (deps: NetworkDeps, callbackUrl: string | undefined) => ConformanceNetwork

const settlesDaily = true

const NETWORKS: Readonly<Record<string, MakeNetwork>> = {
  'mtn-momo': (deps) => mtnMomoNetwork(deps, { settlesDaily }),
  'airtel-money': (deps, callbackUrl) =>
    airtelMoneyNetwork(deps, { settlesDaily, ...(callbackUrl !== undefined && { callbackUrl }) }),
  fedapay: (deps, callbackUrl) =>
    fedapayNetwork(deps, {
      settlesDaily,
      ...(callbackUrl !== undefined && { webhookUrl: callbackUrl }),
    }),
  pawapay: (deps, callbackUrl) =>
    pawapayNetwork(deps, {
      settlesDaily,
      ...(callbackUrl !== undefined && {
        callbackUrls: { DEPOSIT: callbackUrl, REFUND: callbackUrl },
      }),
    }),
}

export const NETWORK_NAMES: readonly string[] = Object.keys(NETWORKS)

export interface ServeOptions {
  network: string
  port: number
  /** How long a payer takes to decide. */
  decideAfterMs: number
  callbackUrl: string | undefined
}

/** A mistake of the caller: an unknown network, or a port in use. Its message is for people. */
export class CannotServe extends Error {}

/**
 * Timers do not keep the process alive: callbacks wait for minutes, and closing the server must end
 * the process.
 */
const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

const CALLBACK_WITHIN_MS = 5_000

async function sendCallback({
  method,
  url,
  headers,
  body,
}: WireCallback): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(CALLBACK_WITHIN_MS)
    const answer = await fetch(url, { method, headers, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return undefined
  }
}

export async function serveNetwork({
  network: name,
  port,
  decideAfterMs,
  callbackUrl,
}: ServeOptions): Promise<void> {
  const make = lookUp(NETWORKS, name)
  if (make === undefined)
    throw new CannotServe(`There is no network ${name}: choose from ${NETWORK_NAMES.join(', ')}.`)
  const deps = { clock: realClock, random: { bytes: randomBytes }, decideAfterMs, sendCallback }
  const network = make(deps, callbackUrl)
  const server = await startNetworkServer(network, {
    clock: realClock,
    port,
    keepsAlive: true,
  }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new CannotServe(
      `Port ${port} is already in use. Stop what uses it, or choose another with --port.`,
    )
  })
  // Before the line that says it is ready: a signal right after that line must not kill the
  // process.
  const stopped = Promise.race(
    ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'].map((signal) => once(process, signal)),
  )
  const credentials = Object.entries(network.credentials).map(
    ([what, value]) => `  ${what}: ${value}`,
  )
  process.stdout.write(
    `${name} ready at ${server.url}\n${credentials.join('\n')}\nControl: ${server.url}/control\n`,
  )
  await stopped
  await server.close()
}

// A merchant's wallet at a network without the network's API: movements are booked directly, for
// demo data.

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
    format: 'mtn-momo-csv',
    tariff: MTN_TARIFF,
    settlement: { ...MTN_SETTLEMENT, leavesXof },
    unknownReferences: mtnUnknownReferences,
    write: writeMtnStatement,
  },
  'airtel-money': {
    format: 'airtel-money-csv',
    tariff: AIRTEL_TARIFF,
    settlement: { ...AIRTEL_SETTLEMENT, leavesXof },
    hasFeeLines: true,
    unknownReferences: unknownReferences,
    write: (lines, period) => writeStatement(lines, period, 'XOF'),
  },
} as const satisfies Record<string, Made>

/** The wallet is empty at first. Each evening all but 20,000 F goes to the bank. */
export function bookedWallet(
  network: keyof typeof WALLETS,
  { clock, random }: WalletDeps,
): BookedWallet {
  const moved: Moved<never>[] = []
  const made: Made = WALLETS[network]
  const unused = { after: () => () => {} }
  const statements = walletStatements<never>({
    ...made,
    clock: { ...unused, now: () => clock.now() },
    random,
    firstBalanceXof: 0,
    moved: () => moved,
  })
  return {
    tariff: made.tariff,
    book: (movement) => void moved.push({ ...movement, of: undefined }),
    plant: (kind) => statements.plant({ kind }),
    statement: (period) => statements.statement(period).bytes,
  }
}
