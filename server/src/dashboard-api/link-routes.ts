// A merchant's payment links: list with what each brought in, make one in three fields, QR code, poster, close.
import { z } from 'zod'
import { createLinkFor } from '../actions/links/create-payment-link.ts'
import { listNewestLinks } from '../actions/links/list-links.ts'
import { cancelLink, showLink } from '../actions/links/show-link.ts'
import { readSettings } from '../actions/merchants/read-settings.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { MINIMUM_XOF } from '../domain/money.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { MERCHANT_RIGHTS } from '../domain/role.ts'
import { sendPage } from '../http/html.ts'
import { qrPngFile, qrSvgFile } from '../http/qr-code.ts'
import type { DashboardDeps } from './deps.ts'
import { isTyped, linkRow } from './link-views.ts'
import { logoUrl } from './logo-route.ts'
import { posterPage } from './poster.ts'
import { PAGE_FIELDS } from './query-fields.ts'
import { defineRoute } from './route.ts'
import { sendFile } from './send-file.ts'
import type { LinkRow, PageOf } from './shapes.ts'

const LinkName = z.object({ reference: z.string() })
const LinkFields = z.object({
  title: z.string(),
  amount: z.number().nullish(),
  reusable: z.boolean().default(false),
})

/** A link that somebody shares by hand has the three fields, and stays open until it is paid or closed. */
const NOT_ASKED = {
  ...{ description: undefined, reference: undefined, externalReference: undefined, customerName: undefined },
  ...{ onSuccessUrl: undefined, onFailedUrl: undefined, orderReference: undefined, metadata: undefined },
  ...{ suggestedAmounts: undefined, expiresInMinutes: undefined },
}

export const linkRoutes = [
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/links',
    roles: MERCHANT_RIGHTS.read,
    input: z.object(PAGE_FIELDS),
    handle: async (deps, caller, page): Promise<PageOf<LinkRow> | Refused> => {
      const found = await listNewestLinks(deps, caller, page)
      if (isRefused(found)) return found
      return { rows: found.rows.map((link) => rowOf(deps, link)), next: found.next ?? null }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/links',
    roles: MERCHANT_RIGHTS.makeLinks,
    input: LinkFields,
    handle: async (deps, caller, { title, amount, reusable }): Promise<LinkRow | Refused> => {
      // Without an amount, the payer types one: as little as can be paid.
      const minimumAmount = amount === null || amount === undefined ? MINIMUM_XOF[caller.environment] : undefined
      const order = { ...NOT_ASKED, title, amount, minimumAmount, reusable, shouldExpire: false }
      const made = await createLinkFor(deps, caller, { accountId: caller.accountId, order })
      return isRefused(made) ? made : readRow(deps, caller, made.linkReference)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/links/:reference',
    roles: MERCHANT_RIGHTS.read,
    input: LinkName,
    handle: (deps, caller, { reference }): Promise<LinkRow | Refused> => readRow(deps, caller, reference),
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/links/:reference/close',
    roles: MERCHANT_RIGHTS.makeLinks,
    input: LinkName,
    handle: async (deps, caller, { reference }): Promise<LinkRow | Refused> => {
      const closed = await cancelLink(deps, caller, { name: reference })
      return isRefused(closed) ? closed : readRow(deps, caller, closed.linkReference)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/links/:reference/qr.svg',
    roles: MERCHANT_RIGHTS.read,
    input: LinkName,
    handle: async (deps, caller, { reference }, { reply }) => {
      const shown = await showLink(deps, caller, { name: reference })
      if (isRefused(shown)) return shown
      const svg = qrSvgFile(deps.pageUrl(shown.link.linkReference))
      return sendFile(reply, { type: 'image/svg+xml', name: `${reference}.svg`, isShown: true }, svg)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/links/:reference/qr.png',
    roles: MERCHANT_RIGHTS.read,
    input: LinkName,
    handle: async (deps, caller, { reference }, { reply }) => {
      const shown = await showLink(deps, caller, { name: reference })
      if (isRefused(shown)) return shown
      const png = qrPngFile(deps.pageUrl(shown.link.linkReference))
      return sendFile(reply, { type: 'image/png', name: `${reference}.png`, isShown: true }, png)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/links/:reference/poster',
    roles: MERCHANT_RIGHTS.read,
    input: LinkName,
    handle: async (deps, caller, { reference }, { reply }) => {
      const shown = await showLink(deps, caller, { name: reference })
      if (isRefused(shown)) return shown
      const settings = await readSettings(deps, caller)
      if (isRefused(settings)) return settings
      const { link } = shown
      const { name, logoHash, colour, phone } = settings.brand
      const poster = {
        ...{ shopName: name, logoUrl: logoHash === null ? null : logoUrl(logoHash), colour, phone },
        ...{
          title: link.title,
          amountXof: isTyped(link) ? null : link.amountXof,
          pageUrl: deps.pageUrl(link.linkReference),
        },
        isSandbox: link.environment === 'sandbox',
      }
      return sendPage(reply, 200, posterPage(poster))
    },
  }),
]

const rowOf = (deps: DashboardDeps, link: PaymentLink): LinkRow => linkRow(link, deps.clock.now(), deps.pageUrl)

async function readRow(deps: DashboardDeps, caller: MerchantPerson, name: string): Promise<LinkRow | Refused> {
  const shown = await showLink(deps, caller, { name })
  return isRefused(shown) ? shown : rowOf(deps, shown.link)
}
