// For a merchant's developers: API keys, and the log of API requests.

import { z } from 'zod'
import * as managing from '../actions/keys/manage-keys.ts'
import { listLatestRequests } from '../actions/requests/list-requests.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { KEY_PERMISSIONS, USUAL_PERMISSIONS } from '../domain/role.ts'
import { accountRoute, type DashboardDeps, NOTHING, optional, PAGE_FIELDS, pageOf, wholeNumber } from './route.ts'
import type { KeyRow, NewKeyBody, PageOf, RequestRow } from './shapes.ts'

const KeyId = z.object({ keyId: z.string() })
const HOUR_MS = 3_600_000

export const keyRoutes = [
  accountRoute('GET /keys', 'read', NOTHING, async (deps, caller): Promise<PageOf<KeyRow> | Refused> => {
    const rows = await keyRows(deps, caller)
    return 'refused' in rows ? rows : { rows, next: null }
  }),
  accountRoute(
    'POST /keys',
    'manageKeys',
    z.object({
      name: z.string(),
      permissions: z
        .array(z.enum(KEY_PERMISSIONS))
        .min(1)
        .nullable()
        .default([...USUAL_PERMISSIONS]),
      networks: z.array(z.string()).nullable().default(null),
    }),
    async (deps, caller, { name, permissions, networks }): Promise<NewKeyBody | Refused> => {
      const wanted = { accountId: caller.accountId, name, permissions, networks }
      return newKeyBody(deps, caller, await managing.makeKey(deps, caller, wanted))
    },
  ),
  accountRoute(
    'POST /keys/:keyId/roll',
    'manageKeys',
    z.object({ keyId: z.string(), keepOldMs: z.number().default(24 * HOUR_MS) }),
    async (deps, caller, { keyId, keepOldMs }): Promise<NewKeyBody | Refused> =>
      newKeyBody(deps, caller, await managing.rollKey(deps, caller, { keyId, keepOldMs })),
  ),
  // Only by the id: a key or an account's name would revoke more than the one key.
  accountRoute('POST /keys/:keyId/revoke', 'manageKeys', KeyId, async (deps, caller, { keyId }) =>
    keyId.startsWith('key_') ? managing.revokeKeys(deps, caller, { which: keyId }) : { refused: 'key_not_found' },
  ),
  accountRoute(
    'GET /requests',
    'read',
    z.object({
      ...PAGE_FIELDS,
      method: optional(z.enum(['GET', 'POST'])),
      // `4xx`, or a single status.
      status: optional(z.union([z.string().regex(/^[2-5]xx$/), wholeNumber(200, 599)])),
    }),
    async (deps, caller, { after, limit, method, status }): Promise<PageOf<RequestRow> | Refused> => {
      const hundred = status === undefined ? undefined : Number(String(status)[0])
      const page = await listLatestRequests(deps, caller, { after, limit, method, hundred })
      if (isRefused(page)) return page
      const rows = typeof status === 'number' ? page.rows.filter((row) => row.status === status) : page.rows
      return pageOf({ ...page, rows }, ({ accountId: _, ...row }) => row)
    },
  ),
]

async function keyRows(deps: DashboardDeps, caller: MerchantPerson): Promise<KeyRow[] | Refused> {
  const found = await managing.listAccountKeys(deps, caller, { accountId: caller.accountId })
  if (isRefused(found)) return found
  return found.keys.map((key) => {
    const { permissions, networks } = managing.restrictionsOf(key)
    const { keyId, kind, shownAs, name, createdAt, lastUsedAt, expiresAt, madeBy } = key
    const lists = { permissions: permissions && [...permissions], networks: networks && [...networks] }
    return { keyId, kind, shownAs, name, ...lists, createdAt, lastUsedAt, expiresAt, madeBy }
  })
}

async function newKeyBody(
  deps: DashboardDeps,
  caller: MerchantPerson,
  made: managing.MadeKey | Refused,
): Promise<NewKeyBody | Refused> {
  if (isRefused(made)) return made
  const rows = await keyRows(deps, caller)
  if ('refused' in rows) return rows
  return { key: rows.find(({ keyId }) => keyId === made.keyId) as KeyRow, secret: made.key }
}
