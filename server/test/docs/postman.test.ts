// The Postman collection of a running service, run by Newman from its first request to its last:
// each is answered with 200. Newman has 151 packages, so it is no dependency: .ci/run installs it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { openTestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { isInstalled } from './printed-code.ts'
import { addMovement, addSettlement } from './sample-rows.ts'

const SHOP = 'https://shop.example'
const isMissing = !isInstalled('newman') && process.env.CI === undefined

interface Report {
  run: {
    stats: Record<'requests' | 'assertions', { total: number; failed: number }>
    failures: { source: { name: string }; error: { message: string } }[]
    executions: { item: { name: string }; response?: { code: number } }[]
  }
}

interface Collection {
  item: { item: object[] }[]
}

it('Postman collection: Newman runs it twice, and every request is answered with 200', {
  skip: isMissing && 'Newman is not installed: npm install --global newman@6.2.2',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-postman-'))
  const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '50' })
  t.after(async () => {
    await service.remove()
    rmSync(folder, { recursive: true, force: true })
  })
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { accountId, secretKey, publicKey } = (await service.merchant()).accounts.sandbox
  granted(await changeCheckoutSettings(service, TESTER, { accountId, origins: [SHOP] }))
  await addMovement(service.db, accountId)
  await addSettlement(service.db, accountId)
  const served = await fetch(`${url}/api/v1/postman.json`)
  const collection = join(folder, 'collection.json')
  const text = await served.text()
  writeFileSync(collection, text)
  const requests = (JSON.parse(text) as Collection).item.flatMap(({ item }) => item).length
  const variables = { karba_url: url, secret_key: secretKey, public_key: publicKey, site: SHOP }
  const settings = Object.entries(variables).flatMap(([name, value]) => [
    '--env-var',
    `${name}=${value}`,
  ])
  for (const run of ['first', 'second']) {
    const report = join(folder, `${run}.json`)
    const args = ['run', collection, ...settings, '--reporters', 'json']
    await promisify(execFile)('newman', [...args, '--reporter-json-export', report], {
      timeout: 120_000,
    }).catch(() => 'the report says why')
    const { stats, failures, executions } = (JSON.parse(readFileSync(report, 'utf8')) as Report).run
    assert.deepEqual(
      failures.map(({ source, error }) => `${source.name}: ${error.message}`),
      [],
    )
    assert.deepEqual([stats.requests.total, stats.requests.failed], [requests, 0])
    assert.equal(stats.assertions.total, requests)
    for (const { item, response } of executions) assert.equal(response?.code, 200, item.name)
  }
  t.diagnostic(`${requests} requests`)
})
