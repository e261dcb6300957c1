// npm run minify: writes the minified scripts of the payer's pages, each beside its source. They are committed, so that the server needs no
// minifier; a test fails when one differs from what esbuild makes of its source.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

const FOLDER = new URL('../server/src/checkout/scripts/', import.meta.url)

/** File name in the folder of scripts, and its text. */
export function minifiedScripts(): Record<string, string> {
  const sources = readdirSync(FOLDER).filter((name) => name.endsWith('.js') && !name.endsWith('.min.js'))
  return Object.fromEntries(sources.map((name) => [name.replace(/\.js$/, '.min.js'), minified(name)]))
}

/** For old phones esbuild rewrites syntax newer than ES2017. UTF-8 is half as long as escapes for characters outside ASCII. */
function minified(name: string): string {
  const source = readFileSync(new URL(name, FOLDER), 'utf8')
  return transformSync(source, { minify: true, target: 'es2017', charset: 'utf8' }).code
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(minifiedScripts())) {
    writeFileSync(new URL(name, FOLDER), text)
    process.stdout.write(`${name} ${Buffer.byteLength(text)} bytes\n`)
  }
}
