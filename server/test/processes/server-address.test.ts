// Commands find the server that runs in their folder, and a command that only looks makes nothing.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { runKarba } from '../kit/karba.ts'
import { startProcess } from '../kit/process.ts'
import { SQLITE, STORES } from '../kit/stores.ts'

it('commands know the address of a server that took any free port, and of none once it has stopped or died', async () => {
  const place = await SQLITE.makePlace()
  const file = join(place.env.KARBA_DATA_DIR as string, 'server.json')
  try {
    const server = await startProcess(place.env)
    const printed = server.printed()
    const account = /acc_\w+/.exec(printed)?.[0] as string
    const create = ['link', 'create', account, '--amount', '15000', '--title', 'Commande 12', '--json']
    const made = await runKarba(create, place.env)
    assert.ok(made.stdout.includes(`${server.url}/pay/`), made.stdout + made.stderr)
    assert.match(printed, new RegExp(`webhook add ${account} --url`))
    assert.equal(await server.end('SIGTERM'), 0)
    assert.equal(existsSync(file), false)
    const killed = await startProcess(place.env)
    await killed.end('SIGKILL')
    assert.equal(existsSync(file), true)
    const none = await runKarba(create, place.env)
    assert.equal(JSON.parse(none.stderr).error.code, 'page_address_not_known')
  } finally {
    await place.remove()
  }
})

for (const store of STORES) {
  it(`a command that looks makes no store on ${store.name}; the first merchant does`, async () => {
    const place = await store.makePlace()
    try {
      for (const command of [['merchant', 'list'], ['payment', 'x'], ['doctor'], ['verify']]) {
        const { code, stderr } = await runKarba(command, place.env)
        assert.deepEqual([code, /^karba: There is no store at .*\n$/.test(stderr)], [1, true], stderr)
      }
      assert.deepEqual(readdirSync(place.env.KARBA_DATA_DIR as string), [])
      assert.equal((await runKarba(['merchant', 'create', '--name', 'Boutique Awa'], place.env)).code, 0)
      assert.equal((await runKarba(['merchant', 'list'], place.env)).code, 0)
    } finally {
      await place.remove()
    }
  })
}
