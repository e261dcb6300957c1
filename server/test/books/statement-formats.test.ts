// Statements in five formats, each read back by a parser that is not ours: every figure is the
// statement's.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DOMParser, type Element } from '@xmldom/xmldom'
import { parseCamt053, type Transaction } from 'camt-parser'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { readSheet } from 'read-excel-file/node'
import {
  type AccountStatement,
  STATEMENT_FORMATS,
  type StatementFormat,
  type StatementRow,
  type StreamedStatement,
  SYSCOHADA,
} from '../../src/domain/books/account-statement.ts'
import {
  dayOf,
  dayText,
  localDate,
  localDayText,
  localTimeText,
  startOfDay,
} from '../../src/domain/countries/business-day.ts'
import type { Language } from '../../src/domain/texts/language.ts'
import { writeStatement } from '../../src/statement-formats/write-statement.ts'
import type { StatementWriting } from '../../src/statement-formats/writing.ts'
import { BODIES } from '../../src/wire/bodies.ts'
import { camtFaults } from './camt-rules.ts'
import { generatedStatement, SAMPLE, statementOf } from './generated-statements.ts'

const CREATED_AT = startOfDay(SAMPLE.toDay + 1) + 60_000
const RUNS = 100
const WRITING: StatementWriting = {
  language: 'fr',
  createdAt: CREATED_AT,
  accountsOf: () => SYSCOHADA,
  business: {
    legalName: 'Awa SARL',
    registration: 'NE-1',
    country: 'NE',
    city: 'Niamey',
    address: '',
    contact: '',
  },
}

async function fileOf(
  statement: AccountStatement<StatementRow[]>,
  format: StatementFormat,
  language: Language = 'fr',
): Promise<Buffer> {
  const { content } = writeStatement(streamed(statement), format, { ...WRITING, language })
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** As an action reads it: the sums come after the head. */
const streamed = (statement: AccountStatement<StatementRow[]>): StreamedStatement => ({
  ...statement,
  summing: (async function* () {
    yield undefined
    return statement
  })(),
})

const forAny = (
  check: (statement: AccountStatement<StatementRow[]>) => Promise<void>,
): Promise<void> => fc.assert(fc.asyncProperty(generatedStatement, check), { numRuns: RUNS })

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** The heading of a table ends with the line that names its columns. */
const HEADING_LINES = 21
const OPENING_LINE = 5
const CLOSING_LINE = 14
const readCsv = (file: Buffer): string[][] =>
  parse(file, { bom: true, delimiter: ';', record_delimiter: '\r\n', relax_column_count: true })

const withoutGuards = (text: string): string =>
  text.replace(/([,;|\t\r\n]\s*)'+(?=[=+\-@＝＋－＠])/g, '$1')

/**
 * A guarded cell has apostrophes, one that is like a number the form of a text. A lone surrogate
 * has no UTF-8 form.
 */
function isCellOf(cell: string | undefined, written: string): boolean {
  const text = withoutGuards(written.toWellFormed())
  return [text, `'${text}`, `="${text}"`].includes(withoutGuards(cell ?? ''))
}

it('statement as CSV: every line ends with CRLF, and the first character is the byte order mark', async () => {
  const text = (await fileOf(SAMPLE, 'csv')).toString()
  assert.equal(text[0], '\ufeff')
  assert.equal(text.split('\r\n').length, text.split('\n').length)
  assert.deepEqual(readCsv(Buffer.from(text)).slice(OPENING_LINE), [
    ['', 'Solde d’ouverture', '', '2000'],
    ['', 'Encaissements', '13250'],
    ['', 'Remboursements', '-1500'],
    ['', 'Frais', '-188'],
    ['', 'Taxes', '-34'],
    ['', 'Sommes bloquées', '0'],
    ['', 'Virements vers la banque', '-10000'],
    ['', 'Mouvements à expliquer', '0'],
    ['', 'Autres mouvements', '0'],
    ['', 'Solde de clôture', '', '3528'],
    ['', 'Encaissements pas encore confirmés', '-750'],
    ['', 'Encaissements datés par le réseau hors de la période', '0'],
    ['', 'Confirmations d’encaissements hors de la période', '0'],
    ['', 'Encaissements confirmés par le réseau', '12500'],
    [''],
    [
      'Date et heure',
      'Opération',
      'Montant (FCFA)',
      'Solde (FCFA)',
      'Confirmé par le réseau',
      'Code du paiement',
      'Votre référence',
      'Référence de l’opérateur',
      'Référence du remboursement',
      'Référence du paiement',
      'Date de valeur',
      'N° d’écriture',
    ],
    ...SAMPLE.rows.map((row, place) => [
      '15/11/2026 10:30:00',
      KINDS_OF_SAMPLE[place],
      String(row.amountXof),
      String(row.balanceXof),
      row.isConfirmed ? 'oui' : 'non',
      row.publicReference,
      row.externalReference,
      row.operatorReference,
      row.refundReference,
      row.reference,
      '15/11/2026',
      String(row.entry),
    ]),
  ])
})

const KINDS_OF_SAMPLE = [
  'Encaissement',
  'Frais du réseau',
  'Taxe',
  'Remboursement',
  'Virement vers la banque',
  'Encaissement',
]

it('statement as CSV: read back, the opening balance and the rows make the closing balance', () =>
  forAny(async (statement) => {
    const lines = readCsv(await fileOf(statement, 'csv'))
    const rows = lines.slice(HEADING_LINES)
    assert.equal(Number(lines[OPENING_LINE]?.[3]), statement.openingXof)
    assert.equal(Number(lines[CLOSING_LINE]?.[3]), statement.closingXof)
    assert.equal(
      statement.openingXof + sum(rows.map((row) => Number(row[2]))),
      statement.closingXof,
    )
    for (const [place, row] of statement.rows.entries()) {
      const cells = rows[place] as string[]
      assert.equal(cells[0], localTimeText(row.bookedAt))
      assert.deepEqual([Number(cells[2]), Number(cells[3])], [row.amountXof, row.balanceXof])
      assert.ok(
        isCellOf(cells[6], row.externalReference) && isCellOf(cells[7], row.operatorReference),
        String(cells),
      )
      assert.deepEqual([cells[10], cells[11]], [localDayText(row.day), String(row.entry)])
    }
  }))

const FORMULA = /(^|[,;|\t\r\n])\s*[=+\-@]|^[\t\r\n]/

it('statement as CSV: no cell with text from outside begins a formula', () =>
  forAny(async (statement) => {
    const texts = readCsv(await fileOf(statement, 'csv')).flatMap((cells, line) =>
      line < HEADING_LINES ? cells.slice(1, 2) : cells.slice(5, 10),
    )
    // A text that is like a number is kept as a text by the formula `="…"`, which holds nothing but
    // digits and signs.
    for (const text of texts) {
      if (!/^="[+\d-][\d \u00a0\u202f.,:/eE+-]*"$/.test(text)) assert.doesNotMatch(text, FORMULA)
    }
  }))

/** XLSX writes characters that XML cannot hold as `_x0000_`; the reader leaves them as they are. */
const isPlain = (text: string): boolean =>
  text.isWellFormed() && !/[\p{Cc}\ufffe\uffff]|_x/u.test(text)

it('statement as XLSX: read back, amounts are integers, times are dates, and the sums are right', () =>
  forAny(async (statement) => {
    const lines = await readSheet(await fileOf(statement, 'xlsx'), { trim: false })
    const rows = lines.slice(HEADING_LINES)
    assert.equal(rows.length, statement.rows.length)
    assert.equal(lines[OPENING_LINE]?.[3], statement.openingXof)
    assert.equal(lines[CLOSING_LINE]?.[3], statement.closingXof)
    assert.equal(
      statement.openingXof + sum(rows.map((row) => row[2] as number)),
      statement.closingXof,
    )
    for (const [place, row] of statement.rows.entries()) {
      const cells = rows[place] as unknown[]
      assert.deepEqual(
        [cells[2], cells[3], cells[10], cells[11]],
        [row.amountXof, row.balanceXof, localDate(startOfDay(row.day)), row.entry],
      )
      // A spreadsheet's time is a fraction of a day.
      assert.ok(Math.abs(Number(cells[0]) - Number(localDate(row.bookedAt))) <= 1)
      if (isPlain(row.externalReference)) assert.equal(cells[6] ?? '', row.externalReference)
    }
  }))

it('statement as XLSX: headings are in the language of the reader', async () => {
  for (const [language, title, column] of [
    ['fr', 'Relevé de compte', 'Date et heure'],
    ['en', 'Account statement', 'Date and time'],
  ] as const) {
    const lines = await readSheet(await fileOf(SAMPLE, 'xlsx', language))
    assert.deepEqual(
      [lines[0]?.slice(0, 2), lines[HEADING_LINES - 1]?.[0]],
      [[title, 'Boutique Awa'], column],
    )
  }
})

it('statement as JSON: it has the form of the API, and the sums are right', () =>
  forAny(async (statement) => {
    const body = BODIES.Statement.parse(JSON.parse((await fileOf(statement, 'json')).toString()))
    assert.equal(body.opening + sum(body.movements.map(({ amount }) => amount)), body.closing)
    assert.deepEqual([body.opening, body.closing], [statement.openingXof, statement.closingXof])
    assert.deepEqual(
      body.movements.map((row) => [row.entry, row.kind, row.amount, row.balance, row.is_confirmed]),
      statement.rows.map((row) => [
        row.entry,
        row.kind,
        row.amountXof,
        row.balanceXof,
        row.isConfirmed,
      ]),
    )
  }))

const rootOf = (xml: string): Element => {
  // It warns of the character that replaces a lone surrogate.
  const onError = (level: string, message: string): void => assert.equal(level, 'warning', message)
  return new DOMParser({ onError }).parseFromString(xml, 'text/xml').documentElement as Element
}

it('statement as CAMT.053: it keeps the rules of the schema', () =>
  forAny(async (statement) => {
    assert.deepEqual(camtFaults(rootOf((await fileOf(statement, 'camt053')).toString())), [])
  }))

const BREAKS: readonly [what: string, from: RegExp, to: string, fault: RegExp][] = [
  ['a missing status', /<Sts>.*?<\/Sts>/, '', /^Document\/BkToCstmrStmt\/Stmt\/Ntry holds/],
  ['a wrong order', /(<CdtDbtInd>CRDT<\/CdtDbtInd>)(<Sts>.*?<\/Sts>)/, '$2$1', /Ntry holds/],
  ['a decimal of a franc', />12500<\/Amt>/, '>12500.00</Amt>', /Amt is "12500.00"/],
  ['an amount with a sign', />12500<\/Amt>/, '>-12500</Amt>', /Amt is "-12500"/],
  ['another currency', /Ccy="XOF"/, 'Ccy="EUR"', /attributes Ccy=EUR/],
  [
    'a long reference',
    /order-2026-0001<\/EndToEndId>/,
    `${'1'.repeat(36)}</EndToEndId>`,
    /EndToEndId is/,
  ],
  ['an empty reference', /order-2026-0001<\/EndToEndId>/, '</EndToEndId>', /EndToEndId is ""/],
  ['a wrong day', /2026-11-15<\/Dt>/, '15/11/2026</Dt>', /Dt is "15/],
  ['no balance', /<Bal>.*<\/Bal>/, '', /Stmt holds/],
]

it('statement as CAMT.053: the rules of this test refuse a broken file', async () => {
  const xml = (await fileOf(SAMPLE, 'camt053')).toString()
  for (const [what, from, to, fault] of BREAKS) {
    const faults = camtFaults(rootOf(xml.replace(from, to)))
    assert.ok(faults.length > 0, what)
    assert.match(faults[0] as string, fault, what)
  }
})

const signed = ({
  amount,
  creditDebitIndicator,
}: Pick<Transaction, 'amount' | 'creditDebitIndicator'>): number => {
  assert.equal(amount.currency, 'XOF')
  return creditDebitIndicator === 'DBIT' ? -Number(amount.value) : Number(amount.value)
}

it('statement as CAMT.053: read back, booked entries make the closing balance, and all make the expected one', () =>
  forAny(async (statement) => {
    const { statements } = await parseCamt053((await fileOf(statement, 'camt053')).toString())
    const [read] = statements
    assert.ok(read !== undefined && statements.length === 1)
    const balances = new Map(read.balances.map((balance) => [balance.type, signed(balance)]))
    const booked = read.transactions.filter(({ status }) => status === 'BOOK')
    assert.equal(balances.get('OPBD'), statement.openingXof)
    assert.equal(balances.get('CLBD'), statement.openingXof + sum(booked.map(signed)))
    assert.equal(balances.get('XPCD') ?? balances.get('CLBD'), statement.closingXof)
    assert.equal(statement.openingXof + sum(read.transactions.map(signed)), statement.closingXof)
    assert.deepEqual(read.transactions.map(readEntry), statement.rows.map(expectedEntry))
    const of = (rows: readonly StatementRow[]) => ({
      numberOfEntries: String(rows.length),
      sum: String(Math.abs(sum(rows.map(({ amountXof }) => amountXof)))),
    })
    assert.deepEqual(read.transactionSummary, {
      totalCreditEntries: of(statement.rows.filter(({ amountXof }) => amountXof > 0)),
      totalDebitEntries: of(statement.rows.filter(({ amountXof }) => amountXof < 0)),
    })
  }))

const readEntry = (entry: Transaction): unknown[] => [
  entry.reference,
  signed(entry),
  entry.status,
  entry.bookingDate,
  entry.valueDate,
  entry.bankTransactionCode,
  entry.reversalIndicator,
]

const expectedEntry = (row: StatementRow): unknown[] => [
  String(row.entry),
  row.amountXof,
  row.isConfirmed ? 'BOOK' : 'PDNG',
  dayText(dayOf(row.bookedAt)),
  dayText(row.day),
  row.kind.toUpperCase(),
  row.kind === 'reversal',
]

it('statement as CAMT.053: the heading has the wallet, the period, the balances and the totals', async () => {
  const xml = (await fileOf(SAMPLE, 'camt053')).toString()
  const [{ fromDateTime, toDateTime, account, balances } = assert.fail()] = (
    await parseCamt053(xml)
  ).statements
  assert.deepEqual(
    [fromDateTime, toDateTime],
    ['2026-11-01T00:00:00+01:00', '2026-11-30T23:59:59+01:00'],
  )
  assert.deepEqual(
    [account.currency, account.name, account.owner.name],
    ['XOF', 'MTN MoMo (Bénin)', 'Boutique Awa'],
  )
  assert.deepEqual(
    balances.map((balance) => [balance.type, signed(balance), balance.date]),
    [
      ['OPBD', 2_000, '2026-11-01'],
      ['CLBD', 2_778, '2026-11-30'],
      ['XPCD', 3_528, '2026-11-30'],
    ],
  )
  const root = rootOf(xml)
  assert.equal(
    root.getElementsByTagName('TtlNtries')[0]?.textContent,
    ['6', '24972', '1528', 'CRDT'].join(''),
  )
  for (const entry of root.getElementsByTagName('Ntry')) {
    const [whole, detail, ...others] = [...entry.getElementsByTagName('Amt')].map(
      ({ textContent }) => textContent,
    )
    assert.deepEqual([detail, others], [whole, []])
  }
})

const LONG = `order ${'é'.repeat(240)}`
const REFERENCES: readonly [what: string, given: string, endToEndId: string][] = [
  ['a short one', 'order-2026-0001', 'order-2026-0001'],
  ['a UUID', '0e0ab2b1-9d2c-4a4e-8d0e-3f6b1c2d4e5f', '0e0ab2b19d2c4a4e8d0e3f6b1c2d4e5f'],
  ['one of 246 characters', LONG, 'NOTPROVIDED'],
  ['none', '', 'NOTPROVIDED'],
  ['blanks', '  ', 'NOTPROVIDED'],
]

it('statement as CAMT.053: references that fit are in their elements, and all are whole in the remittance text', async () => {
  const row = SAMPLE.rows[0] as StatementRow
  const rows = REFERENCES.map(([, externalReference]) => ({ ...row, externalReference }))
  const xml = (await fileOf(statementOf(SAMPLE, rows), 'camt053', 'en')).toString()
  const [{ transactions } = assert.fail()] = (await parseCamt053(xml)).statements
  const texts = [...rootOf(xml).getElementsByTagName('RmtInf')].map(
    ({ textContent }) => textContent,
  )
  for (const [place, [what, given, endToEndId]] of REFERENCES.entries()) {
    const references = { endToEndId, accountServicerReference: '8842017731' }
    assert.deepEqual(transactions[place]?.details[0]?.references, references, what)
    assert.equal(
      texts[place],
      `Payment received XF5X-ZEBB-9 ${`${given} `.trimStart()}8842017731`,
      what,
    )
  }
})

it('statement as CAMT.053: a wallet has one account number in all its statements, and another wallet another', async () => {
  const numberOf = async (statement: AccountStatement<StatementRow[]>) =>
    rootOf((await fileOf(statement, 'camt053')).toString()).getElementsByTagName('Othr')[0]
      ?.textContent
  const number = await numberOf(SAMPLE)
  assert.equal(await numberOf({ ...SAMPLE, fromDay: SAMPLE.fromDay + 1, rows: [] }), number)
  assert.notEqual(await numberOf({ ...SAMPLE, connection: 'mtn-niger' }), number)
  assert.notEqual(await numberOf({ ...SAMPLE, accountId: 'acc_ba9876543210' }), number)
})

interface JournalLine {
  date: string
  piece: string
  account: string
  debitXof: number
}

async function readJournal(statement: AccountStatement<StatementRow[]>): Promise<JournalLine[]> {
  const [, ...lines] = readCsv(await fileOf(statement, 'syscohada'))
  return lines.map(([date = '', , piece = '', account = '', , debit = '', credit = '']) => {
    assert.ok((debit === '') !== (credit === ''), 'a line is a debit or a credit')
    return { date, piece, account, debitXof: Number(debit) - Number(credit) }
  })
}

it('statement as a SYSCOHADA journal: each kind of row has its account', async () => {
  const lines = readCsv(await fileOf(SAMPLE, 'syscohada')).map((cells) =>
    cells.slice(2).join(' | '),
  )
  const matching = 'order-2026-0001 | 8842017731 | oui'
  const last = 'Facture n°12 <Niamey> & fils | 8842017731 | non'
  const refunded = 'order-2026-0001 | 8842017999 | oui'
  assert.deepEqual(lines, [
    'Pièce | Compte | Libellé | Débit | Crédit | Votre référence | Référence de l’opérateur | Confirmé par le réseau',
    `ME-41 | 552 | Encaissement order-2026-0001 | 12500 |  | ${matching}`,
    `ME-41 | 4111 | Encaissement order-2026-0001 |  | 12500 | ${matching}`,
    'ME-42 | 631 | Frais du réseau | 188 |  |  |  | oui',
    'ME-42 | 552 | Frais du réseau |  | 188 |  |  | oui',
    'ME-43 | 645 | Taxe | 34 |  |  |  | oui',
    'ME-43 | 552 | Taxe |  | 34 |  |  | oui',
    `ME-44 | 4111 | Remboursement order-2026-0001 | 1500 |  | ${refunded}`,
    `ME-44 | 552 | Remboursement order-2026-0001 |  | 1500 | ${refunded}`,
    'ME-45 | 585 | Virement vers la banque | 10000 |  |  |  | oui',
    'ME-45 | 552 | Virement vers la banque |  | 10000 |  |  | oui',
    `ME-46 | 552 | Encaissement XF5X-ZEBB-9 8842017731 | 750 |  | ${last}`,
    `ME-46 | 4111 | Encaissement XF5X-ZEBB-9 8842017731 |  | 750 | ${last}`,
  ])
})

it('statement as a SYSCOHADA journal: a label has at most 35 characters', () =>
  forAny(async (statement) => {
    const [, ...lines] = readCsv(await fileOf(statement, 'syscohada'))
    for (const [, , , , label = ''] of lines)
      assert.ok([...withoutGuards(label)].length <= 35, label)
  }))

it('statement as a SYSCOHADA journal: in each document debits equal credits, and class 55 has no credit balance', () =>
  forAny(async (statement) => {
    const lines = await readJournal(statement)
    const byPiece = Map.groupBy(lines, ({ piece }) => piece)
    assert.deepEqual(
      [...byPiece.keys()],
      statement.rows.map(({ entry }) => `ME-${entry}`),
    )
    let wallet = Math.max(statement.openingXof, 0)
    for (const [place, document] of [...byPiece.values()].entries()) {
      assert.equal(sum(document.map(({ debitXof }) => debitXof)), 0)
      assert.equal(document[0]?.date, localDayText(statement.rows[place]?.day as number))
      wallet += sum(
        document.filter(({ account }) => account.startsWith('55')).map(({ debitXof }) => debitXof),
      )
      assert.ok(wallet >= 0, 'class 55 has a credit balance')
    }
    const money = lines.filter(({ account }) => account === '552' || account === '4712')
    assert.equal(
      statement.openingXof + sum(money.map(({ debitXof }) => debitXof)),
      statement.closingXof,
    )
  }))

it('statements: a long one is written in small chunks', async () => {
  const rows = Array.from({ length: 5_000 }, () => SAMPLE.rows[0] as StatementRow)
  const long = statementOf(SAMPLE, rows)
  for (const format of STATEMENT_FORMATS) {
    let largest = 0
    const { content } = writeStatement(streamed(long), format, WRITING)
    for await (const chunk of content) largest = Math.max(largest, chunk.length)
    assert.ok(largest > 0 && largest < 200_000, `${format}: ${largest}`)
  }
})

it('statements: the name of a file holds its connection and period, and no character of a path', () => {
  const NAMES: [connection: string, label: string | null, expected: string][] = [
    ['../mtn "b"', null, 'mtn-b'],
    ['mtn_bj', null, 'MTN-MoMo-Benin'],
    ['con_0123456789abcdef', '../Été & fils', 'Ete-fils'],
    ['con_0123456789abcdef', '🧺', ''],
  ]
  for (const [connection, connectionLabel, expected] of NAMES) {
    const named = streamed({ ...SAMPLE, connection, connectionLabel })
    const { fileName, contentType } = writeStatement(named, 'camt053', WRITING)
    const parts = ['releve', expected, '2026-11-01', '2026-11-30'].filter(Boolean)
    assert.equal(fileName, `${parts.join('-')}.camt053.xml`)
    assert.equal(contentType, 'application/xml; charset=utf-8')
  }
})
