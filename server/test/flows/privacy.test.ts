// karba privacy erase: nothing of a payer is left in the store but what the books need.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { erasePayer } from '../../src/actions/privacy/erase-payer.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { isSqlite } from '../../src/service/runtime.ts'
import { insertAnomaly } from '../../src/store/payments/anomalies.ts'
import { listTexts, TEXT_COLUMNS } from '../../src/store/privacy/personal-data.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { get, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import { byPhone, newLink, pay } from '../links/payer.ts'

const NUMBER = '+227 96 12 34 56'
const NAME = 'Aïssa Maïga'
const FORMS = /96.?12.?34.?56|A(?:ï|\\u00ef)ssa|Ma(?:ï|\\u00ef)ga/i

describe('a payer', () => {
  let service: VirtualService
  let accountId: string
  let secretKey: string

  before(async () => {
    // It says back what it was sent, as a page for debugging does.
    const send = async ({ body }: { body: string }) => ({
      ...{ status: 200, durationMs: 1, answer: body, error: null, retryAfterMs: null },
    })
    const sender = { send, close: async () => {} }
    service = await openVirtualService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '2000' }, { sender })
    ;({ accountId, secretKey } = (await service.merchant()).accounts.sandbox)
    await newEndpoint(service, accountId, 'https://shop.example.com/')
  })
  after(() => service.remove())

  const create = async (msisdn: string, customer_name: string): Promise<string> =>
    (await post(service, secretKey, order({ msisdn, customer_name, amount: 96_123_456 }))).body.reference as string

  const erase = (number: string) => erasePayer(service, TESTER, { number })

  const books = (): Promise<unknown[]> =>
    service.db.rows(
      'select number, reference, public_reference, external_reference, status, amount_xof, validated_at from payments order by number',
    )

  it('is left as they are while a payment of theirs is pending', async () => {
    await create(NUMBER, NAME)
    assert.deepEqual(await erase(NUMBER), { refused: 'number_under_way' })
    assert.match(await dumped(service), FORMS)
    await service.clock.sleep(60_000)
  })

  it('is erased from every table, and the books stay as they were', async () => {
    const reference = await create('96123456', NAME)
    await create('96123457', 'Somebody Else')
    const link = await newLink(service, secretKey, { title: `For ${NAME}`, description: NUMBER, customer_name: NAME })
    await pay(service, link, byPhone('96 12 34 56'))
    await service.clock.sleep(60_000)
    const payment = await paymentOf(service, reference)
    await insertAnomaly(service.db, payment, { kind: 'amount_mismatch', detail: { told: NUMBER }, at: 1 })
    await service.db.change(`update payment_anomalies set note = 'called ${NUMBER}'`)
    const before = await books()

    const erased = granted(await erase('0022796123456'))
    assert.deepEqual([erased.payments, erased.attempts], [3, 1])
    const rows = await dumped(service)
    const left = FORMS.exec(rows.replaceAll(/(amount\w*\W+)96123456/g, '$1'))
    assert.equal(left, null, rows.slice((left?.index ?? 0) - 200, (left?.index ?? 0) + 50))
    assert.match(rows, /Somebody Else/)
    assert.match(rows, /\*{6}56/)
    assert.deepEqual(await books(), before)
    assert.equal(granted(await verifyStore(service, TESTER)).found, 0)
    const [audited] = await service.db.rows<{ detail: string }>(
      `select detail from audit_log where action = 'privacy.erase'`,
    )
    assert.deepEqual(JSON.parse(audited?.detail as string), erased)
    assert.deepEqual(await erase(NUMBER), { payments: 0, attempts: 0, texts: 0 })
  })

  it('is not somebody who writes the same digits in another country', async () => {
    const change = { msisdn: '97123456', country: 'BJ', customer_name: 'Koffi' }
    const { body } = await post(service, secretKey, order(change))
    const link = await newLink(service, secretKey)
    await pay(service, link, { ...byPhone('97123456'), country: 'BJ' })
    await service.clock.sleep(60_000)
    const erased = granted(await erase('+227 97 12 34 56'))
    assert.deepEqual([erased.payments, erased.attempts], [0, 0])
    const { body: read } = await get(service, secretKey, body.reference as string)
    assert.deepEqual([read.status, read.msisdn], ['succeeded', '97123456'])
    const [event] = await service.db.rows<{ payload: string }>(
      'select payload from events where account_id = $1 order by sequence desc limit 1',
      [accountId],
    )
    assert.equal(JSON.parse(event?.payload as string).data.msisdn, '97123456')
    const own = granted(await erase('+229 01 97 12 34 56'))
    assert.deepEqual([own.payments, own.attempts], [2, 1])
  })

  it('is not found by something that is no number', async () => {
    for (const number of ['96123456', 'Awa', '+33 6 12 34 56 78']) {
      assert.deepEqual(await erase(number), { refused: 'number_not_valid' })
    }
  })

  it('is looked for in columns that there are, by their primary key', async () => {
    for (const column of TEXT_COLUMNS) {
      const [first, second] = await listTexts(service.db, column, undefined, 2)
      if (first !== undefined && second !== undefined) {
        assert.deepEqual((await listTexts(service.db, column, first.key, 1))[0], second, column.table)
      }
    }
  })
})

async function dumped({ db, config }: VirtualService): Promise<string> {
  const tables = await db.rows<{ name: string }>(
    isSqlite(config)
      ? `select name from sqlite_master where type = 'table'`
      : `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const rows = await Promise.all(tables.map(({ name }) => db.rows(`select * from ${name}`)))
  return JSON.stringify(rows)
}
