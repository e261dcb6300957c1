// An upgrade without a stop: a server of the version before works on beside one that has migrated, starts again on the newer database, and
// says that it is not ready once a migration comes that it must know. The older version is this one; the newer has one migration more.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openService, type Service } from '../../src/service/compose.ts'
import { type Migration, migrations } from '../../src/store/engine/migrate.ts'
import { newMerchant } from '../kit/merchant.ts'
import { get, order, post } from '../kit/service.ts'
import { POSTGRES, SQLITE, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const OLDER = migrations()
const EXPANDS: Migration = {
  name: '9998_expands',
  sql: `-- Works beside servers that know ${OLDER.at(-1)?.name}.
    alter table payments add column added_later text;
    create table added_later (x text);`,
}
const CONTRACTS: Migration = { name: '9999_contracts', sql: 'alter table payments drop column added_later;' }
const NEWER = [...OLDER, EXPANDS]

const failing = async ({ app }: Service): Promise<string[]> => {
  const answer = await app.inject({ method: 'GET', url: '/readyz' })
  return answer.json().failing ?? []
}

/** Each creates a payment that the other reads. */
async function workTogether(one: Service, other: Service, secretKey: string): Promise<void> {
  for (const [writer, reader] of [
    [one, other],
    [other, one],
  ] as const) {
    const body = order()
    assert.equal((await post(writer, secretKey, body)).code, 200)
    assert.equal((await get(reader, secretKey, body.transaction_id as string)).code, 200)
  }
}

describe('on PostgreSQL', () => {
  let place: StorePlace
  const open: Service[] = []
  before(async () => {
    place = await POSTGRES.makePlace()
  })
  after(async () => {
    for (const service of open) await service.close()
    await place.remove()
  })
  async function start(known: Migration[]): Promise<Service> {
    const service = await openService(place.config, { migrations: known })
    open.push(service)
    return service
  }

  it('older and newer servers work side by side, until a migration comes that the older must know', async () => {
    const older = await start(OLDER)
    const { secretKey } = (await newMerchant(older)).accounts.sandbox
    assert.equal((await post(older, secretKey, order())).code, 200)
    const newer = await start(NEWER)
    await workTogether(older, newer, secretKey)
    assert.deepEqual([await failing(older), await failing(newer)], [[], []])
    const startedLater = await start(OLDER)
    await workTogether(startedLater, newer, secretKey)

    await start([...NEWER, CONTRACTS])
    await until('older server that is not ready', async () => (await failing(older)).includes('schema'))
    await assert.rejects(start(OLDER), { name: 'DatabaseIsNewer', message: /9999_contracts/ })
  })
})

describe('on SQLite', () => {
  it('a newer server can be taken back: the older one starts again on what it left', async () => {
    const place = await SQLITE.makePlace()
    let secretKey = ''
    const body = order()
    for (const known of [OLDER, NEWER, OLDER]) {
      const service = await openService(place.config, { migrations: known })
      if (secretKey === '') secretKey = (await newMerchant(service)).accounts.sandbox.secretKey
      const { code } = await post(service, secretKey, known === NEWER ? body : order())
      assert.equal(code, 200)
      if (known === NEWER) assert.deepEqual(await failing(service), [])
      await service.close()
    }
    const service = await openService(place.config, { migrations: [...NEWER, CONTRACTS] })
    assert.equal((await get(service, secretKey, body.transaction_id as string)).code, 200)
    await service.close()
    await assert.rejects(openService(place.config), { name: 'DatabaseIsNewer' })
    await place.remove()
  })
})
