// The audit log's hash chain on both stores: verification names every altered, removed or moved
// entry. Erasing personal data keeps the chain valid. Promise 22.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type AuditVerification, verifyAudit } from '../../src/actions/audit/audit-log.ts'
import { rollKeys } from '../../src/actions/keys/manage-keys.ts'
import { createLinkFor } from '../../src/actions/links/create-payment-link.ts'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { erasePayer } from '../../src/actions/privacy/erase-payer.ts'
import type { UncheckedLink } from '../../src/domain/links/payment-link.ts'
import {
  type ChainedEntry,
  type ChainHead,
  contentHashOf,
  ERASURE_ACTION,
  readHead,
} from '../../src/domain/verify/audit-chain.ts'
import { chainEntry, insertAudit, listChained } from '../../src/store/audit/audit-log.ts'
import type { Database, Queries } from '../../src/store/engine/database.ts'
import { depsOf } from '../flows/owned-things.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { SQLITE, STORES } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { LINK } from '../links/payer.ts'

/** Rolls back the changes of a test. */
class Undo extends Error {}

type Damage = [what: string, sql: (entry: number) => string[], named: (entry: number) => string]

const altered = (entry: number): string => `audit_entry_altered ${entry}`
const missing = (entry: number): string => `audit_entries_missing ${entry}`
const ASIDE = 1_000_000
const ROUNDS = tries(20, 500)

const COLUMNS = [
  'actor',
  'action',
  'subject',
  'account_id',
  'network',
  'detail',
  'earlier',
  'content_hash',
  'entry_hash',
]
const set = (what: string, change: string): Damage => [
  what,
  (entry) => [`update audit_log set ${change} where entry = ${entry}`],
  altered,
]

const DAMAGES: readonly Damage[] = [
  ...COLUMNS.map((column) => set(`${column} altered`, `${column} = '{"x":1}'`)),
  set('at altered', 'at = at + 1'),
  set('its salt removed', 'salt = null'),
  set('its hashes removed', 'salt = null, content_hash = null, entry_hash = null'),
  ['removed', (entry) => [`delete from audit_log where entry = ${entry}`], missing],
  [
    'removed, and those after it renumbered',
    (entry) => [
      `delete from audit_log where entry = ${entry}`,
      `update audit_log set entry = entry + ${ASIDE} where entry > ${entry}`,
      `update audit_log set entry = entry - ${ASIDE + 1} where entry > ${ASIDE}`,
    ],
    altered,
  ],
  [
    'moved behind the next',
    (entry) => [
      `update audit_log set entry = ${ASIDE} where entry = ${entry}`,
      `update audit_log set entry = ${entry} where entry = ${entry + 1}`,
      `update audit_log set entry = ${entry + 1} where entry = ${ASIDE}`,
    ],
    altered,
  ],
]

for (const store of STORES) {
  describe(`audit chain on ${store.name}`, () => {
    const service = sharedWithAccount(() => openVirtualService(store, { KARBA_ROLE: 'api' }))
    before(async () => {
      const { accountId } = service
      const written = Array.from({ length: 4 }, (_, at) => [
        rollKeys(service, TESTER, { accountId, keepOldMs: 0 }),
        changeCheckoutSettings(service, TESTER, { accountId, wording: `Bienvenue ${at}` }),
      ])
      for (const outcome of await Promise.all(written.flat())) granted(outcome)
    })

    const verify = async (
      db: Queries = service.db,
      known?: ChainHead,
    ): Promise<AuditVerification> =>
      granted(await verifyAudit({ db: db as Database }, TESTER, { known }))

    const brokenOf = ({ broken }: AuditVerification): string[] =>
      broken.map(({ kind, subject }) => `${kind} ${subject}`)

    async function afterDamage(
      statements: readonly string[],
      known?: ChainHead,
      then: (tx: Queries) => Promise<void> = async () => {},
    ): Promise<string[]> {
      let found: string[] = []
      await service.db
        .transaction(async (tx) => {
          for (const sql of statements) await tx.change(sql)
          await then(tx)
          found = brokenOf(await verify(tx, known))
          throw new Undo()
        })
        .catch((error) => assert.ok(error instanceof Undo, error as Error))
      return found
    }

    it('is valid, also for entries written concurrently', async () => {
      const { broken, entries, head } = await verify()
      assert.deepEqual(broken, [])
      assert.deepEqual([entries, head?.entry], [9, 8])
    })

    // The random changes below are enough for PostgreSQL: the hashes do not depend on the store.
    for (const [what, damage, named] of store === SQLITE ? DAMAGES : []) {
      it(`verification names an entry with ${what} first`, async () => {
        for (const entry of [0, 3, 7])
          assert.equal((await afterDamage(damage(entry)))[0], named(entry))
      })
    }

    it('an externally noted head reveals that the last entry is missing', async () => {
      const { head } = await verify()
      const last = head?.entry as number
      const removed = [`delete from audit_log where entry = ${last}`]
      assert.deepEqual(await afterDamage(removed), [missing(last)])
      const [before] = await listChained(service.db, last - 2, 1)
      const hidden = [
        ...removed,
        `update counters set next_free = ${last} where name = 'audit'`,
        `update service_facts set value = '${last - 1}:${before?.entryHash}'
         where name = 'audit_head'`,
      ]
      assert.deepEqual(await afterDamage(hidden), [])
      assert.deepEqual(await afterDamage(hidden, head), [missing(last)])
      const other = readHead(`3:${'a'.repeat(64)}`)
      assert.deepEqual(brokenOf(await verify(service.db, other)), [altered(3)])
    })

    /** An attacker with write access to the database who knows the hash function. */
    async function makeChainAnew(tx: Queries): Promise<void> {
      await tx.change(`delete from service_facts where name = 'audit_head'`)
      for (const entry of await listChained(tx, -1, ASIDE)) {
        const { salt, contentHash, entryHash } = await chainEntry(tx, entry)
        await tx.change(
          `update audit_log set salt = :salt, content_hash = :contentHash, entry_hash = :entryHash
           where entry = :entry`,
          { entry: entry.entry, salt, contentHash, entryHash },
        )
      }
    }

    const FORGERIES: [what: string, sql: string[]][] = [
      ['altered', [`update audit_log set actor = 'shell stranger@test' where entry = 3`]],
      [
        'added in the past',
        [
          `update audit_log set entry = entry + ${ASIDE} where entry > 3`,
          `insert into audit_log (entry, at, actor, action, subject, detail)
           values (4, 1, 'shell', 'keys.roll', 'x', '{}')`,
          `update audit_log set entry = entry - ${ASIDE - 1} where entry > ${ASIDE}`,
          `update counters set next_free = next_free + 1 where name = 'audit'`,
        ],
      ],
      [
        'removed',
        [
          'delete from audit_log where entry = 3',
          `update audit_log set entry = entry + ${ASIDE} where entry > 3`,
          `update audit_log set entry = entry - ${ASIDE + 1} where entry > ${ASIDE}`,
          `update counters set next_free = next_free - 1 where name = 'audit'`,
        ],
      ],
      [
        'all taken from another store',
        [`update audit_log set at = at + 1, actor = 'shell awa@other'`],
      ],
    ]
    for (const [what, damage] of FORGERIES) {
      it(`a chain recomputed after entries were ${what} differs
        from an externally noted head`, async () => {
        const { head } = await verify()
        const found = (known?: ChainHead) => afterDamage(damage, known, makeChainAnew)
        assert.deepEqual(await found(), [], 'the new chain fits itself')
        assert.deepEqual((await found(head)).length, 1)
      })
    }

    it('verification lists an entry whose content was replaced under a forged erasure', async () => {
      const { head } = await verify()
      const change = [
        `update audit_log set detail = '{"note":"harmless"}', salt = null where entry = 3`,
      ]
      const found = await afterDamage(change, head, async (tx) => {
        const [row] = await listChained(tx, 2, 1)
        const left = contentHashOf('', row as ChainedEntry)
        const detail = { entries: { 3: left } }
        await insertAudit(tx, TESTER, {
          at: 1,
          action: ERASURE_ACTION,
          subject: 'payer',
          accountId: null,
          detail,
        })
        assert.deepEqual((await verify(tx)).erased, [{ entry: 3, by: (head?.entry as number) + 1 }])
      })
      assert.deepEqual(found, [])
      assert.deepEqual((await verify()).erased, [])
    })

    it('verification names one random change of one random entry [promise 22]', async () => {
      const random = seededRandom(22)
      const pick = (most: number): number => Buffer.from(random.bytes(4)).readUInt32BE() % most
      for (let at = 0; at < ROUNDS; at++) {
        const [what, damage, named] = DAMAGES[pick(DAMAGES.length)] as Damage
        const entry = pick(8)
        assert.equal((await afterDamage(damage(entry)))[0], named(entry), `${what} ${entry}`)
      }
      tried(ROUNDS)
    })

    it('stays valid after a payer’s erasure, and verification still names later changes', async () => {
      const number = '96123499'
      const order = { ...(LINK as UncheckedLink), title: `Pour ${number}` }
      granted(await createLinkFor(depsOf(service), TESTER, { accountId: service.accountId, order }))
      const { texts } = granted(await erasePayer(service, TESTER, { number: `+227 ${number}` }))
      assert.ok(texts > 0)
      const [erased] = await service.db.read<{ entry: number; detail: string }>(
        'select entry, detail from audit_log where salt is null',
      )
      assert.ok(erased !== undefined && !erased.detail.includes(number))
      assert.deepEqual(brokenOf(await verify()), [])
      const change = [`update audit_log set detail = '{"title":"x"}' where entry = ${erased.entry}`]
      assert.deepEqual(await afterDamage(change), [altered(erased.entry)])
    })
  })
}
