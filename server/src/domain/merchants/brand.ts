// A merchant's profile: what payers see of it, what its file says of its business, and the types of
// uploaded files.
import { isShownText } from '../texts/free-text.ts'

export const LONGEST_BRAND_NAME = 60
/** WCAG 2 AA for text of ordinary size. */
export const LEAST_CONTRAST = 4.5

const COLOUR = /^#[0-9a-f]{6}$/
const PHONE = /^\+?[0-9](?:[ .-]?[0-9]){5,17}$/

export const isBrandName = (value: string): boolean => isShownText(value, LONGEST_BRAND_NAME)
export const isColour = (value: string): boolean => COLOUR.test(value)
export const isPhone = (value: string): boolean => PHONE.test(value)
export const logoPath = (hash: string): string => `/logos/${hash}`

/** Of white text on the colour, by the rule of WCAG 2. */
export const contrastWithWhite = (colour: string): number => 1.05 / (luminance(colour) + 0.05)

/** @internal */
export function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255),
  )
  return 0.2126 * (red as number) + 0.7152 * (green as number) + 0.0722 * (blue as number)
}

const linear = (part: number): number =>
  part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4

// A file's type is read from its first bytes: its name and the sender's Content-Type prove nothing.

export type FileType = 'application/pdf' | 'image/jpeg' | 'image/png'

const SIGNATURES: readonly [type: FileType, bytes: readonly number[]][] = [
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
]

export const fileTypeOf = (bytes: Uint8Array): FileType | undefined =>
  SIGNATURES.find(([, signature]) => signature.every((byte, at) => bytes[at] === byte))?.[0]

// What a merchant's file says of its business. A validation needs all of it, and at least one
// document.

export const BUSINESS_FIELDS = [
  'legalName',
  'registration',
  'country',
  'city',
  'address',
  'contact',
] as const

export type BusinessField = (typeof BUSINESS_FIELDS)[number]

export type Business = Record<BusinessField, string>
