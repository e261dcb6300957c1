// Completes a published package in its dist/: package.json, LICENSE, changelog, and README with
// links that work outside of the repository. PACKAGE_REPOSITORY is the address of the repository,
// such as https://example.com/owner/karba: npm needs it to prove where a package was built, and the
// publish workflow sets it. Without it the README has no links to files.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const ROOT = new URL('../', import.meta.url)

/** Fields that the published package.json takes from the one of the sources. */
const KEPT = ['name', 'version', 'description', 'license', 'type', 'engines', 'keywords']

interface Manifest {
  version: string
  [field: string]: unknown
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(new URL(`${folder}/package.json`, ROOT), 'utf8')) as Manifest

/**
 * `folder` is the workspace, `dist` the package; `own` are the fields that only the published
 * package has.
 */
export function writePackage(
  folder: 'sdk' | 'merchant-cli',
  dist: string,
  own: Record<string, unknown>,
): void {
  const address = process.env.PACKAGE_REPOSITORY?.replace(/\/$/, '')
  const source = readManifest(folder)
  const kept = KEPT.flatMap((field) =>
    source[field] === undefined ? [] : [[field, source[field]]],
  )
  const repository = address && {
    repository: { type: 'git', url: `git+${address}.git`, directory: folder },
  }
  const published = { ...Object.fromEntries(kept), ...repository, ...own }
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  copyFileSync(new URL('LICENSE', ROOT), join(dist, 'LICENSE'))
  copyFileSync(new URL(`${folder}/CHANGELOG.md`, ROOT), join(dist, 'CHANGELOG.md'))
  writeFileSync(join(dist, 'README.md'), publishedReadme(folder))
}

/** The README of a folder, for readers outside of the repository. */
export function publishedReadme(folder: string, name = 'README.md'): string {
  const address = process.env.PACKAGE_REPOSITORY?.replace(/\/$/, '')
  const files = address && `${address}/blob/v${readManifest('.').version}`
  const readme = readFileSync(new URL(`${folder}/${name}`, ROOT), 'utf8')
  return withLinks(readme, folder, files)
}

/**
 * Links to files lead to `files`, the address of the repository's root at this version, or become
 * plain text.
 */
const withLinks = (readme: string, folder: string, files: string | undefined): string =>
  readme.replace(/\[([^\]]+)\]\((?!https?:|#)([^)]+)\)/g, (_whole, text: string, path: string) =>
    files ? `[${text}](${files}/${posix.normalize(posix.join(folder, path))})` : text,
  )
