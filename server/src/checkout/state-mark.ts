// A link's state as one string, by which a page notices that it is stale. The page holds it and /status returns it, both from here: if the
// two were made in different places, an up-to-date page could take itself for stale and reload for ever.
import type { LinkState } from './link-view.ts'

export function stateMark(state: LinkState): string {
  // The state is the link's, whoever looks at it.
  const name = state.is === 'paid' ? 'succeeded' : state.is
  return `${name}:${'attempts' in state ? state.attempts : 0}`
}

/** The state as a payment status of the contract (D-14), for the site whose frame shows the page. */
export const FRAME_STATUS: Readonly<Record<LinkState['is'], string>> = {
  open: 'initiated',
  waiting: 'pending',
  succeeded: 'succeeded',
  paid: 'succeeded',
  refunded: 'refunded',
  closed: 'failed',
}
