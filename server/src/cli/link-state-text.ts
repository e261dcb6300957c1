// A link's state as a short text.
import type { LinkState } from '../domain/link-state.ts'

export const linkStateText = (state: LinkState): string =>
  state.is === 'closed' ? `closed: ${state.because}` : state.is.replace('_', ' ')
