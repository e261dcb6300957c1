// Serves the dashboard's files, built and compressed by scripts/build-dashboard.mjs. A file is
// found by its name in the list of built files, so no address leads out of the folder. Every other
// address below /dashboard/ gets index.html.
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Random } from '../domain/clock-and-random.ts'

export type PageDeps = { random: Random; folder?: string }

const BUILT = fileURLToPath(new URL('../../../dashboard/dist/', import.meta.url))

/** Names of files here contain a hash of their content: they never change. */
const HASHED = 'assets/'
const FOR_EVER = 'public, max-age=31536000, immutable'
const FOR_AN_HOUR = 'public, max-age=3600'

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}

/** In order of preference, with the ending of the compressed file. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const NONCE_BYTES = 16
const NONCE_PLACE = /\{\{nonce\}\}/g

const NOT_BUILT = `<!doctype html><html lang="fr"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Karba</title>
<h1>Le tableau de bord n’est pas encore construit</h1><p>Arrêtez le service et lancez <code>npm start</code>, qui le construit, ou <code>npm run build-dashboard</code>.</p>
<h1 lang="en">The dashboard is not built yet</h1><p lang="en">Stop the service and run <code>npm start</code>, which builds it, or <code>npm run build-dashboard</code>.</p></html>
`

interface BuiltPage {
  index: string
  /** By the path below /dashboard/, compressed files included. */
  files: ReadonlyMap<string, Buffer>
}

export function dashboardPages(app: FastifyInstance, { random, folder = BUILT }: PageDeps): void {
  let reading: Promise<BuiltPage | undefined> | undefined

  /**
   * Read at the first request and kept. Without a build, and after a failure, the next request
   * reads again.
   */
  async function built(): Promise<BuiltPage | undefined> {
    reading ??= readBuilt(folder)
    const page = await reading.catch((error) => {
      reading = undefined
      throw error
    })
    if (page === undefined) reading = undefined
    return page
  }

  app.get('/dashboard', async (_request, reply) =>
    reply.code(308).header('location', '/dashboard/').send(''),
  )
  app.get('/dashboard/*', async (request, reply) => {
    const page = await built()
    const name = (request.params as { '*': string })['*']
    if (page === undefined) return sendHtml(reply.code(503), NOT_BUILT, pageHeaders())
    const bytes = page.files.get(name)
    if (bytes !== undefined) return sendFile(reply, page, name, bytes)
    if (name.startsWith(HASHED)) return sendHtml(reply.code(404), '', pageHeaders())
    const styleNonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('base64')
    return sendHtml(reply, page.index.replace(NONCE_PLACE, styleNonce), pageHeaders({ styleNonce }))
  })
}

function sendHtml(
  reply: FastifyReply,
  html: string,
  headers: Record<string, string>,
): FastifyReply {
  return reply
    .headers({
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    })
    .send(html)
}

function sendFile(
  reply: FastifyReply,
  { files }: BuiltPage,
  name: string,
  bytes: Buffer,
): FastifyReply {
  const accepted = reply.request.headers['accept-encoding']
  const known = String(accepted ?? '')
    .split(',')
    .map((each) => each.split(';')[0]?.trim())
  const [encoding, ending] =
    ENCODINGS.find(([each, end]) => known.includes(each) && files.has(name + end)) ?? []
  reply.headers({
    'content-type': TYPES[name.split('.').pop() ?? ''] ?? 'application/octet-stream',
    'cache-control': name.startsWith(HASHED) ? FOR_EVER : FOR_AN_HOUR,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
  })
  if (encoding === undefined) return reply.send(bytes)
  return reply.header('content-encoding', encoding).send(files.get(name + ending))
}

async function readBuilt(folder: string): Promise<BuiltPage | undefined> {
  try {
    const index = await readFile(join(folder, 'index.html'), 'utf8')
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    const named = paths.map((path) => [relative(folder, path).replaceAll(sep, '/'), path] as const)
    // index.html gets a nonce with every answer. Files that begin with a dot belong to the build.
    const sent = named.filter(([name]) => name !== 'index.html' && !name.startsWith('.'))
    return {
      index,
      files: new Map(
        await Promise.all(sent.map(async ([name, path]) => [name, await readFile(path)] as const)),
      ),
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** `styleNonce` allows the page's own style elements; scripts are only our own files. */
export function pageHeaders({ styleNonce }: { styleNonce?: string } = {}): Record<string, string> {
  const styles = styleNonce === undefined ? "'self'" : `'self' 'nonce-${styleNonce}'`
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  }
}
