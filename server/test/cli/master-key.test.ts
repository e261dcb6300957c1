// karba master-key rotate: encrypts the store with a new master key and keeps every key and secret;
// an interrupted rotation is finished by the next.

import assert from 'node:assert/strict'
import fs, { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { makeKey, openOrderKeys, revokeKeys, rollKeys } from '../../src/actions/keys/manage-keys.ts'
import { rotateMasterKey } from '../../src/actions/master-key/rotate-master-key.ts'
import { addDocument } from '../../src/actions/merchants/keep-documents.ts'
import { totpPlace } from '../../src/actions/people/sessions.ts'
import { beginTotp } from '../../src/actions/people/totp.ts'
import { openEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { orderKeyOf } from '../../src/domain/people/api-key.ts'
import { EVERY_ACCOUNT, type Person } from '../../src/domain/people/caller.ts'
import type { Endpoint } from '../../src/domain/webhooks/webhook-event.ts'
import { openService } from '../../src/service/compose.ts'
import { boxOf, masterKeyOf, secretsBox, useOf } from '../../src/service/master-key.ts'
import { rotateKeyOfFile } from '../../src/service/rotate-master-key.ts'
import { openRuntime, realRandom, WrongMasterKey } from '../../src/service/runtime.ts'
import { listAudit } from '../../src/store/audit/audit-log.ts'
import type { Database, Transaction } from '../../src/store/engine/database.ts'
import { findKeyHolder } from '../../src/store/keys/api-keys.ts'
import { findCredentials, setTotp } from '../../src/store/people/credentials.ts'
import { insertPerson } from '../../src/store/people/people.ts'
import { findEndpoint } from '../../src/store/webhooks/endpoints.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { runKarba } from '../kit/karba.ts'
import { newMerchant, order, post } from '../kit/service.ts'
import { SQLITE, type StoreKind, type StorePlace } from '../kit/stores.ts'
import { change, newEndpoint } from '../kit/webhooks.ts'

const OLD_HASH = 'the old one of the shop'
const NEW_HASH = 'the new one of the shop'
const TOTP_SECRET = 'JBSWY3DPEHPK3PXP'

type Before = {
  place: StorePlace
  accountId: string
  endpointId: string
  secretKey: string
  signingSecrets: string[]
}

/** A store with every kind of sealed or hashed value, and no server on it. */
async function makeStore(
  t: TestContext,
  store: StoreKind,
  settings: Record<string, string> = {},
): Promise<Before> {
  const place = await store.makePlace(settings)
  t.after(() => place.remove())
  const service = await openService(place.config)
  const { accountId, secretKey } = (await newMerchant(service)).accounts.sandbox
  const endpoint = await newEndpoint(service, accountId, 'https://shop.example.com/', {
    secretHash: OLD_HASH,
  })
  const hour = { keepOldMs: 3_600_000 }
  const signing = await change(service, endpoint, { to: 'new signing secret', ...hour })
  await change(service, endpoint, { to: 'new secret hash', secretHash: NEW_HASH, ...hour })
  const person = {
    personId: 'per_1',
    email: 'a@b.ne',
    name: 'Awa',
    language: 'fr',
    passwordHash: '',
  } as const
  await insertPerson(service.db, {
    ...person,
    serviceRole: null,
    isFirstPassword: false,
    createdAt: 1,
  })
  const secret = service.totpSecrets.seal(TOTP_SECRET, totpPlace(person.personId))
  await setTotp(service.db, person.personId, { secret, since: 1, step: 0 })
  await service.close()
  const signingSecrets = [signing as string, endpoint.signingSecret]
  return { place, accountId, endpointId: endpoint.endpointId, secretKey, signingSecrets }
}

/** Every secret opens, every earlier API key works, and so does a new one. Returns the new one. */
async function assertWhole(before: Before, config: Config, keys: string[]): Promise<string> {
  const service = await openService(config)
  try {
    for (const key of keys) assert.equal((await post(service, key, order())).code, 200)
    const found = (await findEndpoint(service.db, EVERY_ACCOUNT, before.endpointId)) as Endpoint
    const { secretHashes, signingSecrets } = openEndpoint(
      secretsBox(service.master, realRandom),
      found,
      Date.now(),
    )
    assert.deepEqual([secretHashes, signingSecrets], [[NEW_HASH, OLD_HASH], before.signingSecrets])
    const { totpSecret } = (await findCredentials(service.db, 'per_1')) as { totpSecret: string }
    assert.equal(service.totpSecrets.open(totpSecret, totpPlace('per_1')), TOTP_SECRET)
    const orderKeys = await openOrderKeys(service, before.accountId)
    assert.deepEqual(new Set(orderKeys.map(hex)), new Set(keys.map((key) => hex(orderKeyOf(key)))))
    const rolled = granted(
      await rollKeys(service, TESTER, { accountId: before.accountId, keepOldMs: 3_600_000 }),
    )
    assert.equal((await post(service, rolled.secretKey, order())).code, 200)
    return rolled.secretKey
  } finally {
    await service.close()
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const keyFile = ({ config }: StorePlace): string => join(config.dataDir, 'master.key')
const keyFiles = ({ config }: StorePlace): string[] =>
  readdirSync(config.dataDir).filter((name) => name.startsWith('master.key'))

/** From the key of the file to one of its own. */
function sidesOf(place: StorePlace) {
  const old = masterKeyOf(readFileSync(keyFile(place), 'utf8').trim())
  return { from: useOf(old, realRandom), to: useOf(masterKeyOf('cd'.repeat(32)), realRandom) }
}

describe('master key rotation', () => {
  it('master key rotation: keeps every key and secret, twice in a row, and the old key opens nothing', async (t) => {
    const before = await makeStore(t, SQLITE)
    const { place } = before
    const old = readFileSync(keyFile(place), 'utf8').trim()
    const keys = [before.secretKey]
    for (const _again of [1, 2]) {
      // The endpoint's four, the receipts' key, an order key for each secret key, live's too, and
      // the hashing keys that were retired before.
      const resealed = 6 + (keys.length + 1) + (keys.length - 1)
      assert.deepEqual(await rotateKeyOfFile(place.config, TESTER), { resealed })
      assert.deepEqual(
        [keyFiles(place), statSync(keyFile(place)).mode & 0o777],
        [['master.key'], 0o600],
      )
      keys.push(await assertWhole(before, place.config, keys))
    }
    await assert.rejects(openRuntime({ ...place.config, masterKey: old }), WrongMasterKey)

    const runtime = await openRuntime(place.config)
    t.after(() => runtime.close())
    const [audited] = await listAudit(
      runtime.db,
      EVERY_ACCOUNT,
      { since: 0, subject: 'service' },
      1e9,
      1,
    )
    assert.deepEqual([audited?.action, audited?.detail], ['master_key.rotate', { resealed: 10 }])
    // By the key itself, although it was hashed two master keys ago.
    assert.deepEqual(await revokeKeys(runtime, TESTER, { which: before.secretKey }), { revoked: 1 })
  })

  it('master key rotation: a new API key costs one look-up, an older one two', async (t) => {
    const before = await makeStore(t, SQLITE)
    await rotateKeyOfFile(before.place.config, TESTER)
    const newKey = await assertWhole(before, before.place.config, [before.secretKey])
    const { db, hashKey, close } = await openRuntime(before.place.config)
    t.after(close)
    let lookUps = 0
    const find: Database['find'] = (sql, values) => {
      lookUps++
      return db.find(sql, values)
    }
    const counting = { ...db, find }
    for (const [key, times] of [
      [newKey, 1],
      [before.secretKey, 2],
    ] as const) {
      lookUps = 0
      assert.equal((await findKeyHolder(counting, hashKey(key)))?.accountId, before.accountId)
      assert.equal(lookUps, times)
    }
  })

  it('master key rotation: a crash at any statement leaves the store under the old key', async (t) => {
    const before = await makeStore(t, SQLITE)
    const { config } = before.place
    const sides = sidesOf(before.place)
    const runtime = await openRuntime(config)
    let statements = 0
    for (let crashAt = 1; ; crashAt++) {
      statements = 0
      const db = crashingAt(runtime.db, () => ++statements === crashAt)
      const outcome = await rotateMasterKey({ ...runtime, db }, TESTER, sides).catch(
        (error: Error) => error.message,
      )
      if (outcome !== 'crash') {
        assert.deepEqual(outcome, { resealed: 8 })
        break
      }
      const { db: found, close } = await openRuntime(config)
      const [row] = await found.read<{ rows: number }>(
        'select count(*) as rows from retired_hashing_keys',
      )
      assert.equal(Number(row?.rows), 0)
      await close()
    }
    await runtime.close()
    assert.ok(statements > 10)
    await assert.rejects(openRuntime(config), WrongMasterKey)
    await assertWhole(before, { ...config, masterKey: 'cd'.repeat(32) }, [before.secretKey])
  })

  it('master key rotation: concurrent writers leave no value encrypted with the old key', async (t) => {
    const before = await makeStore(t, SQLITE)
    const { accountId } = before
    const { config } = before.place
    const sides = sidesOf(before.place)
    const [rotating, writing] = [await openRuntime(config), await openRuntime(config)]
    const person: Person = {
      is: 'person',
      personId: 'per_1',
      sessionId: 'ses_1',
      network: '127.0.0.1',
    }
    const owner = { is: 'merchant_person', accountId, personId: 'per_1', role: 'owner' } as const
    await setTotp(writing.db, 'per_1', { secret: null, since: null, step: 0 })
    const file = Buffer.from('%PDF-1.7 a document')
    const documents = { ...writing, documentBox: boxOf(writing.master, 'documents', realRandom) }
    const writers: Record<string, () => Promise<unknown>> = {
      endpoint: () => newEndpoint(writing, accountId, 'https://other.example.com/'),
      'signing secret': () => change(writing, before, { to: 'new signing secret', keepOldMs: 0 }),
      'secret hash': () =>
        change(writing, before, { to: 'new secret hash', secretHash: NEW_HASH, keepOldMs: 0 }),
      keys: () => rollKeys(writing, TESTER, { accountId, keepOldMs: 3_600_000 }),
      key: () =>
        makeKey(writing, TESTER, { accountId, name: 'Caisse', permissions: null, networks: null }),
      merchant: () => newMerchant(writing),
      totp: () => beginTotp(writing, person),
      document: () =>
        addDocument(
          documents,
          { ...owner, environment: 'sandbox', network: '127.0.0.1' },
          { name: 'a.pdf', file },
        ),
    }
    // The first begins in the middle of the rotation and waits for its commit; the others come
    // after it.
    const [first, ...others] = Object.entries(writers) as [string, () => Promise<unknown>][]
    let statements = 0
    let early: Promise<unknown> | undefined
    const begin = (): boolean => {
      if (++statements === 3) {
        early = first?.[1]().then(
          () => first[0],
          (error: Error) => error.name,
        )
      }
      return false
    }
    granted(
      await rotateMasterKey({ ...rotating, db: crashingAt(rotating.db, begin) }, TESTER, sides),
    )
    assert.equal(await early, 'StoreUnavailable')
    for (const [what, write] of others)
      await assert.rejects(write(), { name: 'StoreUnavailable' }, what)
    await Promise.all([rotating.close(), writing.close()])
    const again = await openRuntime({ ...config, masterKey: 'cd'.repeat(32) })
    t.after(() => again.close())
    const back = { from: sides.to, to: useOf(masterKeyOf('ef'.repeat(32)), realRandom) }
    assert.deepEqual(await rotateMasterKey(again, TESTER, back), { resealed: 8 })
  })

  it('master key rotation: a server that starts during it waits', async (t) => {
    const before = await makeStore(t, SQLITE)
    const { config } = before.place
    const sides = sidesOf(before.place)
    const rotating = await openRuntime(config)
    t.after(() => rotating.close())
    let statements = 0
    let starting: Promise<string> | undefined
    const begin = (): boolean => {
      if (++statements === 3) {
        starting = openRuntime(config).then(
          (started) => started.close().then(() => 'started'),
          (error: Error) => error.name,
        )
      }
      return false
    }
    const db = crashingAt(rotating.db, begin, () => tooLate(starting))
    granted(await rotateMasterKey({ ...rotating, db }, TESTER, sides))
    assert.equal(await starting, 'WrongMasterKey')
  })

  it('master key rotation: is refused while a server runs', async (t) => {
    const { place } = await makeStore(t, SQLITE)
    const service = await openService(place.config)
    t.after(() => service.close())
    await assert.rejects(rotateKeyOfFile(place.config, TESTER), /Karba is (already )?running on/)
  })
})

function crashingAt(
  db: Database,
  isNow: () => boolean,
  beforeCommit = async (): Promise<unknown> => undefined,
): Database {
  const crashing = (tx: Transaction): Transaction => ({
    ...tx,
    read: async (sql, values) =>
      isNow() ? Promise.reject(new Error('crash')) : tx.read(sql, values),
    write: async (sql, values) =>
      isNow() ? Promise.reject(new Error('crash')) : tx.write(sql, values),
    change: async (sql, values) =>
      isNow() ? Promise.reject(new Error('crash')) : tx.change(sql, values),
  })
  return {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const done = await work(crashing(tx))
        await beforeCommit()
        return done
      }),
  }
}

/** A start that the rotation does not delay has ended by then. */
const tooLate = (coming: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.race([coming, pause(300)])

/** The file operations of the rotation, in order; a crash before each of them. */
const FILE_STEPS = [
  { name: 'linkSync', nth: 1, about: 'before the new key has its name' },
  { name: 'linkSync', nth: 2, about: 'before the old key is aside' },
  {
    name: 'renameSync',
    nth: 1,
    about: 'when the store is under the new key, before that has its name',
  },
  { name: 'rmSync', nth: 2, about: 'before the old key is removed' },
] as const

for (const { name, nth, about } of FILE_STEPS)
  it(`master key rotation: a crash ${about} is repaired by the next rotation`, async (t) => {
    const before = await makeStore(t, SQLITE)
    const { place } = before
    const old = readFileSync(keyFile(place), 'utf8')
    crashBefore(t, name, nth)
    await assert.rejects(rotateKeyOfFile(place.config, TESTER), /crash/)
    restore(t)
    const kept = existsSync(`${keyFile(place)}.old`) ? `${keyFile(place)}.old` : keyFile(place)
    assert.deepEqual([readFileSync(kept, 'utf8'), statSync(kept).mode & 0o777], [old, 0o600])
    granted(await rotateKeyOfFile(place.config, TESTER))
    const keys = keyFiles(place).filter((file) => !/\.next\.\w+$/.test(file))
    assert.deepEqual(keys, ['master.key'])
    assert.notEqual(readFileSync(keyFile(place), 'utf8'), old)
    await assertWhole(before, place.config, [before.secretKey])
    const again = await openRuntime(place.config)
    const generations = await again.db.read('select generation from retired_hashing_keys')
    await again.close()
    assert.equal(generations.length, 1, 'it was rotated once, not twice')
  })

function crashBefore(
  t: TestContext,
  name: 'linkSync' | 'renameSync' | 'rmSync',
  nth: number,
): void {
  const real = fs[name] as (...args: unknown[]) => void
  let calls = 0
  t.mock.method(fs, name, (...args: unknown[]) => {
    if (++calls === nth) throw new Error('crash')
    real(...args)
  })
  syncBuiltinESMExports()
}

function restore(t: TestContext): void {
  t.mock.restoreAll()
  syncBuiltinESMExports()
}

describe('karba master-key rotate', () => {
  it('karba master-key rotate: takes the new key from standard input, and a second run reports success', async (t) => {
    const [old, next] = ['ab'.repeat(32), 'cd'.repeat(32)]
    const before = await makeStore(t, SQLITE, { KARBA_MASTER_KEY: old })
    const rotate = ['master-key', 'rotate', '--new-key', '-', '--json']
    const ran = await runKarba(rotate, before.place.env, `${next}\n`)
    assert.deepEqual(ran, { code: 0, stdout: '{"resealed":8}\n', stderr: '' })
    const again = await runKarba(rotate, before.place.env, `${next}\n`)
    assert.deepEqual(again, { code: 0, stdout: '{"resealed":0}\n', stderr: '' })
    const { code, stderr } = await runKarba(['merchant', 'list'], before.place.env)
    assert.deepEqual([code, stderr.includes('another master key')], [1, true])
    await assertWhole(before, readConfig({ ...before.place.env, KARBA_MASTER_KEY: next }), [
      before.secretKey,
    ])
  })

  it('karba master-key rotate: with a key file names the file, and takes no key', async (t) => {
    const { place } = await makeStore(t, SQLITE)
    const { code, stdout } = await runKarba(['master-key', 'rotate'], place.env)
    assert.deepEqual(
      [code, /[0-9a-f]{64}/.test(stdout), stdout.includes('8 secrets')],
      [0, false, true],
    )
    const given = await runKarba(['master-key', 'rotate', '--new-key', 'x'], place.env)
    assert.equal(given.code, 2)
  })
})
