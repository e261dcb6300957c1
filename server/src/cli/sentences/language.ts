// The language of the shell, and what a language must have: a sentence for each refusal.
import type { Refusal, RefusalFacts } from '../../domain/refusal.ts'

export type Language = 'en' | 'fr'

/** From the environment variables, in the order that POSIX defines. */
export function languageOf(env: Readonly<Record<string, string | undefined>>): Language {
  // An empty variable counts as not set.
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || ''
  return locale.toLowerCase().startsWith('fr') ? 'fr' : 'en'
}

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
