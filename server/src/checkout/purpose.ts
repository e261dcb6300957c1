// What a payment is for, as its page says it: in the merchant's words, and in those of an unsigned page only with a word about whose they are
// (D-57). Both are isolated, so that their direction of writing does not reach the text around them.
import { type Html, html, isolated } from '../http/html.ts'
import type { LinkView } from './link-view.ts'
import type { Words } from './words.ts'

interface Purpose {
  /** The merchant's words, or that it is an online payment when nobody has said more. */
  main: Html | undefined
  /** What the page calls it. */
  fromPage: Html | undefined
}

function purposeOf({ title, pageTitle }: LinkView, words: Words): Purpose {
  return {
    main: title !== undefined ? isolated(title) : pageTitle === undefined ? html`${words.onlinePayment}` : undefined,
    fromPage: pageTitle === undefined ? undefined : html`${words.pageSays} ${isolated(pageTitle)}`,
  }
}

/** Both in one place. */
export function purposeLine(view: LinkView, words: Words): Html {
  const { main, fromPage } = purposeOf(view, words)
  return html`${main}${main && fromPage && html`<br>`}${fromPage}`
}

/** Below the amount. */
export function purposeHeading(view: LinkView, words: Words): Html {
  const { main, fromPage } = purposeOf(view, words)
  return html`${main && html`<p><b>${main}</b></p>`}${fromPage && html`<p class="soft">${fromPage}</p>`}`
}

/** For previews and messages, which are read away from the page: never the words of an unsigned page. */
export const plainPurpose = ({ title }: LinkView, words: Words): string => title ?? words.onlinePayment
