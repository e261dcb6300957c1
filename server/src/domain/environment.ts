// The two environments of spec §1. They share code and no data: a key, account or payment belongs to exactly one.

export const ENVIRONMENTS = ['sandbox', 'live'] as const

export type Environment = (typeof ENVIRONMENTS)[number]

export const isEnvironment = (value: unknown): value is Environment => value === 'sandbox' || value === 'live'
