// What people may do, by their role: one table for a merchant's people and one for staff. A route names a right.
import type { KeyKind } from './api-key.ts'

export const MERCHANT_ROLES = ['owner', 'developer', 'cashier', 'viewer'] as const
export const SERVICE_ROLES = ['support', 'finance', 'administrator'] as const

export type MerchantRole = (typeof MERCHANT_ROLES)[number]
export type ServiceRole = (typeof SERVICE_ROLES)[number]

/** In one account of the merchant. A viewer sees everything and changes nothing. */
export const MERCHANT_RIGHTS = {
  read: MERCHANT_ROLES,
  makeLinks: ['owner', 'developer', 'cashier'],
  refund: ['owner'],
  manageKeys: ['owner', 'developer'],
  manageWebhooks: ['owner', 'developer'],
  useSandboxPhone: ['owner', 'developer', 'cashier'],
  changeSettings: ['owner'],
  /** Of the merchant's own connections. */
  manageStatements: ['owner'],
  manageTeam: ['owner'],
  seeActivity: ['owner'],
  /** An accountant is a viewer. */
  seeBooks: ['owner', 'developer', 'viewer'],
  keepBooks: ['owner'],
} as const satisfies Record<string, readonly MerchantRole[]>

/** In the console. */
export const SERVICE_RIGHTS = {
  read: SERVICE_ROLES,
  changeStatus: ['support', 'administrator'],
  approveLive: ['administrator'],
  approveRefund: ['finance', 'administrator'],
  pauseConnections: ['support', 'administrator'],
  takeTasks: SERVICE_ROLES,
  settleTasks: ['finance', 'administrator'],
  manageStatements: ['finance', 'administrator'],
  viewAsMerchant: ['support', 'administrator'],
} as const satisfies Record<string, readonly ServiceRole[]>

// What a restricted key may do, and what a person may allow it. A key without a list may do everything.

export const KEY_PERMISSIONS = ['read', 'create', 'refund'] as const

export type KeyPermission = (typeof KEY_PERMISSIONS)[number]

/** As it is stored: words with commas between. */
export const readPermissions = (stored: string | null): KeyPermission[] | null =>
  stored === null ? null : KEY_PERMISSIONS.filter((each) => stored.split(',').includes(each))

/** The right of a person that corresponds to each permission of a key. */
const RIGHT_OF = {
  read: 'read',
  create: 'makeLinks',
  refund: 'refund',
} as const satisfies Record<KeyPermission, keyof typeof MERCHANT_RIGHTS>

/** A person allows a key only what they may do themselves (D-135). */
export const permissionsOfRole = (role: MerchantRole): KeyPermission[] =>
  KEY_PERMISSIONS.filter((each) => (MERCHANT_RIGHTS[RIGHT_OF[each]] as readonly MerchantRole[]).includes(role))

/** What a new key may do unless its maker says otherwise. */
export const USUAL_PERMISSIONS = ['read', 'create'] as const satisfies readonly KeyPermission[]

/** A public key makes links and nothing else. */
export const permissionsOfKey = (kind: KeyKind, permissions: readonly KeyPermission[] | null) =>
  kind === 'public' ? (['create'] as const) : (permissions ?? KEY_PERMISSIONS)
