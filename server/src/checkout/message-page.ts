// The page when there is no link to show: it does not exist, the rate limit was reached, or the store is unavailable.
import { html, type Page } from '../http/html.ts'
import { LOST, OVER } from './icons.ts'
import type { Language } from './link-view.ts'
import { framed } from './page-frame.ts'
import { WORDS } from './words.ts'

export type Message = 'not_found' | 'too_many' | 'unavailable'

export function messagePage(kind: Message, language: Language): Page {
  const words = WORDS[language]
  const [title, text] = words.messages[kind] as [string, string]
  return framed({
    language,
    kind: 'final',
    stateClass: 'closed',
    title: `${title} – Karba`,
    body: html`<main><div class="head"><div class="seal">${kind === 'not_found' ? LOST : OVER}</div>
<h1>${title}</h1><p>${text}</p>
${kind !== 'not_found' && html`<a class="go" href="?lang=${language}">${words.retry}</a>`}</div></main>`,
  })
}
