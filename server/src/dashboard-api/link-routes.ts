// A merchant's payment links: list with collected amounts, create, QR code, poster, close.
import { z } from 'zod'
import { cancelLink } from '../actions/links/close-payment-link.ts'
import { createLinkFor } from '../actions/links/create-payment-link.ts'
import { listNewestLinks, showLink } from '../actions/links/read-payment-link.ts'
import { readSettings } from '../actions/merchants/profile.ts'
import { startOfDay } from '../domain/business-day.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { type LinkState, linkState, suggestedOf } from '../domain/link-state.ts'
import { MINIMUM_XOF } from '../domain/money.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { contentSecurityPolicy, html, isolated, type Page, policyHash, sendPage, trusted } from '../http/html.ts'
import { qrPath, qrPngFile, qrSvgFile } from '../http/qr-code.ts'
import { sendFile } from './answer.ts'
import { accountRoute, type DashboardDeps, day, optional, PAGE_FIELDS, pageOf } from './route.ts'
import { logoUrl } from './settings-routes.ts'
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
  accountRoute(`GET /links/:reference/qr.${ending}`, 'read', LinkName, async (deps, caller, input, { reply }) => {
    const name = input.reference
    const shown = await showLink(deps, caller, { name })
    if (isRefused(shown)) return shown
    const file = { type, name: `${name}.${ending}`, isShown: true }
    return sendFile(reply, file, draw(deps.pageUrl(shown.link.linkReference)))
  })

export const linkRoutes = [
  accountRoute('GET /links', 'read', z.object(PAGE_FIELDS), async (deps, caller, page) =>
    pageOf(await listNewestLinks(deps, caller, page), (link) => linkRow(deps, link)),
  ),
  accountRoute(
    'POST /links',
    'makeLinks',
    LinkFields,
    async (deps, caller, { lastDay, amount, suggestedAmounts, ...fields }): Promise<LinkRow | Refused> => {
      // Without an amount, the payer types one: as little as can be paid.
      const minimumAmount = amount === null || amount === undefined ? MINIMUM_XOF[caller.environment] : undefined
      // Without a last day it stays open until it is paid or closed.
      const expiry =
        lastDay === undefined
          ? { shouldExpire: false }
          : { expiresInMinutes: Math.ceil((startOfDay(lastDay + 1) - deps.clock.now()) / MINUTE_MS) }
      const suggested = suggestedAmounts.length > 0 && { suggestedAmounts }
      const order = { ...fields, amount, minimumAmount, ...suggested, ...expiry }
      const made = await createLinkFor(deps, caller, { accountId: caller.accountId, order })
      return isRefused(made) ? made : readRow(deps, caller, made.linkReference)
    },
  ),
  accountRoute('GET /links/:reference', 'read', LinkName, (deps, caller, { reference }) =>
    readRow(deps, caller, reference),
  ),
  accountRoute('POST /links/:reference/close', 'makeLinks', LinkName, async (deps, caller, { reference }) => {
    const closed = await cancelLink(deps, caller, { name: reference })
    return isRefused(closed) ? closed : readRow(deps, caller, closed.linkReference)
  }),
  qrRoute('svg', 'image/svg+xml', qrSvgFile),
  qrRoute('png', 'image/png', qrPngFile),
  accountRoute('GET /links/:reference/poster', 'read', LinkName, async (deps, caller, { reference }, { reply }) => {
    const shown = await showLink(deps, caller, { name: reference })
    if (isRefused(shown)) return shown
    const settings = await readSettings(deps, caller)
    if (isRefused(settings)) return settings
    const { link } = shown
    return sendPage(reply, 200, posterPage(link, settings.brand, deps.pageUrl(link.linkReference)))
  }),
]

async function readRow(deps: DashboardDeps, caller: MerchantPerson, name: string): Promise<LinkRow | Refused> {
  const shown = await showLink(deps, caller, { name })
  return isRefused(shown) ? shown : linkRow(deps, shown.link)
}

function linkRow({ clock, pageUrl }: DashboardDeps, link: PaymentLink): LinkRow {
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
    collected: link.collected?.amountXof ?? (state.is === 'succeeded' ? link.amountXof : 0),
    createdAt: link.createdAt,
    expiresAt: link.expiresAt,
  }
}

/** Whether the payer types the amount and has not yet. */
const isTyped = ({ minimumAmountXof, status }: PaymentLink): boolean =>
  minimumAmountXof !== null && (status === 'initiated' || status === 'failed')

function stateOf(state: LinkState): LinkRow['state'] {
  if (state.is === 'open' || state.is === 'under_way') return 'open'
  if (state.is !== 'closed') return 'paid'
  return state.because === 'expired' ? 'expired' : 'closed'
}

const OWN_COLOUR = '#2b3583'

const styleOf = (colour: string): string => `@page{size:A5 portrait;margin:0}
*{box-sizing:border-box;margin:0;padding:0}
html{background:#e9e6df}
body{font:16px/1.35 system-ui,Roboto,"Noto Sans",sans-serif;color:#1d1a2b;width:148mm;height:210mm;margin:0 auto;background:#fff;display:flex;flex-direction:column;text-align:center;-webkit-print-color-adjust:exact;print-color-adjust:exact}
header{background:radial-gradient(rgb(255 255 255/.13) .4mm,transparent .5mm) 0 0/4mm 4mm ${colour};color:#fff;padding:8mm 8mm 7mm}
header img{height:18mm;max-width:60mm;object-fit:contain;background:#fff;border-radius:3mm;padding:2mm;margin-bottom:2mm}
h1{font-size:9mm;line-height:1.15;overflow-wrap:anywhere}
main{flex:1;min-height:0;display:flex;flex-direction:column;align-items:center;justify-content:space-evenly;gap:2.5mm;padding:3mm 8mm 2mm}
.how{font-size:6.6mm;font-weight:700;line-height:1.2}
small{display:block;font-weight:400;font-size:.68em;color:#4d485c}
.code{flex:0 1 76mm;min-height:45mm;aspect-ratio:1;padding:1mm;border:.8mm solid ${colour};border-radius:5mm}
.code svg{display:block;width:100%;height:100%;stroke:#000}
.what{font-size:5.2mm;overflow-wrap:anywhere}
.sum{font-size:11mm;line-height:1.1;font-weight:700;font-variant-numeric:tabular-nums;color:${colour}}
ol{list-style:none;display:flex;gap:4mm;counter-reset:step}
li{flex:1;font-size:4mm;font-weight:600;line-height:1.25;counter-increment:step}
li::before{content:counter(step);display:block;width:7mm;margin:0 auto 1.2mm;color:#fff;font-weight:700;line-height:7mm;border-radius:50%;background:${colour}}
li small{font-size:.82em}
footer{padding:2mm 8mm 5mm;font-size:3.1mm;color:#4d485c;overflow-wrap:anywhere}
.phone{font-size:4mm;font-weight:600;color:#1d1a2b}
.test{background:#8a4b00;color:#fff;font-weight:700;padding:2mm}`

const STEPS: readonly [french: string, english: string][] = [
  ['Scannez le code', 'Scan the code'],
  ['Tapez votre numéro', 'Enter your number'],
  ['Validez sur votre téléphone', 'Approve on your phone'],
]

/** U+00A0 between thousands, as money is written here. */
const francs = (amountXof: number): string =>
  `${String(amountXof).replace(/\B(?=(\d{3})+$)/g, '\u00a0')}\u00a0F\u00a0CFA`

type Brand = Record<'name', string> & Record<'logoHash' | 'colour' | 'phone', string | null>

function posterPage(link: PaymentLink, { name, logoHash, colour, phone }: Brand, pageUrl: string): Page {
  const { title } = link
  const style = styleOf(colour ?? OWN_COLOUR)
  const { size, path } = qrPath(pageUrl)
  // The width of the sheet: a phone shows the whole of it.
  const page = html`<!doctype html><html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=560"><title>${name} – ${title}</title><style>${trusted(style)}</style></head><body>
${link.environment === 'sandbox' && html`<p class="test">Test – aucun argent réel · <span lang="en">no real money</span></p>`}
<header>${logoHash !== null && html`<img src="${logoUrl(logoHash)}" alt="">`}<h1>${isolated(name)}</h1></header>
<main><p class="how">Payez ici par mobile money<small lang="en">Pay here by mobile money</small></p>
<div class="code"><svg role="img" aria-label="QR" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${path}"/></svg></div>
<div><p class="what">${isolated(title)}</p>${!isTyped(link) && html`<p class="sum">${francs(link.amountXof)}</p>`}</div>
<ol>${STEPS.map(([french, english]) => html`<li>${french}<small lang="en">${english}</small></li>`)}</ol></main>
<footer>${phone !== null && html`<p class="phone">${phone}</p>`}${pageUrl}</footer></body></html>
`
  const policy = contentSecurityPolicy({ styles: [policyHash(style)], scripts: [] })
  return { html: page.toString(), contentSecurityPolicy: policy }
}
