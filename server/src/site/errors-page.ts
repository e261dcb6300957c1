// The page at /docs/errors: every error of the API with its hint in English and in French. The Link header of an error
// leads to its section.
import { readFileSync } from 'node:fs'
import { MARK, MARK_ADDRESS } from '../checkout/page-frame.ts'
import { contentSecurityPolicy, html, policyHash, trusted } from '../http/html.ts'
import type { Document } from '../http/send-document.ts'
import { type MerchantRefusal, OPERATIONS } from '../merchant-api/contract.ts'
import { GENERAL_ERRORS, type WireError } from '../wire/error.ts'
import { hintOf, WIRE_ERRORS } from '../wire/refusals.ts'

const STYLE = ['../checkout/styles/colours.css', 'home-page.css']
  .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
  .join('')

export function errorsPage(): Document {
  const used = new Set<MerchantRefusal>(Object.values(OPERATIONS).flatMap(({ refusals }) => refusals))
  const errors: WireError[] = [...[...used].map((name) => WIRE_ERRORS[name]), ...Object.values(GENERAL_ERRORS)]
  const byStatus = [...Map.groupBy(errors, ({ http }) => http)].sort(([a], [b]) => a - b)
  return {
    contentType: 'text/html; charset=utf-8',
    text: html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Errors of the Karba API</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="description" content="Every error of the Karba merchant payments API, and what to do.">
<link rel="icon" href="${MARK_ADDRESS}">
<style>${trusted(STYLE)}</style></head>
<body>
<header><a href="/">${MARK}Karba</a><nav><a href="/docs">API</a><a href="/dashboard/">Dashboard</a></nav></header>
<main>
<h1>Errors</h1>
<p>An error has its code in <code>Svc-Error-Code</code>, the field or header at fault in <code>Svc-Error-Param</code>, and what to do in <code>Svc-Error-Hint</code>. Quote <code>X-Request-Id</code> to the operator of the service.</p>
${byStatus.map(
  ([status, cases]) => html`<section>
<h2>${status}</h2>
<ul>
${cases.map(
  ({ code, message }) => html`<li id="${code}"><b><code>${code}</code></b>
<p>${message}</p>
<p>${hintOf(code, 'en') ?? ''}</p>
<p lang="fr">${hintOf(code, 'fr') ?? ''}</p></li>
`,
)}</ul>
</section>
`,
)}</main>
</body></html>
`.toString(),
    headers: {
      'content-security-policy': contentSecurityPolicy({ styles: [policyHash(STYLE)], scripts: [] }),
      'referrer-policy': 'no-referrer',
    },
  }
}
