// What the parts of the link page need, worked out once, and what each gives back.
import type { Html } from '../http/html.ts'
import type { Language, LinkView } from './link-view.ts'
import type { Words } from './words.ts'

export interface PageContext {
  view: LinkView
  language: Language
  words: Words
  amount: string
  /** The same, large. */
  sum: Html
  /** Only if it is an origin. */
  embeddedIn: string | undefined
}

export interface Part {
  title: Html | string
  body: Html
}
