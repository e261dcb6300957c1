// One side of a merchant: an account belongs to one environment and is validated there or not (D-18).
import type { Environment } from './environment.ts'

export type AccountStatus = 'unvalidated' | 'validated' | 'suspended'

export interface Account {
  accountId: string
  environment: Environment
  status: AccountStatus
}
