// Things as the code has them, for the tests of what is written about them. Every field has a value
// of its own: a field that takes another's is noticed.

import type { StatementRow, StatementSums } from '../../src/domain/books/account-statement.ts'
import type { Anomaly } from '../../src/domain/books/anomaly.ts'
import type { BookException, ImportedStatement } from '../../src/domain/books/matching.ts'
import type { SettledLine, Settlement } from '../../src/domain/books/settlement.ts'
import type { KeptStatementFile } from '../../src/domain/books/statement.ts'
import type { ListedEntry, MoneyAmounts } from '../../src/domain/ledger/ledger.ts'
import type { KeptTariff } from '../../src/domain/ledger/tariff.ts'
import type { PaymentLink, PublicLink } from '../../src/domain/links/payment-link.ts'
import type { ListedConnection } from '../../src/domain/operators/connection.ts'
import type { ListedPayment } from '../../src/domain/payments/payment.ts'
import type { ListedRefund } from '../../src/domain/refunds/refund.ts'
import type { AuditEntry } from '../../src/domain/verify/audit-chain.ts'
import type {
  Delivery,
  DeliveryAttempt,
  ListedEndpoint,
} from '../../src/domain/webhooks/webhook-event.ts'

export const AT = Date.UTC(2026, 10, 15, 9, 30)
const later = (minutes: number): number => AT + minutes * 60_000

export const ANOMALY = {
  anomalyId: 'anomaly',
  reference: 'r',
  accountId: 'a',
  operator: 'mtn_bj',
  environment: 'live',
  connection: 'mtn-benin',
  kind: 'late_success',
  witness: 'poll',
  at: AT,
  detail: '{"amount":5}',
  resolvedAt: later(1),
  resolvedBy: 'awa',
  note: 'n',
} as unknown as Anomaly

export const AUDIT = {
  entry: 1,
  at: AT,
  actor: 'owner p',
  action: 'key.create',
  subject: 'k',
  accountId: 'a',
  network: '41.138.5.6',
  earlier: { a: 1 },
  detail: { a: 2 },
} as unknown as AuditEntry

export const IMPORTED: ImportedStatement = {
  lines: 9,
  added: 8,
  matched: 7,
  exceptions: { missing_here: 1 },
  missing: 2,
  isRepeated: false,
}

export const EXCEPTION = {
  exceptionId: 'x',
  environment: 'live',
  connection: 'mtn-benin',
  kind: 'missing_here',
  accountId: 'a',
  number: null,
  lineNumber: 7,
  amountXof: 500,
  detail: '{"line":7}',
  at: AT,
  resolvedAt: null,
  resolvedBy: null,
  note: null,
  reason: null,
} as BookException

export const FILE = {
  fileId: 'f',
  environment: 'live',
  connection: 'mtn-benin',
  name: 'november.csv',
  sha256: 'hash',
  bytes: 900,
  state: 'imported',
  lines: 9,
  added: 8,
  openingXof: 100,
  closingXof: 600,
  firstDay: 20_000,
  lastDay: 20_029,
  importedAt: AT,
  importedBy: 'awa',
  takenBackBy: null,
  keptId: 'kept',
} as unknown as KeptStatementFile

export const TARIFF: KeptTariff = {
  environment: 'live',
  connection: 'mtn-benin',
  fromDay: 20_000,
  rate: 1_500,
  fixedXof: 5,
  minimumXof: 10,
  maximumXof: 900,
  rounding: 'up',
  setBy: 'awa',
  setAt: AT,
}

export const CONNECTION = {
  environment: 'live',
  name: 'mtn-benin',
  connector: 'mtn-momo',
  serves: ['mtn_bj'],
  takes: ['mobile'],
  limits: { request: { atOnce: 1, perSecond: 2 }, status: { atOnce: 3, perSecond: 4 } },
  health: { state: 'failing', since: AT, why: 'HTTP 500', misconfigured: 1, seenAt: later(1) },
  pause: { since: later(2), reason: 'maintenance', pausedBy: 'awa' },
  refusals: [{ operator: 'mtn_bj', since: later(3), refusedAt: later(4), why: 'w' }],
} as unknown as ListedConnection

export const IN_ORDER = {
  ...CONNECTION.health,
  why: null,
  misconfigured: 0,
} as ListedConnection['health']

export const DELIVERY = {
  accountId: 'a',
  endpointId: 'e',
  event: 'payment.succeeded',
  eventId: 'evt',
  sequence: 4,
  round: 2,
  status: 'pending',
  attempts: 3,
  createdAt: AT,
  dueAt: later(1),
  endedAt: null,
} as unknown as Delivery

export const ATTEMPT = {
  at: AT,
  durationMs: 40,
  statusCode: 500,
  error: 'e',
  answer: 'down',
  nextAt: later(5),
} as unknown as DeliveryAttempt

export const ENDPOINT = {
  endpointId: 'e',
  accountId: 'a',
  url: 'https://x',
  events: 'payment.succeeded,payment.failed',
  status: 'active',
  createdAt: AT,
  failedSince: null,
  failures: 0,
  lastStatusCode: null,
} as unknown as ListedEndpoint
export const FAILING = { ...ENDPOINT, failedSince: AT, failures: 1_000, lastStatusCode: 500 }

export const KEYS = { publicKey: 'pk', secretKey: 'sk' }

export const MERCHANT = {
  merchantId: 'm',
  name: 'Awa',
  createdAt: AT,
  accounts: [
    { environment: 'sandbox', accountId: 's', status: 'validated' },
    { environment: 'live', accountId: 'l', status: 'suspended' },
  ],
} as const

export const PERSON = {
  personId: 'p',
  email: 'awa@x.co',
  name: 'Awa',
  serviceRole: 'finance',
  totpSince: null,
  lastSeenAt: null,
} as const

export const PAYMENT = {
  accountId: 'a',
  number: 1,
  environment: 'live',
  reference: 'r',
  publicReference: 'PR',
  externalReference: 'KB-1',
  status: 'succeeded',
  failureReason: null,
  amountXof: 1_000,
  refundedXof: 300,
  msisdn: '2290197000001',
  msisdnWritten: '0197000001',
  customerName: 'Awa',
  operator: 'mtn_bj',
  connection: 'mtn-benin',
  method: 'mobile',
  operatorReference: 'op',
  linkReference: 'l',
  orderReference: 'o-1',
  metadata: '{"shelf":"b"}',
  createdBy: 'key',
  clientReference: 'c',
  createdAt: AT,
  validatedAt: later(1),
  updatedAt: later(2),
} as unknown as ListedPayment

export const REFUND = {
  refundReference: 'rr',
  refundId: 'R-1',
  reference: 'r',
  amountXof: 300,
  status: 'succeeded',
  failureReason: null,
  createdAt: AT,
  updatedAt: later(1),
} as const
export const LISTED_REFUND: ListedRefund = {
  ...REFUND,
  accountId: 'a',
  publicReference: 'PR',
  externalReference: 'KB-1',
}

export const STORY = [{ at: AT, kind: 'created', detail: { by: 'key' } }]

export const ENTRY: ListedEntry = {
  entry: 5,
  accountId: 'a',
  connection: 'mtn-benin',
  bookedAt: AT,
  day: 20_000,
  kind: 'payment',
  debit: 'receivable',
  credit: 'sales',
  amountXof: 1_000,
  number: 1,
  refundReference: 'rr',
  lineNumber: null,
  madeBy: 'service',
  corrects: 4,
  reference: 'r',
}

export const LINK = {
  linkReference: 'l',
  accountId: 'a',
  environment: 'live',
  reference: 'r',
  publicReference: 'PR',
  externalReference: 'KB-1',
  paymentReference: 'KB-1',
  status: 'succeeded',
  amountXof: 1_000,
  minimumAmountXof: null,
  suggestedAmounts: '',
  collected: null,
  attempts: 2,
  title: 't',
  description: 'd',
  expiresAt: later(9),
  validatedAt: later(1),
  origin: 'https://o',
  orderReference: 'o-1',
  clientReference: 'c',
  createdBy: 'key',
} as unknown as PaymentLink & PublicLink

export const SETTLEMENT: Settlement = {
  environment: 'live',
  connection: 'mtn-benin',
  lineNumber: 412,
  accountId: 'a',
  leftAt: AT,
  leftDay: 20_000,
  amountXof: 900,
  networkReference: 'nr',
  receivedXof: 899,
  receivedDay: 20_001,
  bankReference: 'VIR 5',
}

export const LINE: SettledLine = {
  lineNumber: 7,
  bookedAt: AT,
  day: 20_000,
  type: 'collection',
  amountXof: 1_000,
  feeXof: 15,
  taxXof: 2,
  networkReference: 'nr',
  reference: 'r',
  publicReference: 'PR',
  externalReference: 'KB-1',
  refundReference: 'rr',
}

export const SUMS: StatementSums = {
  openingXof: 1,
  collectedXof: 2,
  refundedXof: 3,
  feesXof: 4,
  taxesXof: 5,
  withheldXof: 6,
  settledXof: 7,
  unexplainedXof: 8,
  otherXof: 9,
  closingXof: 10,
  confirmedXof: 11,
}

export const MONEY: MoneyAmounts = {
  receivable: 1,
  wallet: 2,
  at_service: 3,
  in_transit: 4,
  bank: 5,
  withheld: 6,
  unexplained: 7,
  opening: 8,
}

export const ROW: StatementRow = {
  entry: 5,
  bookedAt: AT,
  day: 20_000,
  kind: 'collected',
  reference: 'r',
  publicReference: 'PR',
  externalReference: 'KB-1',
  refundReference: 'rr',
  operatorReference: 'op',
  amountXof: 1_000,
  balanceXof: 2_000,
  isConfirmed: true,
  explainedAs: 'owner',
}
