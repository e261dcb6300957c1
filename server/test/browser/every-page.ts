// Every checkout page in every state, for the tests and the screenshots.
import { linkPage } from '../../src/checkout/link-page.ts'
import type { LinkState, LinkView } from '../../src/checkout/link-view.ts'
import { messagePage } from '../../src/checkout/page-frame.ts'
import { checkPage, type ReceiptView, receiptPage } from '../../src/checkout/receipt-page.ts'
import { sharePage } from '../../src/checkout/share-page.ts'
import type { Poster } from '../../src/dashboard-api/poster-page.ts'
import { byCountry, operatorNames } from '../../src/domain/countries/country.ts'
import { LINK_METHODS, type LinkMethod } from '../../src/domain/methods/methods.ts'
import { FAILURE_REASONS, type FailureReason } from '../../src/domain/payments/payment-status.ts'
import type { Language } from '../../src/domain/texts/language.ts'
import type { Page } from '../../src/http/html.ts'
import { simulatorPage } from '../../src/simulator/routes.ts'

export const LANGUAGES: readonly Language[] = ['fr', 'en']
export const REFERENCE = 'k7m2x9qd4w8n5t3r6y1p0zbhgjcfvsae'
const NOW = Date.UTC(2026, 10, 15, 9, 30)
const OPERATORS = byCountry(operatorNames)

export const VIEW: LinkView = {
  reference: REFERENCE,
  publicReference: '7K2M-9QXD-4',
  merchantName: 'Boutique Awa',
  title: 'Commande 1042 : deux pagnes',
  amountXof: 15_000,
  isSimulated: false,
  expiresAt: NOW + 30 * 60_000,
  now: NOW,
  pageUrl: `https://pay.example.ne/pay/${REFERENCE}`,
  state: {
    is: 'open',
    operators: OPERATORS,
    methods: LINK_METHODS,
    attempts: 0,
  },
}

const returnUrl = 'https://awa.example.ne/merci?commande=1042'

const LONG: Partial<LinkView> = {
  merchantName: 'Établissements Moussa & Fils — Quincaillerie générale de Zinder',
  title:
    'Acompte sur la livraison de cinquante sacs de ciment et de deux cents fers à béton, chantier du marché',
  description:
    'Livraison à Zinder le 20 novembre. Le solde est à payer à la réception. https://moussa.example.ne/une-adresse-tres-longue-sans-espaces-du-tout-pour-voir',
  amountXof: 999_999_999,
}

/** A link that an unsigned page made, with the account's title and the page's. */
const PAGE_WORDS: Partial<LinkView> = {
  title: 'Tissus wax, Niamey',
  pageTitle: 'Commande 1042 : deux pagnes',
}
const { title: _title, ...UNTITLED } = VIEW

const BRAND = {
  colour: '#0a7d4f',
  phone: '+227 20 73 00 00',
  logoUrl: `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4"><circle cx="2" cy="2" r="2" fill="#0a7d4f"/><path d="M4 0h4v4z" fill="#e8a33d"/></svg>')}`,
}

type OpenState = Extract<LinkState, { is: 'open' }>
const open = (change: Partial<OpenState> = {}): OpenState => ({
  is: 'open',
  operators: OPERATORS,
  methods: LINK_METHODS,
  attempts: 0,
  ...change,
})
const MOBILE = ['mobile'] as const
const EMBEDDED = { embeddedIn: 'https://awa.example.ne' }
const UNNAMED = 'an_operator_without_a_name_of_its_own'
const GIFT = { title: 'Un don pour l’école', openAmount: { minimumXof: 500, suggestedXof: [] } }
const PICK_UP = 'À retirer à la boutique du Petit Marché, tous les jours sauf le dimanche.'
const TYPED = { msisdn: '96 12 34 56', country: 'NE' } as const
const YESTERDAY = NOW - 86_400_000
const waiting = (method: LinkMethod, more: object = {}): LinkState => ({
  is: 'waiting',
  method,
  attempts: 1,
  ...more,
})
const succeeded = (method: LinkMethod, more: object = {}): LinkState => ({
  is: 'succeeded',
  method,
  validatedAt: NOW,
  ...more,
})

const STATES: Record<string, [state: LinkState, change?: Partial<LinkView>, base?: LinkView]> = {
  open: [open()],
  'open-simulated': [open(), { isSimulated: true, description: PICK_UP }],
  'open-branded': [open(), { brand: BRAND }],
  'open-mobile-only': [open({ methods: MOBILE })],
  'open-few-operators': [open({ operators: { NE: [], BJ: ['mtn_bj', UNNAMED] } })],
  'open-hosted-only': [open({ methods: ['bank_card', 'wallet'] })],
  'open-long': [open(), { ...LONG, expiresAt: NOW + 86_400_000 }],
  'open-any-amount': [
    open(),
    { ...GIFT, openAmount: { minimumXof: 500, suggestedXof: [1_000, 2_000, 5_000, 10_000] } },
  ],
  'open-wrong-amount': [
    open({ problem: { refused: 'amount_not_valid' }, typed: { ...TYPED, amount: '12,5 mille' } }),
    GIFT,
  ],
  'open-wrong-number': [
    open({
      problem: { refused: 'msisdn_not_valid' },
      typed: { msisdn: '97 12 34', country: 'BJ' },
    }),
  ],
  'open-leave': [open({ leaveUrl: returnUrl })],
  'open-page-title': [open(), PAGE_WORDS],
  'open-hidden-title': [open({ methods: MOBILE }), {}, UNTITLED],
  'open-page-title-alone': [open({ methods: MOBILE }), { pageTitle: 'Facture n° 7' }, UNTITLED],
  'open-no-method': [open({ methods: [] })],
  'open-rest-number': [
    open({ attempts: 1, cooldown: { why: 'number', until: NOW + 600_000 }, typed: TYPED }),
  ],
  'open-rest-number-pending': [open({ cooldown: { why: 'number_pending', until: NOW + 60_000 } })],
  'open-rest-link': [
    open({ attempts: 10, cooldown: { why: 'link', until: NOW + 60_000 }, leaveUrl: returnUrl }),
  ],
  'open-rest-account': [open({ cooldown: { why: 'account', until: NOW + 400_000 } })],
  'open-paused': [
    open({
      paused: ['airtel_ne', 'moov_bj'],
      problem: { refused: 'payer_operator_closed', paused: 'airtel_ne' },
    }),
  ],
  'open-unreachable': [open({ attempts: 1, problem: { refused: 'provider_unreachable' } })],
  'open-after-card': [open({ attempts: 1, lastFailure: 'declined', lastMethod: 'bank_card' })],
  'open-embedded': [open(), EMBEDDED],
  'waiting-mobile': [waiting('mobile', { msisdnShown: '•• •• •• 56', operator: 'mtn_bj' })],
  'waiting-mobile-unnamed': [
    waiting('mobile', { operator: UNNAMED }),
    { isSimulated: true, ...LONG },
  ],
  'waiting-card': [
    waiting('bank_card', { payerStep: { goTo: 'https://cards.example/session/42' } }),
  ],
  'waiting-wallet': [waiting('wallet', { attempts: 2, canAbandon: true })],
  'waiting-page-title': [waiting('mobile', { msisdnShown: '•• •• •• 56' }), PAGE_WORDS],
  succeeded: [
    succeeded('mobile', {
      operator: 'airtel_ne',
      operatorReference: 'CI261115.1030.A12345',
      returnUrl,
      receiptUrl: 'https://pay.example.ne/r/7K2M-9QXD-3N5T-R6Y1',
    }),
  ],
  'succeeded-page-title': [succeeded('mobile', { validatedAt: YESTERDAY }), PAGE_WORDS],
  'succeeded-later': [
    succeeded('bank_card', {
      validatedAt: YESTERDAY,
      operatorReference: `trx_${'8f5c1e0d'.repeat(6)}`,
    }),
    LONG,
  ],
  'succeeded-long': [
    succeeded('mobile', { operator: UNNAMED, operatorReference: '9'.repeat(120) }),
  ],
  'succeeded-embedded': [succeeded('bank_card', { returnUrl }), EMBEDDED],
  paid: [{ is: 'paid', mayProve: false }],
  'paid-embedded': [{ is: 'paid', mayProve: true }, EMBEDDED],
  refunded: [
    succeeded('mobile', {
      is: 'refunded',
      operator: 'mtn_bj',
      operatorReference: '23503452',
      returnUrl,
    }),
  ],
  expired: [{ is: 'closed', because: 'expired' }],
  cancelled: [{ is: 'closed', because: 'cancelled', returnUrl }],
  failed: [{ is: 'closed', because: 'failed', returnUrl }],
}

for (const reason of Object.keys(FAILURE_REASONS) as FailureReason[]) {
  STATES[`open-after-${reason}`] = [open({ attempts: 1, lastFailure: reason })]
}

const view = (
  state: LinkState,
  change: Partial<LinkView> = {},
  base: LinkView = VIEW,
): LinkView => ({
  ...base,
  ...change,
  state,
})

const RECEIPT: ReceiptView = {
  code: '7K2M-9QXD-3N5T-R6Y1',
  url: 'https://pay.example.ne/r/7K2M-9QXD-3N5T-R6Y1',
  publicReference: '7K2M-9QXD-4',
  merchantName: 'Boutique Awa',
  amountXof: 15_000,
  validatedAt: NOW,
  refundedXof: 0,
  isTest: false,
}

export const RECEIPTS: Readonly<Record<string, ReceiptView>> = {
  receipt: RECEIPT,
  'receipt-refunded': { ...RECEIPT, refundedXof: 15_000 },
  'receipt-in-part': { ...RECEIPT, refundedXof: 4_000 },
  'receipt-test': {
    ...RECEIPT,
    code: `TEST-${RECEIPT.code}`,
    url: `${RECEIPT.url}`.replace('7K', 'TEST-7K'),
    isTest: true,
  },
  'receipt-long': {
    ...RECEIPT,
    merchantName: `${LONG.merchantName} ƁƊƘ ɓɗƙ`,
    amountXof: 999_999_999,
    refundedXof: 1,
  },
}

const POSTER: Poster = {
  title: 'Caisse du marché',
  amountXof: null,
  environment: 'live',
  piText: undefined,
  brand: { name: 'Boutique Awa', logoHash: null, colour: null, phone: null },
  pageUrl: VIEW.pageUrl,
  typed: 'https://pay.example.ne/p/7K2M-9QXD-4',
}

export const POSTERS: Readonly<Record<string, Poster>> = {
  poster: POSTER,
  'poster-test': { ...POSTER, environment: 'sandbox', amountXof: 15_000 },
  'poster-full': {
    ...POSTER,
    title: LONG.title as string,
    amountXof: 999_999_999,
    brand: {
      name: LONG.merchantName as string,
      logoHash: null,
      colour: BRAND.colour,
      phone: BRAND.phone,
    },
    typed: VIEW.pageUrl,
    piText: '00020136580013int.bceao.pi01363497a720-ab11-4973-9619-534e04f263a15303952',
  },
}

export type NamedPage = Page & { name: string; language: Language }

export function everyPage(language: Language): NamedPage[] {
  const links = Object.entries(STATES).map(([name, made]) => ({
    name,
    ...linkPage(view(...made), language, ['https://awa.example.ne']),
  }))
  const shares = (['open', 'succeeded', 'expired'] as const).map((name) => ({
    name: `share-${name}`,
    ...sharePage(view(...(STATES[name] as [LinkState])), language),
  }))
  const messages = (['not_found', 'too_many', 'unavailable'] as const).map((kind) => ({
    name: `message-${kind}`,
    ...messagePage(kind, language),
  }))
  const receipts = Object.entries(RECEIPTS).map(([name, made]) => ({
    name,
    ...receiptPage(made, language),
  }))
  const checks = [
    { name: 'receipt-check', ...checkPage(language) },
    { name: 'receipt-unknown', ...checkPage(language, '7K2M-9QXD-3N5T-R6YX') },
  ]
  const simulators = (['bank_card', 'wallet'] as const).map((method) => ({
    name: `simulator-${method}`,
    ...simulatorPage({ method, ...VIEW, title: VIEW.title ?? '', action: '/decide' }),
  }))
  return [...links, ...shares, ...messages, ...receipts, ...checks, ...simulators].map((page) => ({
    ...page,
    language,
  }))
}
