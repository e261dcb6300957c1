// The sentence for each refusal. A language that lacks one does not compile.
import type { Refused } from '../../domain/refusal.ts'
import { type Asked, ENGLISH, type Sentences } from './english.ts'
import { FRENCH } from './french.ts'

export type Language = 'en' | 'fr'

const SENTENCES: Readonly<Record<Language, Sentences>> = { en: ENGLISH, fr: FRENCH }

export function sentenceOf(refused: Refused, asked: Asked, language: Language): string {
  const sentence = SENTENCES[language][refused.refused] as (facts: Refused, asked: Asked) => string
  return sentence(refused, asked)
}
