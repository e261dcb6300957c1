// The colour of a link's state: only an open one can bring in money.
import type { LinkRow } from '../../../server/src/dashboard-api/shapes.ts'
import type { Tone } from '../parts/state.tsx'

export const LINK_TONES: Readonly<Record<LinkRow['state'], Tone>> = {
  open: 'good',
  paid: 'calm',
  expired: 'calm',
  closed: 'calm',
}
