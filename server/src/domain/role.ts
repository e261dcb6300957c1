// What people may do, by their role: two tables, one for a merchant's people and one for those of the service. A route names a right.

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
  manageTeam: ['owner'],
  seeActivity: ['owner'],
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
  viewAsMerchant: ['support', 'administrator'],
} as const satisfies Record<string, readonly ServiceRole[]>
