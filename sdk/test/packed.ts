// The package as merchants install it: built, packed and unpacked into a project of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SDK = fileURLToPath(new URL('..', import.meta.url))

/** The folder of a project with `@karba/sdk` among its packages. */
export function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'karba-sdk-'))
  execFileSync(process.execPath, ['build.ts', join(folder, 'dist')], { cwd: SDK })
  const quiet = ['--loglevel=error', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', join(folder, 'dist'), '--json', ...quiet], { encoding: 'utf8' }),
  )
  const installed = join(folder, 'node_modules', '@karba', 'sdk')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', [
    '-x',
    '-z',
    '-f',
    join(folder, filename),
    '-C',
    installed,
    '--strip-components=1',
  ])
  return folder
}

/** This process's, and that of the machine if it is another. */
export function nodesOfMachine(): string[] {
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const others = found.filter((file) => existsSync(file) && !file.includes('node_modules'))
  return [process.execPath, ...others.slice(0, 1)]
}
