// A mapping for a file of an unknown source, from its headings and first rows, in French or
// English. It is a proposal: a person confirms it before any line is read by it.

import type { ColumnMapping, MappedType } from '../domain/books/statement.ts'
import { readFrancs } from '../domain/payments/money.ts'
import { MOST_ROWS_BEFORE_HEADING, StatementRefused } from './limits.ts'
import {
  type ColumnName,
  CURRENCY_HEADINGS,
  foldHeading,
  TIME_HEADINGS,
} from './network-mappings.ts'
import { type StatementSource, statementRows } from './statement-rows.ts'

/**
 * The headings of each column as `foldHeading` writes them, the likeliest first. Earlier columns
 * choose first.
 */
const HEADINGS: readonly [ColumnName, readonly string[]][] = [
  [
    'bookedAt',
    [
      'date',
      'date heure',
      'date et heure',
      'date time',
      'datetime',
      'date and time',
      'transaction date',
      'transaction date time',
      'transaction date and time',
      'date transaction',
      'date de transaction',
      'date de la transaction',
      'date operation',
      'date d operation',
      'date de l operation',
      'booking date',
      'date comptable',
      'creation date',
      'created at',
      'date de creation',
      'completion time',
      'approved at',
      'horodatage',
      'timestamp',
      'date valeur',
      'date de valeur',
      'value date',
    ],
  ],
  ['time', TIME_HEADINGS],
  [
    'amount',
    [
      'amount',
      'montant',
      'transaction amount',
      'montant transaction',
      'montant de la transaction',
      'montant brut',
    ],
  ],
  [
    'credit',
    [
      'credit',
      'montant credit',
      'credit amount',
      'paid in',
      'money in',
      'entree',
      'entrees',
      'encaissement',
    ],
  ],
  [
    'debit',
    [
      'debit',
      'montant debit',
      'debit amount',
      'paid out',
      'withdrawn',
      'money out',
      'sortie',
      'sorties',
    ],
  ],
  [
    'fee',
    [
      'fee',
      'fees',
      'frais',
      'commission',
      'commissions',
      'transaction fee',
      'frais de transaction',
      'charges',
    ],
  ],
  ['tax', ['tax', 'taxes', 'taxe', 'tva', 'vat', 'impot']],
  [
    'balance',
    [
      'balance',
      'solde',
      'balance after',
      'post balance',
      'running balance',
      'available balance',
      'solde apres',
      'solde apres operation',
      'solde apres transaction',
      'nouveau solde',
      'solde disponible',
    ],
  ],
  [
    'type',
    [
      'type',
      'transaction type',
      'type transaction',
      'type de transaction',
      'type operation',
      'type d operation',
      'service type',
      'type de service',
      'operation',
      'nature',
      'service',
    ],
  ],
  [
    'ourReference',
    [
      'external id',
      'externalid',
      'external transaction id',
      'external reference',
      'reference externe',
      'id externe',
      'merchant reference',
      'reference marchand',
      'client reference',
      'reference client',
      'order id',
      'numero de commande',
      'commande',
      'reference no',
      'customer reference',
    ],
  ],
  [
    'networkReference',
    [
      'id',
      'transaction id',
      'id transaction',
      'id de transaction',
      'id de la transaction',
      'txn id',
      'receipt no',
      'receipt number',
      'financial transaction id',
      'airtel money id',
      'numero de transaction',
      'no transaction',
      'n transaction',
      'identifiant',
      'reference',
      'ref',
      'reference operateur',
      'reference transaction',
    ],
  ],
  [
    'counterparty',
    [
      'msisdn',
      'from',
      'payer',
      'sender',
      'sender msisdn',
      'payer mobile number',
      'mobile number',
      'phone',
      'phone number',
      'telephone',
      'numero',
      'numero de telephone',
      'numero client',
      'numero payeur',
      'expediteur',
      'emetteur',
      'payeur',
      'compte client',
      'client',
      'customer',
    ],
  ],
  [
    'text',
    [
      'description',
      'details',
      'detail',
      'libelle',
      'label',
      'narration',
      'motif',
      'message',
      'commentaire',
      'comment',
      'communication',
      'note',
      'designation',
    ],
  ],
  [
    'status',
    ['status', 'statut', 'etat', 'state', 'transaction status', 'statut de la transaction'],
  ],
  ['currency', CURRENCY_HEADINGS],
]

const KNOWN = new Set(HEADINGS.flatMap(([, names]) => names))

/** `Montant (F CFA)` is `montant`, and `Creation Date (UTC)` is `creation date`. */
const bareHeading = (heading: string): string =>
  foldHeading(heading).replace(/ (?:xof|f ?cfa|cfa|fcfa|utc|gmt)$/, '')

const isKnownHeading = (cell: string): boolean => KNOWN.has(bareHeading(cell))

/**
 * Words in the types of sources, in the order in which they decide: a fee for a payment is a fee.
 */
const TYPE_WORDS: readonly [RegExp, MappedType][] = [
  [/rembours|refund|revers(?!ement)|annul/, 'refund'],
  [/frais|\bfees?\b|commission|charge/, 'fee'],
  [/\btax|\btva\b|\bvat\b|impot/, 'tax'],
  [/released?|liber|debloc/, 'released'],
  [/withheld|chargeback|bloqu|reten/, 'withheld'],
  [/withdraw|retrait|settlement|reversement|\bbank\b|banque|virement|cash out/, 'settlement'],
  [/top ?up|approvision|recharg|float|cash in/, 'top_up'],
  [/paiement|payment|encaiss|collect|deposit|depot|achat|purchase|vente|debit/, 'collection'],
]
const SUCCESS =
  /^(?:transaction )?(?:success|succes|reussi|complete|termine|approve|approuve|paid|paye|valide|ts$|ok$)/
const FAILURE = /^(?:transaction )?(?:fail|echou|echec|declin|reject|refus|annul|cancel|expir|tf$)/
const UNDECIDED =
  /^(?:transaction )?(?:pending|en attente|en cours|in progress|ongoing|initi|created|cree|process|ambig|tip$|ta$)/
const OUTGOING: readonly MappedType[] = ['refund', 'fee', 'tax', 'settlement', 'withheld']

export interface StatementSample {
  headings: readonly string[]
  /** The first rows below the headings. */
  rows: readonly (readonly string[])[]
}

const SAMPLE_ROWS = 50

/** The headings are the row with most of the headings that sources are known to use. */
export async function readSample(source: StatementSource): Promise<StatementSample> {
  const rows: (readonly string[])[] = []
  for await (const { cells } of statementRows(source, isKnownHeading)) {
    if (cells.some((cell) => cell.trim() !== '')) rows.push(cells)
    if (rows.length === MOST_ROWS_BEFORE_HEADING + SAMPLE_ROWS) break
  }
  const counts = rows
    .slice(0, MOST_ROWS_BEFORE_HEADING)
    .map((cells) => cells.filter(isKnownHeading).length)
  const most = Math.max(...counts)
  if (most < 2) throw new StatementRefused({ fault: 'heading_not_found' })
  const at = counts.indexOf(most)
  return {
    headings: (rows[at] ?? []).map((cell) => cell.trim()),
    rows: rows.slice(at + 1, at + 1 + SAMPLE_ROWS),
  }
}

/** Undefined where no column looks like a date, or none like an amount. */
export function proposeMapping({ headings, rows }: StatementSample): ColumnMapping | undefined {
  const columns = chooseColumns(headings)
  const { bookedAt, amount, credit, debit } = columns
  if (bookedAt === undefined || (amount ?? credit ?? debit) === undefined) return undefined
  const wordsOf = (heading: string | undefined): string[] => wordsBelow({ headings, rows }, heading)
  const hasSigns =
    amount === undefined || wordsOf(amount).some((word) => (readFrancs(word) ?? 0) < 0)
  return {
    columns: { ...columns, bookedAt },
    types: columns.type === undefined ? { '': 'collection' } : typesOf(wordsOf(columns.type)),
    outgoing: hasSigns ? [] : OUTGOING,
    ...statusesOf(wordsOf(columns.status)),
    dateOrder: dateOrderOf(wordsOf(bookedAt)),
    utcOffsetMinutes: /\b(?:utc|gmt)\b/.test(foldHeading(bookedAt)) ? 0 : 60,
  }
}

function wordsBelow({ headings, rows }: StatementSample, heading: string | undefined): string[] {
  const at = heading === undefined ? -1 : headings.map(foldHeading).indexOf(foldHeading(heading))
  return rows
    .map((cells) => (cells[at] ?? '').replace(/\s+/g, ' ').trim())
    .filter((word) => word !== '')
}

function statusesOf(words: readonly string[]) {
  const statusesLike = (pattern: RegExp): string[] => [
    ...new Set(words.filter((word) => pattern.test(foldHeading(word)))),
  ]
  return {
    statuses: statusesLike(SUCCESS),
    failures: statusesLike(FAILURE),
    undecided: statusesLike(UNDECIDED),
  }
}

/**
 * A mapping with the statuses of a sample that it does not know, and whose words say what they
 * mean.
 */
export function withStatusesOf(mapping: ColumnMapping, sample: StatementSample): ColumnMapping {
  const known = [
    mapping.statuses,
    mapping.failures ?? [],
    mapping.refunds ?? [],
    mapping.undecided ?? [],
  ]
  const isKnown = new Set(known.flat().map((word) => word.toLowerCase()))
  const words = wordsBelow(sample, mapping.columns.status).filter(
    (word) => !isKnown.has(word.toLowerCase()),
  )
  const { statuses, failures, undecided } = statusesOf(words)
  if (statuses.length + failures.length + undecided.length === 0) return mapping
  return {
    ...mapping,
    statuses: [...mapping.statuses, ...statuses],
    failures: [...(mapping.failures ?? []), ...failures],
    undecided: [...(mapping.undecided ?? []), ...undecided],
  }
}

function chooseColumns(headings: readonly string[]): Partial<ColumnMapping['columns']> {
  const bare = headings.map(bareHeading)
  const chosen = new Map<ColumnName, string>()
  for (const [column, names] of HEADINGS) {
    // A repeated heading is ambiguous, and one signed column is enough.
    const name = names.find(
      (name) => bare.indexOf(name) !== -1 && bare.indexOf(name) === bare.lastIndexOf(name),
    )
    const isNeedless = chosen.has('amount') && (column === 'credit' || column === 'debit')
    if (name !== undefined && !isNeedless)
      chosen.set(column, headings[bare.indexOf(name)] as string)
  }
  return Object.fromEntries(chosen)
}

function typesOf(words: readonly string[]): Record<string, MappedType> {
  const types = new Map<string, MappedType>()
  for (const word of words) {
    const type = TYPE_WORDS.find(([pattern]) => pattern.test(foldHeading(word)))?.[1]
    if (type !== undefined) types.set(word, type)
  }
  return Object.fromEntries(types)
}

/**
 * A number above twelve is no month. Without one, the day comes first, as everywhere in the union.
 */
function dateOrderOf(dates: readonly string[]): ColumnMapping['dateOrder'] {
  if (dates.length > 0 && dates.every((date) => /^\d{4}\D/.test(date))) return 'year_first'
  const secondNumbers = dates.map((date) =>
    Number(/^\d{1,2}[-/.](\d{1,2})[-/.]/.exec(date)?.[1] ?? 0),
  )
  return secondNumbers.some((number) => number > 12) ? 'month_first' : 'day_first'
}
