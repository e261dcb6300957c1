// Builds the dashboard into dashboard/dist and the bundle of the API reference (Scalar) into
// server/dist, compressed, when they are missing or older than their sources. Runs before `npm
// start`: must be fast when nothing changed, and write only to stderr. Without the development
// packages it keeps the existing files: a production install brings built pages.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const page = join(root, 'dashboard')
const built = join(page, 'dist')
const hashFile = join(built, '.sources')

/** The sources of the page, including what dashboard/src imports from the server. */
const SOURCES = [
  'dashboard/src',
  'dashboard/public',
  'dashboard/index.html',
  'dashboard/vite.config.ts',
  'dashboard/package.json',
  'server/src/dashboard-api/contract.ts',
  'server/src/domain',
]
const COMPRESSED = /\.(js|css|svg|html|json)$/
/** Smaller files hardly shrink. */
const MIN_COMPRESSED_BYTES = 1_024

const SCALAR = '@scalar/fastify-api-reference'
const scalarBundle = join(root, 'server', 'dist', 'scalar.js')
const scalarVersionFile = join(root, 'server', 'dist', '.scalar')

const say = (text) => process.stderr.write(`Karba: ${text}\n`)
const isCurrent = (file, wanted) => existsSync(file) && readFileSync(file, 'utf8') === wanted

const wanted = hashOfSources()
if (!isCurrent(hashFile, wanted)) await build()
await buildReference()

async function build() {
  const vite = find('vite')
  if (vite === undefined) {
    if (!existsSync(join(built, 'index.html')))
      say('the dashboard’s page is not built, and the packages to build it are not installed.')
    return
  }
  say('building the dashboard’s page (once) …')
  const began = Date.now()
  try {
    const { build: run } = await import(vite)
    await run({ configFile: join(page, 'vite.config.ts'), logLevel: 'error' })
    const files = filesIn(built).filter(
      (file) => COMPRESSED.test(file) && !file.endsWith('index.html'),
    )
    await Promise.all(files.map((file) => compress(file, constants.BROTLI_MAX_QUALITY)))
    writeFileSync(hashFile, wanted)
    say(`the dashboard’s page is built (${((Date.now() - began) / 1_000).toFixed(1)} s).`)
  } catch (error) {
    // The service works without the page; /dashboard then says what to do.
    say(`the dashboard’s page could not be built: ${error.message}`)
    if (process.argv.includes('--strict')) process.exitCode = 1
  }
}

function find(name) {
  try {
    return pathToFileURL(createRequire(join(page, 'package.json')).resolve(name)).href
  } catch {
    return undefined
  }
}

/**
 * The package registers its bundle as a Fastify route: a stand-in reads it there
 * (docs/dependencies.md).
 */
async function buildReference() {
  const version = JSON.parse(readFileSync(join(page, 'package.json'), 'utf8')).devDependencies[
    SCALAR
  ]
  const scalar = find(SCALAR)
  if (scalar === undefined || isCurrent(scalarVersionFile, version)) return
  const { default: register } = await import(scalar)
  const routes = []
  register({ route: (route) => routes.push(route) }, { configuration: { url: '/' } }, () => {})
  const reply = { header: () => reply, send: (text) => text }
  mkdirSync(dirname(scalarBundle), { recursive: true })
  writeFileSync(
    scalarBundle,
    routes.find(({ url }) => url.endsWith('/scalar.js')).handler({}, reply),
  )
  // The best quality takes 45 s for 4 MB, quality 9 takes 3 s for a tenth more bytes.
  await compress(scalarBundle, 9)
  writeFileSync(scalarVersionFile, version)
}

async function compress(file, quality) {
  const bytes = readFileSync(file)
  if (bytes.length < MIN_COMPRESSED_BYTES) return
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, options))
  writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}

function hashOfSources() {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const path = join(root, source)
    for (const file of existsSync(path) && !/\.\w+$/.test(source) ? filesIn(path) : [path]) {
      if (!existsSync(file)) continue
      hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
    }
  }
  return hash.digest('hex')
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}
