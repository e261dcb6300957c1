// Statement files for tests: CSV bytes in any encoding, and XLSX workbooks, whole or broken on
// purpose.
import { crc32, deflateRawSync } from 'node:zlib'
import type { StatementSource } from '../../src/statements/statement-rows.ts'

/** In chunks of this size: no reader may depend on where a chunk ends. */
export async function* inChunks(file: Uint8Array, size = 7): StatementSource {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size)
}

export type Cell = string | number | { xml: string }

export interface ZipEntry {
  name: string
  data: string | Buffer
  /** What the directory says, where it lies. */
  declaredBytes?: number
}

/** Both of a ZIP file's headers have these fields, in this order. */
function zipFields(entry: ZipEntry, packed: Buffer, unpacked: Buffer): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(8, 4)
  fields.writeUInt32LE(crc32(unpacked), 10)
  fields.writeUInt32LE(packed.length, 14)
  fields.writeUInt32LE(entry.declaredBytes ?? unpacked.length, 18)
  fields.writeUInt16LE(Buffer.byteLength(entry.name), 22)
  return fields
}

export function zipFile(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const unpacked = Buffer.from(entry.data as string)
    const packed = deflateRawSync(unpacked)
    const fields = zipFields(entry, packed, unpacked)
    const name = Buffer.from(entry.name)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), fields, name, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0', 'latin1'), fields, rest, name]),
    )
    locals.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(22)
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, ...directory, end])
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const columnLetters = (column: number): string =>
  (column >= 26 ? String.fromCharCode(64 + Math.floor(column / 26)) : '') +
  String.fromCharCode(65 + (column % 26))

function sheetXml(rows: readonly (readonly Cell[])[], texts: string[]): string {
  const cellXml = (cell: Cell, place: string): string => {
    if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
    if (typeof cell === 'object') return cell.xml.replace('<c', `<c r="${place}"`)
    return cell === '' ? '' : `<c r="${place}" t="s"><v>${texts.push(cell) - 1}</v></c>`
  }
  const rowsXml = rows.map((cells, at) => {
    const xml = cells.map((cell, column) => cellXml(cell, `${columnLetters(column)}${at + 1}`))
    return `<row r="${at + 1}">${xml.join('')}</row>`
  })
  return `<worksheet xmlns="urn:x"><sheetData>${rowsXml.join('')}</sheetData></worksheet>`
}

const RELATIONS = [
  '<Relationship Id="rId1" Type="urn:x/worksheet" Target="worksheets/sheet1.xml"/>',
  '<Relationship Id="rId2" Type="urn:x/worksheet" Target="/xl/worksheets/sheet2.xml"/>',
  '<Relationship Id="rId3" Type="urn:x/sharedStrings" Target="sharedStrings.xml"/>',
].join('')

/** The parts of a workbook: its first sheet is hidden, the second has the rows. */
export function workbookParts(rows: readonly (readonly Cell[])[]): ZipEntry[] {
  const texts: string[] = []
  const sheet = sheetXml(rows, texts)
  const shared = texts.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')
  return [
    {
      name: 'xl/workbook.xml',
      data: `<workbook xmlns="urn:x" xmlns:r="urn:r"><sheets><sheet name="h" state="hidden" r:id="rId1"/><sheet name="s" r:id="rId2"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: `<Relationships xmlns="urn:x">${RELATIONS}</Relationships>`,
    },
    { name: 'xl/sharedStrings.xml', data: `<sst xmlns="urn:x">${shared}</sst>` },
    { name: 'xl/worksheets/sheet1.xml', data: '<worksheet xmlns="urn:x"/>' },
    { name: 'xl/worksheets/sheet2.xml', data: sheet },
  ]
}

export const workbook = (rows: readonly (readonly Cell[])[]): Buffer => zipFile(workbookParts(rows))

/** A workbook whose sheet is this XML. */
export const workbookOfSheet = (xml: string): Buffer =>
  zipFile(
    workbookParts([]).map((part) =>
      part.name.endsWith('sheet2.xml') ? { ...part, data: xml } : part,
    ),
  )

/** A workbook of visible sheets named `Feuil1`, `Feuil2` and so on. */
export function workbookOfSheets(sheets: readonly (readonly (readonly Cell[])[])[]): Buffer {
  const texts: string[] = []
  const parts = sheets.map((rows, at) => ({
    name: `xl/worksheets/sheet${at + 1}.xml`,
    data: sheetXml(rows, texts),
  }))
  const listed = sheets
    .map((_, at) => `<sheet name="Feuil${at + 1}" r:id="rId${at + 1}"/>`)
    .join('')
  const relations = sheets.map(
    (_, at) =>
      `<Relationship Id="rId${at + 1}" Type="urn:x/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  )
  const shared = texts.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')
  const strings = '<Relationship Id="rIdT" Type="urn:x/sharedStrings" Target="sharedStrings.xml"/>'
  return zipFile([
    {
      name: 'xl/workbook.xml',
      data: `<workbook xmlns="urn:x" xmlns:r="urn:r"><sheets>${listed}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: `<Relationships xmlns="urn:x">${relations.join('')}${strings}</Relationships>`,
    },
    { name: 'xl/sharedStrings.xml', data: `<sst xmlns="urn:x">${shared}</sst>` },
    ...parts,
  ])
}
