// The counter screen: a page of its own, small enough for a cheap phone, and the stream of today's
// payments for it. The page holds nothing of a merchant: its script reads the session and follows
// the stream.
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { CounterNews } from '../actions/payments/counter-feed.ts'
import { operatorName } from '../domain/countries/country.ts'
import {
  contentSecurityPolicy,
  html,
  type Page,
  policyHash,
  sendPage,
  trusted,
} from '../http/html.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { languageOf, sendRouteError } from './answer.ts'
import { sendEvents } from './event-stream.ts'
import { accountRoute, type DashboardDeps, optional, wholeNumber } from './route.ts'
import type { CounterBody } from './shapes.ts'

/** An event that the page sees, so that it notices a connection that was cut without an error. */
const BEAT = { text: 'event: beat\ndata: \n\n', everyMs: 10_000 }
/** A slow reader is cut off, and goes on from its last event. */
const MOST_UNREAD = 256 * 1024

const Following = z.object({ after: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)) })

export const counterRoutes = [
  accountRoute(
    'GET /counter',
    'read',
    Following,
    (deps, caller, input, { request, reply }) =>
      sendEvents(deps, caller, reply, {
        beat: BEAT,
        begin: ({ write, unread, end }) => {
          const show = (news: CounterNews): void =>
            unread() > MOST_UNREAD ? end() : write(eventOf(news))
          // A browser that opens the stream again names the last event that it got.
          const resumed = Following.safeParse({ after: request.headers['last-event-id'] ?? '' })
          return deps.counter.follow(caller, resumed.data?.after ?? input.after, {
            show,
            ended: end,
          })
        },
      }),
    { isLong: true },
  ),
]

const eventOf = (news: CounterNews): string =>
  `id: ${news.sequence}\ndata: ${JSON.stringify(bodyOf(news))}\n\n`

const bodyOf = ({ sequence, isWhole, payments }: CounterNews): CounterBody => ({
  sequence,
  isWhole,
  payments: payments.map(
    ({ publicReference, amountXof, refundedXof, succeededAt, operator, lastDigits }) => ({
      publicReference,
      amount: amountXof,
      refunded: refundedXof,
      at: succeededAt,
      lastDigits,
      operator: operator === null ? null : operatorName(operator),
    }),
  ),
})

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
/** One line, so that its hash does not depend on the line endings of a git checkout. */
const SCRIPT = read('scripts/counter.min.js').trim()
const STYLE = read('counter.css').replaceAll('\r\n', '\n')
const POLICY = contentSecurityPolicy({ styles: [policyHash(STYLE)], scripts: [policyHash(SCRIPT)] })

export function counterPages(app: FastifyInstance, { clock, publicRate }: DashboardDeps): void {
  const allow = rateLimit(clock, rateOf(publicRate))
  app.get('/dashboard/counter/:accountId', async (request, reply) => {
    if (!allow(request.ip)) return sendRouteError(reply, 'too_many_requests')
    const { lang } = request.query as { lang?: unknown }
    return sendPage(
      reply,
      200,
      counterPage(lang === 'fr' || lang === 'en' ? lang : languageOf(request)),
    )
  })
}

/** @internal */
export function counterPage(language: 'fr' | 'en'): Page {
  const words = COUNTER_WORDS[language]
  const other = language === 'fr' ? 'en' : 'fr'
  const page = html`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${words.title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">
<link rel="icon" href="/dashboard/mark.svg" type="image/svg+xml"><style>${trusted(STYLE)}</style></head>
<body data-words="${JSON.stringify(words.script)}">
<header><h1><span id="name">${words.title}</span><small>${words.today}</small></h1>
<button id="sound" aria-pressed="false">${words.sound}</button><button id="full" hidden>${words.full}</button></header>
<main><p id="test" hidden>${words.test}</p>
<p id="line" role="status" class="off">${words.connecting}</p>
<ol id="list" aria-live="polite"></ol><p id="none" hidden>${words.none}</p></main>
<footer><a href="?lang=${other}" lang="${other}" hreflang="${other}">${words.other}</a><a id="back" href="/dashboard/">${words.back}</a></footer>
<noscript><p class="off">${words.needsScript}</p></noscript>
<script>${trusted(SCRIPT)}</script></body></html>
`
  return { html: page.toString(), contentSecurityPolicy: POLICY }
}

// The texts of the counter screen, one table for each language; `script` goes to the page's script.

const french = {
  title: 'Caisse',
  today: 'Paiements reçus aujourd’hui',
  sound: 'Son',
  full: 'Plein écran',
  other: 'English',
  back: 'Tableau de bord',
  test: 'TEST : bac à sable, aucun argent réel',
  connecting: 'Connexion…',
  none: 'Aucun paiement reçu aujourd’hui. Les paiements apparaissent ici dès qu’ils réussissent.',
  needsScript: 'Cet écran a besoin de JavaScript.',
  script: {
    connected: 'Connecté',
    lost: 'Connexion perdue depuis {time}. Les nouveaux paiements ne s’affichent pas. Nous réessayons…',
    missing: 'Ce compte n’existe pas, ou vous n’y avez pas accès.',
    soundOn: 'Son activé',
    soundTouch: 'Activer le son',
    soundOff: 'Son coupé',
    refunded: 'Remboursé',
    inPart: '{amount} remboursés',
    number: '••\u00a0{digits}',
    thousands: '\u00a0',
  },
}

type CounterWords = typeof french

const english: CounterWords = {
  title: 'Counter',
  today: 'Payments received today',
  sound: 'Sound',
  full: 'Full screen',
  other: 'Français',
  back: 'Dashboard',
  test: 'TEST: sandbox, no real money',
  connecting: 'Connecting…',
  none: 'No payment received today. Payments appear here as soon as they succeed.',
  needsScript: 'This screen needs JavaScript.',
  script: {
    connected: 'Connected',
    lost: 'Disconnected since {time}. New payments are not shown. We keep trying…',
    missing: 'This account does not exist, or you have no access to it.',
    soundOn: 'Sound on',
    soundTouch: 'Turn sound on',
    soundOff: 'Sound off',
    refunded: 'Refunded',
    inPart: '{amount} refunded',
    number: '••\u00a0{digits}',
    thousands: ',',
  },
}

export const COUNTER_WORDS: Readonly<Record<'fr' | 'en', CounterWords>> = {
  fr: french,
  en: english,
}
