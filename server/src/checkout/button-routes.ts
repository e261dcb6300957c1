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

const SCRIPT = smaller(readFileSync(new URL('checkout-button.js', import.meta.url), 'utf8'))

export function checkoutButton(app: FastifyInstance): void {
  app.get('/checkout.js', (_request, reply) => reply.headers(SCRIPT_HEADERS).send(SCRIPT))
}

/** Without comments, indentation, and spaces and ends of lines beside signs; what is quoted stays as it is. */
function smaller(script: string): string {
  const lines = script.replace(/^\s*(\/\/.*)?\n/gm, '').replace(/^\s+/gm, '')
  const parts = lines.trim().split(/(`[^`]*`|'[^']*')/)
  return parts.map((part, at) => (at % 2 === 1 ? part : smallerCode(part))).join('')
}

function smallerCode(code: string): string {
  return code
    .replace(/\bconst\b/g, 'let')
    .replace(/ ?([=+?:<>!&|,{}()]+) ?/g, '$1')
    .replace(/,?\n([})\]])/g, '$1')
    .replace(/([{(,[])\n/g, '$1')
}
