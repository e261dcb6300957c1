// The poster of a payment link: an A5 sheet in both languages, with a QR code and an address that a
// person can type.

import type { Environment } from '../domain/environment.ts'
import { logoPath } from '../domain/merchants/brand.ts'
import { writeAmount } from '../domain/payments/money.ts'
import {
  contentSecurityPolicy,
  html,
  isolated,
  type Page,
  policyHash,
  trusted,
} from '../http/html.ts'
import { qrImage } from '../http/qr-code.ts'

const OWN_COLOUR = '#2b3583'

const styleOf = (colour: string): string => `@page{size:A5 portrait;margin:0}
*{box-sizing:border-box;margin:0;padding:0}
html{background:#e9e6df}
body{font:16px/1.35 system-ui,Roboto,"Noto Sans",sans-serif;color:#1d1a2b;width:148mm;height:210mm;margin:0 auto;background:#fff;display:flex;flex-direction:column;text-align:center;-webkit-print-color-adjust:exact;print-color-adjust:exact}
header{background:radial-gradient(rgb(255 255 255/.13) .4mm,transparent .5mm) 0 0/4mm 4mm ${colour};color:#fff;padding:8mm 8mm 7mm}
header img{height:18mm;max-width:60mm;object-fit:contain;background:#fff;border-radius:3mm;padding:2mm;margin-bottom:2mm}
h1{font-size:9mm;line-height:1.15;overflow-wrap:anywhere}
main{flex:1;min-height:0;display:flex;flex-direction:column;align-items:center;justify-content:space-evenly;gap:2.5mm;padding:3mm 8mm 2mm}
.how{font-size:6.6mm;font-weight:700;line-height:1.2}
small{display:block;font-weight:400;font-size:.68em;color:#4d485c}
.code{aspect-ratio:1;padding:1mm;border:.8mm solid ${colour};border-radius:5mm}
.code svg{display:block;width:100%;height:100%;stroke:#000}
.codes{flex:0 1 76mm;min-height:45mm;display:flex;gap:5mm;align-items:stretch;justify-content:center}
.pi{display:flex;flex-direction:column;justify-content:center;width:48mm;font-size:3.6mm;line-height:1.25}
.pi .code{flex:none;min-height:0;margin-bottom:1.5mm}
.typed{font-size:4.2mm;font-weight:600;color:#1d1a2b}
.what{font-size:5.2mm;overflow-wrap:anywhere}
.sum{font-size:11mm;line-height:1.1;font-weight:700;font-variant-numeric:tabular-nums;color:${colour}}
ol{list-style:none;display:flex;gap:4mm;counter-reset:step}
li{flex:1;font-size:4mm;font-weight:600;line-height:1.25;counter-increment:step}
li::before{content:counter(step);display:block;width:7mm;margin:0 auto 1.2mm;color:#fff;font-weight:700;line-height:7mm;border-radius:50%;background:${colour}}
li small{font-size:.82em}
footer{padding:2mm 8mm 5mm;font-size:3.1mm;color:#4d485c;overflow-wrap:anywhere}
.phone{font-size:4mm;font-weight:600;color:#1d1a2b}
.test{background:#8a4b00;color:#fff;font-weight:700;padding:2mm}
button{position:fixed;right:4mm;bottom:4mm;padding:3mm 6mm;font:inherit;font-weight:600;color:#fff;background:#1d1a2b;border:0;border-radius:99px;cursor:pointer}
@media print{button{display:none}}`

const STEPS: readonly [french: string, english: string][] = [
  ['Scannez le code', 'Scan the code'],
  ['Tapez votre numéro', 'Enter your number'],
  ['Validez sur votre téléphone', 'Approve on your phone'],
]

export interface Poster {
  title: string
  /** Null when the payer types the amount. */
  amountXof: number | null
  environment: Environment
  brand: Record<'name', string> & Record<'logoHash' | 'colour' | 'phone', string | null>
  pageUrl: string
  /** What a person can type: short where the link is a poster. */
  typed: string
  piText: string | undefined
}

/** On a phone a page has no visible way to print. */
const PRINT = `const button=document.querySelector('button');button.hidden=false;button.onclick=()=>print()`

export function posterPage({
  title,
  amountXof,
  environment,
  brand,
  pageUrl,
  typed,
  piText,
}: Poster): Page {
  const { name, logoHash, colour, phone } = brand
  const style = styleOf(colour ?? OWN_COLOUR)
  // The width of the sheet: a phone shows the whole of it.
  const page = html`<!doctype html><html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=560"><title>${name} – ${title}</title><style>${trusted(style)}</style></head><body>
${environment === 'sandbox' && html`<aside class="test">Test – aucun argent réel · <span lang="en">no real money</span></aside>`}
<header>${logoHash !== null && html`<img src="${logoPath(logoHash)}" alt="">`}<h1>${isolated(name)}</h1></header>
<main><p class="how">Payez ici par mobile money<small lang="en">Pay here by mobile money</small></p>
<div class="codes"><div class="code">${qrImage(pageUrl, 'QR')}</div>
${piText !== undefined && html`<div class="pi"><div class="code">${qrImage(piText, 'QR PI-SPI')}</div><p><b>PI-SPI</b> Banque ou portefeuille<small lang="en">Bank or wallet</small></p></div>`}</div>
<div><p class="what">${isolated(title)}</p>${amountXof !== null && html`<p class="sum">${writeAmount(amountXof, 'fr')}</p>`}</div>
<ol>${STEPS.map(([french, english]) => html`<li>${french}<small lang="en">${english}</small></li>`)}</ol></main>
<footer>${phone !== null && html`<p class="phone">${phone}</p>`}<p class="typed">${typed.replace(/^https?:\/\//, '')}</p></footer>
<button type="button" hidden>Imprimer · <span lang="en">Print</span></button><script>${trusted(PRINT)}</script></body></html>
`
  const policy = contentSecurityPolicy({
    styles: [policyHash(style)],
    scripts: [policyHash(PRINT)],
  })
  return { html: page.toString(), contentSecurityPolicy: policy }
}
