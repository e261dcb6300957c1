// An address as a QR code, drawn as one SVG path: each run of dark modules is a stroke, so that a code is about two kilobytes.
import encodeQR from 'qr'
import { type Html, html } from '../http/html.ts'

/** Light modules around the code; scanners need four. */
const QUIET_ZONE = 4

export function qrCode(address: string, label: string): Html {
  const rows = encodeQR(address, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const size = rows.length
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${rows.map(drawRow).join('')}"/></svg>`
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
    .map(([, light, dark], n) => `${n === 0 ? `M${light?.length} ${at}.5` : `m${light?.length} 0`}h${dark?.length}`)
    .join('')
}
