// What payers see of a merchant: a name, a colour that white text can be read on, a phone number to call. Pure.
import { isShownText } from './shown-text.ts'

export const LONGEST_BRAND_NAME = 60
/** WCAG 2 AA for text of ordinary size. */
export const LEAST_CONTRAST = 4.5

const COLOUR = /^#[0-9a-f]{6}$/
const PHONE = /^\+?[0-9](?:[ .-]?[0-9]){5,17}$/

export const isBrandName = (value: string): boolean => isShownText(value, LONGEST_BRAND_NAME)
export const isColour = (value: string): boolean => COLOUR.test(value)
export const isPhone = (value: string): boolean => PHONE.test(value)

/** Of white text on the colour, by the rule of WCAG 2. */
export function contrastWithWhite(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255))
  const luminance = 0.2126 * (red as number) + 0.7152 * (green as number) + 0.0722 * (blue as number)
  return 1.05 / (luminance + 0.05)
}

const linear = (part: number): number => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
