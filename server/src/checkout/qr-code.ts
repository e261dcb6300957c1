// An address as a QR code within a page.
import { type Html, html } from '../http/html.ts'
import { qrPath } from '../http/qr-code.ts'

export function qrCode(address: string, label: string): Html {
  const { size, path } = qrPath(address)
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${path}"/></svg>`
}
