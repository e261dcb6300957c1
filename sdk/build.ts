// npm run build: writes the published package to dist/: JavaScript modules with types for Node 20 and later, Bun, Deno
// and edge runtimes. Compiled without Node's types, so that no import of Node can slip in.
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const DIST = new URL('dist/', import.meta.url)

rmSync(DIST, { recursive: true, force: true })
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: FOLDER, stdio: 'inherit' })
const { name, version, description, license, type, engines } = JSON.parse(readFileSync(`${FOLDER}package.json`, 'utf8'))
const exports = { '.': { types: './karba.d.ts', default: './karba.js' } }
const published = { name, version, description, license, type, engines, exports, sideEffects: false }
writeFileSync(new URL('package.json', DIST), `${JSON.stringify(published, null, 2)}\n`)
copyFileSync(`${FOLDER}README.md`, new URL('README.md', DIST))
