// The values that the parts of the link page share, computed once, and what each part returns. Types only.
import type { Html } from '../http/html.ts'
import type { Language, LinkView } from './link-view.ts'
import type { Words } from './words.ts'

export interface PageContext {
  view: LinkView
  language: Language
  words: Words
  /** The merchant's name, isolated from the text around it. */
  merchant: Html
  amount: string
  /** The amount in large type. */
  sum: Html
  /** The origin of the site around the frame; undefined outside a frame, and for a value that is not an origin. */
  embeddedIn: string | undefined
}

export interface Part {
  title: Html | string
  body: Html
}
