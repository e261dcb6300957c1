// `karba verify` on both engines: it finds nothing in a consistent store, and names each kind of
// damage with its subject.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { Finding, FindingKind } from '../../src/domain/verify/evidence.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import type { Database, Queries } from '../../src/store/engine/database.ts'
import { column, granted, TESTER } from '../kit/callers.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { newMerchant, order, post } from '../kit/service.ts'
import { openTestRuntime, shared } from '../kit/shared.ts'
import { POSTGRES, SQLITE, STORES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import {
  byPhone,
  DECLINES,
  newLink,
  onPage,
  pay,
  readLink,
  SUCCEEDS,
  SUCCEEDS_AFTER_3_MINUTES,
  toProvider,
} from '../links/payer.ts'

interface World {
  accountId: string
  /** The references of payments, by their state. */
  succeeded: string
  failed: string
  pending: string
  refunded: string
  /** The references of links: one without an attempt, one with an attempt in progress. */
  open: string
  underWay: string
}

async function makeWorld(service: VirtualService): Promise<World> {
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  const pay = async (msisdn: string): Promise<string> =>
    (await post(service, secretKey, order({ msisdn }))).body.reference as string
  const [succeeded, failed, refunded] = [
    await pay(SUCCEEDS),
    await pay(DECLINES),
    await pay(SUCCEEDS),
  ]
  await service.clock.advance(10_000)
  granted(await refundPayment(service, TESTER, { name: refunded }))
  await service.clock.advance(20_000)
  const pending = await pay(SUCCEEDS_AFTER_3_MINUTES)
  const [open, underWay] = [await newLink(service, secretKey), await newLink(service, secretKey)]
  await toProvider(service, underWay, onPage('wallet'))
  await service.db.change(`update payments set network_id = 'net-1' where reference = :failed`, {
    failed,
  })
  return { accountId, succeeded, failed, pending, refunded, open, underWay }
}

type Damage = [kind: FindingKind, sql: (world: World) => string, subject: (world: World) => string]

const NOT_COUNTED = '3 and later are not counted'
const numberOf = (reference: string): string =>
  `(select number from payments where reference = '${reference}')`
const numberOfLink = (link: string): string =>
  `(select number from payment_links where reference = '${link}')`
const referenceOfLink = (link: string): string => `payments of ${link}`

/** The change of a payment in this state, which is the subject. */
const changed = (
  kind: FindingKind,
  of: 'failed' | 'pending' | 'succeeded' | 'refunded',
  change: string,
): Damage => [
  kind,
  (w) => `update payments set ${change} where reference = '${w[of]}'`,
  (w) => w[of],
]
const ofAccount = (w: World): string => `account_id = '${w.accountId}'`

const DAMAGES: Damage[] = [
  changed('payment_without_account', 'failed', "account_id = 'acc_nobody'"),
  changed('payment_number_not_given_out', 'pending', 'number = 9000000'),
  changed('public_reference_wrong', 'pending', "public_reference = 'AAAA-AAAA-A'"),
  changed('outcome_without_event', 'pending', "status = 'failed', due_at = null"),
  changed('event_contradicts_payment', 'succeeded', "status = 'failed'"),
  [
    'event_twice',
    (
      w,
    ) => `insert into events select account_id, sequence + 100, 'evt_more', event, number, payload,
      created_at
     from events where number = ${numberOf(w.failed)}`,
    (w) => w.failed,
  ],
  changed('succeeded_without_time', 'succeeded', 'validated_at = null'),
  changed('pending_not_due', 'pending', 'due_at = null'),
  changed('outcome_still_due', 'failed', 'due_at = 1'),
  [
    'initiated_without_link',
    (w) => `delete from payment_links where reference = '${w.open}'`,
    (w) => referenceOfLink(w.open),
  ],
  [
    'attempt_without_link',
    (w) => `delete from payment_links where reference = '${w.underWay}'`,
    (w) => referenceOfLink(w.underWay),
  ],
  [
    'link_without_payment',
    (w) => `delete from payments where number = ${numberOfLink(w.open)}`,
    (w) => w.open,
  ],
  [
    'attempt_without_payment',
    (w) => `delete from payments where number = ${numberOfLink(w.underWay)}`,
    () => 'its attempt',
  ],
  [
    'attempt_does_not_match',
    (w) =>
      `update payment_attempts set status = 'failed' where number = ${numberOfLink(w.underWay)}`,
    (w) => referenceOfLink(w.underWay),
  ],
  [
    'attempt_left_pending',
    (w) =>
      `update payments set attempt_reference = null where number = ${numberOfLink(w.underWay)}`,
    (w) => referenceOfLink(w.underWay),
  ],
  [
    'refund_without_payment',
    (w) => `delete from payments where reference = '${w.refunded}'`,
    () => 'its refund',
  ],
  [
    'network_id_of_another',
    (w) => `insert into network_ids select environment, connection, network_id, 'another'
     from payments where number = ${numberOf(w.failed)}`,
    (w) => w.failed,
  ],
  changed('refund_without_success', 'refunded', "status = 'failed'"),
  changed('refund_not_shown', 'refunded', "status = 'succeeded'"),
  changed('refunds_do_not_add_up', 'refunded', 'refunded_xof = refunded_xof - 1'),
  changed('refunds_do_not_add_up', 'refunded', 'refund_reserved_xof = amount_xof + 1'),
  [
    'refunds_do_not_add_up',
    (w) => `update refunds set amount_xof = 1499 where number = ${numberOf(w.refunded)}`,
    (w) => w.refunded,
  ],
  [
    'refund_not_due',
    (w) =>
      `update refunds set status = 'pending', due_at = null where number = ${numberOf(w.refunded)}`,
    (w) => w.refunded,
  ],
  [
    'event_without_payment',
    (w) => `delete from payments where reference = '${w.succeeded}'`,
    () => 'its event',
  ],
  ['events_missing', (w) => `delete from events where ${ofAccount(w)} and sequence = 2`, () => '2'],
  [
    'events_missing',
    (w) => `delete from events where ${ofAccount(w)} and sequence in (1, 2)`,
    () => '1 to 2',
  ],
  ['events_missing', (w) => `delete from events where ${ofAccount(w)} and sequence = 4`, () => '4'],
  [
    'events_missing',
    (w) => `update event_feeds set last_sequence = 2 where ${ofAccount(w)}`,
    () => NOT_COUNTED,
  ],
  ['audit_entries_missing', () => 'delete from audit_log where entry = 0', () => '0'],
  [
    'audit_entries_missing',
    () => 'delete from audit_log where entry = (select max(entry) from audit_log)',
    () => 'the last',
  ],
  [
    'migration_changed',
    () => "update migrations set checksum = 'x' where name = '0001_initial'",
    () => '0001_initial',
  ],
  [
    'figures_do_not_add_up',
    () => "update daily_figures set payments = payments + 1 where outcome = 'refunded'",
    () => 'refunded',
  ],
  [
    'books_differ',
    (w) => `delete from ledger_entries where entry = 3 and account_id = '${w.accountId}'`,
    (w) => w.refunded,
  ],
  [
    'books_differ',
    (w) => `update ledger_entries set amount_xof = 1 where number = ${numberOf(w.succeeded)}`,
    (w) => w.succeeded,
  ],
  [
    'entry_without_payment',
    (w) => `delete from payments where reference = '${w.succeeded}'`,
    () => '1',
  ],
  [
    'entries_missing',
    (w) => `delete from ledger_entries where entry = 2 and account_id = '${w.accountId}'`,
    () => '2',
  ],
  [
    'entries_missing',
    (w) => `update ledger_heads set last_entry = 4 where account_id = '${w.accountId}'`,
    () => '4',
  ],
  [
    'balance_does_not_add_up',
    () => "update ledger_days set debit_xof = debit_xof + 1 where ledger_account = 'refunds'",
    () => 'refunds at airtel_ne',
  ],
  [
    'balance_does_not_add_up',
    () => "delete from ledger_days where ledger_account = 'sales'",
    () => 'sales at airtel_ne',
  ],
  [
    'migration_missing',
    () => "delete from migrations where name = '0001_initial'",
    () => '0001_initial',
  ],
]

/** Rolls back the changes of a test. */
class Undo extends Error {}

for (const store of STORES) {
  describe(`verify on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let world: World
    before(async () => {
      world = await makeWorld(service)
    })

    const verify = async (db: Queries): Promise<Finding[]> =>
      granted(await verifyStore({ ...service, db: db as Database }, TESTER)).findings

    async function verifyDamaged(
      sql: string,
    ): Promise<{ found: Finding[]; subjects: Record<string, string> }> {
      let damaged: { found: Finding[]; subjects: Record<string, string> } | undefined
      await service.db
        .transaction(async (tx) => {
          const subjects = await namesIn(tx)
          assert.ok((await tx.change(sql)) > 0, 'the damage is done')
          damaged = { found: await verify(tx), subjects }
          throw new Undo()
        })
        .catch((error) => assert.ok(error instanceof Undo, error as Error))
      return damaged as NonNullable<typeof damaged>
    }

    /** Names generated at run time, which the table of damages cannot hold. */
    async function namesIn(tx: Queries): Promise<Record<string, string>> {
      const first = async (sql: string) =>
        String((await tx.read<{ name: unknown }>(`select ${sql}`))[0]?.name)
      const ofLink = (link: string) =>
        first(`reference as name from payments where number = ${numberOfLink(link)}`)
      return {
        [referenceOfLink(world.open)]: await ofLink(world.open),
        [referenceOfLink(world.underWay)]: await ofLink(world.underWay),
        'its attempt': await first('reference as name from payment_attempts'),
        'its refund': await first('refund_reference as name from refunds'),
        'its event': await first(
          `sequence as name from events where number = ${numberOf(world.succeeded)}`,
        ),
        'the last': await first('max(entry) as name from audit_log'),
      }
    }

    it('finds nothing in a consistent store, and adds up each account', async () => {
      const verification = granted(await verifyStore(service, TESTER))
      assert.deepEqual(verification.findings, [])
      assert.equal(verification.payments, 6)
      const [account] = verification.accounts
      assert.deepEqual(account, {
        accountId: world.accountId,
        byStatus: {
          initiated: { count: 1, amountXof: 15_000 },
          pending: { count: 2, amountXof: 16_500 },
          succeeded: { count: 1, amountXof: 1_500 },
          failed: { count: 1, amountXof: 1_500 },
          refunded: { count: 1, amountXof: 1_500 },
        },
        refunds: { count: 1, amountXof: 1_500 },
      })
    })

    for (const [kind, sql, subject] of DAMAGES) {
      it(`names ${kind} after: ${sql({} as World)
        .replace(/\s+/g, ' ')
        .slice(0, 70)}`, async () => {
        const { found, subjects } = await verifyDamaged(sql(world))
        const expected = subject(world)
        assert.deepEqual(
          column(
            found.filter((finding) => finding.kind === kind),
            'subject',
          ),
          [subjects[expected] ?? expected],
          JSON.stringify(found),
        )
      })
    }

    it('names a number that two accounts have', async () => {
      const { found } = await verifyDamaged(
        `insert into payments (account_id, environment, number, reference, public_reference,
         external_reference, status, amount_xof, country, created_at, due_at)
         select 'acc_other', environment, number, 'r', public_reference, external_reference, status,
           amount_xof, country, created_at, due_at
         from payments where reference = '${world.pending}'`,
      )
      assert.ok(found.some(({ kind }) => kind === 'payment_number_twice'))
    })
  })
}

describe('verify of engine files', () => {
  it('names an SQLite index that lacks a row, and the payment that it does not find', async () => {
    const runtime = await openTestRuntime(SQLITE)
    const { place } = runtime
    const { accountId } = (await newMerchant(runtime)).accounts.sandbox
    await insertPending(runtime, accountId, 3, { dueAt: 1 })
    const [payment] = await runtime.db.read<{ reference: string }>('select reference from payments')
    await runtime.close()
    const { reference } = payment as { reference: string }
    damageIndex(`${place.config.dataDir}/karba.db`, reference)

    const again = await openRuntime(place.config)
    const { findings } = granted(await verifyStore(again, TESTER))
    await again.close()
    await place.remove()
    assert.ok(
      findings.some(
        ({ kind, subject }) => kind === 'file_damaged' && /missing from index/.test(subject),
      ),
    )
    // Its transaction_id is the same text here, so the index on that was damaged too.
    const ofPayment = findings.filter(({ subject }) => subject === reference)
    assert.deepEqual(column(ofPayment, 'kind').sort(), [
      'reference_not_found',
      'transaction_id_not_found',
    ])
  })

  it('names an index that PostgreSQL marks as invalid', async () => {
    const service = await openVirtualService(POSTGRES)
    await service.db.change(
      "update pg_index set indisvalid = false where indexrelid = 'payments_rare'::regclass",
    )
    const { findings } = granted(await verifyStore(service, TESTER))
    assert.deepEqual(findings, [
      { kind: 'file_damaged', subject: 'the index payments_rare is not valid', accountId: null },
    ])
    await service.remove()
  })
})

const PAGE = 4_096
/** The first byte of an SQLite page with index entries. */
const INDEX_LEAF = 10

/**
 * Simulates a lost disk write: the index entry of this reference has another value, while the
 * payment keeps it.
 */
function damageIndex(file: string, reference: string): void {
  const bytes = readFileSync(file)
  for (let at = 0; at < bytes.length; at += PAGE) {
    const place = bytes.subarray(at, at + PAGE).indexOf(reference)
    if (bytes[at] === INDEX_LEAF && place >= 0)
      bytes.write('0'.repeat(reference.length), at + place)
  }
  writeFileSync(file, bytes)
}

for (const store of STORES) {
  it(`verify names a poster whose counts differ from its payments, on ${store.name}`, async (t) => {
    const service = await openVirtualService(store)
    t.after(() => service.remove())
    const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
    const poster = await newLink(service, secretKey, { reusable: true })
    const untouched = await newLink(service, secretKey, { reusable: true })
    const [first] = [
      await pay(service, poster, byPhone(SUCCEEDS)),
      await pay(service, poster, byPhone(SUCCEEDS)),
    ]
    await service.clock.advance(10_000)
    const name = /\/pay\/(\w+)/.exec(first.goTo)?.[1] as string
    granted(await refundPayment(service, TESTER, { name }))
    await service.clock.advance(20_000)
    const { payments_count: count, collected_amount: sum } = (await readLink(service, poster)).body
    assert.deepEqual([count, sum], [1, 15_000], 'of two one was given back')

    const found = async () => granted(await verifyStore(service, TESTER)).findings
    assert.deepEqual(await found(), [])
    for (const [subject, name] of [
      [poster, 'payments_count'],
      [untouched, 'payments_count'],
      [poster, 'collected_xof'],
    ] as const) {
      const add = (count: number) =>
        service.db.change(
          `update posters set ${name} = ${name} + :count where reference = :subject`,
          { subject, count },
        )
      await add(1)
      assert.deepEqual(await found(), [{ kind: 'poster_does_not_add_up', subject, accountId }])
      await add(-1)
    }
  })
}
