// npm run build: writes the published package to dist/, or to the folder that is named: JavaScript
// modules and CommonJS, each with types, for Node 20 and later, Bun, Deno and edge runtimes.
// Compiled without Node's types, so that no import of Node can slip in.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { writePackage } from '../scripts/write-package.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const DIST = resolve(process.argv[2] ?? join(FOLDER, 'dist'))
const COMMONJS = join(DIST, 'commonjs')

rmSync(DIST, { recursive: true, force: true })
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', DIST], {
  cwd: FOLDER,
  stdio: 'inherit',
})

mkdirSync(COMMONJS)
buildSync({
  entryPoints: [join(DIST, 'karba.js')],
  outfile: join(COMMONJS, 'karba.js'),
  bundle: true,
  platform: 'neutral',
  format: 'cjs',
  target: 'es2022',
})
// The same declarations for both: the nearest package.json says whether they describe modules or
// CommonJS. The compiler leaves .ts in their imports, which older versions of it cannot read.
for (const file of readdirSync(DIST).filter((name) => name.endsWith('.d.ts'))) {
  const declarations = readFileSync(join(DIST, file), 'utf8').replace(
    /(from '\.\/[\w-]+)\.ts'/g,
    "$1.js'",
  )
  for (const folder of [DIST, COMMONJS]) writeFileSync(join(folder, file), declarations)
}
writeFileSync(join(COMMONJS, 'package.json'), '{ "type": "commonjs" }\n')

const [types, file] = ['./karba.d.ts', './karba.js']
writePackage('sdk', DIST, {
  // For TypeScript with moduleResolution node10, which does not know exports.
  main: './commonjs/karba.js',
  types: './commonjs/karba.d.ts',
  exports: {
    '.': {
      import: { types, default: file },
      require: { types: './commonjs/karba.d.ts', default: './commonjs/karba.js' },
      default: file,
    },
    './package.json': './package.json',
  },
  sideEffects: false,
})
