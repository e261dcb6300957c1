// The script for the buttons on merchants' pages, which makes links by POST /checkout/links (D-52).
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { serveDocument } from '../http/send-document.ts'

export interface ButtonScript {
  text: string
  /** For a page that pins this version. */
  path: string
  integrity: string
}

const FOLDER = new URL('scripts/', import.meta.url)

function scriptOf(file: string): ButtonScript {
  const text = readFileSync(new URL(file, FOLDER), 'utf8').trim()
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const integrity = `sha384-${createHash('sha384').update(text).digest('base64')}`
  return { text, path: `/checkout-${version}.js`, integrity }
}

export const BUTTON_SCRIPT = scriptOf('button.min.js')

/**
 * With those of earlier versions, kept as `button-<version>.min.js` for the pages that pinned them.
 */
const SERVED_SCRIPTS: readonly ButtonScript[] = [
  BUTTON_SCRIPT,
  ...readdirSync(FOLDER)
    .filter((name) => /^button-.+\.min\.js$/.test(name))
    .map(scriptOf),
]

const SCRIPT_HEADERS = {
  'cross-origin-resource-policy': 'cross-origin',
  // Lets a page load it with `crossorigin`, and so check its integrity and see its errors in full.
  'access-control-allow-origin': '*',
}
/** /checkout.js changes with the service; an address with a version never changes. */
const LATEST = 'public, max-age=300'
const PINNED = 'public, max-age=31536000, immutable'

export function checkoutButton(app: FastifyInstance): void {
  serveScript(app, '/checkout.js', BUTTON_SCRIPT, LATEST)
  for (const script of SERVED_SCRIPTS) serveScript(app, script.path, script, PINNED)
}

function serveScript(
  app: FastifyInstance,
  url: string,
  { text }: ButtonScript,
  cacheControl: string,
): void {
  const contentType = 'text/javascript; charset=utf-8'
  serveDocument(app, url, () => ({ contentType, text, headers: SCRIPT_HEADERS, cacheControl }))
}
