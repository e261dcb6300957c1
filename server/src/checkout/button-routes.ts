// Serves the script for the buttons on merchants' pages. The script makes links through POST /checkout/links of the merchant API (D-52).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BUTTON_SCRIPT, type ButtonScript, SERVED_SCRIPTS } from './button-script.ts'

const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cross-origin-resource-policy': 'cross-origin',
  // Lets a page load it with `crossorigin`, and so check its integrity and see its errors in full.
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
}
/** What is served at /checkout.js changes with the service; what has its version in its address never does. */
const LATEST = 'public, max-age=300'
const PINNED = 'public, max-age=31536000, immutable'

export function checkoutButton(app: FastifyInstance): void {
  app.get('/checkout.js', (request, reply) => sendScript(request, reply, BUTTON_SCRIPT, LATEST))
  for (const script of SERVED_SCRIPTS) {
    app.get(script.path, (request, reply) => sendScript(request, reply, script, PINNED))
  }
}

function sendScript(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, etag }: ButtonScript,
  cached: string,
): FastifyReply {
  reply.headers({ ...SCRIPT_HEADERS, 'cache-control': cached, etag })
  const known = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*') ? reply.code(304).send() : reply.send(text)
}
