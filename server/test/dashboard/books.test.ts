// The books through the dashboard's API on both stores: where the money is, statements, differences, files of networks.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dayOf, dayText } from '../../src/domain/business-day.ts'
import { ask, ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

const HEAD = 'Date;Type;Montant;Frais;Référence;Libellé'
const CONNECTION = 'airtel_ne'
const MAPPING = {
  columns: { bookedAt: 'Date', type: 'Type', amount: 'Montant', fee: 'Frais', ourReference: 'Référence' },
  types: { Paiement: 'collection', Versement: 'settlement' },
}

for (const store of STORES)
  describe(`books in the dashboard on ${store.name}`, () => {
    let service: VirtualService
    let people: Record<'owner' | 'cashier' | 'viewer' | 'finance' | 'support' | 'stranger', SignedIn>
    let [at, secretKey, strangersAt] = ['', '', '']
    const references: string[] = []
    before(async () => {
      service = await openVirtualService(store)
      const { merchantId, accounts } = await service.merchant({ name: 'Chez Awa' })
      const other = await service.merchant()
      people = {
        owner: await signedIn(service, { at: merchantId, as: 'owner' }, 'Awa Diallo'),
        cashier: await signedIn(service, { at: merchantId, as: 'cashier' }),
        viewer: await signedIn(service, { at: merchantId, as: 'viewer' }),
        finance: await signedIn(service, { forServiceAs: 'finance' }, 'Ibrahim Moussa'),
        support: await signedIn(service, { forServiceAs: 'support' }),
        stranger: await signedIn(service, { at: other.merchantId, as: 'owner' }),
      }
      at = `/accounts/${accounts.sandbox.accountId}`
      strangersAt = `/accounts/${other.accounts.sandbox.accountId}`
      secretKey = accounts.sandbox.secretKey
      for (const amount of [1_000, 2_000, 3_000]) {
        const { body } = await post(service, secretKey, order({ msisdn: SUCCEEDS, amount }))
        references.push(body.reference as string)
        await service.clock.advance(10_000)
      }
    })
    after(() => service.remove())

    const today = (): string => dayText(dayOf(service.clock.now()))
    const get = (path: string, who: SignedIn = people.owner) => ask(service, `GET ${path}` as 'GET /', who)
    const period = (more = '') => `?connection=${CONNECTION}&from=${today()}&to=${today()}${more}`
    const fileOf = (...lines: string[]): string => [HEAD, ...lines.map((line) => `${today()} 10:00;${line}`)].join('\n')

    async function upload(path: string, file: string, more: Record<string, string> = {}, who = people.finance) {
      const query = new URLSearchParams({ environment: 'sandbox', connection: CONNECTION, name: 'mai.csv', ...more })
      const answer = await service.app.inject({
        ...{ method: 'POST', url: `/dashboard/api${path}?${query}`, payload: Buffer.from(file) },
        headers: { ...ORIGIN, cookie: who.cookie, 'content-type': 'text/csv' },
      })
      return { code: answer.statusCode, body: answer.json() }
    }
    const read = (path: string, file: string, isDryRun: boolean) => upload(path, file, { dryRun: String(isDryRun) })

    it('books: each place has its amount, and the entries behind it add up to it', async () => {
      const { body } = await get(`${at}/money`)
      const nowhere = { wallet: 0, in_transit: 0, bank: 0, withheld: 0, unexplained: 0 }
      assert.deepEqual(body.whole, { ...nowhere, receivable: 6_000 })
      assert.deepEqual(body.connections, [{ connection: CONNECTION, ...nowhere, receivable: 6_000 }])
      const first = (await get(`${at}/money/entries?place=receivable&limit=2`)).body
      const second = (await get(`${at}/money/entries?place=receivable&limit=2&after=${first.next}`)).body
      const rows = [...first.rows, ...second.rows]
      assert.deepEqual(
        rows.map(({ reference, amount }) => [reference, amount]),
        [3_000, 2_000, 1_000].map((amount, nth) => [references[2 - nth], amount]),
      )
      assert.equal(second.next, null)
      assert.deepEqual((await get(`${at}/money/entries?place=bank`)).body.rows, [])
      assert.deepEqual((await get(`${at}/money/entries?place=receivable&connection=mtn_bj`)).body.rows, [])
    })

    it('books: a statement has its sums, and its movements in pages with a running balance', async () => {
      const { body } = await get(`${at}/statement/summary${period()}`)
      assert.deepEqual(
        [body.opening, body.collected, body.closing, body.confirmed, body.movements],
        [0, 6_000, 6_000, 0, 3],
      )
      const first = (await get(`${at}/statement/movements${period('&limit=2')}`)).body
      const second = (await get(`${at}/statement/movements${period(`&limit=2&after=${first.next}`)}`)).body
      assert.deepEqual(
        [...first.rows, ...second.rows].map(({ amount, balance, isConfirmed }) => [amount, balance, isConfirmed]),
        [
          [1_000, 1_000, false],
          [2_000, 3_000, false],
          [3_000, 6_000, false],
        ],
      )
      assert.equal(second.next, null)
      assert.equal((await get(`${at}/statement/summary?connection=x&from=2026-01-01&to=2020-01-01`)).code, 422)
    })

    it('books: a file with unknown columns is proposed columns, which are kept for its connection', async () => {
      const file = fileOf(`Paiement;1 000;0;${references[0]};`)
      const asked = (await read('/console/statement-files', file, true)).body
      assert.deepEqual([asked.is, asked.headings], ['columns_needed', HEAD.split(';')])
      assert.equal(asked.mapping.columns.amount, 'Montant')
      const wrong = { mapping: '{"columns":{}}' }
      assert.equal((await upload('/console/statement-columns', file, wrong)).body.param, 'mapping.columns.bookedAt')
      assert.equal((await upload('/console/statement-columns', file, { mapping: '{' })).code, 400)
      const mapping = { mapping: JSON.stringify(MAPPING), dryRun: 'false' }
      assert.equal((await upload('/console/statement-columns', file, mapping)).code, 200)
      const { body } = await read('/console/statement-files', file, true)
      assert.deepEqual([body.is, body.lines, body.added, body.matched], ['read', 1, 1, 1])
      assert.equal((await get(`${at}/money`)).body.whole.receivable, 6_000, 'a dry run books nothing')
    })

    it('books: an import moves money to the wallet and names differences; a broken file leaves nothing', async () => {
      const lines = [`Paiement;1000;15;${references[0]};`, `Paiement;1900;0;${references[1]};`]
      const broken = await read('/console/statement-files', fileOf(...lines, 'Paiement;beaucoup;0;;'), false)
      assert.equal(broken.body.code, 'statement_not_valid')
      assert.match(broken.body.message, /Ligne 4.*beaucoup/)
      const { body } = await read('/console/statement-files', fileOf(...lines, 'Paiement;700;0;inconnue;'), false)
      assert.deepEqual([body.added, body.matched], [3, 1])
      assert.deepEqual(body.differences, { amount_differs: 1, missing_here: 1 })
      const { whole, openDifferences } = (await get(`${at}/money`)).body
      assert.deepEqual([whole.receivable, whole.wallet, whole.unexplained, openDifferences], [5_000, 2_885, 1_900, 1])
      const waiting = (await get(`${at}/money/entries?place=receivable`)).body.rows
      assert.deepEqual(
        waiting.map(({ amount }: { amount: number }) => amount),
        [3_000, 2_000],
      )
      const [file] = (await get('/console/statement-files', people.finance)).body.rows
      assert.deepEqual(
        [file.name, file.lines, file.importedBy, file.state],
        ['mai.csv', 3, 'Ibrahim Moussa', 'imported'],
      )
    })

    it('books: a merchant sees its own differences with both sides, staff see all of them', async () => {
      const own = (await get(`${at}/differences`)).body.rows
      assert.equal(own.length, 1)
      const [{ kind, line, payment, closed }] = own
      assert.deepEqual([kind, line.amount, line.row, line.file], ['amount_differs', 1_900, 3, 'mai.csv'])
      assert.deepEqual([payment.reference, payment.amount, payment.status], [references[1], 2_000, 'succeeded'])
      assert.equal(closed, null)
      for (const order of ['age', 'amount']) {
        const first = (await get(`/console/differences?order=${order}&limit=1`, people.support)).body
        const second = (await get(`/console/differences?order=${order}&limit=1&after=${first.next}`, people.support))
          .body
        const kinds = [...first.rows, ...second.rows].map((row) => row.kind)
        assert.deepEqual(kinds.sort(), ['amount_differs', 'missing_here'])
        assert.equal(second.next, null)
      }
      assert.deepEqual((await get(`${strangersAt}/differences`, people.stranger)).body.rows, [])
    })

    it('books: the owner closes a difference with a note; another merchant does not find it', async () => {
      const [{ differenceId }] = (await get(`${at}/differences`)).body.rows
      const close = (place: string, who: SignedIn, note: string) =>
        ask(service, `POST ${place}/differences/${differenceId}/close` as 'POST /', who, { note })
      assert.equal((await close(strangersAt, people.stranger, 'mine')).body.code, 'exception_not_found')
      assert.equal((await close(at, people.viewer, 'seen')).body.code, 'role_not_allowed')
      assert.equal((await close(at, people.owner, '')).body.code, 'note_not_valid')
      assert.equal((await close(at, people.owner, 'Airtel confirme 1 900.')).code, 200)
      assert.equal((await close(at, people.owner, 'again')).body.code, 'exception_not_found')
      assert.deepEqual((await get(`${at}/differences`)).body.rows, [])
      const [{ closed }] = (await get(`${at}/differences?state=closed`)).body.rows
      assert.deepEqual([closed.by, closed.note], ['Awa Diallo', 'Airtel confirme 1 900.'])
      assert.equal((await get(`${at}/money`)).body.openDifferences, 0)
    })

    it('books: a merchant imports no statement of a shared connection, and a cashier sees no books', async () => {
      assert.deepEqual((await get(`${at}/statement-sources`)).body.rows, [])
      assert.deepEqual((await get(`${at}/statement-files`)).body.rows, [])
      const refused = await upload(`${at}/statement-files`, fileOf('Paiement;1;0;;'), { dryRun: 'false' }, people.owner)
      assert.equal(refused.body.code, 'caller_not_allowed')
      for (const path of ['money', 'money/entries', 'statement/summary', 'differences', 'statement-sources'])
        assert.equal((await get(`${at}/${path}`, people.cashier)).body.code, 'role_not_allowed', path)
      assert.equal((await get('/console/statement-files', people.support)).body.code, 'role_not_allowed')
    })

    it('books: a file of a caller without the right is refused before its body is read', async () => {
      const large = 'x'.repeat(21_000_000)
      assert.equal((await upload('/console/statement-files', large, {}, people.support)).body.code, 'role_not_allowed')
      assert.equal((await upload('/console/statement-files', large)).code, 413)
    })
  })
