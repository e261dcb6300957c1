// npm run check-release: builds and packs the published packages, those for npm, Composer and pip,
// and checks what a release must agree on. With a tag, such as v0.1.0, also that the versions and
// the changelog are those of the tag; --dry-run takes the tag of this version, whose chapter may
// still be called Unreleased. --pack FOLDER keeps the packages. Needs no network. Prints each
// fault, and exits with 1 if there is one.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, normalize, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { DEBIAN, runs } from '../clients/python/find-python.ts'

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
/** The other published packages: where each has its version, and the program that writes it. */
const OTHER_CLIENTS = [
  {
    folder: 'clients/php',
    name: 'karba/karba for Composer',
    versionIn: 'src/Version.php',
    version: /VERSION = '(.*)'/,
    needs: undefined,
  },
  {
    folder: 'clients/python',
    name: 'karba for pip',
    versionIn: 'karba/version.py',
    version: /__version__ = "(.*)"/,
    needs: 'import build, setuptools, wheel',
  },
] as const
/** Neither published nor part of the service. */
const SAMPLES = ['examples/shop-node']

type OtherClient = (typeof OTHER_CLIENTS)[number]

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
for (const client of OTHER_CLIENTS) checkOtherClient(client)
rmSync(folder, { recursive: true, force: true })

for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length === 0)
  process.stdout.write(`Ready for ${tag ?? 'a release'}: ${namesOfPackages().join(', ')}\n`)
process.exit(faults.length === 0 ? 0 : 1)

function namesOfPackages(): string[] {
  const ofNpm = ['.', ...PUBLISHED].map((workspace) => {
    const { name, version } = manifestOf(workspace)
    return `${name} ${version}`
  })
  return [...ofNpm, ...OTHER_CLIENTS.map((client) => `${client.name} ${versionOf(client)}`)]
}

function versionOf({ folder, versionIn, version }: OtherClient): string {
  return version.exec(read(join(folder, versionIn)))?.[1] ?? ''
}

/** What merchants install follows the API: it has its first number, and a chapter of its own. */
function checkVersionsOfClients(): void {
  const { info } = JSON.parse(read('docs/openapi.json')) as { info: { version: string } }
  const majorOf = (version: string): string | undefined => version.split('.')[0]
  const versions: [folder: string, version: string][] = [
    ...PUBLISHED.map((folder): [string, string] => [folder, manifestOf(folder).version]),
    ...OTHER_CLIENTS.map((client): [string, string] => [client.folder, versionOf(client)]),
  ]
  for (const [folder, version] of versions) {
    check(
      /^\d+\.\d+\.\d+$/.test(version) && majorOf(version) === majorOf(info.version),
      `${folder}: its version ${version} does not follow the API, which is ${info.version}.`,
    )
    check(
      read(join(folder, 'CHANGELOG.md')).includes(`## [${version}]`),
      `${folder}/CHANGELOG.md: there is no chapter "## [${version}]".`,
    )
  }
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
  checkVersionsOfClients()
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

/** Builds a package of another language, and unpacks each archive of it. */
function checkOtherClient(client: OtherClient): void {
  const python = process.env.PYTHON ?? DEBIAN
  if (client.needs !== undefined && !runs(python, ['-c', client.needs])) {
    const isNeeded = tag !== undefined || process.env.CI !== undefined
    const why = `${client.folder}: it is not built without Debian's python3-build, setuptools and wheel.`
    check(!isNeeded, why)
    if (!isNeeded) process.stdout.write(`${why}\n`)
    return
  }
  const built = join(folder, client.folder)
  mkdirSync(built, { recursive: true })
  execFileSync(process.execPath, [join(ROOT, client.folder, 'build.ts'), built], {
    // Its warnings are in the error, if there is one.
    stdio: 'pipe',
  })
  for (const archive of readdirSync(built)) {
    const unpacked = join(folder, 'unpacked', archive)
    mkdirSync(unpacked, { recursive: true })
    const isTar = archive.endsWith('.tar.gz')
    if (isTar)
      execFileSync('tar', ['-xzf', join(built, archive), '-C', unpacked, '--strip-components=1'])
    else execFileSync(python, ['-m', 'zipfile', '-e', join(built, archive), unpacked])
    checkArchive(client, archive, unpacked)
    if (kept !== undefined) cpSync(join(built, archive), join(kept, archive))
  }
}

function checkArchive(client: OtherClient, archive: string, unpacked: string): void {
  check(
    archive.includes(versionOf(client)),
    `${client.folder}: ${archive} is not ${versionOf(client)}.`,
  )
  const files = readdirSync(unpacked, { recursive: true }).map(String)
  const has = (name: RegExp): boolean => files.some((file) => name.test(file))
  check(has(/(^|\/)LICENSE$/), `${client.folder}: ${archive} lacks LICENSE.`)
  for (const file of files)
    check(
      !/(^|\/)tests?\b|\.ts$|\.env|\.key$|__pycache__/.test(file),
      `${client.folder}: ${file} does not belong in ${archive}.`,
    )
  // A wheel has its README in METADATA.
  const readmes = files.filter((file) => /(^|\/)(README(\.\w+)?\.md|METADATA)$/.test(file))
  check(readmes.length > 0, `${client.folder}: ${archive} has no README.`)
  const isWheel = archive.endsWith('.whl')
  check(isWheel || has(/^CHANGELOG\.md$/), `${client.folder}: ${archive} lacks CHANGELOG.md.`)
  for (const readme of readmes) checkLinks(client.folder, join(unpacked, readme))
}

/**
 * What npm gets: the licence, what package.json names, links that lead somewhere, no sources and no
 * tests.
 */
function checkContent(workspace: string, unpacked: string): void {
  const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest
  const { main = '', types = '', exports = {}, bin = {} } = manifest
  const named = [...[main, types].filter(Boolean), ...pathsIn(exports), ...Object.values(bin)]
  for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md', ...named])
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
  checkLinks(workspace, join(unpacked, 'README.md'))
}

function checkLinks(workspace: string, readme: string): void {
  const text = readFileSync(readme, 'utf8')
  for (const [, target = ''] of text.matchAll(/\]\((?!#)([^)\s]+)\)/g)) checkLink(workspace, target)
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
