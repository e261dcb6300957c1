// The interface of every conformance simulator: it speaks the network's real wire form, checks requests as strictly as
// the network does, keeps a ledger, and can simulate the network's known failures. No sockets here: network-server.ts
// has them, and tests on a virtual clock call `handle` directly.

/** Time and randomness are arguments, so that a test can run hours in milliseconds and repeat a run from its seed. */
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

/** Delays are counted from the request's arrival; what the network decides, it has decided at once. */
export type WireReaction =
  | { code: number; headers?: Record<string, string>; body?: object | string; afterMs?: number }
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
  /** Credentials and settings that clients of this simulator use, for its page and its start text. */
  credentials: Readonly<Record<string, string>>
  numbers: Readonly<Record<string, string>>
  faults: FaultBoard
  handle(request: WireRequest): WireReaction
  books(): BookedPayment[]
  /** False when there is no such payment, or it is decided. */
  decide(id: string, decision: PayerDecision): boolean
  /** Forgets all payments, refunds, tokens and faults. */
  reset(): void
}

/** The names of one network's faults, each with a sentence for its page. */
export type FaultTable = Readonly<Record<string, string>>

export interface FaultBoard {
  known: FaultTable
  /** Switches a fault on, for so many times or until it is switched off. False for a name that is not known. */
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
    active: () => Object.fromEntries([...left].map(([name, times]) => [name, Number.isFinite(times) ? times : null])),
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

export const aboutNumbers = (numbers: Readonly<Record<string, { about: string }>>): Record<string, string> =>
  Object.fromEntries(Object.entries(numbers).map(([number, { about }]) => [number, about]))

/** Looks up a name from outside: `__proto__` and `constructor` are not in the table. */
export const lookUp = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

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
  'code' in reaction ? { ...reaction, headers: { ...reaction.headers, date: new Date(at).toUTCString() } } : reaction
