// A receipt as a PDF of one A6 sheet. The library and its fonts are loaded with the first one: idle
// servers stay small.
import { writeAmount } from '../domain/payments/money.ts'
import type { Language } from '../domain/texts/language.ts'
import { qrPath } from '../http/qr-code.ts'
import { PDF_FONTS } from '../statement-formats/pdf-fonts.ts'
import { checkAddress, type ReceiptView, receiptState, receiptTitle } from './receipt-page.ts'
import { RECEIPT_WORDS, WORDS, writeDayAndTime } from './words.ts'

const [WIDTH, MARGIN, QR_SIDE] = [298, 24, 96]
const [INK, SOFT, PAID, OTHER] = ['#221e33', '#605a6c', '#0f6b45', '#4d4a5c']
const LINE = WIDTH - 2 * MARGIN

export async function receiptPdf(view: ReceiptView, language: Language): Promise<Buffer> {
  const { default: PDFDocument } = await import('pdfkit')
  const words = RECEIPT_WORDS[language]
  const document = new PDFDocument({
    size: 'A6',
    margin: MARGIN,
    lang: language,
    info: {
      Title: `${words.title} ${view.code}`,
      Author: 'Karba',
      CreationDate: new Date(view.validatedAt),
    },
  })
  document.registerFont('plain', PDF_FONTS.plain).registerFont('bold', PDF_FONTS.bold)
  const parts: Buffer[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    document
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => resolve(Buffer.concat(parts)))
      .on('error', reject)
  })
  drawHead(document, view, language)
  drawRows(document, rowsOf(view, language))
  drawCode(document, view, language)
  document.end()
  return done
}

type Drawn = InstanceType<typeof import('pdfkit')>

function drawHead(document: Drawn, view: ReceiptView, language: Language): void {
  const words = RECEIPT_WORDS[language]
  const isPaid = receiptState(view) !== 'refunded' && !view.isTest
  document.rect(0, 0, WIDTH, 64).fill(isPaid ? PAID : OTHER)
  document.fillColor('#fff').font('plain').fontSize(9).text('Karba', MARGIN, 14, { width: LINE })
  document
    .font('bold')
    .fontSize(12)
    .text(receiptTitle(view, language), MARGIN, 32, { width: LINE, height: 20, ellipsis: true })
  document.y = 76
  if (view.isTest) {
    document
      .fillColor('#a12b18')
      .font('bold')
      .fontSize(10)
      .text(words.testHint, MARGIN, document.y, { width: LINE })
    document.y += 4
  }
  document
    .fillColor(INK)
    .font('bold')
    .fontSize(22)
    .text(writeAmount(view.amountXof, language), MARGIN, document.y)
  document.y += 4
}

function rowsOf(view: ReceiptView, language: Language): [name: string, value: string][] {
  const words = RECEIPT_WORDS[language]
  const given: [string, string][] = [[words.given, writeAmount(view.refundedXof, language)]]
  return [
    [words.to, view.merchantName],
    [words.at, writeDayAndTime(view.validatedAt, language)],
    ...(receiptState(view) === 'paid' ? [] : given),
    [words.state, receiptTitle(view, language)],
    [WORDS[language].reference, view.publicReference],
  ]
}

function drawRows(document: Drawn, rows: readonly [name: string, value: string][]): void {
  const nameWidth = 84
  for (const [name, value] of rows) {
    const { y } = document
    document
      .fillColor(SOFT)
      .font('plain')
      .fontSize(8.5)
      .text(name, MARGIN, y, { width: nameWidth - 6 })
    document
      .fillColor(INK)
      .font('bold')
      .text(value, MARGIN + nameWidth, y, { width: LINE - nameWidth, height: 33, ellipsis: true })
    document.y = Math.max(document.y, y + 12) + 3
  }
}

function drawCode(document: Drawn, view: ReceiptView, language: Language): void {
  const words = RECEIPT_WORDS[language]
  const top = 420 - MARGIN - QR_SIDE
  document
    .moveTo(MARGIN, top - 10)
    .lineTo(WIDTH - MARGIN, top - 10)
    .dash(3, { space: 3 })
    .strokeColor('#8a8375')
    .stroke()
    .undash()
  const { size, path } = qrPath(view.url)
  document
    .save()
    .translate(MARGIN - 8, top)
    .scale(QR_SIDE / size)
    .path(path)
    .lineWidth(1)
    .strokeColor('#000')
    .stroke()
    .restore()
  const left = MARGIN + QR_SIDE + 4
  const width = WIDTH - MARGIN - left
  document
    .fillColor(SOFT)
    .font('plain')
    .fontSize(8.5)
    .text(words.code, left, top + 8, { width })
  const [first, second] = halves(view.code)
  document.fillColor(INK).font('bold').fontSize(12).text(first, { width }).text(second, { width })
  document.moveDown(0.4).fillColor(SOFT).font('plain').fontSize(8.5)
  document.text(words.checkAt(checkAddress(view.url)), { width, link: view.url })
}

/** Broken where the code has a dash: it fits next to the QR code. */
function halves(code: string): [string, string] {
  const parts = code.split('-')
  const middle = Math.ceil(parts.length / 2)
  return [`${parts.slice(0, middle).join('-')}-`, parts.slice(middle).join('-')]
}
