// A link as a poster for the counter: one A5 sheet in French and English, with the shop's name, logo and colour, and a QR code.
import { contentSecurityPolicy, html, isolated, type Page, policyHash, trusted } from '../http/html.ts'
import { qrPath } from '../http/qr-code.ts'

export interface Poster {
  shopName: string
  /** An address of our own; null for none. */
  logoUrl: string | null
  /** `#rrggbb`; null for ours. */
  colour: string | null
  phone: string | null
  title: string
  /** Null when the payer types it. */
  amountXof: number | null
  pageUrl: string
  isSandbox: boolean
}

const OWN_COLOUR = '#2b3583'

const styleOf = (colour: string): string => `@page{size:A5 portrait;margin:0}
*{box-sizing:border-box;margin:0}
html{background:#e9e6df}
body{font:16px/1.35 system-ui,Roboto,"Noto Sans",sans-serif;color:#1d1a2b;width:148mm;height:210mm;margin:0 auto;background:#fff;display:flex;flex-direction:column;text-align:center;-webkit-print-color-adjust:exact;print-color-adjust:exact}
header{background:${colour};color:#fff;padding:9mm 8mm 8mm}
header img{height:20mm;max-width:60mm;object-fit:contain;background:#fff;border-radius:3mm;padding:2mm;margin-bottom:3mm}
h1{font-size:9mm;line-height:1.15;overflow-wrap:anywhere}
main{flex:1;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:4mm 8mm}
.what{font-size:5mm;overflow-wrap:anywhere}
.sum{font-size:12mm;font-weight:700;font-variant-numeric:tabular-nums;color:${colour}}
svg{width:76mm;height:76mm;stroke:#000}
.how{font-size:5.5mm;font-weight:600}
.how small{display:block;font-weight:400;font-size:4.5mm;color:#4d485c}
footer{padding:3mm 8mm 6mm;font-size:3.4mm;color:#4d485c;overflow-wrap:anywhere}
.test{background:#8a4b00;color:#fff;font-weight:700;padding:2mm}`

/** U+00A0 between thousands, as money is written here. */
const francs = (amountXof: number): string =>
  `${String(amountXof).replace(/\B(?=(\d{3})+$)/g, '\u00a0')}\u00a0F\u00a0CFA`

export function posterPage(poster: Poster): Page {
  const { shopName, logoUrl, phone, title, amountXof, pageUrl } = poster
  const style = styleOf(poster.colour ?? OWN_COLOUR)
  const { size, path } = qrPath(pageUrl)
  const page = html`<!doctype html><html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${shopName} – ${title}</title><style>${trusted(style)}</style></head><body>
${poster.isSandbox && html`<p class="test">Test – aucun argent réel · <span lang="en">no real money</span></p>`}
<header>${logoUrl !== null && html`<img src="${logoUrl}" alt="">`}<h1>${isolated(shopName)}</h1></header>
<main><p class="what">${isolated(title)}</p>${amountXof !== null && html`<p class="sum">${francs(amountXof)}</p>`}
<svg role="img" aria-label="QR" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${path}"/></svg>
<p class="how">Scannez pour payer par mobile money<small lang="en">Scan to pay by mobile money</small></p></main>
<footer>${pageUrl}${phone !== null && html`<br>${phone}`}</footer></body></html>
`
  const policy = contentSecurityPolicy({ styles: [policyHash(style)], scripts: [] })
  return { html: page.toString(), contentSecurityPolicy: policy }
}
