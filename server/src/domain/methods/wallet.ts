// A wallet that is no mobile money, on the page of its provider.
import type { Method } from './method.ts'

export const WALLET = {
  name: 'wallet',
  by: 'redirect',
  words: { fr: { name: 'Portefeuille' }, en: { name: 'Wallet' } },
  icon: '<path d="M18 7V4H5a2 2 0 0 0 0 4h15v12H5a2 2 0 0 1-2-2V6M16 14h.1"/>',
} as const satisfies Method
