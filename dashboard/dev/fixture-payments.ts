// Payments of the fake server, made from their number alone: the same at every load.
import type { DeliveryRow, HomeBody, PaymentBody, PaymentRow } from '../../server/src/dashboard-api/shapes.ts'
import type { Amount } from './fixture-world.ts'

const MINUTE = 60_000
const DAY = 86_400_000

const NAMES = [
  'Awa Diallo',
  'Moussa Ibrahim',
  'Fatouma Hassane',
  'Koffi Agbo',
  'Ramatou Saley',
  'Adjoa Hounsou',
  'Abdoul-Razak Maïga Souleymane',
  'Zeinabou Issa',
]
const OPERATORS: [string, string, string][] = [
  ['airtel_ne', 'Airtel Money', '227'],
  ['moov_ne', 'Moov Money', '227'],
  ['zamani_ne', 'Zamani Cash', '227'],
  ['mtn_bj', 'MTN MoMo', '229'],
]
const STATES: PaymentRow['status'][] = [
  'succeeded',
  'succeeded',
  'pending',
  'succeeded',
  'failed',
  'succeeded',
  'succeeded',
  'refunded',
  'initiated',
]
const REASONS = ['insufficient_funds', 'declined', 'expired', 'operator_error', 'payer_not_found']
export const HOW_MANY: Readonly<Record<Amount, number>> = { none: 0, some: 12, year: 5_000 }
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const letters = (seed: number, length: number): string =>
  Array.from({ length }, (_, at) => LETTERS[(seed * 7 + at * 11 + seed * at) % 32]).join('')

export function payment(number: number, now: number): PaymentRow {
  const [operator, operatorName, prefix] = OPERATORS[number % OPERATORS.length] as [string, string, string]
  const status = STATES[number % STATES.length] as PaymentRow['status']
  const createdAt = now - number * 37 * MINUTE - 90_000
  const isChosen = status !== 'initiated'
  return {
    reference: `ref${String(number).padStart(6, '0')}${letters(number, 15).toLowerCase()}`,
    publicReference: `${letters(number, 4)}-${letters(number + 3, 4)}-${letters(number + 5, 1)}`,
    transactionId: number % 3 === 0 ? null : `commande-2026-${String(10_000 - number).padStart(5, '0')}`,
    amount: ((number * 7_919) % 180) * 250 + 500,
    status,
    operator: isChosen ? operator : null,
    operatorName: isChosen ? operatorName : null,
    msisdn: isChosen ? `${prefix}9${String((number * 104_729) % 10_000_000).padStart(7, '0')}` : null,
    payerName: number % 5 === 2 ? null : (NAMES[number % NAMES.length] as string),
    createdAt,
    finalAt: status === 'pending' || status === 'initiated' ? null : createdAt + 42_000,
  }
}

export function delivery(number: number, now: number): DeliveryRow {
  const row = payment(number, now)
  const state = number % 6 === 5 ? 'failed' : number % 6 === 2 ? 'waiting' : 'delivered'
  return {
    deliveryId: `del_${number}`,
    endpointId: 'end_1',
    url: 'https://www.boutique-awa.example/karba/webhooks',
    event: `payment.${row.status === 'failed' ? 'failed' : 'succeeded'}`,
    paymentReference: row.reference,
    state,
    attempts: state === 'delivered' ? 1 : 4,
    lastStatus: state === 'delivered' ? 200 : state === 'failed' ? 500 : null,
    lastError: state === 'waiting' ? 'timeout' : null,
    createdAt: row.createdAt,
    nextAttemptAt: state === 'waiting' ? now + 20 * MINUTE : null,
  }
}

export function paymentBody(number: number, now: number, origin: string): PaymentBody {
  const row = payment(number, now)
  const { status, createdAt } = row
  const at = (seconds: number): number => createdAt + seconds * 1_000
  const moved = (to: string, seconds: number, facts = {}) => ({
    at: at(seconds),
    kind: 'moved',
    facts: { to, ...facts },
  })
  const failureReason = status === 'failed' ? (REASONS[number % REASONS.length] as string) : null
  return {
    ...row,
    failureReason,
    operatorReference: status === 'pending' ? null : `CI${20_000_000 + number}`,
    linkReference: number % 4 === 0 ? 'lnk1' : null,
    orderReference: null,
    metadata: number % 2 === 0 ? { table: '12', vendeuse: 'Ramatou' } : null,
    receiptUrl: status === 'succeeded' || status === 'refunded' ? `${origin}/pay/abc` : null,
    timeline: [
      { at: at(0), kind: 'recorded', facts: {} },
      { at: at(0.2), kind: 'request', facts: { is: 'accepted', ms: 184 } },
      { at: at(0.2), kind: 'payer_asked', facts: {} },
      { at: at(20), kind: 'status', facts: { is: 'accepted', ms: 95 } },
      ...(status === 'pending'
        ? []
        : [{ at: at(41), kind: 'callback', facts: { is: status === 'failed' ? 'declined' : 'succeeded' } }]),
      ...(status === 'failed' ? [moved('failed', 42, { failureReason })] : []),
      ...(status === 'succeeded' || status === 'refunded' ? [moved('succeeded', 42)] : []),
      ...(status === 'refunded' ? [{ at: at(4_000), kind: 'refund_asked', facts: {} }, moved('refunded', 4_060)] : []),
    ],
    deliveries: status === 'pending' ? [] : [delivery(number, now)],
    refund:
      status === 'refunded'
        ? { reference: 'rfd_1', amount: row.amount, status: 'succeeded', createdAt: at(4_000), approval: null }
        : null,
    mayRefund: status === 'succeeded',
  }
}

export function home(amount: Amount, days: number, now: number, isSandbox: boolean): HomeBody {
  const size = { none: 0, some: 40_000, year: 3_400_000 }[amount]
  const wave = (at: number): number =>
    Math.max(0, Math.round((size * (1 + 0.6 * Math.sin(at / 3) + 0.3 * Math.sin(at / 29))) / 250) * 250)
  const shown = Array.from({ length: days }, (_, at) => {
    const back = days - 1 - at
    const collected = amount === 'some' && back > 12 ? 0 : wave(back)
    const day = new Date(now + 3_600_000 - back * DAY).toISOString().slice(0, 10)
    return { day, collected, succeeded: Math.round(collected / 9_000), failed: Math.round(collected / 60_000) }
  })
  const last = shown.at(-1) as HomeBody['days'][number]
  const all = shown.reduce((sum, each) => sum + each.succeeded, 0)
  const empty = amount === 'none'
  return {
    today: { collected: last.collected, succeeded: last.succeeded, failed: last.failed, pending: empty ? 0 : 2 },
    days: shown,
    operators: empty
      ? []
      : OPERATORS.map(([operator, name], at) => ({
          operator,
          name,
          succeeded: Math.round(all / (at + 2)),
          failed: Math.round(all / (at + 2) / (11 - at * 3)),
        })),
    failures: empty ? [] : REASONS.map((reason, at) => ({ reason, count: Math.round(all / 14 / (at + 1)) + 1 })),
    attention: empty
      ? isSandbox
        ? [{ kind: 'no_endpoint' }]
        : [{ kind: 'account_not_validated' }]
      : amount === 'year'
        ? [
            {
              kind: 'endpoint_failing',
              url: 'https://www.boutique-awa.example/karba/webhooks',
              since: now - 3 * 3_600_000,
            },
            { kind: 'key_ending', keyId: 'sk_…7Qd2', at: now + 20 * 3_600_000 },
            { kind: 'operator_down', operator: 'moov_ne', name: 'Moov Money', since: now - 20 * MINUTE },
            { kind: 'viewed_by_service', by: 'Ibrahim Moussa', reason: 'Question du 12 novembre', at: now - 2 * DAY },
          ]
        : [],
  }
}
