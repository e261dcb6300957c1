// A merchant's payment links: list with collected amounts, create, QR code, poster, close.
import { z } from 'zod'
import { cancelLink } from '../actions/links/close-payment-link.ts'
import { createLinkFor } from '../actions/links/create-payment-link.ts'
import { listNewestLinks, showLink } from '../actions/links/read-payment-link.ts'
import { readSettings } from '../actions/merchants/profile.ts'
import { startOfDay } from '../domain/countries/business-day.ts'
import { isCountry } from '../domain/countries/country.ts'
import { type LinkState, linkState, suggestedOf } from '../domain/links/link-state.ts'
import type { PaymentLink } from '../domain/links/payment-link.ts'
import { piQrText } from '../domain/links/pi-qr.ts'
import { MINIMUM_XOF } from '../domain/payments/money.ts'
import type { MerchantPerson } from '../domain/people/caller.ts'
import { type AccountRole, mayInAccount } from '../domain/people/role.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { sendPage } from '../http/html.ts'
import { qrPngFile, qrSvgFile } from '../http/qr-code.ts'
import { sendFile } from './answer.ts'
import { posterPage } from './poster-page.ts'
import { accountRoute, type DashboardDeps, day, optional, PAGE_FIELDS, pageOf } from './route.ts'
import type { LinkRow } from './shapes.ts'

const LinkName = z.object({ reference: z.string() })
const LinkFields = z.object({
  title: z.string(),
  description: optional(z.string()),
  amount: z.number().nullish(),
  suggestedAmounts: z.array(z.number()).max(10).default([]),
  reusable: z.boolean().default(false),
  /** The last day on which it can be paid. */
  lastDay: optional(day),
})
const MINUTE_MS = 60_000

const qrRoute = (ending: 'svg' | 'png', type: string, draw: (address: string) => string | Buffer) =>
  accountRoute(
    `GET /links/:reference/qr.${ending}`,
    'read',
    LinkName,
    async (deps, caller, input, { reply }) => {
      const name = input.reference
      const shown = await showLink(deps, caller, { name })
      if (isRefused(shown)) return shown
      const file = { type, name: `${name}.${ending}`, isShown: true }
      return sendFile(reply, file, draw(deps.pageUrl(shown.link.linkReference)))
    },
  )

export const linkRoutes = [
  accountRoute('GET /links', 'read', z.object(PAGE_FIELDS), async (deps, caller, page) =>
    pageOf(await listNewestLinks(deps, caller, page), (link) => linkRow(deps, caller, link)),
  ),
  accountRoute(
    'POST /links',
    'makeLinks',
    LinkFields,
    async (
      deps,
      caller,
      { lastDay, amount, suggestedAmounts, ...fields },
    ): Promise<LinkRow | Refused> => {
      // Without an amount, the payer types one: as little as can be paid.
      const minimumAmount =
        amount === null || amount === undefined ? MINIMUM_XOF[caller.environment] : undefined
      // Without a last day it stays open until it is paid or closed.
      const expiry =
        lastDay === undefined
          ? { shouldExpire: false }
          : {
              expiresInMinutes: Math.ceil((startOfDay(lastDay + 1) - deps.clock.now()) / MINUTE_MS),
            }
      const suggested = suggestedAmounts.length > 0 && { suggestedAmounts }
      const order = { ...fields, amount, minimumAmount, ...suggested, ...expiry }
      const made = await createLinkFor(deps, caller, { accountId: caller.accountId, order })
      return isRefused(made) ? made : readRow(deps, caller, made.linkReference)
    },
  ),
  accountRoute('GET /links/:reference', 'read', LinkName, (deps, caller, { reference }) =>
    readRow(deps, caller, reference),
  ),
  accountRoute(
    'POST /links/:reference/close',
    'makeLinks',
    LinkName,
    async (deps, caller, { reference }) => {
      const closed = await cancelLink(deps, caller, { name: reference })
      return isRefused(closed) ? closed : readRow(deps, caller, closed.linkReference)
    },
  ),
  qrRoute('svg', 'image/svg+xml', qrSvgFile),
  qrRoute('png', 'image/png', qrPngFile),
  accountRoute(
    'GET /links/:reference/poster',
    'read',
    LinkName,
    async (deps, caller, { reference }, { reply }) => {
      const shown = await showLink(deps, caller, { name: reference })
      if (isRefused(shown)) return shown
      const settings = await readSettings(deps, caller)
      if (isRefused(settings)) return settings
      const { link } = shown
      const { brand, piAlias, business } = settings
      const piText = piTextOf(link, piAlias, business.country)
      const pageUrl = deps.pageUrl(link.linkReference)
      const typed = link.collected === null ? pageUrl : deps.posterUrl(link.publicReference)
      const amountXof = isTyped(link) ? null : link.amountXof
      const { title, environment } = link
      return sendPage(
        reply,
        200,
        posterPage({ title, amountXof, environment, brand, pageUrl, typed, piText }),
      )
    },
  ),
]

async function readRow(
  deps: DashboardDeps,
  caller: MerchantPerson,
  name: string,
): Promise<LinkRow | Refused> {
  const shown = await showLink(deps, caller, { name })
  return isRefused(shown) ? shown : linkRow(deps, caller, shown.link)
}

function linkRow(
  { clock, pageUrl }: DashboardDeps,
  { role }: MerchantPerson,
  link: PaymentLink,
): LinkRow {
  const state = linkState(link, clock.now())
  const isPaid = state.is === 'succeeded' || state.is === 'refunded'
  return {
    reference: link.linkReference,
    url: pageUrl(link.linkReference),
    title: link.title,
    description: link.description,
    suggestedAmounts: suggestedOf(link),
    amount: isTyped(link) ? null : link.amountXof,
    reusable: link.collected !== null,
    state: stateOf(state),
    payments: link.collected?.payments ?? (isPaid ? 1 : 0),
    collected: collectedFor(role, link, state),
    createdAt: link.createdAt,
    expiresAt: link.expiresAt,
  }
}

/**
 * A single link has one payment, which every role sees. What a poster collected is a sum (D-163).
 */
function collectedFor(role: AccountRole, link: PaymentLink, state: LinkState): number | null {
  if (link.collected === null) return state.is === 'succeeded' ? link.amountXof : 0
  return mayInAccount(role, 'seeTurnover') ? link.collected.amountXof : null
}

/** Whether the payer types the amount and has not yet. */
const isTyped = ({ minimumAmountXof, status }: PaymentLink): boolean =>
  minimumAmountXof !== null && (status === 'initiated' || status === 'failed')

function stateOf(state: LinkState): LinkRow['state'] {
  if (state.is === 'open' || state.is === 'under_way') return 'open'
  if (state.is !== 'closed') return 'paid'
  return state.because === 'expired' ? 'expired' : 'closed'
}

/** Only where money is real: the code takes the payer's money wherever it is printed. */
function piTextOf(link: PaymentLink, alias: string | null, country: string): string | undefined {
  if (alias === null || link.environment !== 'live' || !isCountry(country)) return undefined
  const amountXof = isTyped(link) ? undefined : link.amountXof
  return piQrText({ alias, country, amountXof, reference: link.publicReference })
}
