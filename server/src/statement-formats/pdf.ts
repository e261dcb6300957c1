// A statement as a PDF of A4 sheets: whose it is, the sums of each connection, and its movements.
// Each page leaves when it is full. The library and its fonts are loaded with the first one: idle
// servers stay small.
import type { StatementRow, StatementSums } from '../domain/books/account-statement.ts'
import { dayOf, localDayText, localTimeText } from '../domain/countries/business-day.ts'
import { grouped, writeAmount } from '../domain/payments/money.ts'
import { PDF_FONTS } from './pdf-fonts.ts'
import { kindText, reconciliationLines, WORDS, type Words } from './words.ts'
import type { NamedStatement, StatementWriting } from './writing.ts'

/** About 250 pages. Nobody reads more of them, and every other format has all movements. */
const MOST_ROWS = 10_000
/** A row takes 0.2 ms. */
const ROWS_PER_CHUNK = 10

const [WIDTH, HEIGHT, MARGIN] = [595, 842, 40]
const LINE = WIDTH - 2 * MARGIN
/** The page's number is below it. */
const BOTTOM = HEIGHT - MARGIN - 14
const [INK, SOFT, RULE, WARNING] = ['#221e33', '#605a6c', '#c9c4d2', '#a12b18']

type Drawn = InstanceType<typeof import('pdfkit')>

interface Sheet {
  document: Drawn
  words: Words
  writing: StatementWriting
  page: number
}

export async function* pdfStatement(
  statements: readonly NamedStatement[],
  writing: StatementWriting,
): AsyncGenerator<Uint8Array> {
  const sheet = await openSheet(statements, writing)
  const { document } = sheet
  /** Empty when nothing is finished yet: its sender pauses. */
  const written = (): Uint8Array => (document.read() as Uint8Array | null) ?? new Uint8Array()
  drawHead(sheet, statements)
  for (const statement of statements) {
    drawSums(sheet, statement)
    yield written()
    const movements = statement.totals.credits + statement.totals.debits
    if (movements > MOST_ROWS) {
      drawNote(sheet, sheet.words.pdf.tooMany(grouped(movements, writing.language)))
      continue
    }
    drawNote(sheet, sheet.words.pdf.star)
    drawColumns(sheet)
    let rows = 0
    for await (const row of statement.rows) {
      drawRow(sheet, row)
      if (++rows % ROWS_PER_CHUNK === 0) yield written()
    }
  }
  document.end()
  yield* document as AsyncIterable<Uint8Array>
}

async function openSheet(
  statements: readonly NamedStatement[],
  writing: StatementWriting,
): Promise<Sheet> {
  const { default: PDFDocument } = await import('pdfkit')
  const words = WORDS[writing.language]
  const document = new PDFDocument({
    size: 'A4',
    margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: 0 },
    lang: writing.language,
    // Else every word of every row stays in memory.
    fontLayoutCache: false,
    info: {
      Title: `${words.title} ${statements[0]?.merchantName ?? ''}`,
      Author: 'Karba',
      CreationDate: new Date(writing.createdAt),
    },
  })
  document.registerFont('plain', PDF_FONTS.plain).registerFont('bold', PDF_FONTS.bold)
  const sheet = { document, words, writing, page: 1 }
  drawPageNumber(sheet)
  return sheet
}

function drawHead(sheet: Sheet, [first]: readonly NamedStatement[]): void {
  if (first === undefined) throw new Error('a file of no statement')
  const { document, words, writing } = sheet
  const { merchantName, environment, fromDay, toDay } = first
  document
    .fillColor(INK)
    .font('bold')
    .fontSize(18)
    .text(words.title, MARGIN, MARGIN, { width: LINE })
  document.fontSize(11).text(`${localDayText(fromDay)} – ${localDayText(toDay)}`, { width: LINE })
  if (environment === 'sandbox')
    document.fillColor(WARNING).fontSize(10).text(words.environments.sandbox)
  document.moveDown(0.6)
  for (const [name, value] of particularsOf(merchantName, sheet)) drawDetail(sheet, name, value)
  drawDetail(sheet, words.pdf.writtenAt, localTimeText(writing.createdAt))
  document.moveDown(0.6)
}

/** What the merchant's file has; a field that it lacks is left out. */
function particularsOf(
  merchantName: string,
  { words, writing }: Sheet,
): [name: string, value: string][] {
  const { legalName, registration, address, city, country, contact } = writing.business
  const place = [address, city, country].filter((part) => part.trim() !== '').join(', ')
  const fields: [name: string, value: string][] = [
    [words.pdf.merchant, legalName || merchantName],
    [words.pdf.tradeName, legalName === '' || legalName === merchantName ? '' : merchantName],
    [words.pdf.registration, registration],
    [words.pdf.address, place],
    [words.pdf.contact, contact],
  ]
  return fields.filter(([, value]) => value !== '')
}

const NAME_WIDTH = 120

function drawDetail({ document }: Sheet, name: string, value: string): void {
  const { y } = document
  document
    .fillColor(SOFT)
    .font('plain')
    .fontSize(9)
    .text(name, MARGIN, y, { width: NAME_WIDTH - 8 })
  const nextAfterName = document.y
  document
    .fillColor(INK)
    .font('bold')
    .text(value, MARGIN + NAME_WIDTH, y, { width: LINE - NAME_WIDTH, height: 36, ellipsis: true })
  document.y = Math.max(document.y, nextAfterName) + 2
  document.x = MARGIN
}

const SUM_WIDTH = 370

function drawSums(sheet: Sheet, statement: NamedStatement): void {
  const { document, words } = sheet
  const sums = Object.keys(words.sums) as (keyof StatementSums)[]
  makeRoom(sheet, 60 + (sums.length + 3) * 14)
  document
    .fillColor(INK)
    .font('bold')
    .fontSize(12)
    .text(statement.connectionName, MARGIN, document.y + 8, {
      width: LINE,
      height: 16,
      ellipsis: true,
    })
  document.y += 4
  if (statement.isShared) drawNote(sheet, words.sharedWallet)
  for (const name of sums) {
    if (name === 'confirmedXof')
      for (const [label, xof] of reconciliationLines(statement, words))
        if (xof !== 0) drawSum(sheet, label, xof)
    const isBalance = name === 'openingXof' || name === 'closingXof'
    drawSum(sheet, words.sums[name], statement[name], isBalance)
  }
  document.y += 6
}

function drawSum(
  { document, writing }: Sheet,
  label: string,
  xof: number,
  isBalance = false,
): void {
  const { y } = document
  document.fillColor(isBalance ? INK : SOFT).font(isBalance ? 'bold' : 'plain')
  document.fontSize(9).text(label, MARGIN, y, { width: SUM_WIDTH - 80 })
  document
    .fillColor(INK)
    .text(writeAmount(xof, writing.language), MARGIN, y, { width: SUM_WIDTH, align: 'right' })
  document.y = y + 14
}

function drawNote({ document }: Sheet, text: string): void {
  document.fillColor(SOFT).font('plain').fontSize(9).text(text, MARGIN, document.y, { width: LINE })
  document.moveDown()
}

interface PdfColumn {
  heading: (words: Words) => string
  width: number
  align?: 'right'
  cell: (row: StatementRow, sheet: Sheet) => string
}

const COLUMNS: readonly PdfColumn[] = [
  { heading: ({ columns }) => columns.bookedAt, width: 92, cell: dateOf },
  {
    heading: ({ columns }) => columns.kind,
    width: 128,
    cell: (row, { words }) => `${kindText(row, words)}${row.isConfirmed ? '' : ' *'}`,
  },
  {
    heading: ({ pdf }) => pdf.reference,
    width: 137,
    cell: ({ externalReference, publicReference, operatorReference }) =>
      externalReference || publicReference || operatorReference,
  },
  {
    heading: ({ columns }) => columns.amount,
    width: 79,
    align: 'right',
    cell: ({ amountXof }, { writing }) => grouped(amountXof, writing.language),
  },
  {
    heading: ({ columns }) => columns.balance,
    width: 79,
    align: 'right',
    cell: ({ balanceXof }, { writing }) => grouped(balanceXof, writing.language),
  },
]

/** A network's statement may bring a movement on a later day than it is of. */
function dateOf({ bookedAt, day }: StatementRow): string {
  return dayOf(bookedAt) === day ? localTimeText(bookedAt) : localDayText(day)
}

const ROW_HEIGHT = 13

function drawColumns(sheet: Sheet): void {
  const { document, words } = sheet
  makeRoom(sheet, 3 * ROW_HEIGHT)
  document.fillColor(SOFT).font('bold').fontSize(7.5)
  drawCells(sheet, (column) => column.heading(words))
  document
    .moveTo(MARGIN, document.y)
    .lineTo(MARGIN + LINE, document.y)
    .lineWidth(0.5)
    .strokeColor(RULE)
    .stroke()
  document.y += 3
}

/** What the network's statement does not have yet is in grey, and has a star. */
function drawRow(sheet: Sheet, row: StatementRow): void {
  const { document } = sheet
  if (document.y + ROW_HEIGHT > BOTTOM) {
    addPage(sheet)
    drawColumns(sheet)
  }
  document
    .fillColor(row.isConfirmed ? INK : SOFT)
    .font('plain')
    .fontSize(7.5)
  drawCells(sheet, (column) => column.cell(row, sheet))
}

function drawCells(sheet: Sheet, textOf: (column: PdfColumn) => string): void {
  const { document } = sheet
  const { y } = document
  let x = MARGIN
  for (const column of COLUMNS) {
    document.text(textOf(column), x, y, {
      width: column.width - 6,
      height: 9,
      ellipsis: true,
      align: column.align ?? 'left',
    })
    x += column.width
  }
  document.x = MARGIN
  document.y = y + ROW_HEIGHT
}

function makeRoom(sheet: Sheet, height: number): void {
  if (sheet.document.y + height > BOTTOM) addPage(sheet)
}

function addPage(sheet: Sheet): void {
  sheet.document.addPage()
  sheet.page++
  drawPageNumber(sheet)
}

function drawPageNumber({ document, words, page }: Sheet): void {
  const text = `${words.pdf.page} ${page}`
  document.fillColor(SOFT).font('plain').fontSize(8)
  document.text(text, MARGIN, HEIGHT - MARGIN, { width: LINE, align: 'right', lineBreak: false })
  document.x = MARGIN
  document.y = MARGIN
}
