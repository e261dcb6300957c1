// How a link's state is said in a line.
import type { LinkState } from '../domain/link-state.ts'

export const linkStateWords = (state: LinkState): string =>
  state.is === 'closed' ? `closed: ${state.because}` : state.is.replace('_', ' ')
