// The differences with the networks' statements as CSV: what each is about, and who closed it and
// when.

import { CLOSING_REASON_WORDS } from '../domain/books/closing-reason.ts'
import { DIFFERENCE_WORDS } from '../domain/books/difference-words.ts'
import type { BookException } from '../domain/books/matching.ts'
import { localDayText, localTimeText } from '../domain/countries/business-day.ts'
import { connectionName, type NamedConnection } from '../domain/countries/country.ts'
import { asText, CSV_START, type CsvCell, csvLine } from '../domain/texts/csv.ts'
import type { Language } from '../domain/texts/language.ts'

export interface ListedDifference extends BookException, NamedConnection {
  /** That it is about, in days since 1970. */
  day: number
  /** The name of a person, `shell` for a user of the CLI, empty for the service itself. */
  closedBy: string
  networkReference: string | null
  ourReference: string | null
  reference: string | null
  externalReference: string | null
}

/** After each page of them, a chunk. */
export async function* differencesCsv(
  pages: AsyncIterable<readonly ListedDifference[]>,
  language: Language,
): AsyncGenerator<string> {
  const words = WORDS[language]
  yield CSV_START + csvLine(words.columns)
  for await (const rows of pages) yield rows.map((row) => csvLine(cellsOf(row, language))).join('')
}

function cellsOf(row: ListedDifference, language: Language): CsvCell[] {
  const words = WORDS[language]
  const isOpen = row.resolvedAt === null
  return [
    localDayText(row.day),
    asText(connectionName(row, language)),
    DIFFERENCE_WORDS[language][row.kind],
    row.amountXof,
    asText(row.externalReference),
    asText(row.reference),
    asText(row.networkReference),
    localTimeText(row.at),
    isOpen ? words.open : words.closed,
    row.resolvedAt === null ? null : localTimeText(row.resolvedAt),
    isOpen ? null : asText(closerOf(row.closedBy, language)),
    row.reason === null ? null : CLOSING_REASON_WORDS[language][row.reason],
    asText(row.note),
  ]
}

function closerOf(name: string, language: Language): string {
  const { byLine, byService } = WORDS[language]
  if (name === '') return byLine
  return name === 'shell' ? byService : name
}

/** ASCII: of the ZIP of a month, and of its list of differences. */
export function packageNames(
  month: string,
  language: Language,
): { whole: string; differences: string } {
  const { file, whole } = WORDS[language]
  return { whole: `${whole}-${month}.zip`, differences: `${file}-${month}.csv` }
}

const WORDS = {
  fr: {
    whole: 'comptabilite',
    file: 'ecarts',
    columns: [
      'Jour',
      'Connexion',
      'Écart',
      'Montant (FCFA)',
      'Votre référence',
      'Référence du paiement',
      'Référence de l’opérateur',
      'Trouvé le',
      'État',
      'Réglé le',
      'Réglé par',
      'Ce que c’était',
      'Note',
    ],
    open: 'à régler',
    closed: 'réglé',
    byLine: 'une ligne arrivée plus tard',
    byService: 'le service',
  },
  en: {
    whole: 'accounting',
    file: 'differences',
    columns: [
      'Day',
      'Connection',
      'Difference',
      'Amount (XOF)',
      'Your reference',
      'Payment reference',
      'Network reference',
      'Found on',
      'State',
      'Closed on',
      'Closed by',
      'What it was',
      'Note',
    ],
    open: 'open',
    closed: 'closed',
    byLine: 'a line that came later',
    byService: 'the service',
  },
} satisfies Readonly<Record<Language, object>>
