// The language that a browser asks for, of those that the pages are written in (RFC 9110, section 12.5.4).
import type { Language } from './link-view.ts'

/** French unless English is liked better: what the browser likes as well as French, most payers here do not. */
export function preferredLanguage(acceptLanguage: string): Language {
  const liked = { fr: 0, en: 0 }
  for (const range of acceptLanguage.toLowerCase().split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const language = tag.split('-', 1)[0] as Language
    if (!Object.hasOwn(liked, language)) continue
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
    liked[language] = Math.max(liked[language], Number(weight) || 0)
  }
  return liked.en > liked.fr ? 'en' : 'fr'
}
