// The interface of every conformance simulator: it has the network's real wire form, checks
// requests as strictly as the network does, keeps a ledger, and can simulate the network's known
// failures. No sockets here: network-server.ts has them, and tests on a virtual clock call `handle`
// directly.

/**
 * Time and randomness are arguments, so that a test can run hours in milliseconds and repeat a run
 * from its seed.
 */
export interface Clock {
  now(): number
  /** Runs `work` once after `ms`; returns a function that cancels it. */
  after(ms: number, work: () => void): () => void
}

export type Random = { bytes(count: number): Uint8Array }

export interface WireRequest {
  method: string
  /** Without the query. */
  path: string
  query: URLSearchParams
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  body: string
}

/**
 * Delays are counted from the request's arrival; what the network decides, it has decided at once.
 */
export type WireReaction =
  /** Bytes are sent unchanged; any other object as JSON. */
  | {
      code: number
      headers?: Record<string, string>
      body?: object | string | Uint8Array
      afterMs?: number
    }
  /** The connection ends without an answer. */
  | { cut: true; afterMs?: number }
  /** The connection stays open without an answer. */
  | { silent: true }

export interface WireCallback {
  method: 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: string
}

export interface NetworkDeps {
  clock: Clock
  random: Random
  /** How long a payer takes to decide, where the number does not say otherwise. */
  decideAfterMs: number
  /** Sends a callback; the answer's code, or undefined when there was none. Never throws. */
  sendCallback(callback: WireCallback): Promise<number | undefined>
}

export interface PartDeps extends NetworkDeps {
  faults: FaultBoard
}

export interface BookedPayment {
  /** The reference of the request. */
  id: string
  /** What the client calls it, where the wire form has a place for that. */
  clientReference: string
  msisdn: string
  amountXof: number
  /** In the network's own words. */
  status: string
  /** How often the payer's account was debited: more than once is a bug. */
  debits: number
  refunds: number
  /** The number of requests, including refused ones. */
  requests: number
}

/** What a person, or a test, can do to a payment in the place of its payer. */
export type PayerDecision = 'approve' | 'decline' | 'ignore' | 'no_funds'

export interface ConformanceNetwork {
  /** As its connector: mtn-momo, airtel-money, fedapay, pawapay. */
  name: string
  /**
   * Credentials and settings that clients of this simulator use, for its page and its start text.
   */
  credentials: Readonly<Record<string, string>>
  numbers: Readonly<Record<string, string>>
  faults: FaultBoard
  handle(request: WireRequest): WireReaction
  books(): BookedPayment[]
  /** What the network takes of each payment from the merchant's wallet. */
  tariff: Tariff
  /** The network's movements in the wallet, in its own format and with the planted faults. */
  statement(period: StatementPeriod): Statement
  /**
   * Plants a fault in a line that no statement has shown yet. Undefined when there is no such line;
   * a part that is left out is chosen at random.
   */
  plant(wanted?: { kind?: StatementFault; reference?: string }): PlantedFault | undefined
  /** All planted faults, in the order of their planting. */
  planted(): PlantedFault[]
  /** False when there is no such payment, or it is decided. */
  decide(id: string, decision: PayerDecision): boolean
  /** Forgets all payments, refunds, tokens, statements and faults. */
  reset(): void
}

// Statements of a simulated network (statements.ts).

/** In the form of the service's tariffs: the rate is in thousandths of a percent. */
export interface Tariff {
  rate: number
  fixedXof: number
  minimumXof: number
  maximumXof: number | null
  rounding: 'up' | 'down' | 'nearest'
}

/** Milliseconds since 1970, UTC; `to` is not part of it. */
export interface StatementPeriod {
  from: number
  to: number
}

export interface Statement {
  format: 'mtn-momo-csv' | 'airtel-money-csv' | 'fedapay-csv' | 'pawapay-csv'
  /** The file that a person downloads, or that the API gives. */
  bytes: Uint8Array
  /** The bodies of the network's search API, where it has one that lists single movements. */
  pages?: object[]
  openingXof: number
  closingXof: number
  /**
   * The faults in the lines of this period. A late line counts for the period that lacks it, too.
   */
  planted: PlantedFault[]
}

/**
 * Every fault belongs to one payment. But for `balance_off`, a statement with faults still adds up.
 */
export const STATEMENT_FAULTS = {
  repeated_line: 'The line of a payment is there twice, and the balance counts it twice.',
  late_line: 'The line of a payment comes a day late, with the time of the payment.',
  missing_line: 'The line of a payment never comes.',
  wrong_fee: 'The fee of a payment is higher than the tariff.',
  withheld: 'The amount of a payment is withheld, by a line after it.',
  wrong_amount: 'The amount of a payment is higher than the payer paid.',
  foreign_line: 'After the line of a payment comes one of a payment that no client made.',
  refund_without_payment:
    'After the line of a payment comes a refund of a payment that no client made.',
  balance_off: 'From the line of a payment on, the balance differs from the sum of the lines.',
} as const satisfies FaultTable

export type StatementFault = keyof typeof STATEMENT_FAULTS

export interface PlantedFault {
  kind: StatementFault
  /** The references of the faulty line: the network's, and the client's. */
  reference: string
  clientReference: string
  /** When the payment was, to which the fault belongs. */
  at: number
  /** By how much the fee, the amount or the balance is too high; 0 for other kinds. */
  offXof: number
}

/** The names of one network's faults, each with a sentence for its page. */
export type FaultTable = Readonly<Record<string, string>>

export interface FaultBoard {
  known: FaultTable
  /**
   * Switches a fault on, for so many times or until it is switched off. False for a name that is
   * not known.
   */
  on(name: string, times?: number): boolean
  off(name: string): void
  allOff(): void
  /** The active faults with their remaining occurrences; `null` for no limit. */
  active(): Record<string, number | null>
  /** Whether the fault strikes now: counts it down. */
  strikes(name: string): boolean
  isOn(name: string): boolean
}

export function faultBoard(known: FaultTable): FaultBoard {
  const left = new Map<string, number>()
  return {
    known,
    on: (name, times = Number.POSITIVE_INFINITY) => {
      if (!Object.hasOwn(known, name)) return false
      left.set(name, times)
      return true
    },
    off: (name) => void left.delete(name),
    allOff: () => left.clear(),
    active: () =>
      Object.fromEntries(
        [...left].map(([name, times]) => [name, Number.isFinite(times) ? times : null]),
      ),
    strikes: (name) => {
      const times = left.get(name) ?? 0
      if (times <= 0) return false
      if (times === 1) left.delete(name)
      else left.set(name, times - 1)
      return true
    },
    isOn: (name) => left.has(name),
  }
}

export const aboutNumbers = (
  numbers: Readonly<Record<string, { about: string }>>,
): Record<string, string> =>
  Object.fromEntries(Object.entries(numbers).map(([number, { about }]) => [number, about]))

/** Looks up a name from outside: `__proto__` and `constructor` are not in the table. */
export const lookUp = <Value>(
  table: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined => (Object.hasOwn(table, name) ? table[name] : undefined)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined for a body that is no JSON object. */
export function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A gateway in front of a network refuses a call: for its address, or for its User-Agent. */
export const GATEWAY_PAGE: WireReaction = {
  code: 403,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>403 Forbidden</title></head><body><h1>403 Forbidden</h1></body></html>',
}

/** An answer of a network whose clock is wrong. */
export const datedAt = (reaction: WireReaction, at: number): WireReaction =>
  'code' in reaction
    ? { ...reaction, headers: { ...reaction.headers, date: new Date(at).toUTCString() } }
    : reaction
