// The script behind the buttons on merchants' pages. The links that it makes are asked for at the merchants' own door (D-52).
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

/** The script changes with the service: no page keeps an old one for long. */
const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
  // Lets a page ask for it with `crossorigin`, and so see its errors whole.
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
}

const SCRIPT = readFileSync(new URL('scripts/button.min.js', import.meta.url), 'utf8').trim()

export function checkoutButton(app: FastifyInstance): void {
  app.get('/checkout.js', (_request, reply) => reply.headers(SCRIPT_HEADERS).send(SCRIPT))
}
