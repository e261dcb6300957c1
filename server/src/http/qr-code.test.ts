// The QR code as a reader sees it: the package that wrote it reads it back from our own drawings.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { inflateSync } from 'node:zlib'
import decodeQR from 'qr/decode.js'
import { qrPngFile, qrSvgFile } from './qr-code.ts'

const ADDRESS = 'https://pay.example.com/pay/0123456789abcdefghjkmnpqrs'

/** The pixels of a PNG of one bit a pixel. */
function pixelsOf(png: Buffer): { width: number; height: number; data: Uint8Array } {
  const side = png.readUInt32BE(16)
  const length = png.readUInt32BE(33)
  const lines = inflateSync(png.subarray(41, 41 + length))
  const bytes = Math.ceil(side / 8) + 1
  const data = new Uint8Array(side * side * 4)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const isLight = ((lines[y * bytes + 1 + (x >> 3)] as number) >> (7 - (x & 7))) & 1
      data.fill(isLight * 255, (y * side + x) * 4, (y * side + x) * 4 + 3)
      data[(y * side + x) * 4 + 3] = 255
    }
  return { width: side, height: side, data }
}

it('QR code: the PNG decodes to the address', () => {
  const png = qrPngFile(ADDRESS)
  assert.deepEqual([png.subarray(1, 4).toString(), decodeQR(pixelsOf(png))], ['PNG', ADDRESS])
})

it('QR code: the SVG is one small file', () => {
  const svg = qrSvgFile(ADDRESS)
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1"/)
  assert.ok(svg.length < 4_096)
})
