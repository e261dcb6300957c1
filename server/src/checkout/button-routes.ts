// Serves the script for the buttons on merchants' pages. The script makes links through POST /checkout/links of the merchant API (D-52).
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

/** The script changes with the service, so browsers cache it for five minutes only. */
const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
  // Lets a page load it with `crossorigin`, and so see its errors in full.
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
}

const SCRIPT = readFileSync(new URL('scripts/button.min.js', import.meta.url), 'utf8').trim()

export function checkoutButton(app: FastifyInstance): void {
  app.get('/checkout.js', (_request, reply) => reply.headers(SCRIPT_HEADERS).send(SCRIPT))
}
