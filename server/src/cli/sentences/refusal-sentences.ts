// The sentence for each refusal, in the language of the shell. A language that lacks one does not compile.
import type { Refused } from '../../domain/refusal.ts'
import { ENGLISH } from './english.ts'
import { FRENCH } from './french.ts'
import type { Asked, Language, Sentences } from './language.ts'

const SENTENCES: Readonly<Record<Language, Sentences>> = { en: ENGLISH, fr: FRENCH }

export function sentenceOf(refused: Refused, asked: Asked, language: Language): string {
  const sentence = SENTENCES[language][refused.refused] as (facts: Refused, asked: Asked) => string
  return sentence(refused, asked)
}
