// Builds the dashboard's page into dashboard/dist when it is missing or older than its sources, and compresses it, so that the server only has to
// send files. Runs before `npm start`; must be fast when there is nothing to do, and write only to stderr. Without the development packages it
// leaves what is there: a production install brings a page that was built before.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const page = join(root, 'dashboard')
const built = join(page, 'dist')
const hashFile = join(built, '.sources')

/** What the page is made from. Of the server, it has what dashboard/src imports: types, and tables of the domain. */
const SOURCES = [
  'dashboard/src',
  'dashboard/public',
  'dashboard/index.html',
  'dashboard/vite.config.ts',
  'dashboard/package.json',
  'server/src/domain/operator-names.ts',
  'server/src/domain/role.ts',
]
const COMPRESSED = /\.(js|css|svg|html|json)$/
/** Below this a compressed file is hardly smaller. */
const LEAST_BYTES = 1_024

const wanted = hashOfSources()
if (!existsSync(hashFile) || readFileSync(hashFile, 'utf8') !== wanted) await build()

async function build() {
  const tell = (text) => process.stderr.write(`Karba: ${text}\n`)
  const vite = findVite()
  if (vite === undefined) {
    if (!existsSync(join(built, 'index.html')))
      tell('the dashboard’s page is not built, and the packages to build it are not installed.')
    return
  }
  tell('building the dashboard’s page (once) …')
  const began = Date.now()
  try {
    const { build: run } = await import(vite)
    await run({ configFile: join(page, 'vite.config.ts'), logLevel: 'error' })
    await compress()
    writeFileSync(hashFile, wanted)
    tell(`the dashboard’s page is built (${((Date.now() - began) / 1_000).toFixed(1)} s).`)
  } catch (error) {
    // The service works without the page, and the page's address says what to do.
    tell(`the dashboard’s page could not be built: ${error.message}`)
    if (process.argv.includes('--strict')) process.exitCode = 1
  }
}

function findVite() {
  try {
    return pathToFileURL(createRequire(join(page, 'package.json')).resolve('vite')).href
  } catch {
    return undefined
  }
}

async function compress() {
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  const files = filesIn(built).filter((file) => COMPRESSED.test(file) && !file.endsWith('index.html'))
  await Promise.all(
    files.map(async (file) => {
      const bytes = readFileSync(file)
      if (bytes.length < LEAST_BYTES) return
      writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, best))
      writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
    }),
  )
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
