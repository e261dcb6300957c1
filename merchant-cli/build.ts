// npm run build: writes the published command to dist/, or to the folder that is named: one file
// that includes the SDK, for Node 20 and later.
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { writePackage } from '../scripts/write-package.ts'

const DIST = resolve(process.argv[2] ?? fileURLToPath(new URL('dist', import.meta.url)))

rmSync(DIST, { recursive: true, force: true })
buildSync({
  entryPoints: [fileURLToPath(new URL('src/karba.ts', import.meta.url))],
  outfile: join(DIST, 'karba.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
})
writePackage('merchant-cli', DIST, { bin: { karba: './karba.js' } })
