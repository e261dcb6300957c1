// node clients/python/build.ts FOLDER: writes wheel and sdist to the folder. Needs no network, but
// a Python with build, setuptools and wheel. PACKAGE_REPOSITORY is where the links of the README
// lead.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { publishedReadme } from '../../scripts/write-package.ts'
import { DEBIAN, FOLDER } from './find-python.ts'

const PACKED = ['karba', 'pyproject.toml', 'LICENSE', 'CHANGELOG.md', 'MANIFEST.in']

const [dist = 'dist'] = process.argv.slice(2)
// A build writes next to its sources.
const sources = mkdtempSync(join(tmpdir(), 'karba-python-build-'))
try {
  for (const name of PACKED)
    cpSync(join(FOLDER, name), join(sources, name), {
      recursive: true,
      filter: (file) => !file.includes('__pycache__'),
    })
  writeFileSync(join(sources, 'README.md'), publishedReadme('clients/python'))
  const python = process.env.PYTHON ?? DEBIAN
  const args = ['-m', 'build', '--no-isolation', '--outdir', resolve(dist), sources]
  execFileSync(python, args, { stdio: ['ignore', 'ignore', 'inherit'] })
} finally {
  rmSync(sources, { recursive: true, force: true })
}
