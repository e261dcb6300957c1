// A release: npm run check-release as a process, and the workflows that publish.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DEBIAN, runs } from '../../../clients/python/find-python.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { listenLocally } from '../kit/process.ts'
import { isInstalled, readDocument } from './printed-code.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const CAN_BUILD_PYTHON = runs(DEBIAN, ['-c', 'import build, setuptools, wheel'])
const OF_PYTHON = [/^karba-[\d.]+-py3-none-any\.whl$/, /^karba-[\d.]+\.tar\.gz$/]
const REPOSITORY = 'https://git.example/owner/karba'

describe('releases', () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-packages-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  async function checkRelease(args: string[], env: Record<string, string> = {}) {
    const { PATH = '', HOME = '' } = process.env
    const run = promisify(execFile)(process.execPath, ['scripts/check-release.ts', ...args], {
      cwd: ROOT,
      // No network: npm packs without it.
      env: { PATH, HOME, npm_config_offline: 'true', ...env },
    })
    return run.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) =>
        ({ code, stdout, stderr }) as { code: number; stdout: string; stderr: string },
    )
  }

  it('releases: the packages of this version are whole, with links into the repository', async () => {
    const { code, stdout, stderr } = await checkRelease(['--pack', folder], {
      PACKAGE_REPOSITORY: REPOSITORY,
    })
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^Ready for a release: karba \d+\.\d+\.\d+, @karba\/sdk /m)
    const files = readdirSync(folder).sort()
    for (const name of [/^karba-php-[\d.]+\.zip$/, ...(CAN_BUILD_PYTHON ? OF_PYTHON : [])])
      assert.equal(files.filter((file) => name.test(file)).length, 1, files.join(' '))
    const packed = files.filter((file) => file.endsWith('.tgz'))
    assert.equal(packed.length, 2, packed.join(' '))
    for (const file of packed) {
      const read = async (path: string): Promise<string> =>
        (await promisify(execFile)('tar', ['-xzOf', join(folder, file), `package/${path}`])).stdout
      const { repository, license, version } = JSON.parse(await read('package.json'))
      assert.deepEqual([repository.url, license], [`git+${REPOSITORY}.git`, 'Apache-2.0'])
      assert.match(await read('LICENSE'), /Apache License/)
      assert.match(await read('CHANGELOG.md'), new RegExp(`^## \\[${version}\\]$`, 'm'))
    }
  })

  const isComposerMissing = !isInstalled('composer') && process.env.CI === undefined
  it('releases: Composer installs the package from its archive, and a program loads it', {
    skip: isComposerMissing && 'there is no Composer on this machine',
  }, async () => {
    const shop = join(folder, 'shop')
    mkdirSync(shop)
    const packages = [{ type: 'artifact', url: folder }, { 'packagist.org': false }]
    const manifest = { repositories: packages, require: { 'karba/karba': '*' } }
    writeFileSync(join(shop, 'composer.json'), JSON.stringify(manifest))
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_DISABLE_NETWORK: '1' }
    const options = { cwd: shop, env, timeout: 120_000 }
    await promisify(execFile)('composer', ['install', '--no-interaction'], options)
    const program = "require 'vendor/autoload.php'; echo Karba\\Version::VERSION;"
    const { stdout } = await promisify(execFile)('php', ['-r', program], options)
    const { version } = JSON.parse(
      readFileSync(join(shop, 'vendor/karba/karba/composer.json'), 'utf8'),
    ) as { version: string }
    assert.equal(stdout, version)
    const readme = readFileSync(join(shop, 'vendor/karba/karba/README.md'), 'utf8')
    assert.ok(readme.includes(`](${REPOSITORY}/blob/v`))
  })

  it('releases: a tag of another version, or without a chapter in the changelog, is refused', async () => {
    const { code, stdout, stderr } = await checkRelease(['v99.0.0'])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(
      stderr,
      new RegExp(`^The tag is v99\\.0\\.0, and package\\.json has ${packageJson.version}\\.$`, 'm'),
    )
    assert.match(stderr, /PACKAGE_REPOSITORY/)
  })

  it('releases: this version passes every check of its tag in a dry run', async () => {
    const { code, stdout, stderr } = await checkRelease(['--dry-run'], {
      PACKAGE_REPOSITORY: REPOSITORY,
    })
    assert.deepEqual([code, stderr], [0, ''])
    assert.ok(
      stdout.startsWith(`Ready for v${packageJson.version}: karba ${packageJson.version}, `),
      stdout,
    )
  })

  /** npm's registry, as npm sees it: it knows these packages, and keeps what is published. */
  async function openRegistry(known: Record<string, string>) {
    const published: string[] = []
    const server = createServer((request, response) => {
      const name = decodeURIComponent((request.url as string).slice(1)).replace(/[?].*/, '')
      request.resume()
      if (request.method === 'PUT') published.push(name)
      const version = known[name]
      const versions = version && { [version]: { name, version } }
      response.writeHead(versions ? 200 : 404, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(versions ? { name, versions, 'dist-tags': { latest: version } } : {}),
      )
    })
    return {
      url: `http://127.0.0.1:${await listenLocally(server)}/`,
      published,
      close: () => server.close(),
    }
  }

  async function publishTo(registry: string, args: string[]) {
    const { PATH = '', HOME = '' } = process.env
    const ran = promisify(execFile)(
      process.execPath,
      ['scripts/publish-packages.ts', folder, ...args],
      {
        cwd: ROOT,
        env: { PATH, HOME, npm_config_registry: registry, npm_config_fetch_retries: '0' },
      },
    )
    return ran.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) =>
        ({ code, stdout, stderr }) as { code: number; stdout: string; stderr: string },
    )
  }

  it('releases: a dry run publishes nothing, and names the packages that npm does not have', async (t) => {
    const { version } = JSON.parse(readDocument('sdk/package.json')) as { version: string }
    const registry = await openRegistry({ '@karba/sdk': version })
    t.after(registry.close)
    const { code, stdout, stderr } = await publishTo(registry.url, ['--dry-run'])
    assert.equal(code, 0, stderr)
    assert.match(stdout, new RegExp(`^@karba/sdk@${version} is on npm already`, 'm'))
    assert.match(stdout, /^@karba\/merchant-cli@\d+\.\d+\.\d+ would be published$/m)
    assert.deepEqual(registry.published, [])
  })

  it('releases: without proof of origin, or without an answer of npm, nothing is published', async (t) => {
    const registry = await openRegistry({})
    t.after(registry.close)
    const withoutProof = await publishTo(registry.url, [])
    assert.equal(withoutProof.code, 1)
    assert.match(withoutProof.stderr, /provenance/)
    const withoutNpm = await publishTo('http://127.0.0.1:1/', [])
    assert.equal(withoutNpm.code, 1)
    assert.match(withoutNpm.stderr, /ECONNREFUSED/)
    assert.deepEqual(registry.published, [])
  })

  const workflow = (name: string): string => readDocument(`.github/workflows/${name}.yml`)

  it('releases: a tag runs the whole CI before it publishes with provenance', () => {
    const publish = workflow('publish')
    const publishes = 'run: node scripts/publish-packages.ts packages'
    const lines = [
      `tags: ['v*']`,
      'uses: ./.github/workflows/ci.yml',
      'needs: ci',
      'id-token: write',
      publishes,
    ]
    for (const line of lines) assert.ok(publish.includes(line), line)
    assert.doesNotMatch(publish, /secrets\.|TOKEN/)
    assert.ok(workflow('ci').includes(`${publishes} --dry-run`))
    assert.match(workflow('ci'), /^ {2}workflow_call:$/m)
  })

  it('releases: every action of the workflows is pinned by its digest', () => {
    const uses = ['ci', 'publish'].flatMap((name) => [
      ...workflow(name).matchAll(/uses: (?!\.\/)(\S+)/g),
    ])
    assert.ok(uses.length > 5)
    for (const [, action = ''] of uses) assert.match(action, /@[0-9a-f]{40}$/)
  })

  it('releases: every script that the workflows and the manual run exists', () => {
    const texts = [
      workflow('ci'),
      workflow('publish'),
      readDocument('docs/releasing.md'),
      readDocument('.ci/run'),
    ]
    const scripts = texts.flatMap((text) =>
      [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name),
    )
    const known = Object.keys(packageJson.scripts)
    const wrong = scripts.filter(
      (name) => name !== undefined && !known.includes(name) && name !== 'build',
    )
    assert.deepEqual(wrong, [])
    assert.ok(
      existsSync(join(ROOT, 'LICENSE')) &&
        readFileSync(join(ROOT, 'LICENSE'), 'utf8').length > 10_000,
    )
  })
})
