// What a merchant adds to a payment for itself: texts under names of its own, given back as they came (D-89).
import { maskCardNumbers } from './card-number.ts'
import { isPlainText } from './reference.ts'

export const METADATA_LIMITS = { keys: 20, key: 40, value: 500 } as const

/** A value may be empty and have several lines; a key may not. */
export function isMetadata(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const entries = Object.entries(value)
  return (
    entries.length <= METADATA_LIMITS.keys &&
    entries.every(([key, text]) => isPlainText(key, METADATA_LIMITS.key) && isText(text))
  )
}

/** A lone surrogate has no UTF-8 form: it would come back as another character. */
const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.isWellFormed() && [...value].length <= METADATA_LIMITS.value

/** As it is stored: null when there is nothing to keep. */
export const metadataText = (value: Record<string, string> | undefined): string | null =>
  value === undefined || Object.keys(value).length === 0 ? null : maskCardNumbers(JSON.stringify(value, masked))

/** Before line breaks are escaped: the escape would end in a letter, and digits after a letter are no card number. Names have none. */
const masked = (_name: string, value: unknown): unknown => (typeof value === 'string' ? maskCardNumbers(value) : value)
