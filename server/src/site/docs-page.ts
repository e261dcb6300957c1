// The API reference at /docs: Scalar reads our OpenAPI description. scripts/build-dashboard.mjs
// puts Scalar's bundle into server/dist. Nothing comes from another host, and nothing is sent to
// one.
import { existsSync, readFileSync } from 'node:fs'
import { MARK_ADDRESS } from '../checkout/page-frame.ts'
import { html, policyHash, trusted } from '../http/html.ts'
import type { Document } from '../http/send-document.ts'
import { BASE_PATH } from '../merchant-api/contract.ts'

export const BUNDLE_ADDRESS = '/docs/scalar.js'

const BUNDLE = new URL('../../dist/scalar.js', import.meta.url)

/**
 * Scalar's own greys have too little contrast, its folding buttons are too small to touch, and its
 * title on a phone is cut.
 */
const STYLE = `.light-mode{--scalar-color-2:#505050;--scalar-color-3:#5e5e5e;--scalar-sidebar-color-2:#505050;--scalar-sidebar-search-color:#505050;--scalar-color-green:#006b43;--scalar-color-blue:#005c9e;--scalar-color-orange:#a83a00;--scalar-color-red:#b3261e;--scalar-color-purple:#6b2fb3}
.dark-mode{--scalar-color-2:#c0c0c0;--scalar-color-3:#b0b0b0;--scalar-sidebar-color-2:#c0c0c0;--scalar-sidebar-search-color:#c0c0c0}
[data-sidebar-id] button{min-width:24px;min-height:24px}
.t-doc__header span{overflow:hidden;text-overflow:ellipsis}`

const CONFIGURATION = {
  url: `${BASE_PATH}/openapi.json`,
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  persistAuth: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: true,
  // Our own samples are tested; Scalar's send Content-Type twice.
  hiddenClients: true,
  // "Selected Auth Type: secretKey" would cover the word "Required" to its left on a screen of
  // 1,280 px.
  localization: { translations: { apiClient: { authSelector: { selectedType: '{type}' } } } },
  customCss: STYLE,
}

/**
 * Scalar sends Content-Type twice, for the body and as a required header, and our API refuses that.
 */
const ONE_CONTENT_TYPE = `({ requestBuilder }) => requestBuilder.headers.set('Content-Type', 'application/json')`
const START = `Scalar.createApiReference('#reference', { ...${JSON.stringify(CONFIGURATION)}, onBeforeRequest: ${ONE_CONTENT_TYPE} })`

/**
 * Buttons of Scalar's without a name get one, and its lists that scroll can be reached by keyboard.
 */
const NAMES = `new MutationObserver(() => {
  for (const button of document.querySelectorAll('button[class*=copy-button]:not([aria-label])')) button.ariaLabel = 'Copy'
  for (const list of document.querySelectorAll('ul.endpoints:not([tabindex])')) list.tabIndex = 0
}).observe(document.body, { subtree: true, childList: true })`
const SCRIPT = `${NAMES}\n${START}`

/**
 * Scalar sets style elements and attributes while it runs, so styles cannot be limited to hashes;
 * scripts are.
 */
const POLICY = [
  "default-src 'none'",
  `script-src 'self' ${policyHash(SCRIPT)}`,
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const docsPage = (): Document => ({
  contentType: 'text/html; charset=utf-8',
  text: html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Karba API</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="description" content="The reference of the Karba merchant payments API.">
<link rel="icon" href="${MARK_ADDRESS}">
</head><body>
<noscript>This page shows <a href="${CONFIGURATION.url}">openapi.json</a> and needs JavaScript.</noscript>
<div id="reference"></div>
<script src="${BUNDLE_ADDRESS}"></script>
<script>${trusted(SCRIPT)}</script>
</body></html>
`.toString(),
  headers: { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' },
})

const NOT_BUILT = `document.getElementById('reference').append('The reference is not built: run npm run build-dashboard.')
window.Scalar = { createApiReference() {} }
`

export function scalarBundle(): Document {
  const contentType = 'text/javascript; charset=utf-8'
  if (!existsSync(BUNDLE)) return { contentType, text: NOT_BUILT, cacheControl: 'no-store' }
  const read = (ending = ''): Buffer => readFileSync(new URL(BUNDLE.href + ending))
  return { contentType, text: read(), compressed: { br: read('.br'), gzip: read('.gz') } }
}
