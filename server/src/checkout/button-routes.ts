// Serves the script for the buttons on merchants' pages. The script makes links through POST /checkout/links of the merchant API (D-52).
import type { FastifyInstance } from 'fastify'
import { serveDocument } from '../http/send-document.ts'
import { BUTTON_SCRIPT, type ButtonScript, SERVED_SCRIPTS } from './button-script.ts'

const SCRIPT_HEADERS = {
  'cross-origin-resource-policy': 'cross-origin',
  // Lets a page load it with `crossorigin`, and so check its integrity and see its errors in full.
  'access-control-allow-origin': '*',
}
/** What is served at /checkout.js changes with the service; what has its version in its address never does. */
const LATEST = 'public, max-age=300'
const PINNED = 'public, max-age=31536000, immutable'

export function checkoutButton(app: FastifyInstance): void {
  serveScript(app, '/checkout.js', BUTTON_SCRIPT, LATEST)
  for (const script of SERVED_SCRIPTS) serveScript(app, script.path, script, PINNED)
}

function serveScript(app: FastifyInstance, url: string, { text }: ButtonScript, cacheControl: string): void {
  const contentType = 'text/javascript; charset=utf-8'
  serveDocument(app, url, () => ({ contentType, text, headers: SCRIPT_HEADERS, cacheControl }))
}
