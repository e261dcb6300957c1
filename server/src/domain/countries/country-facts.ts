// What each file of a country says. Everything else asks these facts: no other file knows a calling
// code, the form of a number or the country of an operator.
import type { Language } from '../texts/language.ts'

export interface CountryFacts {
  /** ISO 3166-1, two letters and three. */
  code: string
  alpha3: string
  names: Readonly<Record<Language, string>>
  callingCode: string
  numbers: NumberForms
  clock: CountryClock
  /**
   * By their permanent names. The first takes the numbers whose prefix is in no list. Prefixes are
   * collected from public tables that disagree in places: they route a number and never refuse one
   * (D-09), and a setting corrects them (D-43).
   */
  operators: Readonly<Record<string, OperatorFacts>>
}

export interface NumberForms {
  /** How many digits follow the calling code today. */
  digits: number
  /** The digits that every number begins with since numbers became longer. */
  trunk: string
  /** Every form that is read, after the calling code. The group is the subscriber's digits. */
  forms: readonly RegExp[]
}

/** The same all year round. */
export interface CountryClock {
  utcOffsetMinutes: number
  city: string
}

/**
 * A mobile money service as payers know it: its name, the same in every language, and a colour to
 * recognise it by. The colours are our own, chosen near those of the brands; no information is in
 * the colour alone.
 */
export interface Brand {
  name: string
  colour: string
  /** Readable on the colour: a contrast of at least 4.5. */
  textColour: string
}

export interface OperatorFacts extends Brand {
  /** The first two of the subscriber's digits. */
  prefixes: readonly string[]
}

/** The subscriber's digits, without calling code and trunk; as many in every country. */
export const SUBSCRIBER_DIGITS = 8

export const WHITE = '#fff'
export const DARK = '#1d1a2b'

/** The same brand in several countries. */
export const MOOV_MONEY: Brand = { name: 'Moov Money', colour: '#00569d', textColour: WHITE }
