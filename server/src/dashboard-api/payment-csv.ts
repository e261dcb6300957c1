// The CSV export of payments, for a person with a spreadsheet: a row for each payment, and one with
// a negative amount for each refund, so that the sums of the columns are what came in.
import {
  type FoundPayment,
  type SearchPaymentsInput,
  searchPayments,
} from '../actions/payments/list-payments.ts'
import { dayOf, dayText, localTimeText } from '../domain/countries/business-day.ts'
import { operatorName } from '../domain/countries/country.ts'
import type { Field } from '../domain/fields.ts'
import { methodOf } from '../domain/methods/methods.ts'
import { KEPT_PAYMENT_FIELDS, PAYMENT_FIELDS } from '../domain/payments/payment-fields.ts'
import type { FeeBasis, MadeRefund } from '../domain/payments/payment-money.ts'
import {
  FAILURE_WORDS,
  type PaymentStatus,
  STATUS_WORDS,
} from '../domain/payments/payment-status.ts'
import type { MerchantPerson } from '../domain/people/caller.ts'
import { isRefused } from '../domain/refusals/refusal.ts'
import { asText, CSV_START, type CsvCell, csvLine } from '../domain/texts/csv.ts'
import { lookUp } from '../domain/texts/free-text.ts'
import type { Language } from '../domain/texts/language.ts'
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
  let start = CSV_START + csvLine(COLUMNS.map(({ heading }) => heading[language]))
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
        COLUMNS.map(({ cell }) => cell({ payment, refund, language, words: WORDS[language] })),
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

interface Column {
  heading: Readonly<Record<Language, string>>
  cell(row: Row): CsvCell
}

type CsvField = (typeof IN_CSV)[number]

const TABLE = { ...PAYMENT_FIELDS, ...KEPT_PAYMENT_FIELDS }
const IN_CSV = (Object.keys(TABLE) as (keyof typeof TABLE)[]).filter(
  (name) => 'isInCsv' in TABLE[name],
)

/** The same in the payment's row and in those of its refunds. */
function columnOf(name: CsvField): Column {
  const { is, words, value: read }: Field<FoundPayment> = TABLE[name]
  if (words === undefined) throw new Error(`the column of ${name} has no heading`)
  return {
    heading: words,
    cell: ({ payment }) => {
      const value = read(payment) ?? null
      if (typeof value !== 'string') return value as number | null
      return is === 'texts' ? metadataText(value) : asText(value)
    },
  }
}

const FIRST_COLUMNS = [
  {
    heading: { fr: 'Type', en: 'Type' },
    cell: ({ refund, words }) => words.types[refund === undefined ? 'payment' : 'refund'],
  },
  {
    heading: { fr: 'Date', en: 'Date' },
    cell: ({ payment, refund }) => localTimeText(refund?.at ?? payment.createdAt),
  },
  'publicReference',
  'reference',
  'transactionId',
  'orderReference',
  {
    heading: { fr: 'État', en: 'State' },
    cell: ({ payment, refund, language }) =>
      STATUS_WORDS[language][refund ? 'succeeded' : payment.status],
  },
  {
    heading: { fr: 'Montant (F CFA)', en: 'Amount (F CFA)' },
    cell: ({ payment, refund }) => (refund === undefined ? payment.amountXof : -refund.amountXof),
  },
  {
    heading: { fr: 'Frais (F CFA)', en: 'Fee (F CFA)' },
    cell: (row) => movedMoney(row)?.feeXof ?? null,
  },
  {
    heading: { fr: 'Taxes (F CFA)', en: 'Tax (F CFA)' },
    cell: (row) => movedMoney(row)?.taxXof ?? null,
  },
  {
    heading: { fr: 'Net (F CFA)', en: 'Net (F CFA)' },
    cell: (row) => movedMoney(row)?.netXof ?? null,
  },
  { heading: { fr: 'Frais selon', en: 'Fee according to' }, cell: basisText },
  {
    heading: { fr: 'Moyen', en: 'Method' },
    cell: ({ payment: { method }, language }) => method && methodOf(method).words[language].name,
  },
  {
    heading: { fr: 'Opérateur', en: 'Operator' },
    cell: ({ payment: { operator }, language }) => operator && operatorName(operator, language),
  },
  'msisdn',
  'payerName',
  {
    heading: { fr: 'Validé le', en: 'Validated' },
    cell: ({ payment }) => timeOr(payment.validatedAt),
  },
  {
    heading: { fr: 'Remboursé le', en: 'Refunded' },
    cell: ({ payment, refund }) =>
      timeOr(refund === undefined ? payment.refunds.at(-1)?.at : refund.at),
  },
  { heading: { fr: 'Raison', en: 'Reason' }, cell: reasonText },
  'operatorReference',
  'linkTitle',
  'linkReference',
  {
    heading: { fr: 'Référence du remboursement', en: 'Refund’s reference' },
    cell: ({ refund }) => asText(refund?.refundReference ?? null),
  },
] as const satisfies readonly (Column | CsvField)[]

const isPlaced = (name: CsvField): boolean =>
  (FIRST_COLUMNS as readonly (Column | CsvField)[]).includes(name)

/** Fields that have no place among the first come last, in the order of their table. */
const COLUMNS: readonly Column[] = [
  ...FIRST_COLUMNS,
  ...IN_CSV.filter((name) => !isPlaced(name)),
].map((each) => (typeof each === 'string' ? columnOf(each) : each))

function basisText(row: Row): CsvCell {
  const basis = movedMoney(row)?.basis ?? null
  return basis === null ? null : row.words.bases[basis]
}

function reasonText({ payment: { failureReason }, refund, language }: Row): CsvCell {
  if (failureReason === null || refund !== undefined) return null
  return lookUp(FAILURE_WORDS[language], failureReason) ?? failureReason
}

const metadataText = (metadata: string): string =>
  Object.entries(JSON.parse(metadata) as Record<string, string>)
    .map(([name, value]) => `${name}: ${value}`)
    .join(' | ')

interface Words {
  types: Record<'payment' | 'refund', string>
  bases: Record<FeeBasis, string>
  /** Of the file's name: no accents and no spaces. */
  file: Record<'payments' | 'to' | 'until' | 'search' | 'minimum' | 'maximum', string> & {
    states: Record<PaymentStatus, string>
  }
}

const WORDS: Readonly<Record<Language, Words>> = {
  fr: {
    types: { payment: 'Paiement', refund: 'Remboursement' },
    bases: { tariff: 'Tarif (prévu)', statement: 'Relevé du réseau' },
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
    types: { payment: 'Payment', refund: 'Refund' },
    bases: { tariff: 'Tariff (expected)', statement: 'Network’s statement' },
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
