// Amounts and times as people in Niger and Benin write them. Not by Intl, which changes with its data.
import { type Html, html } from '../http/html.ts'
import type { Language } from './link-view.ts'

/** West Africa Time, the same all year in both countries. */
const WEST_AFRICA_MS = 60 * 60_000

const GROUP: Readonly<Record<Language, string>> = { fr: '\u00a0', en: ',' }

const MONTHS: Readonly<Record<Language, readonly string[]>> = {
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' '),
  en: 'January February March April May June July August September October November December'.split(' '),
}

export function writeAmount(amountXof: number, language: Language): string {
  return `${String(amountXof).replace(/\B(?=(\d{3})+$)/g, GROUP[language])}\u00a0F CFA`
}

/** The amount in large type. A long one is smaller, because no digit may be cut off on a narrow phone. */
export function largeAmount(amountXof: number, language: Language): Html {
  const isLong = amountXof > 999_999
  return html`<p class="sum${isLong && ' long'}">${writeAmount(amountXof, language)}</p>`
}

export function writeTime(at: number, language: Language): string {
  const time = new Date(at + WEST_AFRICA_MS)
  const minutes = String(time.getUTCMinutes()).padStart(2, '0')
  return language === 'fr' ? `${time.getUTCHours()}h${minutes}` : `${time.getUTCHours()}:${minutes}`
}

export function writeDay(at: number, language: Language): string {
  const time = new Date(at + WEST_AFRICA_MS)
  const day = time.getUTCDate()
  const ordinal = language === 'fr' && day === 1 ? '1er' : String(day)
  return `${ordinal}\u00a0${MONTHS[language][time.getUTCMonth()]} ${time.getUTCFullYear()}`
}

export const isSameDay = (a: number, b: number): boolean => writeDay(a, 'en') === writeDay(b, 'en')

export const isoTime = (at: number): string => new Date(at).toISOString()
