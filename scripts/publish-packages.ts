// node scripts/publish-packages.ts FOLDER: publishes the packages of a folder, with proof of where
// they were built. A version that npm has was not changed by this release, and stays as it is.
// --dry-run does all of it but the last step.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
})
const isDryRun = values['dry-run']
const [folder = '.'] = positionals
const files = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
if (files.length === 0) fail(`${folder} has no packages.`)

for (const file of files) {
  const path = join(folder, file)
  const { name, version } = JSON.parse(run('tar', ['-xzOf', path, 'package/package.json']))
  if (isOnNpm(`${name}@${version}`)) {
    process.stdout.write(`${name}@${version} is on npm already: it stays as it is\n`)
    continue
  }
  run('npm', [
    'publish',
    resolve(path),
    '--access=public',
    '--provenance',
    '--loglevel=error',
    `--dry-run=${isDryRun}`,
  ])
  process.stdout.write(`${name}@${version} ${isDryRun ? 'would be' : 'was'} published\n`)
}

/** Any other failure than "not found" ends the release: npm may have the version. */
function isOnNpm(nameAndVersion: string): boolean {
  try {
    return run('npm', ['view', nameAndVersion, 'version', '--json'], ['E404']) !== ''
  } catch {
    return false
  }
}

/**
 * Ends with the program's own message, unless it is one of the expected errors, which are thrown.
 */
function run(program: string, args: string[], expected: string[] = []): string {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
    if (expected.some((code) => stderr.includes(code))) throw error
    return fail(`${program} ${args.join(' ')}\n${stdout}${stderr}`)
  }
}

function fail(why: string): never {
  process.stderr.write(`${why.trim()}\n`)
  process.exit(1)
}
