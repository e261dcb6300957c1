// Serves the simulated provider's page: the payer approves, declines or leaves, and is redirected
// to the link.

import type { FastifyInstance } from 'fastify'
import type { HostedMethodName } from '../domain/methods/methods.ts'
import { writeAmount } from '../domain/payments/money.ts'
import { looksLikeReference } from '../domain/payments/reference.ts'
import { sendGeneralError } from '../http/errors.ts'
import {
  contentSecurityPolicy,
  html,
  isolated,
  policyHash,
  readForm,
  redirect,
  sendPage,
  trusted,
} from '../http/html.ts'
import { SIMULATOR_PAGE_PATH, type SimulatedProvider } from './network.ts'

const BODY_LIMIT_BYTES = 1_024

export function simulatorPages(app: FastifyInstance, provider: SimulatedProvider): void {
  const url = `${SIMULATOR_PAGE_PATH}:reference`
  /** A text that cannot be a reference needs no look-up: PostgreSQL raises an error for a NUL. */
  const find = async (reference: string) =>
    looksLikeReference(reference) ? provider.find(reference) : undefined

  app.get(url, async (request, reply) => {
    const { reference } = request.params as { reference: string }
    const session = await find(reference)
    if (session === undefined) return sendGeneralError(reply, 'not_found')
    if (session.decision !== null) return redirect(reply, session.returnUrl)
    const { origin } = new URL(session.returnUrl)
    const page = simulatorPage({
      ...session,
      action: SIMULATOR_PAGE_PATH + reference,
      formsMayLeadTo: [origin],
    })
    return sendPage(reply, 200, page)
  })

  app.post(url, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    const { reference } = request.params as { reference: string }
    const session = await find(reference)
    if (session === undefined) return sendGeneralError(reply, 'not_found')
    const decision = readForm(request.body).get('decision')
    if (decision === 'approve' || decision === 'decline') await provider.decide(reference, decision)
    return redirect(reply, session.returnUrl)
  })
}

// The page of the simulated card or wallet provider, where the payer approves, declines, or simply
// leaves. It plays another company's page, so its look differs from ours. It never has a field for
// a card number.

export interface SimulatorPageDeps {
  method: HostedMethodName
  merchantName: string
  title: string
  amountXof: number
  /** Where the decision is posted: `decision=approve` or `decision=decline`. */
  action: string
  /** Origins besides our own that the answer to the post may redirect to. */
  formsMayLeadTo?: readonly string[]
}

const BANK = ['Banque Factice', 'paiement par carte · card payment'] as const
const PROVIDERS: ReadonlyMap<HostedMethodName, readonly [name: string, activity: string]> = new Map(
  [['wallet', ['PocheTest', 'portefeuille électronique · e-wallet']]],
)

const STYLE = `*{box-sizing:border-box}body{margin:0;font:1rem/1.5 Georgia,"Noto Serif",serif;color:#11302b;background:#e3efe9}
header{padding:1.25rem;color:#fff;background:#0b5c4d;border-bottom:.5rem double #e3efe9}
header,main{text-align:center}header b{display:block;font-size:1.5rem}
main{width:calc(100% - 2rem);max-width:26rem;margin:1.5rem auto;padding:1.5rem 1.25rem;background:#fff;border:2px solid #0b5c4d}
.tag{margin:0 0 1rem;padding:.375rem;font:600 .875rem monospace;color:#4a3200;background:#ffe08a}
h1{margin:0;font-size:1.25rem}.sum{margin:.5rem 0;font-size:2rem;font-weight:700}p{margin:.5rem 0;overflow-wrap:break-word}
button{width:100%;min-height:3.25rem;margin-top:.75rem;font:inherit;font-weight:700;color:#fff;background:#0b5c4d;border:2px solid #0b5c4d;cursor:pointer}
[value=decline]{color:#7d1d12;background:#fff;border-color:#7d1d12}
:focus-visible{outline:3px solid #c26a00;outline-offset:2px}small{font-size:.875rem;color:#3f5a54}`

const STYLE_HASH = policyHash(STYLE)

export function simulatorPage(deps: SimulatorPageDeps): {
  html: string
  contentSecurityPolicy: string
} {
  const { method, merchantName, title, action, formsMayLeadTo = [] } = deps
  const [provider, activity] = PROVIDERS.get(method) ?? BANK
  const page = html`<!doctype html>
<html lang="fr"><head><meta charset="utf-8"><title>${provider} – simulation</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<style>${trusted(STYLE)}</style></head>
<body><header><b>${provider}</b>${activity}</header>
<main><p class="tag">SIMULATION<br>aucun argent réel · no real money</p>
<h1>${isolated(merchantName)}</h1>
<p>${isolated(title)}</p>
<p class="sum">${writeAmount(deps.amountXof, 'fr')}</p>
<form method="post" action="${action}">
<button name="decision" value="approve">Valider · Approve</button>
<button name="decision" value="decline">Refuser · Decline</button></form>
<p><small>Ou fermez cet onglet pour partir sans répondre.<br><span lang="en">Or close this tab to leave without an answer.</span></small></p></main></body></html>
`
  return {
    html: page.toString(),
    contentSecurityPolicy: contentSecurityPolicy({
      styles: [STYLE_HASH],
      scripts: [],
      formsMayLeadTo,
    }),
  }
}
