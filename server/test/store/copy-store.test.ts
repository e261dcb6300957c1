// karba store copy: PostgreSQL gets every byte of an SQLite store, even after interruptions. A copy
// never mixes two stores.

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { openService } from '../../src/service/compose.ts'
import { type CopyInput, copyStore } from '../../src/service/copy-store.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import { runKarba } from '../kit/karba.ts'
import { freshDatabase } from '../kit/postgres.ts'
import { get, openTestService, order, post, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import { newLink } from '../links/payer.ts'

const PAYMENTS = 2_300

let service: TestService
let key: string
let from: string
const references: string[] = []

before(async () => {
  service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '50' })
  const account = (await service.merchant()).accounts.sandbox
  key = account.secretKey
  await newEndpoint(service, account.accountId, 'https://shop.example/hook')
  await newLink(service, key, { title: 'Été à Niamey 🛒' })
  const { reference } = (await post(service, key, order({ customer_name: 'L’été, "Awa" \\ 🛒' })))
    .body
  await until(
    'outcome',
    async () => (await get(service, key, reference as string)).body.status === 'succeeded',
  )
  references.push(reference as string)
  const many = await Promise.all(
    Array.from({ length: PAYMENTS }, () => post(service, key, order())),
  )
  references.push(...many.map(({ body }) => body.reference as string))
  from = service.config.databaseUrl
  await service.close()
})
after(() => service.place.remove())

const emptyDatabase = (): Promise<string> => freshDatabase({ isMigrated: false })

const configAt = (to: string) =>
  readConfig({ ...service.place.env, DATABASE_URL: to, KARBA_SANDBOX_DELAY_MS: '600000' })

/** Fails after this many commits. */
function interruptedAfter(commits: number): CopyInput['progress'] {
  let left = commits
  return ({ is }) => {
    if (is === 'copied' && left-- === 0) throw new Error('pulled the plug')
  }
}

it('store copy: a repeatedly interrupted copy completes, and a server runs on it', async () => {
  const to = await emptyDatabase()
  /** The payments in the copy after each commit of some. */
  const payments: number[] = []
  const inPayments: CopyInput['progress'] = ({ is, table, rows }) => {
    if (is !== 'copied' || table !== 'payments') return
    payments.push(rows)
    throw new Error('pulled the plug')
  }
  for (const interrupted of [interruptedAfter(1), interruptedAfter(0), inPayments, inPayments]) {
    await assert.rejects(copyStore({ from, to, progress: interrupted }), /pulled the plug/)
    await assert.rejects(openService(configAt(to)), {
      name: 'DatabaseIsNewer',
      message: /unfinished copy/,
    })
  }
  const [first = 0] = payments
  assert.deepEqual(payments, [first, 2 * first], 'it continues where it stopped')
  const report = await copyStore({ from, to, progress: () => {} })
  assert.equal(report.payments?.rows, PAYMENTS + 2)
  const moved = await openService(configAt(to))
  try {
    for (const reference of [references[0], references.at(-1)] as string[]) {
      assert.equal((await get(moved, key, reference)).code, 200)
    }
    assert.equal((await post(moved, key, order())).code, 200)
  } finally {
    await moved.close()
  }
})

it('store copy: refuses a database with data, and one that another store is being copied to', async () => {
  const progress = (): void => {}
  const used = await emptyDatabase()
  const other = await openService(configAt(used))
  await other.close()
  await assert.rejects(copyStore({ from, to: used, progress }), /has rows in/)
  const begun = await emptyDatabase()
  const second = await openTestService()
  await second.close()
  const otherFrom = second.config.databaseUrl
  await assert.rejects(
    copyStore({ from: otherFrom, to: begun, progress: interruptedAfter(0) }),
    /pulled the plug/,
  )
  await assert.rejects(copyStore({ from, to: begun, progress }), /unfinished copy of another store/)
  await second.place.remove()
})

it('store copy: refuses a store that a server uses', async () => {
  const running = await openTestService()
  try {
    const input = {
      from: running.config.databaseUrl,
      to: await emptyDatabase(),
      progress: () => {},
    }
    await assert.rejects(copyStore(input), { name: 'StoreInUse' })
  } finally {
    await running.remove()
  }
})

it('store copy: finds a row that changed during the copy', async () => {
  const to = await emptyDatabase()
  const stopAfterPayments: CopyInput['progress'] = ({ table, rows }) => {
    if (table === 'payments' && rows === PAYMENTS + 2) throw new Error('pulled the plug')
  }
  await assert.rejects(copyStore({ from, to, progress: stopAfterPayments }), /pulled the plug/)
  const db = openPostgres({
    url: to,
    poolSize: 1,
    watch: { committed: () => {} },
    now: () => 0,
    pause: async () => {},
  })
  await db.change(`update payments set customer_name = 'Somebody' where reference = :reference`, {
    reference: references[0] as string,
  })
  await db.close()
  await assert.rejects(copyStore({ from, to, progress: () => {} }), /The table payments differs/)
})

it('store copy: the command prints the number of copied rows and the next step', async () => {
  const to = await emptyDatabase()
  const copy = (source: string, ...target: string[]) =>
    runKarba(['store', 'copy', '--from', source, '--to', ...target], service.place.env, to)
  const { code, stdout } = await copy(from, '-', '--json')
  assert.equal(code, 0)
  assert.match(JSON.parse(stdout).tables.payments.checksum, /^[0-9a-f]{24}$/)
  const again = await copy(from, '-')
  assert.deepEqual([again.code, /Name an empty one/.test(again.stderr)], [1, true])
  const wrong = await copy(to, from)
  assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
})
