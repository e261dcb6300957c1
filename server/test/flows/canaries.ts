// Every input where a person could type a card number, and every place where a secret passes
// through (promise 19). A new input or secret needs a line here.

import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { createLinkFor } from '../../src/actions/links/create-payment-link.ts'
import { askForStatus, changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { createMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { pauseConnection, resumeConnection } from '../../src/actions/operators/pause-connection.ts'
import { closeAnomaly, refundLateMoney } from '../../src/actions/payments/anomalies.ts'
import { endRefundByHand } from '../../src/actions/payments/record-refund-outcome.ts'
import { takeCallback } from '../../src/actions/payments/take-callback.ts'
import { addEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import type { UncheckedLink } from '../../src/domain/links/payment-link.ts'
import { ORDER_FIELDS } from '../../src/wire/payment.ts'
import { TESTER } from '../kit/callers.ts'
import { ask } from '../kit/people.ts'
import { head, order, signOrder } from '../kit/service.ts'
import type { VirtualService } from '../kit/virtual-service.ts'
import { endpointDeps, SECRET_HASH } from '../kit/webhooks.ts'
import { byPhone, LINK, newLink, onPage, SUCCEEDS_AT_ONCE } from '../links/payer.ts'
import { CONNECTION, depsOf, type Owned } from './owned-things.ts'

/**
 * Texts that must not appear in any output. A card number goes into every input; a secret is in use
 * meanwhile.
 */
export const canariesOf = (
  cards: readonly string[],
  own: Owned,
): readonly [about: string, text: string][] => [
  ...cards.map((card): [string, string] => ['a card number', card]),
  ['a secret key in Authorization', own.secretKey],
  ['a Secret-Hash', SECRET_HASH],
]

/** The card issuers’ public test numbers, each with separators that people use. */
export const CARDS: readonly string[] = [
  '4111 1111 1111 1111',
  '5555555555554444',
  '2223-0031-2200-3222',
  '3782 822463 10005',
  '6011.1111.1111.1117',
  '3566002020360505',
  '6200000000000005',
  '6759 6498 2643 8453 003',
  '30569309025904',
  '4222222222222',
]

interface Planting {
  service: VirtualService
  own: Owned
  /** As a person writes it. */
  card: string
}

/** The complete answer with its headers; undefined where there is no answer. */
type Plant = (planting: Planting) => Promise<unknown>

const PAYMENT_FIELDS = [...Object.values(ORDER_FIELDS), 'note']
const LINK_FIELDS = [
  'amount',
  'currency',
  'title',
  'description',
  'reference',
  'transaction_id',
  'customer_name',
  'shouldExpire',
  'on_success_redirection_url',
  'on_failed_redirection_url',
  'order_reference',
  'metadata',
  'note',
]
const SIGNED_FIELDS = ['amount', 'title', 'transaction_id', 'order_reference', 'expires_at', 'note']
const FORM_FIELDS = ['msisdn', 'country', 'method', 'attempt', 'embed', 'lang', 'note']
const HEADERS = [
  'content-type',
  'authorization',
  'svc-target-environment',
  'svc-payment-type',
  'user-agent',
  'x-request-id',
  'x-forwarded-for',
  'accept-language',
  'referer',
  'origin',
  'cookie',
  'host',
]
const PATHS = [
  '/api/v1/payments/',
  '/api/v1/external_payments/',
  '/pay/',
  '/simulator/pay/',
  '/nowhere/',
  '/operators/sandbox/',
  '/operators/sandbox/airtel_ne/callback/',
  '/checkout/',
]
const QUERIES = [
  '/api/v1/payments?cursor=',
  '/api/v1/payments?status=',
  '/api/v1/account?note=',
  '/api/v1/events?after=',
  '/api/v1/events?limit=',
  '/healthz?note=',
  '/nowhere?note=',
  '/metrics?note=',
]

const SHOP = 'https://shop.example'
/** A URL that contains the number, encoded as a browser does. */
const address = (card: string): string => `${SHOP}/back?note=${encodeURIComponent(card)}`
/** Inside a sentence where people read the field; alone where machines parse it. */
const inWords = (card: string): string => `Awa, carte ${card}, merci`

/** An action by staff, who type the number in a sentence. */
function byStaff<Input>(
  what: string,
  action: (deps: ReturnType<typeof depsOf>, caller: typeof TESTER, input: Input) => Promise<object>,
  input: (words: string, own: Owned) => Input,
): [string, Plant][] {
  const plant: Plant = ({ service, own, card }) =>
    action(depsOf(service), TESTER, input(inWords(card), own))
  return [[`staff: ${what}`, plant]]
}

export const PLACES: readonly [place: string, plant: Plant][] = [
  ...PAYMENT_FIELDS.flatMap((field): [string, Plant][] => [
    [
      `payments: ${field}`,
      ({ card, ...at }) => createPayment(at, { [field]: planted(field, card) }),
    ],
    [
      `payments: ${field}, in a sentence`,
      ({ card, ...at }) => createPayment(at, { [field]: planted(field, inWords(card)) }),
    ],
  ]),
  [
    'payments: a body that is not JSON',
    ({ service, own, card }) => inject(service, 'POST', PAYMENTS, own, card),
  ],
  ...LINK_FIELDS.flatMap((field): [string, Plant][] => [
    [`links: ${field}`, ({ card, ...at }) => createLink(at, { [field]: planted(field, card) })],
    [
      `links: ${field}, in a sentence`,
      ({ card, ...at }) => createLink(at, { [field]: planted(field, inWords(card)) }),
    ],
    [
      `page’s links: ${field}`,
      ({ card, ...at }) => linkFromPage(at, { ...LINK, [field]: planted(field, card) }),
    ],
  ]),
  ...SIGNED_FIELDS.map((field): [string, Plant] => [
    `signed orders: ${field}`,
    ({ card, ...at }) =>
      linkFromPage(at, { order: signOrder(at.own.secretKey, { ...LINK, [field]: card }) }),
  ]),
  ...HEADERS.map((name): [string, Plant] => [
    `headers: ${name}`,
    ({ service, own, card }) =>
      inject(service, 'POST', PAYMENTS, own, JSON.stringify(order()), { [name]: card }),
  ]),
  ...[...PATHS, ...QUERIES].flatMap((path): [string, Plant][] =>
    (['GET', 'POST'] as const).map((method) => [
      `${method} ${path}`,
      ({ service, own, card }) => inject(service, method, path + encodeURIComponent(card), own),
    ]),
  ),
  ...FORM_FIELDS.flatMap((field): [string, Plant][] => [
    [
      `forms: ${field}`,
      ({ card, ...at }) => sendForm(at, '', { ...byPhone(SUCCEEDS_AT_ONCE), [field]: card }),
    ],
    [
      `forms for a card payment: ${field}`,
      ({ card, ...at }) => sendForm(at, '', { ...onPage('bank_card'), [field]: card }),
    ],
    [
      `forms that abandon: ${field}`,
      ({ card, ...at }) => sendForm(at, '/abandon', { [field]: card }),
    ],
  ]),
  [
    'callbacks: a forged body',
    ({ service, own, card }) => inject(service, 'POST', CALLBACKS, own, card),
  ],
  [
    'callbacks: a genuine reference',
    ({ service, card: requestReference }) => {
      const callback = {
        environment: 'sandbox',
        connection: 'airtel_ne',
        requestReference,
        isGenuine: true,
      } as const
      const deps = { ...service, dispatcher: { ask: async () => {} } }
      return takeCallback(deps, { is: 'service', part: 'callbacks' }, callback)
    },
  ],
  ...byStaff('a merchant’s name', createMerchant, (name) => ({ name, validateLive: false })),
  ...byStaff('the wording of pages', changeCheckoutSettings, (wording, { accountId }) => ({
    accountId,
    wording,
  })),
  ['staff: a site', ({ card, ...at }) => settings(at, [SHOP, `https://${card}.example`])],
  [
    'staff: an endpoint’s address',
    ({ service, own, card }) => endpointAt(service, own, address(card)),
  ],
  ...byStaff('the reason of a pause', pauseConnection, (reason) => ({ ...CONNECTION, reason })),
  ...byStaff('the reason of a resume', resumeConnection, (reason) => ({ ...CONNECTION, reason })),
  ...byStaff('the note on an anomaly', closeAnomaly, (note, { anomalyId }) => ({
    anomalyId,
    note,
  })),
  ...byStaff('the note on a late refund', refundLateMoney, (note, own) => ({
    anomalyId: own.lateMoneyId,
    note,
  })),
  ...byStaff('the proof of a refund', endRefundByHand, (proof, own) => ({
    refundReference: own.refundByHand,
    isMade: true,
    proof,
  })),
  ...byStaff('a manual link', createLinkFor, (title, { accountId }) => ({
    accountId,
    order: { ...LINK, title } as unknown as UncheckedLink,
  })),
  ...byStaff(
    'the reason of a suspension',
    askForStatus,
    (reason, { merchant: { merchantId } }) => ({
      merchantId,
      environment: 'live' as const,
      status: 'suspended' as const,
      reason,
    }),
  ),
  [
    'service log: an error with a cause',
    async ({ service, card }) =>
      service.log.error(
        { err: new Error(`no:\n${card}`, { cause: new Error(card) }), text: card },
        card,
      ),
  ],
]

const PAYMENTS = '/api/v1/payments'
const CALLBACKS = '/operators/sandbox/airtel_ne/callback'

type At = Omit<Planting, 'card'>

let addresses = 0
const nextAddress = (): string => `10.7.${++addresses >> 8}.${addresses & 255}`

/** Each request comes from its own address, so that no rate limit applies. */
async function inject(
  { app }: VirtualService,
  method: 'GET' | 'POST',
  url: string,
  { secretKey }: Pick<Owned, 'secretKey'>,
  payload?: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const remoteAddress = nextAddress()
  const answer = await app.inject({
    method,
    url,
    remoteAddress,
    headers: { ...head(secretKey), ...headers },
    ...(payload !== undefined && { payload }),
  })
  return JSON.stringify([answer.headers, answer.body])
}

const createPayment = ({ service, own }: At, change: Record<string, unknown>): Promise<string> =>
  inject(
    service,
    'POST',
    PAYMENTS,
    own,
    JSON.stringify(order({ msisdn: SUCCEEDS_AT_ONCE, ...change })),
  )

/** A URL, an object with the number as a key and as a value, or the text itself. */
function planted(field: string, text: string): unknown {
  if (field === 'metadata') return { note: `1\n${text}`, [text]: 'x' }
  return field.endsWith('_url') ? address(text) : text
}

const createLink = ({ service, own }: At, change: Record<string, unknown>): Promise<string> =>
  inject(
    service,
    'POST',
    '/api/v1/external_payments',
    own,
    JSON.stringify({ ...LINK, ...change }),
    {
      'svc-payment-type': 'external_payment',
    },
  )

function linkFromPage({ service, own }: At, body: object): Promise<string> {
  const page = { secretKey: own.merchant.accounts.sandbox.publicKey }
  return inject(service, 'POST', '/checkout/links', page, JSON.stringify(body), { origin: SHOP })
}

/** Each form uses its own link, so that it can begin an attempt. */
async function sendForm(
  { service, own }: At,
  path: string,
  fields: Record<string, string>,
): Promise<string> {
  const link = await newLink(service, own.secretKey)
  return inject(service, 'POST', `/pay/${link}${path}`, own, `${new URLSearchParams(fields)}`, {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
  })
}

const settings = ({ service, own }: At, origins: string[]) =>
  changeCheckoutSettings(service, TESTER, { accountId: own.accountId, origins })

const endpointAt = (service: VirtualService, { accountId }: Owned, url: string) =>
  addEndpoint(endpointDeps(service), TESTER, {
    accountId,
    url,
    secretHash: SECRET_HASH,
    events: [],
  })

export const letPagesMakeLinks = (at: At) => settings(at, [SHOP])

// The dashboard's sign-in.

const PASSWORD = 'canary of a password'
const SIGN_UP = {
  name: 'Awa',
  email: '',
  password: PASSWORD,
  merchantName: 'Boutique',
  language: 'fr',
}

let people = 0

interface Typed {
  service: VirtualService
  card: string
}

const newEmail = (): string => `canary-${++people}@example.com`

/** Each request comes from its own network, because sign-ups have a limit per network. */
const post = (
  { service }: Pick<Typed, 'service'>,
  path: `/${string}`,
  body: object,
  headers: Record<string, string> = {},
  who?: { cookie: string },
) => ask(service, `POST ${path}`, who, body, headers, `198.51.${++people >> 8}.${people & 255}`)

const signUp = (
  at: Pick<Typed, 'service'>,
  change: object = {},
  headers: Record<string, string> = {},
) => post(at, '/sign-up', { ...SIGN_UP, email: newEmail(), ...change }, headers)

const cookieIn = ({ headers }: Awaited<ReturnType<typeof post>>): string =>
  String(headers['set-cookie']).split(';')[0] as string

/** Only refusals are searched: the answer to a successful sign-in contains the session. */
const shown = async (answering: ReturnType<typeof post>): Promise<unknown> => {
  const { code, body } = await answering
  return [code, body]
}

const packed = (card: string): string => card.replace(/\D/g, '')

export const PEOPLE_PLACES: readonly [place: string, plant: (typed: Typed) => Promise<unknown>][] =
  [
    ...['name', 'merchantName', 'email', 'language', 'note'].map(
      (field): (typeof PEOPLE_PLACES)[number] => [
        `signing up: ${field}`,
        ({ card, ...at }) => shown(signUp(at, { [field]: card })),
      ],
    ),
    [
      'signing up: an address',
      ({ card, ...at }) => shown(signUp(at, { email: `${packed(card)}@example.com` })),
    ],
    ['signing up: a browser', ({ card, ...at }) => shown(signUp(at, {}, { 'user-agent': card }))],
    [
      'signing up: a password',
      ({ card, ...at }) => shown(signUp(at, { password: `canary ${card}` })),
    ],
    ...['email', 'password', 'code'].map((field): (typeof PEOPLE_PLACES)[number] => [
      `signing in: ${field}`,
      ({ card, ...at }) =>
        shown(post(at, '/sign-in', { email: newEmail(), password: PASSWORD, [field]: card })),
    ]),
    [
      'a forgotten password: an address',
      ({ card, ...at }) =>
        shown(post(at, '/password/forgotten', { email: `${packed(card)}@example.com` })),
    ],
    [
      'a new password: the token',
      ({ card, ...at }) => shown(post(at, '/password/reset', { token: card, password: card })),
    ],
    [
      'confirming an address: the token and the password',
      ({ card, ...at }) =>
        shown(post(at, '/confirmation/confirm', { token: card, password: card })),
    ],
    [
      'an invitation: the token',
      ({ card, ...at }) => shown(post(at, '/invitation/read', { token: card })),
    ],
    [
      'a profile: the name',
      async ({ card, ...at }) => {
        const cookie = cookieIn(await signUp(at))
        return shown(post(at, '/profile', { name: card, language: 'fr' }, {}, { cookie }))
      },
    ],
  ]

/**
 * A person signs up, enables one-time codes and signs in with one. None of these credentials may
 * appear.
 */
export async function secretsOfAPerson(
  service: VirtualService,
): Promise<[about: string, text: string][]> {
  const email = newEmail()
  const first = cookieIn(await signUp({ service }, { email }))
  const { body: setup } = await post({ service }, '/totp/begin', {}, {}, { cookie: first })
  const codeNow = () =>
    new TOTP({ secret: setup.secret }).generate({ timestamp: service.clock.now() })
  const { body } = await post(
    { service },
    '/totp/confirm',
    { code: codeNow() },
    {},
    { cookie: first },
  )
  await service.clock.advance(60_000)
  const { body: mails } = await service.app.inject(service.mailPagePath as string)
  const [, token = ''] = /confirm#([\w-]{43})/.exec(mails) ?? []
  assert.equal(
    (await post({ service }, '/confirmation/confirm', { token, password: PASSWORD })).code,
    200,
  )
  const second = await post({ service }, '/sign-in', { email, password: PASSWORD, code: codeNow() })
  assert.equal(second.code, 200)
  return [
    ['a password', PASSWORD],
    ['a TOTP secret', setup.secret],
    ...[first, cookieIn(second)].map((cookie): [string, string] => [
      'a session',
      cookie.split('=')[1] as string,
    ]),
    ...(body.recoveryCodes as string[]).map((code): [string, string] => ['a recovery code', code]),
  ]
}
