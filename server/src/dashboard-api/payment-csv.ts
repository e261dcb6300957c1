// The CSV export of payments, for a person with a spreadsheet: a row for each payment, and one with
// a negative amount for each refund, so that the sums of the columns are what came in.
import {
  type FoundPayment,
  type SearchPaymentsInput,
  searchPayments,
} from '../actions/payments/list-payments.ts'
import { dayOf, dayText, localTimeText } from '../domain/business-day.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { operatorName } from '../domain/country.ts'
import { asText, CSV_START, type CsvCell, csvLine } from '../domain/csv.ts'
import { lookUp } from '../domain/free-text.ts'
import { orderReferenceOf } from '../domain/payment.ts'
import type { FeeBasis, MadeRefund } from '../domain/payment-money.ts'
import { FAILURE_WORDS, type PaymentStatus, STATUS_WORDS } from '../domain/payment-status.ts'
import type { Language } from '../domain/person.ts'
import { isRefused } from '../domain/refusal.ts'
import type { DashboardDeps } from './route.ts'

/** About 2 ms of the event loop. */
const ROWS_AT_ONCE = 100

/** Page by page: memory holds one page. */
export async function* paymentCsv(
  deps: DashboardDeps,
  caller: MerchantPerson,
  filter: SearchPaymentsInput,
  language: Language,
): AsyncGenerator<string> {
  const words = WORDS[language]
  let start = CSV_START + csvLine(COLUMNS.map(([column]) => words.columns[column]))
  let after: string | undefined
  do {
    const page = await searchPayments(deps, caller, { ...filter, after, limit: ROWS_AT_ONCE })
    // Without this, a cut file would look complete.
    if (isRefused(page)) throw new Error(`an export was refused in the middle: ${page.refused}`)
    yield start + page.rows.map((payment) => linesOf(payment, language)).join('')
    start = ''
    after = page.next
  } while (after !== undefined)
}

const linesOf = (payment: FoundPayment, language: Language): string =>
  [undefined, ...payment.refunds]
    .map((refund) =>
      csvLine(
        COLUMNS.map(([, cell]) => cell({ payment, refund, language, words: WORDS[language] })),
      ),
    )
    .join('')

interface Row {
  payment: FoundPayment
  /** Undefined in the payment's own row. */
  refund: MadeRefund | undefined
  language: Language
  words: Words
}

const timeOr = (at: number | null | undefined): CsvCell =>
  at === null || at === undefined ? null : localTimeText(at)

interface MovedMoney {
  feeXof: number | null
  taxXof: number | null
  netXof: number
  basis: FeeBasis | null
}

/**
 * Null for money that did not move, and where the fee is not known: a net amount of the refund
 * alone would make the sum of the column wrong.
 */
function movedMoney({ payment: { status, fee }, refund }: Row): MovedMoney | null {
  if (fee === null || status === 'pending') return null
  if (refund === undefined) return fee
  const { feeXof, amountXof } = refund
  return {
    feeXof,
    taxXof: null,
    netXof: -amountXof - (feeXof ?? 0),
    basis: feeXof === null ? null : 'statement',
  }
}

const COLUMNS = [
  ['type', ({ refund, words }: Row) => words.types[refund === undefined ? 'payment' : 'refund']],
  ['date', ({ payment, refund }: Row) => localTimeText(refund?.at ?? payment.createdAt)],
  ['publicReference', ({ payment }: Row) => asText(payment.publicReference)],
  ['reference', ({ payment }: Row) => asText(payment.reference)],
  ['transactionId', ({ payment }: Row) => asText(payment.externalReference)],
  ['order', ({ payment }: Row) => asText(orderReferenceOf(payment))],
  [
    'state',
    ({ payment, refund, language }: Row) =>
      STATUS_WORDS[language][refund ? 'succeeded' : payment.status],
  ],
  [
    'amount',
    ({ payment, refund }: Row) => (refund === undefined ? payment.amountXof : -refund.amountXof),
  ],
  ['fee', (row: Row) => movedMoney(row)?.feeXof ?? null],
  ['tax', (row: Row) => movedMoney(row)?.taxXof ?? null],
  ['net', (row: Row) => movedMoney(row)?.netXof ?? null],
  ['basis', (row: Row) => basisText(row)],
  ['method', ({ payment, words }: Row) => methodOf(payment.operator, words)],
  [
    'operator',
    ({ payment: { operator }, language }: Row) => operator && operatorName(operator, language),
  ],
  ['number', ({ payment }: Row) => asText(payment.msisdnWritten)],
  ['name', ({ payment }: Row) => payment.customerName],
  ['validated', ({ payment }: Row) => timeOr(payment.validatedAt)],
  [
    'refunded',
    ({ payment, refund }: Row) =>
      timeOr(refund === undefined ? payment.refunds.at(-1)?.at : refund.at),
  ],
  ['reason', (row: Row) => reasonText(row)],
  ['operatorReference', ({ payment }: Row) => asText(payment.operatorReference)],
  ['link', ({ payment }: Row) => payment.linkTitle],
  ['linkReference', ({ payment }: Row) => asText(payment.linkReference)],
  ['refundReference', ({ refund }: Row) => asText(refund?.refundReference ?? null)],
  ['metadata', ({ payment }: Row) => metadataText(payment.metadata)],
] as const satisfies readonly (readonly [string, (row: Row) => CsvCell])[]

type ColumnName = (typeof COLUMNS)[number][0]

function basisText(row: Row): CsvCell {
  const basis = movedMoney(row)?.basis ?? null
  return basis === null ? null : row.words.bases[basis]
}

const reasonText = ({ payment: { failureReason }, refund, language }: Row): CsvCell =>
  failureReason === null || refund !== undefined
    ? null
    : (lookUp(FAILURE_WORDS[language], failureReason) ?? failureReason)

/** A link that is paid on a provider's page has the method as its operator. */
const methodOf = (operator: string | null, { methods }: Words): CsvCell =>
  operator === null ? null : (lookUp(methods, operator) ?? methods.mobile)

const metadataText = (metadata: string | null): CsvCell =>
  metadata === null
    ? null
    : Object.entries(JSON.parse(metadata) as Record<string, string>)
        .map(([name, value]) => `${name}: ${value}`)
        .join(' | ')

interface Words {
  columns: Record<ColumnName, string>
  types: Record<'payment' | 'refund', string>
  bases: Record<FeeBasis, string>
  methods: Record<'mobile' | 'bank_card' | 'wallet', string>
  /** Of the file's name: no accents and no spaces. */
  file: Record<'payments' | 'to' | 'until' | 'search' | 'minimum' | 'maximum', string> & {
    states: Record<PaymentStatus, string>
  }
}

const WORDS: Readonly<Record<Language, Words>> = {
  fr: {
    columns: {
      type: 'Type',
      date: 'Date',
      publicReference: 'Référence client',
      reference: 'Référence Karba',
      transactionId: 'Votre référence',
      order: 'Commande',
      state: 'État',
      amount: 'Montant (F CFA)',
      fee: 'Frais (F CFA)',
      tax: 'Taxes (F CFA)',
      net: 'Net (F CFA)',
      basis: 'Frais selon',
      method: 'Moyen',
      operator: 'Opérateur',
      number: 'Numéro',
      name: 'Nom',
      validated: 'Validé le',
      refunded: 'Remboursé le',
      reason: 'Raison',
      operatorReference: 'Référence opérateur',
      link: 'Lien',
      linkReference: 'Référence du lien',
      refundReference: 'Référence du remboursement',
      metadata: 'Métadonnées',
    },
    types: { payment: 'Paiement', refund: 'Remboursement' },
    bases: { tariff: 'Tarif (prévu)', statement: 'Relevé du réseau' },
    methods: { mobile: 'Mobile money', bank_card: 'Carte bancaire', wallet: 'Portefeuille' },
    file: {
      payments: 'paiements',
      to: 'au',
      until: 'jusqu-au',
      search: 'recherche',
      minimum: 'min',
      maximum: 'max',
      states: {
        initiated: 'a-payer',
        pending: 'en-attente',
        succeeded: 'reussi',
        failed: 'echoue',
        refunded: 'rembourse',
      },
    },
  },
  en: {
    columns: {
      type: 'Type',
      date: 'Date',
      publicReference: 'Customer’s reference',
      reference: 'Karba reference',
      transactionId: 'Your reference',
      order: 'Order',
      state: 'State',
      amount: 'Amount (F CFA)',
      fee: 'Fee (F CFA)',
      tax: 'Tax (F CFA)',
      net: 'Net (F CFA)',
      basis: 'Fee according to',
      method: 'Method',
      operator: 'Operator',
      number: 'Number',
      name: 'Name',
      validated: 'Validated',
      refunded: 'Refunded',
      reason: 'Reason',
      operatorReference: 'Operator’s reference',
      link: 'Link',
      linkReference: 'Link’s reference',
      refundReference: 'Refund’s reference',
      metadata: 'Metadata',
    },
    types: { payment: 'Payment', refund: 'Refund' },
    bases: { tariff: 'Tariff (expected)', statement: 'Network’s statement' },
    methods: { mobile: 'Mobile money', bank_card: 'Bank card', wallet: 'Wallet' },
    file: {
      payments: 'payments',
      to: 'to',
      until: 'until',
      search: 'search',
      minimum: 'min',
      maximum: 'max',
      states: {
        initiated: 'to-be-paid',
        pending: 'pending',
        succeeded: 'succeeded',
        failed: 'failed',
        refunded: 'refunded',
      },
    },
  },
}

/**
 * Such as `paiements-live-2026-11-01-au-2026-11-30-reussi.csv`. What was searched for is not in it:
 * that may be a payer's number.
 */
export function csvFileName(
  { environment }: Pick<MerchantPerson, 'environment'>,
  { from, to, status, operator, minimumXof, maximumXof, search }: SearchPaymentsInput,
  language: Language,
  now: number,
): string {
  const { file } = WORDS[language]
  const last = dayText(dayOf(Math.min(to === undefined ? now : to - 1, now)))
  const dates = from === undefined ? [file.until, last] : [dayText(dayOf(from)), file.to, last]
  const parts = [
    file.payments,
    environment,
    ...dates,
    status && file.states[status],
    operator?.replaceAll(/[^a-z0-9]+/gi, '-'),
    minimumXof !== undefined && `${file.minimum}-${minimumXof}`,
    maximumXof !== undefined && `${file.maximum}-${maximumXof}`,
    search?.trim() && file.search,
  ]
  return `${parts.filter(Boolean).join('-')}.csv`
}
