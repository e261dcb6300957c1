// The two worlds of spec §1. They share code and nothing else: no key, account or payment crosses over.

export const ENVIRONMENTS = ['sandbox', 'live'] as const

export type Environment = (typeof ENVIRONMENTS)[number]

export const isEnvironment = (value: unknown): value is Environment => value === 'sandbox' || value === 'live'
