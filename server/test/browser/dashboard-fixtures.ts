// Answers for every request of the dashboard's pages, made from numbers: the same in every run.
// `none` is an account without data, `full` has rows in every state. The type of each answer is the
// server's own.

import type {
  AccountRow,
  ActivityRow,
  Attention,
  AuditRow,
  ColumnsBody,
  ConnectionJournalsBody,
  ConnectionRow,
  ConsolePaymentBody,
  ConsoleSearchBody,
  DeliveryBody,
  DeliveryRow,
  DifferenceRow,
  EmailRow,
  EndpointRow,
  EventRow,
  FeeBody,
  FiguresBody,
  HomeBody,
  ImportBody,
  InvitationBody,
  KeyRow,
  LinkRow,
  MemberRow,
  MerchantBody,
  MerchantRoleName,
  MerchantRow,
  MoneyBody,
  MoneyChangeRow,
  MoneyEntryRow,
  MovementRow,
  OwnConnectionsBody,
  PaymentBody,
  PaymentRow,
  PaymentSumBody,
  PhoneBody,
  ReasonsBody,
  RefundBody,
  RequestRow,
  SecretRow,
  SessionBody,
  SessionRow,
  SettingsBody,
  SettlementLineRow,
  SettlementRow,
  StatementBody,
  StatementFileRow,
  StatementSourceRow,
  TaskRow,
  TeamBody,
  WaitingRow,
} from '../../src/dashboard-api/shapes.ts'
import { SYSCOHADA } from '../../src/domain/account-statement.ts'
import type { MoneyAmounts } from '../../src/domain/ledger.ts'
import { nextStep } from '../../src/wire/statement-faults.ts'
import { NO_ADDITIONS } from '../kit/additions.ts'

export type Amount = 'none' | 'full'
/** A newcomer is an owner whose address is not confirmed. */
export type Who =
  | 'owner'
  | 'newcomer'
  | 'accountant'
  | 'cashier'
  | 'viewer'
  | 'administrator'
  | 'visitor'

/** Noon of a day in November. */
export const NOW = Date.parse('2026-11-15T12:00:00+01:00')
export const SANDBOX = 'acc_sandbox1'
export const LIVE = 'acc_live0001'
export const SUSPENDED = 'acc_live0002'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const PAYMENTS = 5_000
const ROWS_A_PAGE = 25
const HOOK = 'https://www.boutique-awa.example/karba/webhooks'
const REFUSAL =
  'INVALID_CALLBACK_URL_HOST: register the host of PUBLIC_URL as the callback host of the API user'
const QR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 29 29"><path fill="#fff" d="M0 0h29v29H0z"/><path d="M4 4h7v7H4zM18 4h7v7h-7zM4 18h7v7H4zM13 5h3v3h-3z"/></svg>`
const nth = <T>(list: readonly T[], number: number): T => list[number % list.length] as T

const account = (
  accountId: string,
  environment: 'sandbox' | 'live',
  status: AccountRow['status'],
  reason: string | null = null,
): AccountRow => ({ accountId, environment, status, reason })

function session(amount: Amount, who: Who): SessionBody {
  const isService = who === 'administrator'
  const live = account(LIVE, 'live', amount === 'none' ? 'unvalidated' : 'validated')
  const suspended = account(
    SUSPENDED,
    'live',
    'suspended',
    'Trop de réclamations en octobre : appelez-nous.',
  )
  const role = who === 'accountant' || who === 'cashier' || who === 'viewer' ? who : 'owner'
  const accounts = [account(SANDBOX, 'sandbox', 'validated'), live]
  const [name, email] = isService
    ? ['Ibrahim Moussa', 'ibrahim@karba.example']
    : ['Awa Diallo', 'awa@boutique.example']
  const second = {
    merchantId: 'mer_2',
    name: 'École Les Étoiles de Tillabéri',
    role: 'viewer' as const,
  }
  return {
    person: {
      personId: 'per_1',
      name,
      email,
      language: 'fr',
      totp: amount === 'full' && who !== 'newcomer',
      isConfirmed: who !== 'newcomer',
    },
    merchants: isService
      ? []
      : [
          { merchantId: 'mer_1', name: 'Boutique Awa', role, accounts },
          ...(who === 'owner' ? [{ ...second, accounts: [suspended] }] : []),
        ],
    service: isService ? { role: 'administrator' } : null,
    viewing: null,
    mustDo: null,
  }
}

const USER_AGENTS = [
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0',
]

const SESSIONS: SessionRow[] = USER_AGENTS.map((browser, at) => ({
  sessionId: `ses_${at}`,
  isThis: at === 0,
  browser,
  network: `197.214.1${at}.0/24`,
  createdAt: NOW - 90 * HOUR,
  lastSeenAt: NOW - at * DAY,
}))

const EMAILS: EmailRow[] = [
  { kind: 'account_status', isOn: true },
  { kind: 'endpoint_failing', isOn: true },
  { kind: 'late_money', isOn: false },
  { kind: 'new_sign_in', isOn: true },
]

const INVITATION: InvitationBody = {
  merchantId: 'mer_1',
  merchantName: 'Boutique Awa',
  email: 'moussa@example.com',
  role: 'cashier',
  inviterName: 'Salamatou Adamou',
  isKnown: false,
}

const member = (name: string, role: MerchantRoleName, lastSeenAt: number | null): MemberRow => ({
  personId: `per_${name}`,
  name,
  email: `${name.split(' ')[0]?.toLowerCase()}@boutique.example`,
  role,
  totp: role === 'owner',
  lastSeenAt,
})

const TEAM: TeamBody = {
  members: [
    member('Awa Diallo', 'owner', NOW - MINUTE),
    member('Moussa Ibrahim', 'developer', NOW - 30 * HOUR),
    member('Ramatou Saley', 'cashier', null),
  ],
  invitations: [
    {
      invitationId: 'inv_1',
      email: 'koffi@comptable.example',
      role: 'viewer',
      createdAt: NOW - HOUR,
      expiresAt: NOW + 70 * HOUR,
    },
  ],
}

const NAMES = [
  'Awa Diallo',
  'Moussa Ibrahim',
  null,
  'Koffi Agbo',
  'Abdoul-Razak Maïga Souleymane',
  'Zeinabou Issa',
]
const OPERATORS = [
  ['airtel_ne', 'Airtel Money', '227'],
  ['moov_ne', 'Moov Money Niger', '227'],
  ['zamani_ne', 'Zamani Cash', '227'],
  ['mtn_bj', 'MTN MoMo', '229'],
] as const
const STATUSES = [
  ...(['succeeded', 'succeeded', 'pending', 'succeeded', 'failed'] as const),
  ...(['succeeded', 'succeeded', 'refunded', 'initiated'] as const),
]
const REASONS = [
  'insufficient_funds',
  'declined',
  'expired',
  'operator_error',
  'payer_not_found',
] as const
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const letters = (seed: number, length: number): string =>
  Array.from({ length }, (_, at) => LETTERS[(seed * 7 + at * 11 + seed * at) % 32]).join('')

function refundedOf(number: number, status: PaymentRow['status'], amount: number): number {
  if (status === 'refunded') return amount
  return status === 'succeeded' && number % 4 === 0 ? 250 : 0
}

export function payment(number: number): PaymentRow {
  const [operator, operatorName, prefix] = nth(OPERATORS, number)
  const status = nth(STATUSES, number)
  const createdAt = NOW - number * 37 * MINUTE - 90_000
  const isChosen = status !== 'initiated'
  const amount = ((number * 7_919) % 180) * 250 + 500
  return {
    reference: `ref${String(number).padStart(6, '0')}${letters(number, 15).toLowerCase()}`,
    publicReference: `${letters(number, 4)}-${letters(number + 3, 4)}-${letters(number + 5, 1)}`,
    transactionId: `commande-2026-${String(10_000 - number).padStart(5, '0')}`,
    amount,
    refundedAmount: refundedOf(number, status, amount),
    status,
    operator: isChosen ? operator : null,
    operatorName: isChosen ? operatorName : null,
    msisdn: isChosen
      ? `${prefix}9${String((number * 104_729) % 10_000_000).padStart(7, '0')}`
      : null,
    payerName: nth(NAMES, number),
    createdAt,
    finalAt: status === 'pending' || status === 'initiated' ? null : createdAt + 42_000,
    failureReason: status === 'failed' ? nth(REASONS, number) : null,
    fee:
      operator === 'airtel_ne' || !isChosen || status === 'failed' ? null : feeOf(number, amount),
  }
}

/** The older ones are on a statement. Airtel has no tariff. */
const feeOf = (number: number, amount: number): FeeBody => {
  const [fee, tax] = [Math.ceil(amount / 50), number > 5 ? 5 : 0]
  return { basis: number > 5 ? 'statement' : 'tariff', amount: fee, tax, net: amount - fee - tax }
}

const NO_SUM: PaymentSumBody = { count: 0, amount: 0, collected: 0, isMore: false }
const SUM: PaymentSumBody = {
  count: 1_248,
  amount: 27_456_250,
  collected: 21_730_500,
  isMore: false,
}

function delivery(number: number): DeliveryRow {
  const { reference, status, createdAt } = payment(number)
  const state = nth(
    ['delivered', 'delivered', 'waiting', 'delivered', 'delivered', 'failed'] as const,
    number,
  )
  return {
    deliveryId: `del_${number}`,
    endpointId: 'end_1',
    url: HOOK,
    paymentReference: reference,
    state,
    createdAt,
    event: `payment.${status === 'failed' ? 'failed' : 'succeeded'}`,
    attempts: state === 'delivered' ? 1 : 4,
    lastStatus: { delivered: 200, failed: 500, waiting: null }[state],
    lastError: state === 'waiting' ? 'timeout' : null,
    nextAttemptAt: state === 'waiting' ? NOW + 20 * MINUTE : null,
  }
}

function deliveryBody(number: number): DeliveryBody {
  const row = delivery(number)
  const tries = Array.from({ length: row.attempts }, (_, at) => ({
    at: row.createdAt + at * 300_000,
    status: row.lastStatus,
    error: row.lastError,
    milliseconds: 140 + at * 900,
    answer: row.lastStatus === null ? null : '<h1>Internal Server Error</h1>',
  }))
  const data = { reference: row.paymentReference, amount: 15_000, status: 'succeeded' }
  return { ...row, requestBody: JSON.stringify({ type: row.event, data }), tries }
}

const refundOf = (reference: string, amount: number, createdAt: number): RefundBody => ({
  reference,
  refundId: null,
  amount,
  status: 'succeeded',
  failureReason: null,
  createdAt,
  approval: null,
})

function paymentBody(number: number): PaymentBody {
  const row = payment(number)
  const { status, createdAt } = row
  const isPaid = status === 'succeeded' || status === 'refunded'
  const entry = (
    seconds: number,
    kind: string,
    facts: Record<string, string | number | null> = {},
  ) => ({
    at: createdAt + seconds * 1_000,
    kind,
    facts,
  })
  const { failureReason } = row
  return {
    ...row,
    operatorReference: `CI${20_000_000 + number}`,
    connectionLabel: 'MTN de la boutique',
    linkReference: 'lnk0',
    linkTitle: 'Cotisation annuelle',
    ...NO_ADDITIONS,
    metadata: { table: '12', vendeuse: 'Ramatou' },
    receiptUrl: isPaid ? 'https://pay.karba.example/r/7K2M-9QXD-3N5T-R6Y1' : null,
    timeline: [
      entry(0, 'recorded'),
      entry(0.2, 'request', { is: 'accepted', ms: 184 }),
      entry(0.2, 'payer_asked'),
      entry(20, 'status', { is: 'accepted', ms: 95 }),
      ...(status === 'pending'
        ? []
        : [entry(41, 'callback', { is: status === 'failed' ? 'declined' : 'succeeded' })]),
      ...(status === 'failed' ? [entry(42, 'moved', { to: 'failed', failureReason })] : []),
      ...(isPaid ? [entry(42, 'moved', { to: 'succeeded' })] : []),
      ...(status === 'refunded'
        ? [entry(4_000, 'refund_asked'), entry(4_060, 'moved', { to: 'refunded' })]
        : []),
    ],
    deliveries: status === 'pending' ? [] : [delivery(number)],
    refunds:
      row.refundedAmount > 0 ? [refundOf('rfd_1', row.refundedAmount, createdAt + HOUR)] : [],
    remainingAmount: status === 'succeeded' ? row.amount - row.refundedAmount : 0,
    refundsInPart: true,
    mayRefund: status === 'succeeded',
  }
}

function home(amount: Amount, days: number, isSandbox: boolean): HomeBody {
  const isEmpty = amount === 'none'
  const wave = (back: number): number =>
    Math.round(13_600 * (1 + 0.6 * Math.sin(back / 3) + 0.3 * Math.sin(back / 29))) * 250
  const shown = Array.from({ length: days }, (_, at) => {
    const back = days - 1 - at
    const collected = isEmpty ? 0 : wave(back)
    const day = new Date(NOW + HOUR - back * DAY).toISOString().slice(0, 10)
    return {
      day,
      collected,
      succeeded: Math.round(collected / 9_000),
      failed: Math.round(collected / 60_000),
    }
  })
  const { collected, succeeded, failed } = shown.at(-1) as HomeBody['days'][number]
  const attention: Attention[] = isEmpty
    ? [{ kind: isSandbox ? 'no_endpoint' : 'account_not_validated' }]
    : [
        { kind: 'endpoint_failing', url: HOOK, since: NOW - 3 * HOUR, lastStatusCode: 401 },
        { kind: 'key_ending', key: 'sk_…7Qd2', at: NOW + 20 * HOUR },
        {
          kind: 'operator_down',
          operator: 'moov_ne',
          name: 'Moov Money Niger',
          since: NOW - 20 * MINUTE,
        },
        {
          kind: 'viewed_by_service',
          by: 'Ibrahim Moussa',
          reason: 'Question du 12 novembre',
          at: NOW - 2 * DAY,
        },
      ]
  return {
    today: { collected, succeeded, failed, pending: isEmpty ? 0 : 2 },
    days: shown,
    operators: isEmpty
      ? []
      : OPERATORS.map(([operator, name], at) => ({
          operator,
          name,
          succeeded: 9_000 >> at,
          failed: 700 << at,
        })),
    failures: isEmpty
      ? []
      : REASONS.map((reason, at) => ({ reason, count: Math.round(800 / (at + 1)) })),
    attention,
  }
}

/** What the server leaves out for roles that may not see it. */
function homeOf(who: Who, body: HomeBody): HomeBody {
  if (who !== 'cashier' && who !== 'viewer') return body
  const { today, days, attention } = body
  return {
    ...body,
    today: { ...today, collected: null },
    days: days.map((day) => ({ ...day, collected: null })),
    attention: attention.filter(
      ({ kind }) => kind === 'operator_down' || kind === 'viewed_by_service',
    ),
  }
}

/** A poster's sum is turnover too. */
const linkOf = (who: Who, row: LinkRow): LinkRow =>
  row.reusable && (who === 'cashier' || who === 'viewer') ? { ...row, collected: null } : row

const TITLES = [
  'Cotisation annuelle',
  'Commande 118',
  'Don libre pour l’école de Tillabéri',
  'Abonnement novembre',
]
const link = (number: number): LinkRow => ({
  reference: `lnk${number}`,
  url: `https://pay.karba.example/pay/b7q2k9${number}`,
  title: nth(TITLES, number),
  description: number % 2 === 0 ? 'Pour l’année scolaire 2026-2027, deux enfants.' : null,
  suggestedAmounts: number % 4 === 2 ? [1_000, 2_000, 5_000] : [],
  amount: number % 4 === 2 ? null : 5_000 + number * 1_500,
  reusable: number % 2 === 0,
  state: nth(['open', 'paid', 'open', 'expired', 'closed'] as const, number),
  payments: 14 + number,
  collected: (14 + number) * 6_500,
  createdAt: NOW - number * 31 * HOUR,
  expiresAt: number % 3 === 1 ? NOW + 48 * HOUR : null,
})

const key = (number: number, environment: 'sandbox' | 'live'): KeyRow => ({
  keyId: `key_${number}`,
  createdAt: NOW - 400 * HOUR,
  kind: number === 0 ? 'public' : 'secret',
  shownAs: number === 0 ? `pk_${environment}_3kTq9ZbW2mXy7Rv5` : `sk_${environment}_…Qd2${number}`,
  name: number === 0 ? null : nth(['Site web', 'Comptabilité', 'Ancien serveur'], number),
  permissions: number === 2 ? ['read'] : null,
  networks: number === 2 ? ['203.0.113.7', '203.0.113.128/25'] : null,
  lastUsedAt: number === 2 ? null : NOW - number * 5 * MINUTE,
  expiresAt: number === 3 ? NOW + 20 * HOUR : null,
  madeBy: number === 0 ? null : { name: 'Salamatou Adamou', hasRights: number !== 3 },
})

const ENDPOINTS: EndpointRow[] = [
  {
    endpointId: 'end_1',
    url: HOOK,
    events: [],
    state: 'failing',
    waiting: 44_063,
    isMore: false,
    lastStatus: 401,
    failingSince: NOW - 3 * HOUR,
    createdAt: NOW - 900 * HOUR,
  },
  {
    endpointId: 'end_2',
    url: 'https://compta.example/hooks/9f2c',
    state: 'paused',
    failingSince: null,
    lastStatus: null,
    isMore: false,
    events: ['payment.succeeded', 'payment.refunded'],
    waiting: 0,
    createdAt: NOW - 500 * HOUR,
  },
]

const event = (number: number): EventRow => {
  const { reference, createdAt } = payment(number)
  const isOfStatement = number % 7 === 1
  const type = isOfStatement ? 'statement.ready' : 'payment.succeeded'
  const body = JSON.stringify(
    { type, data: isOfStatement ? { period: 'day' } : { reference } },
    null,
    2,
  )
  return {
    number: PAYMENTS - number,
    type,
    paymentReference: isOfStatement ? '' : reference,
    createdAt,
    body,
  }
}

const request = (number: number): RequestRow => ({
  at: NOW - number * 47_000,
  method: number % 3 === 0 ? 'POST' : 'GET',
  keyId: 'key_1',
  milliseconds: 3 + (number % 9),
  path: number % 3 === 0 ? '/api/v1/payments' : `/api/v1/payments/${payment(number).reference}`,
  status: nth([200, 200, 200, 422, 200, 503], number),
  errorCode: nth([null, null, null, 'external_reference_taken', null, null], number),
  hint: nth(
    [null, null, null, 'Ce compte a déjà un paiement avec ce transaction_id.', null, null],
    number,
  ),
  requestId: `req_${String(number).padStart(6, '0')}AbCdEfGh`,
})

const phone = (isEmpty: boolean): PhoneBody => ({
  prompts: [1, 2].slice(isEmpty ? 2 : 0).map((number) => ({
    reference: `ref${number}`,
    operatorName: 'Airtel Money',
    msisdn: '22790123456',
    merchantName: 'Boutique Awa',
    amount: 15_000 * number,
    createdAt: NOW - number * 30_000,
  })),
  testNumbers: [
    'success',
    'operator error',
    'declined',
    'cut after debiting',
    'waits for the phone',
  ].map((outcome, at) => ({ country: 'NE, BJ', msisdn: `4041000000${at}`, outcome })),
})

const settings = (isEmpty: boolean): SettingsBody =>
  isEmpty
    ? {
        brand: { name: 'Boutique Awa', logoUrl: null, colour: null, phone: null },
        business: {
          legalName: '',
          registration: '',
          country: 'NE',
          city: '',
          address: '',
          contact: '',
        },
        piAlias: null,
        documents: [],
        validation: { state: 'not_asked', reason: null },
        sites: [],
      }
    : {
        brand: {
          name: 'Boutique Awa',
          logoUrl: null,
          colour: '#0f6b45',
          phone: '+227 90 12 34 56',
        },
        piAlias: '3497a720-ab11-4973-9619-534e04f263a1',
        business: {
          legalName: 'Boutique Awa SARL',
          registration: 'NE-NIA-2024-B-1234',
          country: 'NE',
          city: 'Niamey',
          address: 'Avenue de la Mairie, Plateau',
          contact: 'Awa Diallo, +227 90 12 34 56',
        },
        documents: ['Registre de commerce.pdf', 'Carte d’identité recto-verso.jpg'].map(
          (name, at) => ({
            documentId: `doc_${at}`,
            name,
            type: 'application/pdf',
            bytes: 1_482_113,
            uploadedAt: NOW - 200 * HOUR,
          }),
        ),
        validation: { state: 'refused', reason: 'Le registre de commerce n’est pas lisible.' },
        sites: ['https://www.boutique-awa.example'],
      }

const AWA = { is: 'person', name: 'Awa Diallo' } as const
const ACTIVITY: Pick<ActivityRow, 'by' | 'action' | 'subject' | 'from' | 'before' | 'after'>[] = [
  {
    action: 'team.role',
    subject: 'Moussa Ibrahim',
    from: '197.214.11.20',
    by: AWA,
    before: { role: 'cashier' },
    after: { role: 'viewer' },
  },
  {
    action: 'merchant.view',
    subject: null,
    from: null,
    by: { is: 'service', name: 'Ibrahim Moussa' },
    before: null,
    after: { reason: 'La boutique a appelé.' },
  },
  {
    action: 'keys.revoke',
    subject: null,
    from: '2001:db8:77:4::/64',
    by: AWA,
    after: { keys: ['key_3'] },
    before: {
      keys: [
        { key: 'key_3', kind: 'secret', name: 'Ancien serveur', permissions: ['read', 'create'] },
      ],
    },
  },
  {
    action: 'payment.refund',
    subject: 'ref000012x7k2m9q4t1w8z',
    from: '203.0.113.7',
    before: null,
    by: { is: 'key', name: 'key_1' },
    after: { refund: 'q7w2e9r4t1y8' },
  },
]

const SHOPS = [
  'Boutique Awa',
  'Pharmacie du Plateau',
  'École Les Étoiles',
  'Transport Rimbo',
  'Marché Dantokpa en ligne',
]

const LIVE_STATES = ['validated', 'unvalidated', 'suspended'] as const
const merchant = (number: number): MerchantRow => ({
  merchantId: `mer_${number}`,
  name: nth(SHOPS, number),
  createdAt: NOW - number * 50 * HOUR,
  accounts: [
    account(`acc_s${number}`, 'sandbox', 'validated'),
    account(`acc_l${number}`, 'live', nth(LIVE_STATES, number), 'Trop de réclamations.'),
  ],
  validationAsked: number % 3 === 1,
})

function merchantBody(number: number, isEmpty: boolean): MerchantBody {
  const { merchantId, name, accounts } = merchant(number)
  const { business, documents } = settings(isEmpty)
  const counts = isEmpty
    ? { collected: 0, succeeded: 0, failed: 0 }
    : { collected: 812_500, succeeded: 96, failed: 11 }
  const failing = {
    url: HOOK,
    state: 'failing' as const,
    failingSince: NOW - HOUR,
    lastStatus: 401,
  }
  return {
    merchantId,
    name,
    business,
    documents,
    validation: { state: 'asked', reason: null },
    approval: isEmpty ? null : { askedBy: 'Ibrahim Moussa', askedAt: NOW - HOUR },
    team: TEAM.members.slice(0, isEmpty ? 1 : 3),
    accounts: accounts.map((each) => ({
      ...each,
      ...counts,
      endpoints: isEmpty ? [] : [failing],
      connections: isEmpty || each.environment === 'sandbox' ? [] : OWN_CONNECTIONS.rows,
      operators: isEmpty
        ? []
        : [{ operator: 'airtel_ne', name: 'Airtel Money', succeeded: 96, failed: 11 }],
    })),
    history: isEmpty ? [] : [0, 1, 2].map(audit),
  }
}

const consolePayment = (number: number): ConsolePaymentBody => ({
  payment: paymentBody(number),
  merchantName: nth(SHOPS, number),
  environment: 'live',
  accountId: LIVE,
  timeline: paymentBody(number).timeline,
})

const found = (): ConsoleSearchBody => ({
  merchants: [0, 3].map(merchant),
  payments: [0, 1, 2, 3, 4].map((number) => ({
    ...payment(number),
    merchantName: nth(SHOPS, number),
    environment: 'live',
  })),
  isMore: true,
})

const MTN = 'mtn_bj'
const TASKS: TaskRow[] = (
  [
    ['review_file', 'mer_4', null, null, null, {}],
    ['approve_live', 'mer_1', null, null, 'Salamatou Adamou', { reason: 'Dossier complet' }],
    ['approve_refund', 'X4TQ-9B2M-7', 850_000, null, 'Ibrahim Moussa', {}],
    [
      'anomaly',
      'B7KD-22XA-4',
      12_500,
      'Ibrahim Moussa',
      null,
      { recorded: 'failed', reported: 'succeeded', operator: MTN },
    ],
    ['connection_refused', 'live/mtn-bj', null, null, null, { operator: MTN, why: REFUSAL }],
    ['refund_by_hand', 'P9WM-40CZ-1', 45_000, null, null, {}],
  ] as const
).map(([kind, subject, amount, takenBy, askedBy, detail], at) => ({
  taskId: `tsk_${at}`,
  kind,
  subject,
  amount,
  takenBy,
  askedBy,
  detail,
  createdAt: NOW - at * HOUR,
  merchantName: kind === 'connection_refused' ? '' : nth(SHOPS, at),
  merchantId: kind === 'review_file' || kind === 'approve_live' ? 'mer_1' : null,
  changes:
    kind === 'approve_refund'
      ? [{ what: 'status', from: 'validated', to: 'suspended' }, { what: 'asker' }]
      : [],
  mayApprove: kind !== 'approve_refund',
  connection:
    kind === 'connection_refused'
      ? { environment: 'live', connection: 'mtn-bj', connectionLabel: null }
      : null,
}))

const LIMITS = { request: { atOnce: 200, perSecond: 40 }, status: { atOnce: 100, perSecond: null } }
const CONNECTIONS: ConnectionRow[] = (
  [
    ['mtn-bj', 'mtn-momo', ['mtn_bj'], 'closed', REFUSAL],
    ['airtel-ne', 'airtel-money', ['airtel_ne'], 'down', null],
    ['pawapay', 'pawapay', ['moov_bj', 'celtiis_bj'], 'paused', 'Maintenance annoncée'],
    ['simulated', 'simulated', ['*'], 'up', null],
  ] as const
).map(([name, connector, routes, state, reason]) => ({
  environment: state === 'up' ? 'sandbox' : 'live',
  name,
  connector,
  routes: [...routes],
  state,
  reason,
  since: state === 'up' ? null : NOW - HOUR,
  limits: state === 'up' ? null : LIMITS,
  label: name === 'pawapay' ? 'Contrat pawaPay de la boutique' : null,
  owner: name === 'pawapay' ? 'Boutique Awa' : null,
  sharedBy: name === 'airtel-ne' ? 12 : 0,
}))

const OWN_CONNECTIONS: OwnConnectionsBody = {
  rows: (
    [
      ['MTN de la boutique', 'mtn-momo', ['mtn_bj'], 'active', null],
      [
        'Cartes',
        'fedapay',
        ['bank_card', 'wallet', 'celtiis_bj'],
        'refused',
        'reading the balances: HTTP 401',
      ],
      ['Ancien contrat', 'pawapay', ['moov_bj'], 'suspended', null],
    ] as const
  ).map(([label, connector, serves, state, reason], at) => ({
    connectionId: `con_000000000000000${at}`,
    connector,
    label,
    serves: [...serves],
    state,
    reason,
    credentialsAt: NOW - at * DAY,
    createdAt: NOW - 30 * DAY,
    since: NOW - at * HOUR,
  })),
  offered: [
    {
      connector: 'mtn-momo',
      serves: ['mtn_bj'],
      fields: ['subscriptionKey', 'apiUser', 'apiKey', 'platform', 'disbursement.apiKey'].map(
        (name) => ({
          name,
          isOptional: name.startsWith('disbursement'),
          choices: name === 'platform' ? ['new', 'old'] : [],
        }),
      ),
    },
    {
      connector: 'pawapay',
      serves: ['mtn_bj', 'moov_bj'],
      fields: ['apiToken', 'signingKey'].map((name) => ({
        name,
        isOptional: name === 'signingKey',
        choices: [],
      })),
    },
  ],
  callbackBase: 'https://pay.example.ne/operators/live',
}

const MONEY_CHANGES: MoneyChangeRow[] = [
  {
    changeId: 'chg_0123456789abcdef',
    askedBy: 'Binta Sow',
    isOwn: false,
    askedAt: NOW - HOUR,
    endsAt: NOW + 2 * DAY,
    detail: {
      kind: 'connection',
      connector: 'mtn-momo',
      label: 'MTN de la boutique',
      serves: ['mtn_bj'],
    },
  },
  {
    changeId: 'chg_fedcba9876543210',
    askedBy: 'Awa Diallo',
    isOwn: true,
    askedAt: NOW - 2 * HOUR,
    endsAt: NOW + DAY,
    detail: { kind: 'pi_alias', alias: '3497a720-ab11-4973-9619-534e04f263a1', earlier: null },
  },
]

const KEPT_SECRETS: SecretRow[] = [
  {
    subject: 'key_0123456789abcdef',
    of: 'key',
    name: 'Site web',
    secret: 'sk_test_0123456789abcdefghjkmnpqrstvwxyz',
    madeAt: NOW - DAY,
  },
  {
    subject: 'whe_0123456789abcdef',
    of: 'endpoint',
    name: 'https://boutique.example.com/webhooks/mobile-money',
    secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZmdoamttbnBxcnN0dnd4eXo=',
    madeAt: NOW - HOUR,
  },
]

const WAITING: WaitingRow[] = ['not_sent', 'never_asked', 'no_outcome_yet'].map((why, number) => ({
  reference: payment(number).reference,
  merchantName: nth(SHOPS, number),
  environment: 'live',
  why,
  operatorName: 'Airtel Money',
  amount: 7_500,
  createdAt: NOW - 2 * HOUR,
  nextQuestionAt: NOW + MINUTE,
}))

const audit = (number: number): AuditRow => ({
  number: 1_000 - number,
  at: NOW - number * HOUR,
  action: nth(['merchant.status', 'keys.roll'], number),
  by: nth(
    [
      { as: 'administrator', name: 'Ibrahim Moussa' },
      { as: 'key', name: 'Site web (sk_live_…Qd2)' },
    ],
    number,
  ),
  subject: 'Boutique Awa',
  from: '197.214.11.0/24',
  before: { status: 'unvalidated' },
  after: { status: 'validated', reason: 'Dossier complet' },
})

const FIGURES: FiguresBody = {
  minutes: Array.from({ length: 60 }, (_, at) => {
    const created = Math.round(240 + 120 * Math.sin(at / 7) + ((at * 31) % 17) * 4)
    const [settled, failed] = [0.83, 0.09].map((share) => Math.round(created * share)) as [
      number,
      number,
    ]
    return {
      at: NOW - (60 - at) * MINUTE,
      created,
      settled,
      failed,
      webhookBacklog: Math.round(30 + 28 * Math.sin(at / 11)),
      createP50: 2 + (at % 3) * 0.3,
      createP99: 9 + ((at * 13) % 11),
    }
  }),
  operators: [
    { name: 'airtel_ne', succeeded: 812, failed: 97 },
    { name: 'moov_bj', succeeded: 77, failed: 130 },
  ],
}

const amounts = (...francs: number[]): MoneyAmounts => {
  const [
    receivable = 0,
    wallet = 0,
    in_transit = 0,
    bank = 0,
    withheld = 0,
    unexplained = 0,
    at_service = 0,
  ] = francs
  return {
    receivable,
    wallet,
    at_service,
    in_transit,
    bank,
    withheld,
    unexplained,
    opening: Math.round(wallet / 5),
  }
}

/** A merchant's own connection, by its label. */
const OWN = {
  connection: 'con_0123456789abcdef',
  connectionLabel: 'Moov de la boutique de Cotonou',
}
const NAMED = [
  ...['mtn_bj', 'airtel_ne'].map((connection) => ({ connection, connectionLabel: null })),
  OWN,
]

const MONEY: MoneyBody = {
  whole: amounts(1_284_500, 1_285_250, 1_500_000, 18_750_000, 45_000, 12_500, 1_750_000),
  connections: [
    {
      connection: 'airtel_ne',
      connectionLabel: null,
      ...amounts(812_000, 1_200_250, 1_500_000, 9_250_000, 45_000, 0),
    },
    {
      connection: 'mtn_bj',
      connectionLabel: null,
      ...amounts(472_500, 0, 0, 9_500_000, 0, 12_500, 1_750_000),
    },
    { ...OWN, ...amounts(0, 85_000) },
  ],
  openDifferences: 7,
}

const CONNECTION_JOURNALS: ConnectionJournalsBody = {
  rows: NAMED.map((named, at) => ({
    ...named,
    journal: '',
    electronicMoney: at === 2 ? '' : `552${at + 1}`,
  })),
}

const MOVES = [
  'payment',
  'payment',
  'refund',
  'fee',
  'payment',
  'settlement',
  'tax',
  'withheld',
] as const

function moneyEntry(number: number): MoneyEntryRow {
  const { reference, publicReference, amount, createdAt } = payment(number)
  const kind = nth(MOVES, number)
  const isOfPayment = kind === 'payment' || kind === 'refund'
  return {
    entry: PAYMENTS - number,
    ...nth(NAMED, number),
    kind,
    bookedAt: createdAt,
    amount: kind === 'payment' ? amount : -amount,
    reference: isOfPayment ? reference : null,
    publicReference: isOfPayment ? publicReference : null,
  }
}

const movement = (number: number): MovementRow => ({
  ...moneyEntry(number),
  balance: 2_000_000 + number * 3_250,
  operatorReference: `CI${number}`,
  isConfirmed: number % 3 !== 0,
  explained: null,
  transactionId: payment(number).transactionId,
  valueDay: number % 2 === 0 ? '2026-11-14' : '2026-11-15',
})

const STATEMENT: StatementBody = {
  connection: 'mtn_bj',
  from: '2026-11-01',
  to: '2026-11-30',
  opening: 1_250_000,
  collected: 9_845_750,
  refunded: -125_000,
  fees: -147_686,
  taxes: -4_430,
  withheld: -45_000,
  settled: -7_500_000,
  unexplained: 12_500,
  closing: 3_286_134,
  other: 0,
  is_shared: true,
  reconciliation: { not_confirmed: 700_000, on_other_days: 45_500, of_other_days: 20_000 },
  confirmed: 9_120_250,
  movements: 812,
}
const NO_STATEMENT = {
  ...Object.fromEntries(Object.keys(STATEMENT).map((name) => [name, 0])),
  is_shared: false,
  reconciliation: { not_confirmed: 0, on_other_days: 0, of_other_days: 0 },
}

const SETTLEMENT_STATES = [null, 1_500_000, 1_498_500, -250_000] as const

/** On its way, received, received with another amount, and returned. */
function settlement(number: number): SettlementRow {
  const is = nth(SETTLEMENT_STATES, number)
  const received = is !== null && is > 0 ? is : null
  const unreceived = is === null ? 'in_transit' : 'returned'
  return {
    settlement: `mtn_bj-${900 - number}`,
    ...nth(NAMED, number),
    leftAt: NOW - number * 3 * DAY - HOUR,
    amount: is === -250_000 ? is : 1_500_000,
    received,
    operatorReference: `SWEEP-2026-11-${30 - number}`,
    state: received === null ? unreceived : 'received',
    receivedDay: received && '2026-11-14',
    bankReference: received && `VIR-88213-${number}`,
  }
}

const settledLine = (number: number): SettlementLineRow => {
  const { reference, publicReference, transactionId, amount, createdAt } = payment(number)
  const type = nth(['collection', 'collection', 'refund', 'fee', 'collection'] as const, number)
  const own = type === 'fee' ? { reference: null, publicReference: null, transactionId: null } : {}
  return {
    line: number,
    type,
    amount: type === 'collection' ? amount : -amount,
    fee: type === 'collection' ? 75 : 0,
    tax: 0,
    bookedAt: createdAt,
    operatorReference: `MP241105.1234.A0${number}`,
    reference,
    publicReference,
    transactionId,
    ...own,
  }
}

const SETTLED_SUMS = { collected: 1_620_000, refunded: -45_000, fees: -24_300, taxes: 0, other: 0 }

const DIFFERENCE_KINDS = [
  ...([
    'missing_at_network',
    'missing_here',
    'amount_differs',
    'fee_differs',
    'duplicate_line',
  ] as const),
  ...([
    'paid_although_failed',
    'not_paid_although_succeeded',
    'refund_without_payment',
    'refund_missing',
  ] as const),
  ...(['balance_does_not_add_up', 'settled_amount_differs', 'withheld', 'too_early'] as const),
]

function difference(number: number, isOpen: boolean): DifferenceRow {
  const { reference, transactionId, amount, status, createdAt } = payment(number)
  const kind = nth(DIFFERENCE_KINDS, number)
  const line = {
    row: 118 + number,
    file: 'MTN_MoMo_Statement_2026-11.csv',
    at: createdAt,
    type: 'collection',
    fee: 75,
    amount: amount - (kind === 'amount_differs' ? 500 : 0),
    networkReference: `MP241105.1234.A0${number}`,
    ourReference: reference,
    counterparty: '',
    text: 'Merchant Payment',
  }
  const closers = ['Awa Diallo', '', 'shell']
  return {
    differenceId: `exc_${number}`,
    environment: 'live',
    ...nth(NAMED, number),
    kind,
    difference: kind === 'amount_differs' ? -500 : null,
    amount: kind === 'amount_differs' ? 500 : amount,
    foundAt: NOW - number * 2 * DAY - HOUR,
    merchantName: number % 4 === 1 ? null : nth(SHOPS, number),
    accountId: LIVE,
    nextStep: nextStep(kind, 'fr'),
    detail: {},
    line: kind === 'missing_at_network' || kind === 'refund_missing' ? null : line,
    payment:
      kind === 'missing_here'
        ? null
        : {
            reference,
            transactionId: transactionId ?? '',
            amount,
            status,
            createdAt,
            validatedAt: createdAt,
          },
    closed: isOpen
      ? null
      : {
          at: NOW - number * HOUR,
          by: nth(closers, number),
          note:
            number % 3 === 1
              ? ''
              : 'MTN confirme par e-mail que le paiement est arrivé le 3 novembre.',
          reason: number % 3 === 1 ? null : 'Autre recette',
        },
    isOwn: true,
  }
}

const SOURCES: StatementSourceRow[] = [
  ...NAMED.map((named) => ({ environment: 'live' as const, ...named, fetches: null })),
  {
    environment: 'live',
    connection: 'pawapay-benin',
    connectionLabel: null,
    fetches: {
      fetchedAt: NOW - 30 * HOUR,
      isUnderWay: false,
      failure: {
        day: '2026-11-14',
        at: NOW - HOUR,
        sentence:
          'Le réseau a refusé les identifiants de cette connexion (pawaPay refused the API token).',
      },
    },
  },
]

const FILE_STATES = ['imported', 'importing', 'taken_back'] as const

const statementFile = (number: number): StatementFileRow => ({
  environment: 'live',
  ...nth(NAMED, number),
  fileId: `stm_${number}`,
  name: `MTN_MoMo_Statement_2026-${11 - number}.csv`,
  lines: 812,
  added: 812 - number * 90,
  state: FILE_STATES[number] ?? 'imported',
  firstDay: '2026-10-01',
  lastDay: '2026-10-31',
  takenBackBy: number === 2 ? 'Awa Diallo' : null,
  bytes: 181_204,
  opening: 0,
  closing: 1_250_000,
  isKept: number !== 1,
  importedAt: NOW - number * 5 * DAY,
  importedBy: 'Awa Diallo',
})

const HEADINGS = ['Date', 'Libellé', 'Débit', 'Crédit', 'Solde', 'Type', 'Référence']
const COLUMNS: ColumnsBody = {
  headings: HEADINGS,
  rows: [
    [
      '03/11/2026 09:30',
      'Paiement client',
      '',
      '12 500',
      '1 262 500',
      'Encaissement',
      'MP2411.0930',
    ],
  ],
  mapping: {
    columns: {
      bookedAt: 'Date',
      credit: 'Crédit',
      debit: 'Débit',
      balance: 'Solde',
      type: 'Type',
      text: 'Libellé',
    },
    types: { Encaissement: 'collection', Frais: 'fee' },
    outgoing: [],
    statuses: [],
    dateOrder: 'day_first',
    utcOffsetMinutes: 60,
  },
}
const READ_FILE: ImportBody = {
  lines: 812,
  added: 790,
  matched: 781,
  missing: 2,
  isRepeated: false,
  differences: { amount_differs: 1, missing_here: 8 },
}
const CLOSING_CHOICE: ReasonsBody = {
  left: 12_500,
  reasons: [
    { reason: 'top_up', name: 'Top-up', about: 'The merchant’s own money, put into the wallet.' },
    {
      reason: 'not_ours',
      name: 'Not ours',
      about: 'Money of somebody else: it must be given back, or claimed.',
    },
  ],
}
const COLUMNS_UNKNOWN: Answer = { status: 422, body: { code: 'statement_columns_unknown' } }

type Answer = { status: number; body: unknown; type?: string }

const ok = (body: unknown): Answer => ({ status: 200, body })
const SIGNED_OUT: Answer = { status: 401, body: { code: 'signed_out' } }
const NOT_FOUND: Answer = { status: 404, body: { code: 'not_found' } }

const DEAD_LINK: Answer = {
  status: 422,
  body: { code: 'token_not_valid', message: 'Ce lien n’est plus valable.' },
}

/**
 * `path` is below /dashboard/api/, `world` the cookie's value, such as `full.owner`, `sent` the
 * body of the request.
 */
export function answerFixture(
  method: string,
  path: string,
  search: URLSearchParams,
  { world, sent }: { world: string; sent: unknown },
): Answer {
  const [amount, who] = world.split('.') as [Amount, Who]
  const isEmpty = amount === 'none'
  if (method !== 'GET') {
    if (path === 'sign-in') return ok(session(amount, who === 'visitor' ? 'owner' : who))
    if (path.endsWith('/books/uploads')) return ok({ uploadId: 'upl_1', partBytes: 1_000 })
    if (path.endsWith('/finish')) return ok({ uploadId: 'upl_1', bytes: 1 })
    if (path.endsWith('/import')) return amount === 'none' ? COLUMNS_UNKNOWN : ok(READ_FILE)
    if ((sent as { token?: string } | undefined)?.token === 'dead') return DEAD_LINK
    return ok(path === 'invitation/read' ? INVITATION : {})
  }
  if (who === 'visitor') return SIGNED_OUT
  const [, accountId = '', rest = path] = /^accounts\/([^/]+)\/(.*)$/.exec(path) ?? []
  const [first = '', name, file] = rest.split('/')
  if (file === 'qr.svg') return { status: 200, body: QR, type: 'image/svg+xml' }
  const number = Number(/\d{1,6}/.exec(name ?? '')?.[0])
  const whole = (rows: readonly unknown[]): Answer => ok({ rows: isEmpty ? [] : rows, next: null })
  const paged = (total: number, row: (number: number) => unknown): Answer => {
    const from = Number(search.get('after') ?? 0)
    const to = isEmpty ? from : Math.min(total, from + ROWS_A_PAGE)
    const rows = Array.from({ length: to - from }, (_, at) => row(from + at))
    return ok({ rows, next: !isEmpty && to < total ? String(to) : null })
  }
  const paymentPage = (): Answer => {
    const page = paged(PAYMENTS, payment)
    const sum = isEmpty ? NO_SUM : SUM
    return { ...page, body: { ...(page.body as object), sum: search.has('status') ? sum : null } }
  }
  const environment = accountId === SANDBOX ? 'sandbox' : 'live'
  const books = (): Answer => {
    const [, part, , last] = path.slice(path.indexOf('books')).split('/')
    if (last === 'columns') return ok(COLUMNS)
    if (last === 'reasons') return ok(CLOSING_CHOICE)
    if (part === 'sources') return ok({ rows: SOURCES, next: null })
    if (part === 'files') return paged(4, statementFile)
    return paged(40, (each) => difference(each, search.get('open') !== 'false'))
  }
  const answers: Readonly<Record<string, () => Answer>> = {
    session: () => ok(session(amount, who)),
    sessions: () => ok({ rows: SESSIONS, next: null }),
    home: () =>
      ok(homeOf(who, home(amount, Number(search.get('days')), environment === 'sandbox'))),
    payments: () => (name === undefined ? paymentPage() : ok(paymentBody(number))),
    links: () =>
      name === undefined
        ? paged(60, (each) => linkOf(who, link(each)))
        : ok(linkOf(who, link(number))),
    keys: () => ok({ rows: [0, 1, 2, 3].map((each) => key(each, environment)), next: null }),
    secrets: () => whole(environment === 'sandbox' ? KEPT_SECRETS : []),
    'money-changes': () => whole(environment === 'live' ? MONEY_CHANGES : []),
    endpoints: () => whole(ENDPOINTS),
    deliveries: () => (name === undefined ? paged(PAYMENTS, delivery) : ok(deliveryBody(number))),
    events: () => paged(PAYMENTS, event),
    requests: () => paged(PAYMENTS, request),
    phone: () => ok(phone(isEmpty)),
    settings: () => ok(settings(isEmpty)),
    connections: () => ok(isEmpty ? { ...OWN_CONNECTIONS, rows: [] } : OWN_CONNECTIONS),
    team: () => ok(isEmpty ? { members: TEAM.members.slice(0, 1), invitations: [] } : TEAM),
    money: () =>
      name === 'entries'
        ? paged(400, moneyEntry)
        : ok(isEmpty ? { ...MONEY, whole: amounts(), connections: [] } : MONEY),
    settlements: () =>
      name === undefined
        ? paged(12, settlement)
        : ok({
            ...settlement(900 - number),
            ...SETTLED_SUMS,
            next: null,
            rows: Array.from({ length: 30 }, (_, each) => settledLine(each)),
          }),
    'statement-mails': () => ok({ daily: !isEmpty, monthly: false }),
    'connection-journals': () => ok(isEmpty ? { rows: [] } : CONNECTION_JOURNALS),
    'journal-accounts': () =>
      ok(isEmpty ? SYSCOHADA : { ...SYSCOHADA, electronicMoney: '5521', journal: 'MOMO' }),
    statement: () =>
      name === 'movements' ? paged(812, movement) : ok(isEmpty ? NO_STATEMENT : STATEMENT),
    books,
    'console/books': books,
    audit: () =>
      paged(900, (at) => ({ number: 900 - at, at: NOW - at * 2 * HOUR, ...nth(ACTIVITY, at) })),
    emails: () => ok({ rows: EMAILS, next: null }),
    'console/merchants': () =>
      file === undefined ? paged(120, merchant) : ok(merchantBody(1, isEmpty)),
    'console/payments': () => ok(consolePayment(4)),
    'console/search': () => ok(isEmpty ? { merchants: [], payments: [], isMore: false } : found()),
    'console/audit': () => paged(120, audit),
    'console/tasks': () => whole(TASKS),
    'console/waiting': () => whole(WAITING),
    'console/connections': () => whole(CONNECTIONS),
    'console/figures': () => ok(isEmpty ? { minutes: [], operators: [] } : FIGURES),
  }
  const wanted = first === 'console' ? `console/${name}` : first
  return (Object.hasOwn(answers, wanted) ? answers[wanted]?.() : undefined) ?? NOT_FOUND
}
