// npm run check-release: builds and packs the published packages, and checks what a release must
// agree on. With a tag, such as v0.1.0, also that the versions and the changelog are those of the
// tag; --dry-run takes the tag of this version, whose chapter may still be called Unreleased.
// --pack FOLDER keeps the packages. Needs no network. Prints each fault, and exits with 1 if there
// is one.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, normalize, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const manifestOf = (folder: string): Manifest => JSON.parse(read(join(folder, 'package.json')))

interface Manifest {
  name: string
  version: string
  workspaces?: string[]
  dependencies?: Record<string, string>
  bin?: Record<string, string>
  main?: string
  types?: string
  exports?: object
  repository?: { url: string }
}

/** With a version of their own, because merchants install them. */
const PUBLISHED = ['sdk', 'merchant-cli'] as const
/** Neither published nor part of the service. */
const SAMPLES = ['examples/shop-node']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pack: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
})
const isDryRun = values['dry-run']
const tag = isDryRun ? `v${manifestOf('.').version}` : positionals[0]
const faults: string[] = []
const check = (isRight: boolean, fault: string): void => {
  if (!isRight) faults.push(fault)
}

checkVersions(manifestOf('.'))
const kept = values.pack === undefined ? undefined : resolve(values.pack)
const folder = mkdtempSync(join(tmpdir(), 'karba-release-'))
for (const workspace of PUBLISHED) checkPackage(workspace)
rmSync(folder, { recursive: true, force: true })

for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length === 0)
  process.stdout.write(`Ready for ${tag ?? 'a release'}: ${namesOfPackages().join(', ')}\n`)
process.exit(faults.length === 0 ? 0 : 1)

function namesOfPackages(): string[] {
  return ['.', ...PUBLISHED].map((workspace) => {
    const { name, version } = manifestOf(workspace)
    return `${name} ${version}`
  })
}

function checkVersions({ version, workspaces = [] }: Manifest): void {
  const lock = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version?: string }>
  }
  for (const workspace of ['.', ...workspaces]) {
    const own = manifestOf(workspace)
    const locked = lock.packages[workspace === '.' ? '' : workspace]?.version
    check(
      locked === own.version,
      `package-lock.json: ${own.name} is ${locked} there and ${own.version} here.`,
    )
    const isOfService = ![...PUBLISHED, ...SAMPLES].includes(workspace)
    if (isOfService)
      check(own.version === version, `${workspace}/package.json: ${own.version} is not ${version}.`)
    for (const [name, wanted] of Object.entries(own.dependencies ?? {})) {
      const dependency = workspaces.map(manifestOf).find((each) => each.name === name)
      if (dependency !== undefined)
        check(
          dependency.version === wanted,
          `${workspace}/package.json: it wants ${name} ${wanted}.`,
        )
    }
  }
  const inSources = /VERSION = '(.*)'/.exec(read('sdk/src/version.ts'))?.[1]
  check(
    inSources === manifestOf('sdk').version,
    `sdk/src/version.ts: ${inSources} is not ${manifestOf('sdk').version}.`,
  )
  const inPython = /__version__ = "(.*)"/.exec(read('clients/python/karba/version.py'))?.[1]
  check(
    read('clients/python/CHANGELOG.md').includes(`## [${inPython}]`),
    `clients/python/CHANGELOG.md: there is no chapter "## [${inPython}]".`,
  )
  const changelog = read('CHANGELOG.md')
  const isUnreleased = /^## \[Unreleased\]$/m.test(changelog)
  if (tag === undefined) {
    const isNamed = changelog.includes(`## [${version}]`) || isUnreleased
    check(isNamed, `CHANGELOG.md: neither ${version} nor Unreleased has a chapter.`)
    return
  }
  check(tag === `v${version}`, `The tag is ${tag}, and package.json has ${version}.`)
  const isDated = new RegExp(
    `^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`,
    'm',
  ).test(changelog)
  check(
    isDated || (isDryRun && isUnreleased),
    `CHANGELOG.md: there is no chapter "## [${version}] - date".`,
  )
  check(
    read('docs/operating.md').includes(`v${version} `),
    `docs/operating.md: Day one does not name v${version}.`,
  )
  check(
    process.env.PACKAGE_REPOSITORY !== undefined,
    'PACKAGE_REPOSITORY: the packages need the repository’s address.',
  )
}

function checkPackage(workspace: (typeof PUBLISHED)[number]): void {
  const dist = join(folder, workspace, 'dist')
  const packed = join(folder, workspace, 'packed')
  mkdirSync(packed, { recursive: true })
  execFileSync(process.execPath, ['build.ts', dist], {
    cwd: join(ROOT, workspace),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (kept !== undefined) mkdirSync(kept, { recursive: true })
  const args = ['pack', dist, '--json', '--loglevel=error', '--pack-destination', kept ?? packed]
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }))
  execFileSync('tar', ['-xzf', join(kept ?? packed, filename), '-C', packed])
  checkContent(workspace, join(packed, 'package'))
}

/**
 * What npm gets: the licence, what package.json names, links that lead somewhere, no sources and no
 * tests.
 */
function checkContent(workspace: string, unpacked: string): void {
  const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest
  const { main = '', types = '', exports = {}, bin = {} } = manifest
  const named = [...[main, types].filter(Boolean), ...pathsIn(exports), ...Object.values(bin)]
  for (const file of ['LICENSE', 'README.md', ...named])
    check(existsSync(join(unpacked, file)), `${workspace}: the package lacks ${file}.`)
  check(
    manifest.version === manifestOf(workspace).version,
    `${workspace}: the package is ${manifest.version}.`,
  )
  const files = readdirSync(unpacked, { recursive: true }).map(String)
  for (const file of files)
    check(
      !/(?<!\.d)\.ts$|\btest\.|\.env|\.key$/.test(file),
      `${workspace}: ${file} does not belong in the package.`,
    )
  const readme = readFileSync(join(unpacked, 'README.md'), 'utf8')
  for (const [, target = ''] of readme.matchAll(/\]\((?!#)([^)\s]+)\)/g))
    checkLink(workspace, target)
}

/**
 * An address in the repository is a file of this version; its chapters are checked in the sources.
 */
function checkLink(workspace: string, target: string): void {
  const base = `${process.env.PACKAGE_REPOSITORY}/blob/v${manifestOf('.').version}/`
  const path = target.startsWith(base) ? target.slice(base.length).replace(/#.*/, '') : undefined
  const isThere =
    path === undefined ? /^https?:/.test(target) : existsSync(join(ROOT, normalize(path)))
  check(isThere, `${workspace}: its README leads to ${target}, which does not exist.`)
}

function pathsIn(exports: object): string[] {
  return Object.values(exports).flatMap((each) =>
    typeof each === 'string' ? [each] : pathsIn(each),
  )
}
