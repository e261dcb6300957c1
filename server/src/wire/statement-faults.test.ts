// The sentences about networks' statements, written out in both languages.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ExceptionKind } from '../domain/books/matching.ts'
import type { StatementFault } from '../domain/books/statement.ts'
import type { FetchFault } from '../domain/books/statement-fetch.ts'
import {
  columnMapping,
  faultSentence,
  fetchFaultSentence,
  megabytes,
  nextStep,
} from './statement-faults.ts'

const FAULTS: [fault: StatementFault, en: string, fr: string][] = [
  [
    { fault: 'file_too_large', most: 10999999 },
    'The file is larger than 10 MB.',
    'Le fichier dépasse 10 Mo.',
  ],
  [
    { fault: 'too_many_rows', most: 7 },
    'The file has more than 7 rows.',
    'Le fichier a plus de 7 lignes.',
  ],
  [
    { fault: 'unpacks_too_large', most: 20000000 },
    'The file unpacks to more than 20 MB.',
    'Le fichier décompressé dépasse 20 Mo.',
  ],
  [
    { fault: 'needs_too_much' },
    'The file takes too much time or memory to read. Export it as CSV, or for fewer days.',
    'La lecture du fichier demande trop de temps ou de mémoire. Exportez-le en CSV, ou pour moins de jours.',
  ],
  [
    { fault: 'file_not_readable' },
    'The file is neither CSV nor XLSX, or it is damaged.',
    'Le fichier n’est ni un CSV ni un XLSX, ou il est endommagé.',
  ],
  [
    { fault: 'encoding_not_known' },
    'The encoding of the file is not known: save it as UTF-8.',
    'L’encodage du fichier n’est pas reconnu : enregistrez-le en UTF-8.',
  ],
  [
    { fault: 'heading_not_found' },
    'No row of the file has the expected headings.',
    'Aucune ligne du fichier ne contient les titres de colonnes attendus.',
  ],
  [
    { fault: 'column_missing', column: 'Date' },
    'The column Date is missing.',
    'La colonne Date manque.',
  ],
  [
    { fault: 'amount_not_valid', line: 3, column: 'Amount', value: 'x' },
    'Line 3, Amount: “x” is not an amount in whole francs.',
    'Ligne 3, Amount : « x » n’est pas un montant en francs entiers.',
  ],
  [
    { fault: 'date_not_valid', line: 3, column: 'Date', value: 'x' },
    'Line 3, Date: “x” is not a date.',
    'Ligne 3, Date : « x » n’est pas une date.',
  ],
  [
    { fault: 'row_not_valid', line: 3, column: 'Date', value: 'x' },
    'Line 3, Date cannot be read: “x”.',
    'La ligne 3, Date est illisible : « x ».',
  ],
  [
    { fault: 'row_not_valid', line: 3, column: '', value: '' },
    'Line 3 cannot be read.',
    'La ligne 3 est illisible.',
  ],
  [
    { fault: 'balance_does_not_add_up', line: 3, expectedXof: 5, foundXof: 6 },
    'Line 3: the balance is 6, and the lines before it give 5.',
    'Ligne 3 : le solde est 6, et les lignes précédentes donnent 5.',
  ],
  [
    {
      fault: 'statuses_unknown',
      rows: 3,
      words: [
        { word: 'OK', rows: 2 },
        { word: 'KO', rows: 1 },
      ],
    },
    'The state of 3 rows is not known: “OK” (2), “KO” (1). Say in the columns of this connection what these words mean.',
    'L’état de 3 lignes n’est pas connu : « OK » (2), « KO » (1). Indiquez dans les colonnes de cette connexion ce que ces mots veulent dire.',
  ],
  [
    { fault: 'currency_not_francs', line: 3, column: 'Currency', value: 'EUR' },
    'Line 3, Currency: “EUR”. Only lines in CFA francs (XOF) can be read.',
    'Ligne 3, Currency : « EUR ». Seules les lignes en francs CFA (XOF) peuvent être lues.',
  ],
  [
    { fault: 'other_sheet_has_data', sheet: 'Two', rows: 4 },
    'The sheet “Two” has 4 rows too. Keep one sheet in the file, and import the other as a file of its own.',
    'La feuille « Two » contient aussi 4 lignes. Gardez une seule feuille dans le fichier, et importez l’autre à part.',
  ],
  [
    { fault: 'date_order_unclear', line: 3, dayFirst: '2026-02-01', monthFirst: '2026-01-02' },
    'Line 3 is of 2026-02-01 with the day first, and of 2026-01-02 with the month first. Nothing in the file says which: choose the order of its dates.',
    'La ligne 3 est du 2026-02-01 si le jour est écrit en premier, et du 2026-01-02 si c’est le mois. Rien dans le fichier ne le dit : choisissez l’ordre de ses dates.',
  ],
  [
    { fault: 'other_days' },
    'No line of the file is of the days that the network was asked for.',
    'Aucune ligne du fichier ne porte sur les jours demandés au réseau.',
  ],
  [
    { fault: 'read_otherwise_before', line: 3, rows: 4 },
    '4 rows of this file, the first in line 3, were imported by other columns. Take that import back, then import the file again.',
    '4 lignes de ce fichier, la première étant la ligne 3, ont été importées avec d’autres colonnes. Annulez cet import, puis importez à nouveau le fichier.',
  ],
]

const FETCHES: Record<FetchFault, [en: string, fr: string]> = {
  not_reached: ['The network could not be reached (why).', 'Le réseau n’a pas répondu (why).'],
  credentials_refused: [
    'The network refused the credentials of this connection (why).',
    'Le réseau a refusé les identifiants de cette connexion (why).',
  ],
  request_refused: [
    'The network refused to make the statement (why).',
    'Le réseau a refusé d’établir le relevé (why).',
  ],
  not_made: [
    'The network did not make the statement (why).',
    'Le réseau n’a pas établi le relevé (why).',
  ],
  answer_not_valid: [
    'The network’s answer was not understood (why).',
    'La réponse du réseau n’a pas été comprise (why).',
  ],
  address_refused: [
    'The network named a download address that is not allowed (why).',
    'Le réseau a donné une adresse de téléchargement non autorisée (why).',
  ],
  download_failed: [
    'The download of the statement broke off (why).',
    'Le téléchargement du relevé s’est interrompu (why).',
  ],
  statement_refused: [
    'The statement was refused: No line of the file is of the days that the network was asked for.',
    'Le relevé a été refusé : Aucune ligne du fichier ne porte sur les jours demandés au réseau.',
  ],
}

const STEPS: Record<ExceptionKind, [en: string, fr: string]> = {
  missing_at_network: [
    'Ask the network for this payment, with its reference. A later statement that has it closes this difference.',
    'Demandez ce paiement au réseau, avec sa référence. Un relevé ultérieur qui le contient règle cet écart.',
  ],
  missing_here: [
    'Ask the network about this line; the service’s staff can attach a payment to it.',
    'Demandez au réseau ce qu’est cette ligne ; l’équipe du service peut la rattacher à un paiement.',
  ],
  amount_differs: [
    'Compare both amounts with the network: one of them must be corrected.',
    'Comparez les deux montants avec le réseau : l’un des deux doit être corrigé.',
  ],
  fee_differs: [
    'Compare the tariff of the connection with your contract, then correct it or claim the difference.',
    'Comparez le tarif de la connexion avec votre contrat, puis corrigez-le ou réclamez la différence.',
  ],
  wrong_day: [
    'Compare the day of the line with the payment: if many lines differ, the dates of the file were misread.',
    'Comparez le jour de la ligne avec le paiement : si beaucoup de lignes diffèrent, les dates du fichier ont été mal lues.',
  ],
  duplicate_line: [
    'Ask the network whether it paid twice or listed one payment twice.',
    'Demandez au réseau s’il a payé deux fois ou écrit deux fois le même paiement.',
  ],
  paid_although_failed: [
    'Karba asks the network. If it confirms the payment, the service’s staff accept it or refund it.',
    'Karba interroge le réseau. S’il confirme le paiement, l’équipe du service l’accepte ou le rembourse.',
  ],
  not_paid_although_succeeded: [
    'Ask the network which of its two answers is right, then close the anomaly.',
    'Demandez au réseau laquelle de ses deux réponses est juste, puis clôturez l’anomalie.',
  ],
  refund_without_payment: [
    'Ask the network why it gave this money back; the service’s staff can attach a refund to it.',
    'Demandez au réseau pourquoi il a rendu cet argent ; l’équipe du service peut le rattacher à un remboursement.',
  ],
  refund_missing: [
    'Ask the network for this refund: the customer may not have received it.',
    'Demandez ce remboursement au réseau : le client ne l’a peut-être pas reçu.',
  ],
  balance_does_not_add_up: [
    'Import the statement of the days between both files. If there is none, ask the network.',
    'Importez le relevé des jours entre les deux fichiers. S’il n’y en a pas, demandez au réseau.',
  ],
  settled_amount_differs: [
    'Compare the settlement with the bank’s line, and ask the network for the difference.',
    'Comparez le virement avec la ligne de la banque, et demandez la différence au réseau.',
  ],
  withheld: [
    'Answer the network’s complaint. The line of its release closes this difference.',
    'Répondez à la réclamation du réseau. La ligne de déblocage règle cet écart.',
  ],
  too_early: [
    'Wait: Karba checks the line again when the payment has its result.',
    'Attendez : Karba vérifie la ligne à nouveau quand le paiement a son résultat.',
  ],
}

for (const [fault, en, fr] of FAULTS)
  it(`statement faults: ${JSON.stringify(fault)}`, () =>
    assert.deepEqual([faultSentence(fault, 'en'), faultSentence(fault, 'fr')], [en, fr]))

for (const [fault, [en, fr]] of Object.entries(FETCHES) as [FetchFault, [string, string]][])
  it(`statement faults: not fetched for ${fault}`, () => {
    const why = fault === 'statement_refused' ? '{"fault":"other_days"}' : 'why'
    const sentences = [fetchFaultSentence(fault, why, 'en'), fetchFaultSentence(fault, why, 'fr')]
    assert.deepEqual(sentences, [en, fr])
    if (fault !== 'statement_refused')
      assert.equal(fetchFaultSentence(fault, '', 'en'), en.replace(' (why)', ''))
  })

for (const [kind, [en, fr]] of Object.entries(STEPS) as [ExceptionKind, [string, string]][])
  it(`statement faults: the next step for ${kind}`, () =>
    assert.deepEqual([nextStep(kind, 'en'), nextStep(kind, 'fr')], [en, fr]))

it('statement faults: a size is in whole megabytes, rounded down', () =>
  assert.equal(megabytes(1_999_999), 1))

it('statement columns: defaults, and the limits of each value', () => {
  const columns = { bookedAt: 'Date' }
  assert.deepEqual(columnMapping.parse({ columns }), {
    columns,
    types: {},
    outgoing: [],
    statuses: [],
    dateOrder: 'day_first',
    utcOffsetMinutes: 60,
  })
  const isValid = (more: object) => columnMapping.safeParse({ columns, ...more }).success
  const [longest, tooLong] = ['x'.repeat(200), 'x'.repeat(201)]
  for (const more of [
    { columns: { bookedAt: longest } },
    { statuses: [longest], failures: [longest], refunds: [longest], undecided: [longest] },
    { types: { [longest]: 'fee' }, outgoing: ['fee'] },
    { utcOffsetMinutes: -720 },
    { utcOffsetMinutes: 840 },
    { dateOrder: 'month_first' },
    { dateOrder: 'year_first' },
  ])
    assert.equal(isValid(more), true, JSON.stringify(more).slice(0, 60))
  for (const more of [
    { columns: {} },
    { columns: { bookedAt: '' } },
    { columns: { bookedAt: tooLong } },
    { columns: { bookedAt: 'Date', other: 'x' } },
    { other: 1 },
    { statuses: [tooLong] },
    { failures: [tooLong] },
    { refunds: [tooLong] },
    { undecided: [tooLong] },
    { types: { [tooLong]: 'fee' } },
    { types: { x: 'not_made' } },
    { outgoing: ['x'] },
    { utcOffsetMinutes: -721 },
    { utcOffsetMinutes: 841 },
    { utcOffsetMinutes: 0.5 },
    { dateOrder: 'x' },
  ])
    assert.equal(isValid(more), false, JSON.stringify(more).slice(0, 60))
})
