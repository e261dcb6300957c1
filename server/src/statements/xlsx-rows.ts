// Rows of the first sheet of an XLSX workbook; one with rows in another visible sheet is refused.
// Parts are unpacked only through the checked directory of the ZIP file, and the sheet is read as a
// stream, so neither a ZIP bomb nor a cell in row 1,000,000,000 costs memory. Numbers stay text.
import { Readable } from 'node:stream'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import type { Row } from './csv-rows.ts'
import {
  LARGEST_SHARED_TEXTS_BYTES,
  LARGEST_UNPACKED_BYTES,
  LONGEST_CELL,
  MOST_COLUMNS,
  MOST_OTHER_TAGS,
  MOST_SHARED_TEXTS,
  MOST_SHEET_ROWS,
  MOST_XLSX_ROWS,
  MOST_ZIP_ENTRIES,
  refusedCell,
  StatementRefused,
  shownValue,
} from './limits.ts'

/** Of a file in pieces. */
export async function* xlsxRows(file: readonly Uint8Array[]): AsyncGenerator<Row> {
  try {
    const parts = await openParts(file)
    const { sheet, others, texts } = await findParts(parts)
    yield* sheetRows(parts, sheet, texts === undefined ? NO_TEXTS : await sharedTexts(parts, texts))
    for (const other of others) await refuseData(parts, other)
  } catch (cause) {
    throw cause instanceof StatementRefused
      ? cause
      : new StatementRefused({ fault: 'file_not_readable' }, { cause })
  }
}

interface Parts {
  zip: ZipFile
  entries: ReadonlyMap<string, Entry>
}

/** One buffer of all pieces would be a second copy of the file. */
class PiecesReader extends RandomAccessReader {
  readonly #pieces: readonly Uint8Array[]

  constructor(pieces: readonly Uint8Array[]) {
    super()
    this.#pieces = pieces
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(bytesBetween(this.#pieces, start, end), { objectMode: false })
  }
}

function* bytesBetween(
  pieces: readonly Uint8Array[],
  start: number,
  end: number,
): Generator<Uint8Array> {
  let at = 0
  for (const piece of pieces) {
    if (at >= end) return
    if (at + piece.length > start) yield piece.subarray(Math.max(0, start - at), end - at)
    at += piece.length
  }
}

/**
 * yauzl compares each declared size with the real one while it unpacks, so the declared sizes bound
 * the work.
 */
async function openParts(file: readonly Uint8Array[]): Promise<Parts> {
  const bytes = file.reduce((total, piece) => total + piece.length, 0)
  const zip = await fromRandomAccessReaderPromise(new PiecesReader(file), bytes, {
    lazyEntries: true,
    validateEntrySizes: true,
    autoClose: false,
  })
  const entries = new Map<string, Entry>()
  let unpackedBytes = 0
  if (zip.entryCount > MOST_ZIP_ENTRIES)
    throw notReadable(`the ZIP file has ${zip.entryCount} entries`)
  for await (const entry of zip.eachEntry()) {
    unpackedBytes += entry.uncompressedSize
    if (unpackedBytes > LARGEST_UNPACKED_BYTES)
      throw new StatementRefused({ fault: 'unpacks_too_large', most: LARGEST_UNPACKED_BYTES })
    if (entries.has(entry.fileName)) throw notReadable('two entries of the ZIP file have one name')
    entries.set(entry.fileName, entry)
  }
  return { zip, entries }
}

const notReadable = (why: string): StatementRefused =>
  new StatementRefused({ fault: 'file_not_readable' }, { cause: new Error(why) })

/**
 * A sheet has six levels, and the longest text of a cell is far shorter. The parser holds both in
 * memory.
 */
const DEEPEST_TAG = 50
const LONGEST_TAG = 1_000_000
/** The list of sheets, and where they are. */
const LARGEST_INDEX_BYTES = 1_000_000
const INDEX_PARTS = ['xl/workbook.xml', 'xl/_rels/workbook.xml.rels'] as const

/** The tags of rows, cells and texts. */
const USUAL_TAGS = new Set(['row', 'c', 'v', 'f', 'is', 'si', 't', 'r', 'rPr', 'rPh'])

interface Handlers {
  open(name: string, attributes: SaxesTagPlain['attributes']): void
  close?(name: string): void
  text?(text: string): void
}

/**
 * Feeds one part to the handlers, and yields after each chunk so that the caller can take what they
 * have read.
 */
async function* parsePart(
  { zip, entries }: Parts,
  name: string,
  handlers: Handlers,
): AsyncGenerator<void> {
  const entry = entries.get(name)
  if (entry === undefined) throw notReadable('a part of the workbook is missing')
  const parser = new SaxesParser()
  let depth = 0
  let pending = 0
  let otherTags = 0
  parser.on('opentag', (tag) => {
    pending = 0
    if (++depth > DEEPEST_TAG) throw notReadable('tags are nested too deep')
    const name = localName(tag.name)
    if (!USUAL_TAGS.has(name) && ++otherTags > MOST_OTHER_TAGS) throw tooMuch()
    handlers.open(name, tag.attributes)
  })
  parser.on('closetag', (tag) => {
    pending = 0
    depth--
    handlers.close?.(localName(tag.name))
  })
  parser.on('text', (text) => handlers.text?.(text))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    pending += chunk.length
    parser.write(decoder.decode(chunk, { stream: true }))
    if (pending > LONGEST_TAG) throw notReadable('a tag or a text is too long')
    yield
  }
  parser.write(decoder.decode()).close()
  yield
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

async function readPart(parts: Parts, name: string, handlers: Handlers): Promise<void> {
  for await (const _ of parsePart(parts, name, handlers)) {
    // The handlers keep what they read.
  }
}

interface OtherSheet {
  name: string
  part: string
}

/** Where the first visible sheet, the other visible ones and the shared texts are. */
async function findParts(
  parts: Parts,
): Promise<{ sheet: string; others: OtherSheet[]; texts: string | undefined }> {
  const [workbook, relations] = INDEX_PARTS
  for (const name of INDEX_PARTS) {
    if ((parts.entries.get(name)?.uncompressedSize ?? 0) > LARGEST_INDEX_BYTES)
      throw notReadable('too many sheets')
  }
  const sheets: { id: string; name: string }[] = []
  await readPart(parts, workbook, {
    open(name, attributes) {
      // Such a workbook counts days from 1904, and only its styles say which numbers are days.
      if (name === 'workbookPr' && /^(1|true)$/.test(attributes.date1904 ?? ''))
        throw notReadable('days from 1904')
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
      if (name === 'sheet' && id !== undefined && !/hidden/i.test(attributes.state ?? ''))
        sheets.push({ id, name: attributes.name ?? '' })
    },
  })
  const targets = new Map<string, string>()
  let texts: string | undefined
  await readPart(parts, relations, {
    open(name, { Id = '', Target = '', Type = '' }) {
      if (name !== 'Relationship') return
      const path = Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`
      targets.set(Id, path)
      if (Type.endsWith('/sharedStrings')) texts = path
    },
  })
  const sheet = targets.get(sheets[0]?.id ?? '')
  if (sheet === undefined) throw notReadable('the workbook has no visible sheet')
  const others = sheets.slice(1).flatMap(({ id, name }): OtherSheet[] => {
    const part = targets.get(id)
    // A sheet of a chart alone is no worksheet.
    return part === undefined || !part.includes('worksheets/') ? [] : [{ name, part }]
  })
  return { sheet, others, texts }
}

/** Its lines would be left out without a word. */
async function refuseData(parts: Parts, { name, part }: OtherSheet): Promise<void> {
  let rows = 0
  for await (const { cells } of sheetRows(parts, part, { at: () => SHARED }))
    if (cells.some((cell) => cell.trim() !== '')) rows++
  if (rows > 0)
    throw new StatementRefused({ fault: 'other_sheet_has_data', sheet: shownValue(name), rows })
}

/** What a shared text says does not matter where rows are counted. */
const SHARED = '-'

/** Collects the text of `<t>` and `<v>`, without the pronunciation that East Asian texts carry. */
function textCollector(): {
  start(): void
  open(name: string): void
  close(name: string): void
  text(text: string): void
  take(): string
} {
  let collected = ''
  let isText = false
  let isPronunciation = false
  return {
    start() {
      collected = ''
    },
    open(name) {
      if (name === 'rPh') isPronunciation = true
      isText = (name === 't' || name === 'v') && !isPronunciation
    },
    close(name) {
      if (name === 'rPh') isPronunciation = false
      isText = false
    },
    text(text) {
      // One character more than a cell may have is enough to refuse it.
      if (isText && collected.length <= LONGEST_CELL) collected += text.slice(0, LONGEST_CELL + 1)
    },
    take: () => collected,
  }
}

interface SharedTexts {
  /** Undefined where there is no such text. */
  at(index: number): string | undefined
}

const NO_TEXTS: SharedTexts = { at: () => undefined }

async function sharedTexts(parts: Parts, name: string): Promise<SharedTexts> {
  const texts = textStore()
  const collector = textCollector()
  await readPart(parts, name, {
    open(tag) {
      if (tag === 'si') collector.start()
      collector.open(tag)
    },
    close(tag) {
      collector.close(tag)
      if (tag === 'si') texts.add(collector.take())
    },
    text: collector.text,
  })
  return texts
}

const PIECE_BYTES = 1_048_576

/**
 * Texts as bytes, so that their limit is that of the memory: as strings they would hold the whole
 * part from which they were cut, and two bytes for each letter.
 */
function textStore(): SharedTexts & { add(text: string): void } {
  const pieces: Buffer[] = []
  let free = 0
  let count = 0
  /** Where each text ends and how long it is: in its piece, and in all pieces. */
  let ends = new Uint32Array(1_024)
  let lengths = new Uint16Array(1_024)
  function makeRoom(): void {
    if (count < ends.length) return
    const [before, lengthsBefore] = [ends, lengths]
    ends = new Uint32Array(2 * before.length)
    ends.set(before)
    lengths = new Uint16Array(2 * before.length)
    lengths.set(lengthsBefore)
  }
  return {
    add(text) {
      const length = Buffer.byteLength(text)
      if (free < length) {
        if ((pieces.length + 1) * PIECE_BYTES > LARGEST_SHARED_TEXTS_BYTES) throw tooMuch()
        pieces.push(Buffer.allocUnsafeSlow(PIECE_BYTES))
        free = PIECE_BYTES
      }
      if (count === MOST_SHARED_TEXTS) throw tooMuch()
      makeRoom()
      pieces.at(-1)?.write(text, PIECE_BYTES - free)
      free -= length
      lengths[count] = length
      ends[count++] = pieces.length * PIECE_BYTES - free
    },
    at(index) {
      if (index >= count) return undefined
      const [end, length] = [ends[index] as number, lengths[index] as number]
      const start = end - length
      const piece = pieces[Math.floor(start / PIECE_BYTES)]
      return length === 0
        ? ''
        : piece?.toString('utf8', start % PIECE_BYTES, (start % PIECE_BYTES) + length)
    },
  }
}

const tooMuch = (): StatementRefused => new StatementRefused({ fault: 'needs_too_much' })

async function* sheetRows(parts: Parts, name: string, texts: SharedTexts): AsyncGenerator<Row> {
  const reader = rowReader(texts)
  let rows = 0
  for await (const _ of parsePart(parts, name, reader)) {
    for (const row of reader.takeRows()) {
      if (++rows > MOST_XLSX_ROWS)
        throw new StatementRefused({ fault: 'too_many_rows', most: MOST_XLSX_ROWS })
      yield row
    }
  }
}

function rowReader(texts: SharedTexts): Handlers & { takeRows(): Row[] } {
  const collector = textCollector()
  let rows: Row[] = []
  let line = 0
  let sheetRows = 0
  let cells: string[] = []
  let column = 0
  let type = 'n'
  let hasFormula = false
  return {
    open(tag, attributes) {
      if (tag === 'row') {
        if (++sheetRows > MOST_SHEET_ROWS)
          throw new StatementRefused({ fault: 'too_many_rows', most: MOST_XLSX_ROWS })
        const next = attributes.r === undefined ? line + 1 : Number(attributes.r)
        if (!(Number.isSafeInteger(next) && next > line)) throw notReadable('rows are not in order')
        line = next
        cells = []
        column = 0
      } else if (tag === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r)
        if (column > MOST_COLUMNS) throw refusedCell('row_not_valid', line, attributes.r ?? '', '')
        type = attributes.t ?? 'n'
        hasFormula = false
        collector.start()
      } else if (tag === 'f') hasFormula = true
      collector.open(tag)
    },
    close(tag) {
      collector.close(tag)
      if (tag === 'c') {
        const text = hasFormula ? FORMULA_TEXT : cellText(type, collector.take(), texts)
        if (text === '') return
        while (cells.length < column) cells.push('')
        cells[column - 1] = text
      } else if (tag === 'row' && cells.length > 0) rows.push({ line, cells })
    },
    text: collector.text,
    takeRows() {
      const taken = rows
      rows = []
      return taken
    },
  }
}

/**
 * A network writes values. A calculated cell was added by hand, so it can be no amount, date or
 * reference.
 */
const FORMULA_TEXT = '='

/** `B` of `B12` is 2. */
function columnOf(reference: string): number {
  const letters = /^([A-Z]{1,3})\d+$/.exec(reference)?.[1]
  if (letters === undefined) throw notReadable('a cell has no place')
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}

function cellText(type: string, value: string, texts: SharedTexts): string {
  if (type === 'n') return plainNumber(value.trim())
  if (type !== 's') return value
  const text = /^\d+$/.test(value) ? texts.at(Number(value)) : undefined
  if (text === undefined) throw notReadable('a shared text is missing')
  return text
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/

/**
 * A number cell without exponent: some writers store 12500000 as 1.25E7. A fraction gets at least
 * four digits, so that 12.5 written as 12.500 is not taken for twelve thousand five hundred.
 */
function plainNumber(value: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(value) ?? []
  if (sign === undefined || whole === undefined) return value
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const before = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0')
  const after = (point < 0 ? '0'.repeat(-point) + digits : digits.slice(point)).replace(/0+$/, '')
  return sign + (before.replace(/^0+(?=\d)/, '') + (after === '' ? '' : `.${after.padEnd(4, '0')}`))
}
