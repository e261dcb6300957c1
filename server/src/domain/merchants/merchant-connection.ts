// A merchant's own connection to a network: the account's contract, whose money goes to the
// account's own wallet.
import type { Environment } from '../environment.ts'
import { base32 } from '../payments/reference.ts'
import { holdsCardNumber, isShownText } from '../texts/free-text.ts'

/** `suspended` and `removed` take no new payments. Both still serve the payments that they took. */
export type MerchantConnectionState = 'active' | 'suspended' | 'removed'

export interface MerchantConnection {
  accountId: string
  connectionId: string
  environment: Environment
  connector: string
  /** What its merchant calls it. */
  label: string
  /** Operators and methods of a page, with commas between. */
  serves: string
  credentialsAt: number
  state: MerchantConnectionState
  createdAt: number
  createdBy: string
}

/** With the sealed options of its connector. */
export interface SealedConnection extends MerchantConnection {
  credentials: string
  version: number
}

/** Of one account. Removed ones are kept for their payments, and count in the second limit. */
export const MOST_CONNECTIONS = { inUse: 20, ever: 60 } as const
export const LONGEST_LABEL = 60

/** Room for a private key as PEM. */
export const LONGEST_CREDENTIAL = 8_192

export const CONNECTION_ID_BYTES = 10

/**
 * The underscore keeps it apart from names in the operators file; simulated connections have
 * operators' names.
 */
export const makeConnectionId = (bytes: Uint8Array): string => `con_${base32(bytes, 16)}`

export const isMerchantConnection = (connection: string): boolean => connection.startsWith('con_')

export const isLabel = (label: string): boolean =>
  isShownText(label, LONGEST_LABEL) && !holdsCardNumber(label)

export const servedBy = ({ serves }: Pick<MerchantConnection, 'serves'>): string[] =>
  serves.split(',')

/** Whether the network takes the credentials. `why` has the network's words, never a secret. */
export type CredentialTest = { is: 'accepted' } | { is: 'refused' | 'not_reached'; why: string }
