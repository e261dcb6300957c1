// The PHP client: its own tests by PHPUnit, its style by PHP_CodeSniffer, the types of its
// docblocks, and that PHP 7.4 reads it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CLIENT = fileURLToPath(new URL('../../../clients/php', import.meta.url))
const PHPUNIT = '/usr/bin/phpunit'
const PHPCS = '/usr/bin/phpcs'
const TYPE_PARSER = '/usr/share/php/PHPStan/PhpDocParser/autoload.php'
const PARSER = '/usr/share/php/PhpParser/autoload.php'

const isMissing = (...files: string[]): boolean =>
  !files.every(existsSync) && process.env.CI === undefined

async function run(command: string, args: readonly string[]): Promise<string> {
  const options = { cwd: CLIENT, timeout: 120_000 }
  const { stdout } = await promisify(execFile)(command, args, options).catch(
    (error: Error & { stdout: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`)
    },
  )
  return stdout
}

it(
  'PHP client: passes its own tests',
  isMissing(PHPUNIT) ? { skip: 'there is no PHPUnit on this machine' } : {},
  async (t) => {
    const printed = await run(PHPUNIT, ['--do-not-cache-result', '--fail-on-warning', 'tests'])
    const [, summary = ''] = /^(OK\b.*)$/m.exec(printed) ?? []
    assert.notEqual(summary, '', printed)
    t.diagnostic(summary)
  },
)

it(
  'PHP client: keeps the style PSR-12',
  isMissing(PHPCS) ? { skip: 'there is no PHP_CodeSniffer on this machine' } : {},
  async () => {
    assert.equal(
      await run(PHPCS, ['--standard=PSR12', '-n', '-q', 'config', 'database', 'src', 'tests']),
      '',
    )
  },
)

it(
  'PHP client: has no syntax or function that PHP 7.4 does not know',
  isMissing(PARSER) ? { skip: 'there is no php-parser on this machine' } : {},
  async () => {
    assert.equal(await run('php', ['tests/check-php74.php', 'src']), '')
  },
)

it(
  'PHP client: has docblocks whose types can be read and exist',
  isMissing(TYPE_PARSER) ? { skip: 'there is no phpdoc-parser on this machine' } : {},
  async () => {
    assert.equal(await run('php', ['tests/check-types.php', 'src']), '')
  },
)
