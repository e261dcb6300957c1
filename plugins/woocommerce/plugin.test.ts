// The WooCommerce plugin without WordPress: its rules by PHPUnit, its style, that PHP 7.4 reads it,
// and the archive that a shop installs.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PLUGIN = fileURLToPath(new URL('./', import.meta.url))
const CLIENT = fileURLToPath(new URL('../../clients/php/', import.meta.url))
const PHPUNIT = '/usr/bin/phpunit'
const PHPCS = '/usr/bin/phpcs'
const PARSER = '/usr/share/php/PhpParser/autoload.php'

const read = (file: string): string => readFileSync(join(PLUGIN, file), 'utf8')

const isMissing = (...files: string[]): boolean =>
  !files.every(existsSync) && process.env.CI === undefined

async function run(command: string, args: readonly string[]): Promise<string> {
  const options = { cwd: PLUGIN, timeout: 120_000 }
  const { stdout } = await promisify(execFile)(command, args, options).catch(
    (error: Error & { stdout: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`)
    },
  )
  return stdout
}

it(
  'WooCommerce plugin: its rules pass their tests',
  isMissing(PHPUNIT) ? { skip: 'there is no PHPUnit on this machine' } : {},
  async (t) => {
    const printed = await run(PHPUNIT, ['--do-not-cache-result', '--fail-on-warning', 'tests'])
    const [, summary = ''] = /^(OK\b.*)$/m.exec(printed) ?? []
    assert.notEqual(summary, '', printed)
    t.diagnostic(summary)
  },
)

it(
  'WooCommerce plugin: keeps the style PSR-12, but for the names of methods that WooCommerce calls',
  isMissing(PHPCS) ? { skip: 'there is no PHP_CodeSniffer on this machine' } : {},
  async () => {
    const rules = ['--standard=PSR12', '--exclude=PSR1.Methods.CamelCapsMethodName']
    const files = ['karba.php', 'autoload.php', 'uninstall.php', 'src', 'tests', 'real']
    assert.equal(await run(PHPCS, [...rules, '--extensions=php', '-n', '-q', ...files]), '')
  },
)

it(
  'WooCommerce plugin: has no syntax or function that PHP 7.4 does not know',
  isMissing(PARSER) ? { skip: 'there is no php-parser on this machine' } : {},
  async () => {
    assert.equal(await run('php', [join(CLIENT, 'tests/check-php74.php'), '.']), '')
  },
)

it('WooCommerce plugin: the rules know no WordPress', () => {
  const files = readdirSync(join(PLUGIN, 'src/Deciding'))
  assert.ok(files.length > 10, 'there is something to check')
  for (const file of files)
    assert.doesNotMatch(
      read(`src/Deciding/${file}`),
      /\b(wpdb|wc_\w+\(|WC\(|get_option|apply_filters|do_action|add_\w+\()/,
      file,
    )
})

it('WooCommerce plugin: its version is the same in each place', () => {
  const [, version = ''] = /^ \* Version: (.+)$/m.exec(read('karba.php')) ?? []
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.ok(read('karba.php').includes(`define('KARBA_PLUGIN_VERSION', '${version}')`))
  assert.match(read('readme.txt'), new RegExp(`^Stable tag: ${version}$`, 'm'))
  assert.match(read('CHANGELOG.md'), new RegExp(`\\b${version}\\b`))
})

it('WooCommerce plugin: its archive has the plugin and the whole PHP client, and nothing of tests', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-plugin-'))
  try {
    const printed = await run(process.execPath, ['build.ts', folder])
    const names = (await run('python3', ['-m', 'zipfile', '-l', printed.trim()]))
      .split('\n')
      .flatMap((line) => /^(karba\/\S+)/.exec(line)?.[1] ?? [])
    const client = readdirSync(join(CLIENT, 'src')).filter((name) => name.endsWith('.php'))
    for (const name of [
      'karba.php',
      'uninstall.php',
      'readme.txt',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'assets/blocks.js',
      'languages/karba-fr_FR.l10n.php',
      'client/Http/CurlTransport.php',
      ...client.map((file) => `client/${file}`),
    ])
      assert.ok(names.includes(`karba/${name}`), name)
    assert.deepEqual(
      names.filter((name) => /Laravel|\btests?\b|\breal\b|\.ts$/.test(name)),
      [],
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
