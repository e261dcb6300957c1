// A connection's tariff from a day on: what the network takes of each collection. It gives the
// expected fee of a payment at once; the fee itself is booked from the network's statement. Whole
// francs, so every fee is rounded.

import type { ConnectionKey } from '../operators/connection-key.ts'

export const ROUNDINGS = ['up', 'down', 'nearest'] as const
export type Rounding = (typeof ROUNDINGS)[number]

/** A rate of one is a thousandth of a percent: 1.5 % is 1,500. */
export const RATE_UNITS = 100_000
/** A quarter of the amount: a higher rate is a mistyped one. */
const HIGHEST_RATE = 25_000
const HIGHEST_FRANCS = 1_000_000

export interface Tariff {
  rate: number
  fixedXof: number
  minimumXof: number
  /** Null for no maximum. */
  maximumXof: number | null
  rounding: Rounding
}

export interface DatedTariff extends Tariff {
  /** The first day that it holds for (domain/countries/business-day.ts). */
  fromDay: number
}

/** With its connection, and the person who set it. */
export interface KeptTariff extends ConnectionKey, DatedTariff {
  setBy: string
  setAt: number
}

const isFrancs = (value: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= HIGHEST_FRANCS

export const isTariff = ({ rate, fixedXof, minimumXof, maximumXof }: Tariff): boolean =>
  Number.isInteger(rate) &&
  rate >= 0 &&
  rate <= HIGHEST_RATE &&
  [fixedXof, minimumXof, maximumXof ?? 0].every(isFrancs) &&
  (maximumXof === null || maximumXof >= minimumXof)

const round: Readonly<Record<Rounding, (value: number) => number>> = {
  up: Math.ceil,
  down: Math.floor,
  // Half a franc goes up.
  nearest: (value) => Math.floor(value + 0.5),
}

/**
 * Never more than the amount. The product stays below 2^53: amounts have at most nine digits, rates
 * five.
 */
export function expectedFee(
  amountXof: number,
  { rate, fixedXof, minimumXof, maximumXof, rounding }: Tariff,
): number {
  const product = amountXof * rate
  const whole = Math.floor(product / RATE_UNITS)
  const share = whole + round[rounding]((product % RATE_UNITS) / RATE_UNITS)
  const fee = Math.max(minimumXof, share + fixedXof)
  return Math.min(amountXof, maximumXof === null ? fee : Math.min(fee, maximumXof))
}

/** The tariff of a day: the latest that began by then. */
export const tariffOn = (tariffs: readonly DatedTariff[], day: number): DatedTariff | undefined =>
  tariffs
    .filter(({ fromDay }) => fromDay <= day)
    .reduce<DatedTariff | undefined>(
      (latest, each) => (latest === undefined || each.fromDay > latest.fromDay ? each : latest),
      undefined,
    )

/**
 * `1.5` or `1,5` percent as a rate; undefined for another text, or for more than three decimals.
 */
export function readRate(percent: string): number | undefined {
  const [, whole, decimals = ''] =
    /^(\d{1,2})(?:[.,](\d{1,3}))?%?$/.exec(percent.trim().replace(/\s+%$/, '%')) ?? []
  return whole === undefined ? undefined : Number(whole) * 1_000 + Number(decimals.padEnd(3, '0'))
}

/** `1.5 %` */
export function rateText(rate: number): string {
  const decimals = String(rate % 1_000)
    .padStart(3, '0')
    .replace(/0+$/, '')
  return `${Math.floor(rate / 1_000)}${decimals && `.${decimals}`} %`
}
