// The languages of everything that merchants and payers read.

export const LANGUAGES = ['fr', 'en'] as const

export type Language = (typeof LANGUAGES)[number]
