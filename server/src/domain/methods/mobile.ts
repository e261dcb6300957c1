// Mobile money: the payer's operator prompts them on their phone.
import type { Method } from './method.ts'

export const MOBILE = {
  name: 'mobile',
  by: 'prompt',
  words: { fr: { name: 'Mobile money' }, en: { name: 'Mobile money' } },
  icon: '<rect x="7" y="2" width="10" height="20" rx="2"/><path d="M11 18.5h2"/>',
} as const satisfies Method
