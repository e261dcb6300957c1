// npm run minify: writes the minified scripts of the server's own pages next to their sources. They
// are committed, so that the server needs no minifier; a test fails when one is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

const ROOT = new URL('../', import.meta.url)
const FOLDERS = ['server/src/checkout/scripts/', 'server/src/dashboard-api/scripts/']

/** By their paths. */
export function minifiedScripts(): Record<string, string> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT)).map((name) => folder + name),
  )
  const sources = files.filter((name) => name.endsWith('.js') && !name.endsWith('.min.js'))
  return Object.fromEntries(
    sources.map((name) => [name.replace(/\.js$/, '.min.js'), minified(name)]),
  )
}

/** ES2017 for old phones. UTF-8 is half as long as escapes. */
function minified(name: string): string {
  const source = readFileSync(new URL(name, ROOT), 'utf8')
  const { code } = transformSync(source, {
    minify: true,
    format: 'iife',
    target: 'es2017',
    charset: 'utf8',
  })
  // esbuild keeps a semicolon before the bracket that closes its wrapper.
  return code.replace(/;(?=\}\)\(\);\s*$)/, '')
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(minifiedScripts())) {
    writeFileSync(new URL(name, ROOT), text)
    process.stdout.write(`${name} ${Buffer.byteLength(text)} bytes\n`)
  }
}
