// Statement files that are made to cost their reader time or memory: CSV, XLSX and GZIP. The same
// seed gives the same file.
import { deflateRawSync, gzipSync } from 'node:zlib'
import type { SeededRandom } from './seeded-random.ts'
import {
  workbook,
  workbookOfSheet,
  workbookParts,
  type ZipEntry,
  zipFile,
} from './statement-files.ts'

export interface HostileFile {
  form: string
  bytes: Buffer
}

/** The share of its full size that a file has: 1 costs what the limits allow, and beyond. */
type Make = (random: SeededRandom, share: number) => Buffer | string

const UNPACKED_BYTES = 190_000_000
export const HEADINGS = 'Date;Référence;Référence marchand;Type;Montant;Numéro;Statut\r\n'
export const LINE = '15/11/2026 09:30;A1;;Paiement;1 500;96 12 34 56;Réussi\r\n'

const filled = (text: string, bytes: number): string =>
  text.repeat(Math.ceil(bytes / Buffer.byteLength(text)))
const sheetOf = (rows: string): Buffer =>
  workbookOfSheet(`<worksheet xmlns="urn:x"><sheetData>${rows}</sheetData></worksheet>`)
const textsOf = (texts: string): Buffer =>
  changed('xl/sharedStrings.xml', `<sst xmlns="urn:x">${texts}</sst>`, [
    [{ xml: '<c t="s"><v>0</v></c>' }],
  ])

function changed(
  name: string,
  data: ZipEntry['data'],
  rows: Parameters<typeof workbookParts>[0] = [],
): Buffer {
  return zipFile(workbookParts(rows).map((part) => (part.name === name ? { ...part, data } : part)))
}

function damaged(file: Buffer, random: SeededRandom): Buffer {
  const bytes = Buffer.from(file)
  for (let nth = random.between(1, 20); nth > 0; nth--)
    bytes[random.below(bytes.length)] = random.below(256)
  return bytes.subarray(0, random.between(Math.ceil(bytes.length / 2), bytes.length))
}

export const aWorkbook = (random: SeededRandom, rows: number): Buffer =>
  workbook([
    ['Date', 'Amount', 'Id'],
    ...Array.from({ length: rows }, (_, at) => [
      '15/11/2026 09:30',
      random.below(10_000),
      `id ${at}`,
    ]),
  ])

/** The first ones cost most, and the quick tests use these. */
const FORMS: Readonly<Record<string, Make>> = {
  'XLSX with long texts of two bytes a letter': (_, share) =>
    textsOf(filled(`<si><t>中${'a'.repeat(3_990)}</t></si>`, UNPACKED_BYTES * share)),
  'XLSX with millions of different texts': (random, share) => {
    const bytes = Buffer.from(random.bytes(30_000)).toString('hex')
    let texts = ''
    for (let at = 0; at < 1_500_000 * share; at++) {
      const from = (at * 7) % 50_000
      texts += `<si><t>${at} ${bytes.slice(from, from + 60)}</t></si>`
    }
    return textsOf(texts)
  },
  'XLSX with millions of empty tags': (_, share) => sheetOf(filled('<x/>', UNPACKED_BYTES * share)),
  'XLSX with millions of empty cells': (_, share) =>
    sheetOf(filled(`<row>${'<c/>'.repeat(100)}</row>`, UNPACKED_BYTES * share)),
  'CSV with hundreds of thousands of lines': (_, share) =>
    HEADINGS + filled(LINE, 30_000_000 * share),
  'XLSX that is damaged': (random) => damaged(aWorkbook(random, random.between(1, 2_000)), random),
  'XLSX with millions of short texts': (_, share) =>
    textsOf(filled('<si><t>ab</t></si>', UNPACKED_BYTES * share)),
  'XLSX with millions of empty rows': (_, share) =>
    sheetOf(filled('<row/>', UNPACKED_BYTES * share)),
  'XLSX with 100 cells in each of its rows': (_, share) =>
    sheetOf(filled(`<row>${'<c><v>1</v></c>'.repeat(100)}</row>`, UNPACKED_BYTES * share)),
  'XLSX with a text of many pieces': (_, share) =>
    textsOf(`<si>${filled('<r><t>ab</t></r>', UNPACKED_BYTES * share)}</si>`),
  'XLSX with one endless text': (_, share) =>
    textsOf(`<si><t>${'a'.repeat(UNPACKED_BYTES * share)}</t></si>`),
  'XLSX with one endless attribute': (_, share) =>
    sheetOf(`<row r="${'1'.repeat(UNPACKED_BYTES * share)}"/>`),
  'XLSX with thousands of attributes': (_, share) =>
    sheetOf(`<row ${Array.from({ length: 900_000 * share }, (_, at) => `a${at}=""`).join(' ')}/>`),
  'XLSX with tags in each other': (_, share) => sheetOf('<a>'.repeat(10_000_000 * share)),
  'XLSX with entities': () =>
    workbookOfSheet(
      '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><worksheet><sheetData><row><c><v>&b;</v></c></row></sheetData></worksheet>',
    ),
  'XLSX with a cell far away': () =>
    sheetOf('<row r="1000000000"><c r="ZZZ1000000000"><v>1</v></c></row>'),
  'XLSX that unpacks to more than it says': (_, share) =>
    zipFile(
      workbookParts([]).map((part) =>
        part.name.endsWith('sheet2.xml')
          ? { ...part, data: Buffer.alloc(UNPACKED_BYTES * share, 32), declaredBytes: 1_000 }
          : part,
      ),
    ),
  'XLSX with thousands of parts': (_, share) =>
    zipFile([
      ...workbookParts([]),
      ...Array.from({ length: 5_000 * share }, (_, at) => ({ name: `${at}`, data: '' })),
    ]),
  'XLSX of bytes that do not pack': (random, share) =>
    Buffer.concat([
      aWorkbook(random, 10),
      deflateRawSync(Buffer.from(random.bytes(1_000))),
      noise(random, 19_000_000 * share),
    ]),
  'CSV with an endless quote': (_, share) => `${HEADINGS}"${'a'.repeat(30_000_000 * share)}`,
  'CSV with an endless line': (_, share) => HEADINGS + 'a'.repeat(30_000_000 * share),
  'CSV with a million cells in a line': (_, share) => HEADINGS + ';'.repeat(30_000_000 * share),
  'CSV with millions of empty lines': (_, share) => HEADINGS + '\n'.repeat(30_000_000 * share),
  'CSV with millions of quotes': (_, share) => HEADINGS + '"";""\n'.repeat(5_000_000 * share),
  'CSV with the longest cells': (_, share) =>
    HEADINGS + filled(`${'x'.repeat(3_999)};`.repeat(99).concat('\n'), 30_000_000 * share),
  'CSV with NUL': (_, share) => HEADINGS + '\0'.repeat(10_000_000 * share),
  'CSV in half of UTF-16': (random) =>
    Buffer.from(`\ufeff${HEADINGS}${LINE}`, 'utf16le').subarray(0, random.between(3, 150)),
  'CSV that is damaged': (random) =>
    damaged(Buffer.from(HEADINGS + LINE.repeat(random.between(1, 5_000))), random),
  'bytes of no form': (random) => noise(random, random.between(1, 100_000)),
  'GZIP bomb': (_, share) => gzipSync(Buffer.alloc(UNPACKED_BYTES * share)),
}

export const HOSTILE_FORMS = Object.keys(FORMS)

/** Noise is drawn once and repeated with a shift: drawing megabytes takes seconds. */
function noise(random: SeededRandom, bytes: number): Buffer {
  const drawn = Buffer.from(random.bytes(Math.min(bytes, 65_536)))
  const parts = Array.from({ length: Math.ceil(bytes / 65_536) }, (_, at) =>
    drawn.map((byte) => (byte + at) & 255),
  )
  return Buffer.concat(parts).subarray(0, bytes)
}

export function hostileFile(random: SeededRandom, form: string, share: number): HostileFile {
  const made = FORMS[form]?.(random, share) ?? ''
  return { form, bytes: Buffer.isBuffer(made) ? made : Buffer.from(made) }
}
