// node clients/php/build.ts FOLDER: writes the Composer package to the folder, as a ZIP whose
// composer.json has the version. Needs no network and no PHP. PACKAGE_REPOSITORY is where the links
// of the README lead.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publishedReadme } from '../../scripts/write-package.ts'
import { type ZippedFile, zipFiles } from '../../server/src/statement-formats/zip-files.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const PACKED = ['config', 'database', 'src', 'CHANGELOG.md', 'LICENSE']
const READMES = ['README.md', 'README.fr.md']
/** The same for each build, so that the same sources are the same bytes. */
const MADE_AT = Date.UTC(2026, 0, 1)

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')

function filesBelow(path: string): string[] {
  if (path.includes('.')) return [path]
  const entries = readdirSync(join(FOLDER, path), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(FOLDER.length))
    .sort()
}

function composerManifest(version: string): string {
  const address = process.env.PACKAGE_REPOSITORY?.replace(/\/$/, '')
  const manifest = JSON.parse(read('composer.json')) as Record<string, unknown>
  const support = address && { support: { source: address, issues: `${address}/issues` } }
  return `${JSON.stringify({ ...manifest, version, ...support }, null, 4)}\n`
}

const [dist = 'dist'] = process.argv.slice(2)
const [, version] = /VERSION = '(.*)'/.exec(read('src/Version.php')) ?? []
if (version === undefined) throw new Error('src/Version.php has no VERSION.')
const texts: [name: string, text: string][] = [
  ['composer.json', composerManifest(version)],
  ...READMES.map((name): [string, string] => [name, publishedReadme('clients/php', name)]),
  ...PACKED.flatMap((path) => (path === 'LICENSE' ? [path] : filesBelow(path))).map(
    (file): [string, string] => [file.replaceAll('\\', '/'), read(file)],
  ),
]
const files = texts.map(
  ([name, text]): ZippedFile => ({
    name,
    isCompressed: false,
    content: (async function* () {
      yield text
    })(),
  }),
)
const chunks: Uint8Array[] = []
for await (const chunk of zipFiles(files, MADE_AT)) chunks.push(chunk)
mkdirSync(resolve(dist), { recursive: true })
writeFileSync(join(resolve(dist), `karba-php-${version}.zip`), Buffer.concat(chunks))
