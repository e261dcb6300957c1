// The sentence for each refusal. A language that lacks one does not compile.
import type { Refusal, RefusalFacts, Refused } from '../../domain/refusal.ts'
import { ENGLISH } from './english.ts'
import { FRENCH } from './french.ts'

export type Language = 'en' | 'fr'

/** The command's arguments, as they were typed: the facts of a refusal do not repeat them. */
export interface Asked {
  /** The name of an account, a merchant, a payment, a link, an endpoint or a delivery. */
  name?: string | undefined
  /** In milliseconds. */
  at?: number | undefined
}

export type Sentences = {
  readonly [Name in Refusal]: (facts: RefusalFacts[Name], asked: Asked) => string
}

const SENTENCES: Readonly<Record<Language, Sentences>> = { en: ENGLISH, fr: FRENCH }

export function sentenceOf(refused: Refused, asked: Asked, language: Language): string {
  const sentence = SENTENCES[language][refused.refused] as (facts: Refused, asked: Asked) => string
  return sentence(refused, asked)
}
