// What people may do, by their role: one table for a merchant's people and one for staff. A route
// names a right.
import type { Environment } from '../environment.ts'
import type { KeyKind } from './api-key.ts'

export const MERCHANT_ROLES = ['owner', 'developer', 'accountant', 'cashier', 'viewer'] as const
export const SERVICE_ROLES = ['support', 'finance', 'administrator'] as const

export type MerchantRole = (typeof MERCHANT_ROLES)[number]
export type ServiceRole = (typeof SERVICE_ROLES)[number]

/** In the languages of emails and the dashboard. */
export const MERCHANT_ROLE_WORDS: Readonly<Record<'fr' | 'en', Record<MerchantRole, string>>> = {
  fr: {
    owner: 'Propriétaire',
    developer: 'Développeur',
    accountant: 'Comptable',
    cashier: 'Caissier',
    viewer: 'Lecture seule',
  },
  en: {
    owner: 'Owner',
    developer: 'Developer',
    accountant: 'Accountant',
    cashier: 'Cashier',
    viewer: 'Read only',
  },
}

/**
 * What a person is in one account: a member of its team, or one of the staff who looks at it
 * without changing it.
 */
export type AccountRole = MerchantRole | 'staff'

/**
 * In one account of the merchant. Cashiers and viewers see neither turnover nor what is for
 * developers (D-163).
 */
export const MERCHANT_RIGHTS = {
  read: [...MERCHANT_ROLES, 'staff'],
  /** Sums over payments, and the export. */
  seeTurnover: ['owner', 'developer', 'accountant', 'staff'],
  /** Keys, webhooks, events and the log of requests. */
  seeDevelopers: ['owner', 'developer', 'staff'],
  makeLinks: ['owner', 'developer', 'cashier'],
  refund: ['owner'],
  manageKeys: ['owner', 'developer'],
  manageWebhooks: ['owner', 'developer'],
  useSandboxPhone: ['owner', 'developer', 'cashier'],
  changeSettings: ['owner'],
  manageConnections: ['owner'],
  /** Of the merchant's own connections. */
  manageStatements: ['owner'],
  manageTeam: ['owner'],
  seeActivity: ['owner'],
  seeBooks: ['owner', 'developer', 'accountant', 'staff'],
  keepBooks: ['owner'],
  /** Of the merchant's own connections: what a difference was. */
  closeDifferences: ['owner', 'accountant'],
  /** For oneself. */
  chooseStatementMails: ['owner', 'developer', 'accountant'],
} as const satisfies Record<string, readonly AccountRole[]>

export type MerchantRight = keyof typeof MERCHANT_RIGHTS

export const mayInAccount = (role: AccountRole, right: MerchantRight): boolean =>
  (MERCHANT_RIGHTS[right] as readonly AccountRole[]).includes(role)

/** In the console. */
export const SERVICE_RIGHTS = {
  read: SERVICE_ROLES,
  changeStatus: ['support', 'administrator'],
  /** Documents for the validation: identity papers too. */
  reviewFiles: ['support', 'administrator'],
  approveLive: ['administrator'],
  approveRefund: ['finance', 'administrator'],
  pauseConnections: ['support', 'administrator'],
  takeTasks: SERVICE_ROLES,
  settleTasks: ['finance', 'administrator'],
  manageStatements: ['finance', 'administrator'],
  viewAsMerchant: ['support', 'administrator'],
} as const satisfies Record<string, readonly ServiceRole[]>

export type ServiceRight = keyof typeof SERVICE_RIGHTS

// What a restricted key may do, and what a person may allow it. A key without a list may do
// everything, except that registering webhooks in live needs a key that does nothing else (D-217).

export const KEY_PERMISSIONS = ['read', 'create', 'refund', 'webhooks'] as const

export type KeyPermission = (typeof KEY_PERMISSIONS)[number]

/** As it is stored: words with commas between. */
export const readPermissions = (stored: string | null): KeyPermission[] | null =>
  stored === null ? null : KEY_PERMISSIONS.filter((each) => stored.split(',').includes(each))

/** `permissions`: null for a key without a list. */
export const isPermitted = (
  permissions: readonly KeyPermission[] | null,
  asked: KeyPermission,
  environment: Environment,
): boolean => {
  if (permissions !== null) return permissions.includes(asked)
  return asked !== 'webhooks' || environment === 'sandbox'
}

/**
 * Who holds the key of a shop's server could otherwise read every event elsewhere: a key for
 * webhooks has no other permission (D-217).
 */
export const canBeTogether = (permissions: readonly KeyPermission[]): boolean =>
  !permissions.includes('webhooks') || permissions.every((each) => each === 'webhooks')

/** The right of a person that corresponds to each permission of a key. */
const RIGHT_OF = {
  read: 'read',
  create: 'makeLinks',
  refund: 'refund',
  webhooks: 'manageWebhooks',
} as const satisfies Record<KeyPermission, MerchantRight>

/** A person allows a key only what they may do themselves (D-135). */
export const permissionsOfRole = (role: AccountRole): KeyPermission[] =>
  KEY_PERMISSIONS.filter((each) => mayInAccount(role, RIGHT_OF[each]))

/** What a new key may do unless its maker says otherwise. */
export const USUAL_PERMISSIONS = ['read', 'create'] as const satisfies readonly KeyPermission[]

/** A public key makes links and nothing else. */
export const permissionsOfKey = (kind: KeyKind, permissions: readonly KeyPermission[] | null) =>
  kind === 'public' ? (['create'] as const) : (permissions ?? KEY_PERMISSIONS)
