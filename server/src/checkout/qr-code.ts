// An address as a QR code, drawn as one line of SVG: dark runs are strokes, so that a code is some two kilobytes.
import encodeQR from 'qr'
import { type Html, html } from '../http/html.ts'

/** Light modules around the code; readers need four. */
const QUIET_ZONE = 4

export function qrCode(address: string, label: string): Html {
  const rows = encodeQR(address, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const size = rows.length
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${rows.map(drawRow).join('')}"/></svg>`
}

/** A row begins where it is and goes on from run to run. */
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
