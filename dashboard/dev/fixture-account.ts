// The fake server's account: payments, links, keys, webhooks, settings, team and sandbox phone.
import type {
  ActivityRow,
  DeliveryBody,
  EndpointRow,
  EventRow,
  KeyRow,
  LinkRow,
  PhoneBody,
  RequestRow,
  SettingsBody,
  TeamBody,
} from '../../server/src/dashboard-api/shapes.ts'
import { delivery, HOW_MANY, home, payment, paymentBody } from './fixture-payments.ts'
import { QR } from './fixture-people.ts'
import { type Answer, type Asked, NOT_FOUND, ok, page, type World, whole } from './fixture-world.ts'

const ORIGIN = 'https://pay.karba.example'
const HOUR = 3_600_000

const key = (number: number, now: number, isSandbox: boolean): KeyRow => {
  const environment = isSandbox ? 'sandbox' : 'live'
  const isPublic = number === 0
  return {
    keyId: `key_${number}`,
    kind: isPublic ? 'public' : 'secret',
    shownAs: isPublic
      ? `pk_${environment}_3kTq9ZbW2mXy7Rv5`
      : `sk_${environment}_…${['Qd2x', 'm81T', 'v0Pa'][number % 3]}`,
    name: isPublic ? null : (['Site web', 'Comptabilité', 'Ancien serveur'][(number - 1) % 3] ?? null),
    permissions: number === 2 ? ['read'] : null,
    networks: number === 2 ? ['203.0.113.7', '203.0.113.128/25'] : null,
    createdAt: now - 400 * HOUR,
    lastUsedAt: number === 2 ? null : now - number * 5 * 60_000,
    expiresAt: number === 3 ? now + 20 * HOUR : null,
    madeBy: isPublic ? null : { name: 'Salamatou Adamou', hasRights: number !== 3 },
  }
}

const endpoints = (now: number, isFailing: boolean): EndpointRow[] => [
  {
    endpointId: 'end_1',
    url: 'https://www.boutique-awa.example/karba/webhooks',
    events: [],
    state: isFailing ? 'failing' : 'working',
    failingSince: isFailing ? now - 3 * HOUR : null,
    waiting: isFailing ? 118 : 0,
    createdAt: now - 900 * HOUR,
  },
  {
    endpointId: 'end_2',
    url: 'https://compta.example/hooks/9f2c',
    events: ['payment.succeeded', 'payment.refunded'],
    state: 'paused',
    failingSince: null,
    waiting: 0,
    createdAt: now - 500 * HOUR,
  },
]

const link = (number: number, now: number): LinkRow => ({
  reference: number === 0 ? 'lnk1' : `lnk${number + 1}`,
  url: `${ORIGIN}/pay/${['b7q2k9', 'm4x8t1', 'z3w6p5'][number % 3]}${number}`,
  title: ['Cotisation annuelle', 'Commande 118', 'Don libre pour l’école de Tillabéri', 'Abonnement novembre'][
    number % 4
  ] as string,
  amount: number % 4 === 2 ? null : 5_000 + number * 1_500,
  reusable: number % 2 === 0,
  state: (['open', 'paid', 'open', 'expired', 'closed'] as const)[number % 5] as LinkRow['state'],
  payments: number % 2 === 0 ? 14 + number : 1,
  collected: number % 2 === 0 ? (14 + number) * 6_500 : 6_500,
  createdAt: now - number * 31 * HOUR,
  expiresAt: number % 3 === 1 ? now + 48 * HOUR : null,
})

const deliveryBody = (number: number, now: number): DeliveryBody => {
  const row = delivery(number, now)
  return {
    ...row,
    requestBody: JSON.stringify({
      type: row.event,
      data: { reference: row.paymentReference, amount: 15_000, status: 'succeeded' },
    }),
    tries: Array.from({ length: row.attempts }, (_, at) => ({
      at: row.createdAt + at * 300_000,
      status: row.lastStatus,
      error: row.lastError,
      milliseconds: 140 + at * 900,
      answer:
        row.lastStatus === 500 ? '<h1>Internal Server Error</h1>' : row.lastStatus === 200 ? '{"received":true}' : null,
    })),
  }
}

const event = (number: number, now: number, total: number): EventRow => {
  const { reference, createdAt, status } = payment(number, now)
  return {
    number: total - number,
    type: `payment.${status === 'failed' ? 'failed' : 'succeeded'}`,
    paymentReference: reference,
    createdAt,
    body: JSON.stringify({ type: 'payment.succeeded', data: { reference } }, null, 2),
  }
}

const request = (number: number, now: number): RequestRow => ({
  at: now - number * 47_000,
  method: number % 3 === 0 ? 'POST' : 'GET',
  path: number % 3 === 0 ? '/api/v1/payments' : `/api/v1/payments/${payment(number, now).reference}`,
  status: number % 7 === 3 ? 422 : number % 19 === 5 ? 503 : 200,
  errorCode: number % 7 === 3 ? 'external_reference_taken' : null,
  requestId: `req_${(number * 7_919).toString(36).padStart(6, '0')}AbCdEfGh`,
  keyId: 'key_1',
  milliseconds: 3 + (number % 9),
})

export function accountAnswers({ method, path, search }: Asked, world: World, isSandbox: boolean): Answer {
  const { amount, now } = world
  const total = HOW_MANY[amount]
  const [first = '', second, third] = path.split('/')
  if (method !== 'GET') return changed(first, second, world, isSandbox)
  const isEmpty = amount === 'none'
  if (third === 'qr.svg') return { status: 200, body: QR, type: 'image/svg+xml' }
  switch (first) {
    case 'home':
      return ok(home(amount, Number(search.get('days') ?? 30), now, isSandbox))
    case 'payments': {
      if (second !== undefined)
        return ok(paymentBody(Number(/^ref0*(\d+)/.exec(second.slice(0, 9))?.[1] ?? 0), now, ORIGIN))
      const [status, text] = [search.get('status'), search.get('search')?.toLowerCase()]
      return page(
        search,
        total,
        (number) => payment(number, now),
        (row) =>
          (status === null || row.status === status) &&
          (text === undefined || JSON.stringify(row).toLowerCase().includes(text)),
      )
    }
    case 'links':
      return second === undefined
        ? page(search, isEmpty ? 0 : amount === 'some' ? 5 : 60, (number) => link(number, now))
        : ok(link(0, now))
    case 'keys':
      return whole(Array.from({ length: isEmpty ? 2 : 4 }, (_, number) => key(number, now, isSandbox)))
    case 'endpoints':
      return whole(isEmpty ? [] : endpoints(now, amount === 'year'))
    case 'deliveries':
      return second === undefined
        ? page(
            search,
            total,
            (number) => delivery(number, now),
            (row) => (search.get('state') ?? row.state) === row.state,
          )
        : ok(deliveryBody(Number(second.slice(4)), now))
    case 'events':
      return page(search, total, (number) => event(number, now, total))
    case 'requests':
      return page(
        search,
        total * 2,
        (number) => request(number, now),
        (row) => search.get('status') === null || row.status >= 400,
      )
    case 'phone':
      return ok(phone(now, isEmpty))
    case 'settings':
      return ok(settings(world))
    case 'audit':
      return page(search, total, (number) => activity(number, now))
    case 'team':
      return ok(team(world))
    default:
      return NOT_FOUND
  }
}

function changed(first: string, second: string | undefined, { now }: World, isSandbox: boolean): Answer {
  if (first === 'links' && second === undefined) return ok(link(0, now))
  if (first === 'keys')
    return ok({
      key: key(1, now, isSandbox),
      secret: `sk_${isSandbox ? 'sandbox' : 'live'}_9ZbW2mXy7Rv53kTqQd2xm81Tv0Pa4Lc6`,
    })
  if (first === 'endpoints' && second === undefined)
    return ok({ endpoint: endpoints(now, false)[0], signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  return ok({})
}

const phone = (now: number, isEmpty: boolean): PhoneBody => ({
  prompts: isEmpty
    ? []
    : [1, 2].map((number) => ({
        reference: `ref${number}`,
        operatorName: 'Airtel Money',
        msisdn: '22790123456',
        amount: 15_000 * number,
        merchantName: 'Boutique Awa',
        createdAt: now - number * 30_000,
      })),
  testNumbers: [
    ['40410000000', 'success'],
    ['40410000002', 'operator error'],
    ['40410000004', 'insufficient funds'],
    ['40410000006', 'declined'],
    ['40410000008', 'slow payer'],
    ['40410000112', 'cut after debiting'],
    ['40410000119', 'prompt expires'],
    ['40410000127', 'waits for the phone'],
  ].map(([msisdn = '', outcome = '']) => ({ country: 'NE, BJ', msisdn, outcome })),
})

const settings = ({ amount, now }: World): SettingsBody =>
  amount === 'none'
    ? {
        brand: { name: 'Boutique Awa', logoUrl: null, colour: null, phone: null },
        business: { legalName: '', registration: '', country: 'NE', city: '', address: '', contact: '' },
        documents: [],
        validation: { state: 'not_asked', reason: null },
        sites: [],
      }
    : {
        brand: { name: 'Boutique Awa', logoUrl: null, colour: '#0f6b45', phone: '+227 90 12 34 56' },
        business: {
          legalName: 'Boutique Awa SARL',
          registration: 'NE-NIA-2024-B-1234',
          country: 'NE',
          city: 'Niamey',
          address: 'Avenue de la Mairie, Plateau',
          contact: 'Awa Diallo, +227 90 12 34 56',
        },
        documents: [
          {
            documentId: 'doc_1',
            name: 'Registre de commerce.pdf',
            type: 'application/pdf',
            bytes: 482_113,
            uploadedAt: now - 200 * HOUR,
          },
          {
            documentId: 'doc_2',
            name: 'Carte d’identité recto-verso.jpg',
            type: 'image/jpeg',
            bytes: 1_930_221,
            uploadedAt: now - 199 * HOUR,
          },
        ],
        validation:
          amount === 'year'
            ? { state: 'validated', reason: null }
            : { state: 'refused', reason: 'Le registre de commerce n’est pas lisible.' },
        sites: ['https://www.boutique-awa.example'],
      }

const team = ({ amount, now }: World): TeamBody => ({
  members: [
    {
      personId: 'per_1',
      name: 'Awa Diallo',
      email: 'awa@boutique.example',
      role: 'owner' as const,
      totp: true,
      lastSeenAt: now - 60_000,
    },
    ...(amount === 'none'
      ? []
      : [
          {
            personId: 'per_2',
            name: 'Moussa Ibrahim',
            email: 'moussa@agence-web.example',
            role: 'developer' as const,
            totp: false,
            lastSeenAt: now - 30 * HOUR,
          },
          {
            personId: 'per_3',
            name: 'Ramatou Saley',
            email: 'ramatou@boutique.example',
            role: 'cashier' as const,
            totp: false,
            lastSeenAt: null,
          },
        ]),
  ],
  invitations:
    amount === 'none'
      ? []
      : [
          {
            invitationId: 'inv_1',
            email: 'koffi@comptable.example',
            role: 'viewer' as const,
            createdAt: now - HOUR,
            expiresAt: now + 70 * HOUR,
          },
        ],
})

// The activity log.
const KINDS: Pick<ActivityRow, 'by' | 'action' | 'subject' | 'from' | 'before' | 'after'>[] = [
  {
    ...{ action: 'team.role', subject: 'Moussa Ibrahim', from: '197.214.11.20' },
    ...{ by: { is: 'person', name: 'Awa Diallo' }, before: { role: 'cashier' }, after: { role: 'viewer' } },
  },
  {
    ...{ action: 'merchant.view', subject: null, from: null, before: null },
    ...{ by: { is: 'service', name: 'Ibrahim Moussa' }, after: { reason: 'La boutique a appelé.' } },
  },
  {
    ...{ action: 'keys.revoke', subject: null, from: '2001:db8:77:4::/64' },
    by: { is: 'person', name: 'Awa Diallo' },
    before: { keys: [{ key: 'key_3', kind: 'secret', name: 'Ancien serveur', permissions: ['read', 'create'] }] },
    after: { keys: ['key_3'] },
  },
  {
    ...{ action: 'payment.refund', subject: 'ref000012x7k2m9q4t1w8z', from: '203.0.113.7' },
    ...{ by: { is: 'key', name: 'key_1' }, before: null, after: { refund: 'q7w2e9r4t1y8' } },
  },
]

const activity = (number: number, now: number): ActivityRow => ({
  number: 900 - number,
  at: now - number * 1.7 * HOUR,
  ...(KINDS[number % KINDS.length] as (typeof KINDS)[number]),
})
