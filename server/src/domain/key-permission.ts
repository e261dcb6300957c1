// What a restricted key may do, and what an operation needs. A key without a list may do everything.

export const KEY_PERMISSIONS = ['read', 'create', 'refund'] as const

export type KeyPermission = (typeof KEY_PERMISSIONS)[number]

/** As it is stored: words with commas between. */
export const readPermissions = (stored: string | null): KeyPermission[] | null =>
  stored === null ? null : KEY_PERMISSIONS.filter((each) => stored.split(',').includes(each))
