// One word for where a link stands. The page carries it and /status answers it, both from here: if they were made in two
// places, a page that is up to date could take itself for stale and reload for ever.
import type { LinkState } from './link-view.ts'

export function stateMark(state: LinkState): string {
  return `${state.is}:${'attempts' in state ? state.attempts : 0}`
}

/** The same in the words of the contract (D-14), for the site whose frame shows the page. */
export const FRAME_STATUS: Readonly<Record<LinkState['is'], string>> = {
  open: 'initiated',
  waiting: 'pending',
  succeeded: 'succeeded',
  refunded: 'refunded',
  closed: 'failed',
}
