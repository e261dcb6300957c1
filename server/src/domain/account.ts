// One side of a merchant: an account belongs to one environment and is validated there or not (D-18).
import type { Environment } from './environment.ts'

export const ACCOUNT_STATUSES = ['unvalidated', 'validated', 'suspended'] as const

export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

export interface Account {
  accountId: string
  environment: Environment
  status: AccountStatus
}
