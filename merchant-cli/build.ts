// npm run build: writes the published command to dist/: one file that includes the SDK, for Node 20 and later.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const DIST = new URL('dist/', import.meta.url)

rmSync(DIST, { recursive: true, force: true })
buildSync({
  entryPoints: [fileURLToPath(new URL('src/karba.ts', import.meta.url))],
  outfile: fileURLToPath(new URL('karba.js', DIST)),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
})
const source = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const { name, version, description, license, type, engines } = source
const published = { name, version, description, license, type, engines, bin: { karba: './karba.js' } }
writeFileSync(new URL('package.json', DIST), `${JSON.stringify(published, null, 2)}\n`)
