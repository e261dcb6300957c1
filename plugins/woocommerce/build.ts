// node plugins/woocommerce/build.ts FOLDER: writes the plugin as WordPress installs it, with the
// PHP client in it, to FOLDER/karba, and as a ZIP beside it. The links of the README lead to
// PACKAGE_REPOSITORY.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publishedReadme } from '../../scripts/write-package.ts'
import { zipFiles } from '../../server/src/statement-formats/zip-files.ts'

const PLUGIN = fileURLToPath(new URL('./', import.meta.url))
const CLIENT = fileURLToPath(new URL('../../clients/php/src/', import.meta.url))
const PACKED = [
  'karba.php',
  'autoload.php',
  'uninstall.php',
  'readme.txt',
  'LICENSE',
  'CHANGELOG.md',
  'assets',
  'languages',
  'src',
]
/** Every build of the same sources has the same bytes. */
const PACKED_AT = Date.UTC(2026, 0, 1)

function writeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of PACKED) cpSync(join(PLUGIN, name), join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'README.md'), publishedReadme('plugins/woocommerce'))
  cpSync(CLIENT, join(folder, 'client'), {
    recursive: true,
    filter: (file) => !file.includes('Laravel'),
  })
}

async function writeZip(dist: string): Promise<string> {
  const names = readdirSync(join(dist, 'karba'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dist.length + 1))
    .sort()
  const files = names.map((name) => ({
    name,
    isCompressed: false,
    content: contentOf(join(dist, name)),
  }))
  const parts: Uint8Array[] = []
  for await (const part of zipFiles(files, PACKED_AT)) parts.push(part)
  const zip = join(dist, `karba-woocommerce-${version()}.zip`)
  writeFileSync(zip, Buffer.concat(parts))
  return zip
}

async function* contentOf(file: string): AsyncGenerator<Uint8Array> {
  yield readFileSync(file)
}

function version(): string {
  const [, found] =
    /^ \* Version: (.*)$/m.exec(readFileSync(join(PLUGIN, 'karba.php'), 'utf8')) ?? []
  if (found === undefined) throw new Error('karba.php has no version')
  return found
}

const dist = resolve(process.argv[2] ?? 'dist')
writeFolder(join(dist, 'karba'))
process.stdout.write(`${await writeZip(dist)}\n`)
