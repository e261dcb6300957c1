// What each way of paying says of itself: its name in the API and in both languages, its icon, and
// what the payer does.
import type { Language } from '../texts/language.ts'

export interface Method {
  /** In the API, in settings and in the store. */
  name: string
  /** What the payer does: approves a prompt on a phone, or pays on a provider's page. */
  by: 'prompt' | 'redirect'
  words: Readonly<Record<Language, MethodWords>>
  /** The lines of an SVG of 24 by 24. */
  icon: string
}

interface MethodWords {
  name: string
  /** Where a refusal has another usual reason than a wrong code. */
  declined?: string
}
