// An address as a QR code: in a page, as an SVG file, and as a PNG file for those who print
// elsewhere.
import { crc32, deflateSync } from 'node:zlib'
import encodeQR from 'qr'
import { type Html, html } from './html.ts'

/** Light modules around the code; scanners need four. */
const QUIET_ZONE = 4

/** True for a dark module, row by row. */
export const qrModules = (text: string): readonly (readonly boolean[])[] =>
  encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })

/**
 * `size`: the modules of a side. Each run of dark modules is a stroke: a code is about two
 * kilobytes.
 */
export function qrPath(text: string): { size: number; path: string } {
  const rows = qrModules(text)
  return { size: rows.length, path: rows.map(drawRow).join('') }
}

/** An absolute move to the row's first dark run, then relative moves from run to run. */
function drawRow(row: readonly boolean[], at: number): string {
  const runs = [
    ...row
      .map(Number)
      .join('')
      .matchAll(/(0*)(1+)/g),
  ]
  return runs
    .map(
      ([, light, dark], n) =>
        `${n === 0 ? `M${light?.length} ${at}.5` : `m${light?.length} 0`}h${dark?.length}`,
    )
    .join('')
}

export function qrImage(text: string, label: string, className?: string): Html {
  const { size, path } = qrPath(text)
  return html`<svg${className !== undefined && html` class="${className}"`} role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${path}"/></svg>`
}

/** Black on white on any background. */
export function qrSvgFile(text: string): string {
  const { size, path } = qrPath(text)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${path}"/></svg>`
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Of one side of a module. */
const PIXELS = 16

/** One bit a pixel, black and white. */
export function qrPngFile(text: string): Buffer {
  const rows = qrModules(text)
  const side = rows.length * PIXELS
  const bytesOfLine = Math.ceil(side / 8)
  const lines = rows.flatMap((row) => Array<Buffer>(PIXELS).fill(pngLine(row, bytesOfLine)))
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([1, 0, 0, 0, 0], 8)
  const image = deflateSync(Buffer.concat(lines))
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', head),
    pngChunk('IDAT', image),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A zero for a line without a filter; then a bit for each pixel, set where it is white. */
function pngLine(row: readonly boolean[], bytes: number): Buffer {
  const line = Buffer.alloc(1 + bytes)
  for (const [module, isDark] of row.entries()) {
    if (isDark) continue
    line.fill(0xff, 1 + (module * PIXELS) / 8, 1 + ((module + 1) * PIXELS) / 8)
  }
  return line
}

function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(named.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  named.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(named), named.length + 4)
  return chunk
}
