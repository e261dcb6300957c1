// What the fake server shows to the service's staff.
import type {
  AuditRow,
  ConnectionRow,
  FiguresBody,
  MerchantRow,
  TaskRow,
  WaitingRow,
} from '../../server/src/dashboard-api/shapes.ts'
import { paymentBody } from './fixture-payments.ts'
import { session } from './fixture-people.ts'
import { type Answer, type Asked, NOT_FOUND, ok, page, type World, whole } from './fixture-world.ts'

const HOUR = 3_600_000
const NAMES = [
  'Boutique Awa',
  'Pharmacie du Plateau',
  'École Les Étoiles',
  'Transport Rimbo',
  'Marché Dantokpa en ligne',
]

const merchant = (number: number, now: number): MerchantRow => ({
  merchantId: `mer_${number}`,
  name: NAMES[number % NAMES.length] as string,
  createdAt: now - number * 50 * HOUR,
  accounts: [
    { accountId: `acc_s${number}`, environment: 'sandbox', status: 'validated', reason: null },
    {
      accountId: `acc_l${number}`,
      environment: 'live',
      status: (['validated', 'unvalidated', 'suspended'] as const)[number % 3] as 'validated',
      reason: number % 3 === 2 ? 'Trop de réclamations en octobre.' : null,
    },
  ],
  validationAsked: number % 3 === 1,
})

const tasks = (now: number): TaskRow[] => [
  {
    taskId: 'tsk_1',
    kind: 'approve_live',
    merchantName: 'Pharmacie du Plateau',
    subject: 'mer_1',
    amount: null,
    detail: { reason: 'Dossier complet' },
    createdAt: now - HOUR,
    takenBy: null,
    askedBy: 'Salamatou Adamou',
  },
  {
    taskId: 'tsk_2',
    kind: 'approve_refund',
    merchantName: 'Boutique Awa',
    subject: 'X4TQ-9B2M-7',
    amount: 850_000,
    detail: {},
    createdAt: now - 3 * HOUR,
    takenBy: null,
    askedBy: 'Ibrahim Moussa',
  },
  {
    taskId: 'tsk_3',
    kind: 'anomaly',
    merchantName: 'Transport Rimbo',
    subject: 'B7KD-22XA-4',
    amount: 12_500,
    detail: { recorded: 'failed', told: 'succeeded', kind: 'contradiction', operator: 'mtn_bj' },
    createdAt: now - 20 * HOUR,
    takenBy: 'Ibrahim Moussa',
    askedBy: null,
  },
  {
    taskId: 'con_live.mtn-bj.mtn_bj.1',
    kind: 'connection_refused',
    merchantName: '',
    subject: 'live/mtn-bj',
    amount: null,
    detail: {
      operator: 'mtn_bj',
      why: 'INVALID_CALLBACK_URL_HOST: register the host of PUBLIC_URL as the callback host of the API user',
    },
    createdAt: now - HOUR / 2,
    takenBy: null,
    askedBy: null,
  },
  {
    taskId: 'tsk_4',
    kind: 'refund_by_hand',
    merchantName: 'École Les Étoiles',
    subject: 'P9WM-40CZ-1',
    amount: 45_000,
    detail: {},
    createdAt: now - 30 * HOUR,
    takenBy: null,
    askedBy: null,
  },
]

const connections = (now: number): ConnectionRow[] => [
  {
    environment: 'live',
    name: 'mtn-bj',
    connector: 'mtn-momo',
    routes: ['MTN MoMo (mtn_bj)'],
    state: 'closed',
    since: now - HOUR / 2,
    reason: 'INVALID_CALLBACK_URL_HOST: register the host of PUBLIC_URL as the callback host of the API user',
    limits: { request: { atOnce: 200, perSecond: 40 }, status: { atOnce: 100, perSecond: null } },
  },
  {
    environment: 'live',
    name: 'airtel-ne',
    connector: 'airtel-money',
    routes: ['Airtel Money (airtel_ne)'],
    state: 'down',
    since: now - 1_200_000,
    reason: null,
    limits: { request: { atOnce: 100, perSecond: 20 }, status: { atOnce: 50, perSecond: null } },
  },
  {
    environment: 'live',
    name: 'pawapay',
    connector: 'pawapay',
    routes: ['Moov Money (moov_bj)', 'Celtiis Cash (celtiis_bj)'],
    state: 'paused',
    since: now - 5 * HOUR,
    reason: 'Maintenance annoncée',
    limits: { request: { atOnce: 200, perSecond: 50 }, status: { atOnce: 100, perSecond: null } },
  },
  {
    environment: 'sandbox',
    name: 'simulated',
    connector: 'simulated',
    routes: ['*'],
    state: 'up',
    since: null,
    reason: null,
    limits: null,
  },
]

const waiting = (now: number): WaitingRow[] =>
  ['not_sent', 'never_asked', 'no_outcome_yet'].map((why, number) => ({
    reference: `ref00000${number}x7k2m9q4t1w8z`,
    merchantName: NAMES[number] as string,
    environment: 'live',
    operatorName: 'Airtel Money (airtel_ne)',
    amount: 7_500 * (number + 1),
    createdAt: now - (number + 1) * 2 * HOUR,
    why,
    nextQuestionAt: now + (number + 1) * 300_000,
  }))

const audit = (number: number, now: number): AuditRow => ({
  number: 1_000 - number,
  at: now - number * 0.7 * HOUR,
  actor: number % 3 === 0 ? 'key key_1' : 'Ibrahim Moussa',
  action: ['merchant.validated', 'key.rolled', 'connection.paused', 'endpoint.added'][number % 4] as string,
  subject: ['mer_1', 'key_3', 'live/pawapay', 'end_2'][number % 4] as string,
  from: '197.214.11.0/24',
  before: number % 4 === 0 ? { status: 'unvalidated' } : null,
  after: number % 4 === 0 ? { status: 'validated', reason: 'Dossier complet' } : { name: 'Comptabilité' },
})

const figures = (now: number): FiguresBody => ({
  minutes: Array.from({ length: 60 }, (_, at) => {
    const created = Math.round(240 + 120 * Math.sin(at / 7) + ((at * 31) % 17) * 4)
    return {
      at: now - (60 - at) * 60_000,
      created,
      settled: Math.round(created * 0.83),
      failed: Math.round(created * 0.09),
      webhookBacklog: Math.round(30 + 28 * Math.sin(at / 11)),
      createP50: 2 + (at % 3) * 0.3,
      createP99: 9 + ((at * 13) % 11),
    }
  }),
  operators: [
    { name: 'airtel_ne', succeeded: 812, failed: 97 },
    { name: 'mtn_bj', succeeded: 1_204, failed: 61 },
    { name: 'moov_bj', succeeded: 77, failed: 130 },
  ],
})

export function consoleAnswers({ method, path, search }: Asked, world: World): Answer {
  const { amount, now, who } = world
  if (who !== 'administrator') return NOT_FOUND
  const isEmpty = amount === 'none'
  const [first] = path.split('/')
  if (method !== 'GET') return ok(path.endsWith('/view') ? session({ ...world, who: 'viewer' }) : { is: 'done' })
  const total = { none: 0, some: 5, year: 120 }[amount]
  switch (first) {
    case 'merchants':
      return page(search, total, (number) => merchant(number, now))
    case 'audit':
      return page(search, total, (number) => audit(number, now))
    case 'tasks':
      return whole(isEmpty ? [] : tasks(now))
    case 'waiting':
      return whole(isEmpty ? [] : waiting(now))
    case 'connections':
      return whole(isEmpty ? [] : connections(now))
    case 'figures':
      return ok(isEmpty ? { minutes: [], operators: [] } : figures(now))
    case 'payments': {
      const { timeline, ...payment } = paymentBody(4, now, 'https://pay.karba.example')
      return isEmpty
        ? NOT_FOUND
        : ok({ payment, timeline, merchantName: 'Boutique Awa', accountId: 'acc_l0', environment: 'live' })
    }
    default:
      return NOT_FOUND
  }
}
