// The icons, as SVG of 24 by 24. The logo is a coin above a calabash: karɓa is Hausa for to receive.
import { type Html, trusted } from '../http/html.ts'
import type { Method } from './link-view.ts'

const icon = (drawing: string): Html => trusted(`<svg viewBox="0 0 24 24" aria-hidden="true">${drawing}</svg>`)

const CALABASH = 'M2 12h20a10 10 0 0 1-20 0z'

export const MARK = icon(
  `<path fill="currentColor" stroke="none" d="${CALABASH}"/><circle cx="12" cy="5.5" r="4" fill="#f2b34c" stroke="none"/>`,
)

export const MARK_FILE = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path fill='#2b3583' d='${CALABASH}'/><circle cx='12' cy='5.5' r='4' fill='#f2b34c'/></svg>`

/** The logo as the page's icon, so that browsers do not request /favicon.ico. */
export const MARK_ADDRESS = trusted(`data:image/svg+xml,${MARK_FILE.replaceAll('#', '%23')}`)

export const METHOD_ICONS: Readonly<Record<Method, Html>> = {
  mobile: icon('<rect x="7" y="2" width="10" height="20" rx="2"/><path d="M11 18.5h2"/>'),
  bank_card: icon('<rect x="2.5" y="5" width="19" height="14" rx="2"/><path d="M2.5 10h19M6 15h4"/>'),
  wallet: icon('<path d="M18 7V4H5a2 2 0 0 0 0 4h15v12H5a2 2 0 0 1-2-2V6M16 14h.1"/>'),
}

export const DONE = icon('<path d="m5 12.5 5 5L19.5 7"/>')
export const GIVEN_BACK = icon('<path d="M9 6 4 11l5 5M4 11h10a5 5 0 0 1 0 10h-3"/>')
export const OVER = icon('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>')
export const STOPPED = icon('<path d="m6 6 12 12M18 6 6 18"/>')
export const LOST = icon('<circle cx="11" cy="11" r="6.5"/><path d="m16 16 5 5"/>')
