// The two environments of spec §1. They share code and no data: a key, account or payment belongs
// to exactly one.

export const ENVIRONMENTS = ['sandbox', 'live'] as const

export type Environment = (typeof ENVIRONMENTS)[number]

export const isEnvironment = (value: unknown): value is Environment =>
  value === 'sandbox' || value === 'live'

// A merchant has one account in each environment, and each account is validated on its own (D-18).

export type AccountStatus = 'unvalidated' | 'validated' | 'suspended'

export type Account = { accountId: string; environment: Environment; status: AccountStatus }
