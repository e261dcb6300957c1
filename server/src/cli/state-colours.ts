// The colour of a state, by its first word: succeeded is green, under way yellow, failed red, no longer in use grey.

import type { styleText } from 'node:util'
import { lookUp } from '../domain/look-up.ts'

export type Style = Parameters<typeof styleText>[0]

const COLOURS: Readonly<Record<string, Style>> = {
  // payments and links
  initiated: 'cyan',
  open: 'cyan',
  pending: 'yellow',
  under: 'yellow',
  succeeded: 'green',
  failed: 'red',
  refunded: 'magenta',
  closed: 'gray',
  // accounts and keys
  unvalidated: 'yellow',
  validated: 'green',
  suspended: 'red',
  valid: 'green',
  ended: 'gray',
  // endpoints and deliveries
  on: 'green',
  off: 'gray',
  gone: 'red',
  waiting: 'yellow',
  delivered: 'green',
  // connections
  working: 'green',
  slow: 'yellow',
  down: 'red',
  refused: 'red',
  paused: 'yellow',
}

/** Undefined for a state without a colour. */
export const colourOf = (state: string): Style | undefined => lookUp(COLOURS, /^[a-z]*/.exec(state)?.[0] ?? '')
