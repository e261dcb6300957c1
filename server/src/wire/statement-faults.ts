// Why a statement's file is refused, in sentences: with the line, so that a person finds it in the spreadsheet.
import type { StatementFault } from '../domain/statement.ts'

type Language = 'en' | 'fr'
type Sentences = {
  [Name in StatementFault['fault']]: (fault: Extract<StatementFault, { fault: Name }>) => [en: string, fr: string]
}

const megabytes = (bytes: number): number => Math.floor(bytes / 1_000_000)

const SENTENCES: Sentences = {
  file_too_large: ({ most }) => [
    `The file is larger than ${megabytes(most)} MB.`,
    `Le fichier dépasse ${megabytes(most)} Mo.`,
  ],
  too_many_rows: ({ most }) => [`The file has more than ${most} rows.`, `Le fichier a plus de ${most} lignes.`],
  unpacks_too_large: ({ most }) => [
    `The file unpacks to more than ${megabytes(most)} MB.`,
    `Le fichier décompressé dépasse ${megabytes(most)} Mo.`,
  ],
  file_not_readable: () => [
    'The file is neither CSV nor XLSX, or it is damaged.',
    'Le fichier n’est ni un CSV ni un XLSX, ou il est endommagé.',
  ],
  encoding_not_known: () => [
    'The encoding of the file is not known: save it as UTF-8.',
    'L’encodage du fichier n’est pas reconnu : enregistrez-le en UTF-8.',
  ],
  heading_not_found: () => [
    'No row of the file has the expected headings.',
    'Aucune ligne du fichier ne contient les titres de colonnes attendus.',
  ],
  column_missing: ({ column }) => [`The column ${column} is missing.`, `La colonne ${column} manque.`],
  amount_not_valid: ({ line, column, value }) => [
    `Line ${line}, ${column}: “${value}” is not an amount in whole francs.`,
    `Ligne ${line}, ${column} : « ${value} » n’est pas un montant en francs entiers.`,
  ],
  date_not_valid: ({ line, column, value }) => [
    `Line ${line}, ${column}: “${value}” is not a date.`,
    `Ligne ${line}, ${column} : « ${value} » n’est pas une date.`,
  ],
  row_not_valid: ({ line, column, value }) => [
    `Line ${line}${column && `, ${column}`} cannot be read${value && `: “${value}”`}.`,
    `La ligne ${line}${column && `, ${column}`} est illisible${value && ` : « ${value} »`}.`,
  ],
  balance_does_not_add_up: ({ line, expectedXof, foundXof }) => [
    `Line ${line}: the balance is ${foundXof}, and the lines before it give ${expectedXof}.`,
    `Ligne ${line} : le solde est ${foundXof}, et les lignes précédentes donnent ${expectedXof}.`,
  ],
}

export function faultSentence(fault: StatementFault, language: Language): string {
  const [en, fr] = (SENTENCES[fault.fault] as (given: StatementFault) => [string, string])(fault)
  return language === 'en' ? en : fr
}
