// The command karba as a process of its own: its exit code, its two outputs, standard input, and the mode of the files that it writes. What
// each command does is tested in cli/, in the test's own process.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { spawnKarba } from '../kit/process.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'

describe('karba as a process', () => {
  let place: StorePlace
  before(async () => {
    place = await SQLITE.makePlace()
    const { code, stderr } = await spawnKarba(['migrate'], place.env)
    assert.deepEqual([code, stderr], [0, ''])
  })
  after(() => place.remove())

  it('exit code 0: karba --version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    assert.deepEqual(await spawnKarba(['--version'], place.env), { code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('exit code 1: a refusal is one sentence on stderr', async () => {
    const sentence = 'karba: acc_x: There is no such account. `karba merchant list` shows them all.\n'
    assert.deepEqual(await spawnKarba(['keys', 'list', 'acc_x'], place.env), { code: 1, stdout: '', stderr: sentence })
  })

  it('exit code 2: a usage error is one object on stderr with --json', async () => {
    const { code, stdout, stderr } = await spawnKarba(['nothing', '--json'], place.env)
    assert.deepEqual([code, stdout, JSON.parse(stderr).error.code], [2, '', 'usage'])
  })

  it('a secret is read from standard input', async () => {
    const made = await spawnKarba(['merchant', 'create', '--name', 'Boutique Awa', '--json'], place.env)
    const { sandbox } = JSON.parse(made.stdout)
    const { code, stdout } = await spawnKarba(['keys', 'revoke', '-', '--json'], place.env, `${sandbox.secret_key}\n`)
    assert.deepEqual([code, JSON.parse(stdout)], [0, { revoked: 1 }])
  })

  it('karba master-key rotate shows the key that it makes, and the store is under it', async () => {
    const own = await SQLITE.makePlace({ KARBA_MASTER_KEY: 'ab'.repeat(32) })
    assert.equal((await spawnKarba(['merchant', 'create', '--name', 'Boutique Awa'], own.env)).code, 0)
    const { code, stdout } = await spawnKarba(['master-key', 'rotate'], own.env)
    const [, shown = ''] = /^([0-9a-f]{64})\n/.exec(stdout) ?? []
    assert.equal(code, 0)
    assert.equal((await spawnKarba(['merchant', 'list'], { ...own.env, KARBA_MASTER_KEY: shown })).code, 0)
    assert.equal((await spawnKarba(['merchant', 'list'], own.env)).code, 1)
    await own.remove()
  })

  it('files that it writes are readable by its own user only', async () => {
    const folder = place.config.dataDir
    assert.equal((await spawnKarba(['backup', join(folder, 'copy.db')], place.env)).code, 0)
    for (const file of readdirSync(folder)) assert.equal(statSync(join(folder, file)).mode & 0o077, 0, file)
  })
})
