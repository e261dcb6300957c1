// A merchant's settings: brand, business, documents, the request for validation, sites, its own
// connections.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { changeCheckoutSettings } from '../actions/merchants/change-account.ts'
import {
  addDocument,
  deleteDocument,
  MOST_DOCUMENT_BYTES,
  openDocument,
} from '../actions/merchants/keep-documents.ts'
import {
  askValidation,
  changeBrand,
  changeBusiness,
  changeLogo,
  changePiAlias,
  MOST_LOGO_BYTES,
  readLogo,
  readSettings,
} from '../actions/merchants/profile.ts'
import {
  addMerchantConnection,
  changeMerchantConnection,
  replaceConnectionCredentials,
  type ShownConnection,
  showMerchantConnections,
  testMerchantConnection,
} from '../actions/operators/merchant-connections.ts'
import {
  confirmMoneyChange,
  listMoneyChanges,
  rejectMoneyChange,
  type ShownMoneyChange,
} from '../actions/operators/money-changes.ts'
import { logoPath } from '../domain/merchants/brand.ts'
import { servedBy } from '../domain/merchants/merchant-connection.ts'
import type { MerchantPerson } from '../domain/people/caller.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { sendFile, sendRouteError } from './answer.ts'
import {
  type AccountHandle,
  type Address,
  accountRoute,
  type DashboardDeps,
  fileOf,
  NOTHING,
  PROOF,
  pageOf,
  type RouteOptions,
  SOME_MORE,
  TEXT,
} from './route.ts'
import type {
  ChangedBody,
  MoneyChangeRow,
  OwnConnectionRow,
  OwnConnectionsBody,
  SettingsBody,
} from './shapes.ts'

const text = z.string().default('')
const given = z
  .string()
  .nullish()
  .transform((value) => (value === undefined || value === '' ? null : value))

const DocumentId = z.object({ documentId: z.string() })
/** A change of the settings, answered with all of them. */
const changeRoute = <const Of extends Address, Input extends z.ZodType>(
  address: Of,
  input: Input,
  change: AccountHandle<Input, object>,
  options?: RouteOptions,
) => {
  const handle: AccountHandle<Input, SettingsBody | Refused> = async (
    deps,
    caller,
    fields,
    http,
  ) => {
    const outcome: object | Refused = await change(deps, caller, fields, http)
    return isRefused(outcome) ? outcome : settingsBody(deps, caller)
  }
  return accountRoute(address, 'changeSettings', input, handle, options)
}

export const settingsRoutes = [
  accountRoute('GET /settings', 'read', NOTHING, settingsBody),
  changeRoute(
    'PUT /settings/brand',
    z.object({ name: given, colour: given, phone: given }),
    changeBrand,
  ),
  accountRoute(
    'PUT /settings/pi-spi',
    'manageConnections',
    z.object({ alias: given, ...PROOF }),
    async (deps, caller, fields): Promise<(SettingsBody & ChangedBody) | Refused> => {
      const changed = await changePiAlias(deps, caller, fields)
      if (isRefused(changed)) return changed
      const settings = await settingsBody(deps, caller)
      return isRefused(settings) ? settings : { ...settings, is: changed.is }
    },
  ),
  changeRoute(
    'PUT /settings/logo',
    NOTHING,
    (deps, caller, _input, { request }) => changeLogo(deps, caller, { file: fileOf(request) }),
    { takes: 'file', mostBytes: MOST_LOGO_BYTES + SOME_MORE },
  ),
  changeRoute('DELETE /settings/logo', NOTHING, (deps, caller) =>
    changeLogo(deps, caller, { file: null }),
  ),
  changeRoute(
    'PUT /settings/business',
    z.object({
      legalName: text,
      registration: text,
      country: text,
      city: text,
      address: text,
      contact: text,
    }),
    changeBusiness,
  ),
  changeRoute(
    'PUT /settings/sites',
    z.object({ sites: z.array(z.string()) }),
    (deps, caller, { sites }) =>
      changeCheckoutSettings(deps, caller, { accountId: caller.accountId, origins: sites }),
  ),
  changeRoute(
    'POST /documents',
    z.object({ name: z.string().default('document') }),
    (deps, caller, { name }, { request }) =>
      addDocument(deps, caller, { name, file: fileOf(request) }),
    { needsConfirmedEmail: true, takes: 'file', mostBytes: MOST_DOCUMENT_BYTES + SOME_MORE },
  ),
  accountRoute(
    'GET /documents/:documentId',
    'changeSettings',
    DocumentId,
    async (deps, caller, { documentId }, { reply }) => {
      const document = await openDocument(deps, caller, { documentId })
      if (isRefused(document)) return document
      return sendFile(reply, { ...document, isShown: false }, Readable.from(document.content))
    },
  ),
  changeRoute('DELETE /documents/:documentId', DocumentId, deleteDocument),
  changeRoute('POST /validation', NOTHING, askValidation, { needsConfirmedEmail: true }),
]

async function settingsBody(
  deps: DashboardDeps,
  caller: MerchantPerson,
): Promise<SettingsBody | Refused> {
  const settings = await readSettings(deps, caller)
  if (isRefused(settings)) return settings
  const { brand, piAlias, business, documents, validation, sites } = settings
  const { name, logoHash, colour, phone } = brand
  return {
    brand: { name, logoUrl: logoHash === null ? null : logoPath(logoHash), colour, phone },
    piAlias,
    business,
    documents,
    validation,
    sites,
  }
}

const HASH = /^[0-9a-f]{64}$/

export function shopLogos(app: FastifyInstance, { db, clock, publicRate }: DashboardDeps): void {
  const allow = rateLimit(clock, rateOf(publicRate))
  app.get(logoPath(':hash'), async (request, reply) => {
    if (!allow(request.ip)) return sendRouteError(reply, 'too_many_requests')
    const { hash } = request.params as { hash: string }
    const logo = HASH.test(hash) ? await readLogo(db, hash) : undefined
    if (logo === undefined) return sendRouteError(reply, 'not_found')
    return reply
      .headers({
        'content-type': logo.type,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      })
      .send(Buffer.from(logo.content, 'base64'))
  })
}

// A merchant's own connections to networks. Credentials come in and never go out.

const ConnectionId = z.object({ connectionId: TEXT })
/** Longer than any accepted credential, so that the action says which field is wrong. */
const FIELDS = z
  .record(z.string().max(100), z.string().max(20_000))
  .refine((all) => Object.keys(all).length <= 20)

const change = (verb: 'suspend' | 'activate' | 'remove', to: 'suspended' | 'active' | 'removed') =>
  accountRoute(
    `POST /connections/:connectionId/${verb}`,
    'manageConnections',
    ConnectionId,
    (deps, caller, { connectionId }) =>
      changeMerchantConnection(deps, caller, { connectionId, to }),
  )

export const connectionRoutes = [
  accountRoute(
    'GET /connections',
    'read',
    NOTHING,
    async (deps, caller): Promise<OwnConnectionsBody> => {
      const { rows, offered } = await showMerchantConnections(deps, caller)
      return {
        rows: rows.map(ownConnectionRow),
        offered: offered.map(({ connector, serves, fields }) => ({
          connector,
          serves: [...serves],
          fields: fields.map(({ name, isOptional = false, choices = [] }) => ({
            name,
            isOptional,
            choices: [...choices],
          })),
        })),
        callbackBase:
          deps.publicUrl === '' ? null : `${deps.publicUrl}/operators/${caller.environment}`,
      }
    },
  ),
  accountRoute(
    'POST /connections',
    'manageConnections',
    z.object({
      connector: TEXT,
      label: TEXT,
      serves: z.array(TEXT).max(20),
      fields: FIELDS,
      ...PROOF,
    }),
    addMerchantConnection,
  ),
  accountRoute(
    'PUT /connections/:connectionId/credentials',
    'manageConnections',
    ConnectionId.extend({ fields: FIELDS, ...PROOF }),
    replaceConnectionCredentials,
  ),
  accountRoute(
    'POST /connections/:connectionId/test',
    'manageConnections',
    ConnectionId,
    testMerchantConnection,
  ),
  change('suspend', 'suspended'),
  change('activate', 'active'),
  change('remove', 'removed'),
  accountRoute('GET /money-changes', 'manageConnections', NOTHING, async (deps, caller) =>
    pageOf(await listMoneyChanges(deps, caller), moneyChangeRow),
  ),
  accountRoute(
    'POST /money-changes/:changeId/confirm',
    'manageConnections',
    z.object({ changeId: TEXT, ...PROOF }),
    confirmMoneyChange,
  ),
  accountRoute(
    'POST /money-changes/:changeId/reject',
    'manageConnections',
    z.object({ changeId: TEXT }),
    rejectMoneyChange,
  ),
]

const moneyChangeRow = ({ detail, ...row }: ShownMoneyChange): MoneyChangeRow =>
  detail.kind === 'connection'
    ? { ...row, detail: { ...detail, serves: servedBy(detail) } }
    : { ...row, detail }

export function ownConnectionRow({
  health,
  pause,
  suspendedAt,
  ...row
}: ShownConnection): OwnConnectionRow {
  const { connectionId, connector, label, state, credentialsAt, createdAt } = row
  const common = { connectionId, connector, label, serves: servedBy(row), credentialsAt, createdAt }
  if (state !== 'active')
    return { ...common, state: 'suspended', since: suspendedAt ?? null, reason: null }
  if (pause !== undefined)
    return { ...common, state: 'paused', since: pause.since, reason: pause.reason }
  if (health?.misconfigured === 1)
    return { ...common, state: 'refused', since: health.since, reason: health.why }
  return health?.state === 'down'
    ? { ...common, state: 'down', since: health.since, reason: health.why }
    : { ...common, state: 'active', since: health?.since ?? createdAt, reason: null }
}
