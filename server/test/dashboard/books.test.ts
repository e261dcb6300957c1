// The books through the dashboard's API on both stores: where the money is, statements,
// differences, files of networks.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { ask, ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { shared } from '../kit/shared.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, settledPayment } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

const HEAD = 'Date;Type;Montant;Frais;Référence;Libellé'
const CONNECTION = 'airtel_ne'
const MAPPING = {
  columns: {
    bookedAt: 'Date',
    type: 'Type',
    amount: 'Montant',
    fee: 'Frais',
    ourReference: 'Référence',
  },
  types: { Paiement: 'collection', Versement: 'settlement' },
}

for (const store of STORES_IN_HALVES)
  describe(`books in the dashboard on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let people: Record<
      'owner' | 'cashier' | 'viewer' | 'finance' | 'support' | 'stranger',
      SignedIn
    >
    let [at, secretKey, strangersAt] = ['', '', '']
    const references: string[] = []
    before(async () => {
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
      for (const amount of [1_000, 2_000, 3_000])
        references.push(await settledPayment(service, secretKey, { msisdn: SUCCEEDS, amount }))
    })

    const today = (): string => dayText(dayOf(service.clock.now()))
    const get = (path: string, who: SignedIn = people.owner) => ask(service, `GET ${path}`, who)
    const money = async () => (await get(`${at}/money`)).body
    const period = (more = '') => `?connection=${CONNECTION}&from=${today()}&to=${today()}${more}`
    const fileOf = (...lines: string[]): string =>
      [HEAD, ...lines.map((line) => `${today()} 10:00;${line}`)].join('\n')

    /** The uploaded file; its import follows. */
    async function upload(file: string, who = people.finance, place = '/console') {
      const post = (path: string, body: object) =>
        ask(service, `POST ${place}/books/uploads${path}`, who, body)
      const { body } = await post('', {
        environment: 'sandbox',
        connection: CONNECTION,
        name: 'mai.csv',
      })
      if (body.code !== undefined) return body.code
      await service.app.inject({
        method: 'PUT',
        url: `/dashboard/api${place}/books/uploads/${body.uploadId}/parts/0`,
        payload: file,
        headers: { ...ORIGIN, cookie: who.cookie, 'content-type': 'text/csv' },
      })
      return `/console/books/uploads/${(await post(`/${body.uploadId}/finish`, { parts: 1 })).body.uploadId}`
    }
    const staff = (call: string, body: object) => ask(service, call, people.finance, body)
    const read = async (file: string, dryRun: boolean) =>
      staff(`POST ${await upload(file)}/import`, { dryRun })

    it('books: each place has its amount, and the entries behind it add up to it', async () => {
      const { body } = await get(`${at}/money`)
      const nowhere = {
        wallet: 0,
        opening: 0,
        at_service: 0,
        in_transit: 0,
        bank: 0,
        withheld: 0,
        unexplained: 0,
      }
      assert.deepEqual(body.whole, { ...nowhere, receivable: 6_000 })
      assert.deepEqual(body.connections, [
        { connection: CONNECTION, connectionLabel: null, ...nowhere, receivable: 6_000 },
      ])
      const first = (await get(`${at}/money/entries?place=receivable&limit=2`)).body
      const second = (await get(`${at}/money/entries?place=receivable&limit=2&after=${first.next}`))
        .body
      const rows = [...first.rows, ...second.rows]
      assert.deepEqual(
        rows.map(({ reference, amount }) => [reference, amount]),
        [3_000, 2_000, 1_000].map((amount, nth) => [references[2 - nth], amount]),
      )
      assert.equal(second.next, null)
      assert.deepEqual((await get(`${at}/money/entries?place=bank`)).body.rows, [])
      assert.deepEqual(
        (await get(`${at}/money/entries?place=receivable&connection=mtn_bj`)).body.rows,
        [],
      )
    })

    it('books: a statement has its sums, and its movements in pages with a running balance', async () => {
      const { body } = await get(`${at}/statement/summary${period()}`)
      assert.deepEqual(
        [body.opening, body.collected, body.closing, body.confirmed, body.movements],
        [0, 6_000, 6_000, 0, 3],
      )
      const first = (await get(`${at}/statement/movements${period('&limit=2')}`)).body
      const second = (
        await get(`${at}/statement/movements${period(`&limit=2&after=${first.next}`)}`)
      ).body
      assert.deepEqual(
        [...first.rows, ...second.rows].map(({ amount, balance, isConfirmed }) => [
          amount,
          balance,
          isConfirmed,
        ]),
        [
          [1_000, 1_000, false],
          [2_000, 3_000, false],
          [3_000, 6_000, false],
        ],
      )
      assert.equal(second.next, null)
      assert.equal(
        (await get(`${at}/statement/summary?connection=x&from=2026-01-01&to=2020-01-01`)).code,
        422,
      )
    })

    it('books: a dry run with chosen columns says what an import would do, and books nothing', async () => {
      const file = fileOf(`Paiement;1 000;0;${references[0]};`)
      assert.equal((await read(file, true)).body.code, 'statement_columns_unknown')
      const at = await upload(file)
      assert.equal((await staff(`PUT ${at}/columns`, { mapping: MAPPING })).code, 200)
      const { body } = await staff(`POST ${at}/import`, { dryRun: true })
      assert.deepEqual([body.lines, body.added, body.matched], [1, 1, 1])
      assert.equal((await money()).whole.receivable, 6_000)
    })

    it('books: an import moves money to the shared wallet and names differences; a broken file leaves nothing', async () => {
      const lines = [`Paiement;1000;15;${references[0]};`, `Paiement;1900;0;${references[1]};`]
      const broken = await read(fileOf(...lines, 'Paiement;beaucoup;0;;'), false)
      assert.equal(broken.body.code, 'statement_not_valid')
      assert.match(broken.body.message, /Ligne 4.*beaucoup/)
      const { body } = await read(fileOf(...lines, 'Paiement;700;0;inconnue;'), false)
      assert.deepEqual([body.added, body.matched], [3, 1])
      assert.deepEqual(body.differences, { amount_differs: 1, missing_here: 1 })
      const { whole, openDifferences } = await money()
      assert.deepEqual(
        [whole.receivable, whole.at_service, whole.unexplained, openDifferences],
        [5_000, 2_885, 1_900, 1],
      )
      const waiting = (await get(`${at}/money/entries?place=receivable`)).body.rows
      assert.deepEqual(
        waiting.map(({ amount }: { amount: number }) => amount),
        [3_000, 2_000],
      )
      const [file] = (await get('/console/books/files', people.finance)).body.rows
      assert.deepEqual(
        [file.name, file.lines, file.importedBy, file.state],
        ['mai.csv', 3, 'Ibrahim Moussa', 'imported'],
      )
    })

    it('books: a merchant sees its own differences with both sides, staff see all of them', async () => {
      const own = (await get(`${at}/books/differences?order=largest`)).body.rows
      assert.equal(own.length, 1, 'the line without a payment is of a shared connection')
      const [{ kind, line, payment, closed, difference, amount }] = own
      assert.deepEqual([difference, amount], [-100, 100])
      assert.deepEqual(
        [kind, line.amount, line.row, line.file],
        ['amount_differs', 1_900, 3, 'mai.csv'],
      )
      assert.deepEqual(
        [payment.reference, payment.amount, payment.status],
        [references[1], 2_000, 'succeeded'],
      )
      assert.equal(closed, null)
      const largest = (await get('/console/books/differences?order=largest', people.support)).body
        .rows
      assert.deepEqual(
        largest.map((row: { amount: number; difference: number | null }) => [
          row.amount,
          row.difference,
        ]),
        [
          [700, null],
          [100, -100],
        ],
      )
      for (const order of ['oldest', 'newest', 'largest']) {
        const first = (
          await get(`/console/books/differences?order=${order}&limit=1`, people.support)
        ).body
        const second = (
          await get(
            `/console/books/differences?order=${order}&limit=1&after=${first.next}`,
            people.support,
          )
        ).body
        const kinds = [...first.rows, ...second.rows].map((row) => row.kind)
        assert.deepEqual(kinds.sort(), ['amount_differs', 'missing_here'])
        assert.equal(second.next, null)
      }
      assert.deepEqual(
        (await get(`${strangersAt}/books/differences`, people.stranger)).body.rows,
        [],
      )
    })

    it('books: staff say what a difference of the service’s connection was; a merchant cannot, and sees it', async () => {
      const [{ differenceId, isOwn }] = (await get(`${at}/books/differences`)).body.rows
      assert.equal(isOwn, false)
      const act = async (deed: 'close' | 'correct', place: string, who: SignedIn, body: object) => {
        const call = `POST ${place}/books/differences/${differenceId}/${deed}`
        const answer = await ask(service, call, who, { note: 'Airtel confirme 1 900.', ...body })
        return answer.code === 200 ? 200 : answer.body.code
      }
      const reason = 'amount_corrected'
      assert.equal(
        await act('close', strangersAt, people.stranger, { reason }),
        'exception_not_found',
      )
      assert.equal(await act('close', at, people.viewer, { reason }), 'role_not_allowed')
      assert.equal(await act('close', at, people.owner, { reason }), 'wallet_of_another')
      assert.equal(await act('close', '/console', people.support, { reason }), 'role_not_allowed')
      assert.equal(
        await act('close', '/console', people.finance, { reason, note: '' }),
        'note_not_valid',
      )
      assert.equal(
        await act('close', '/console', people.finance, { reason: 'lost' }),
        'input_not_valid',
      )
      assert.equal(
        await act('close', '/console', people.finance, { reason: 'top_up' }),
        'closing_reason_not_valid',
      )
      const { body } = await get(
        `/console/books/differences/${differenceId}/reasons`,
        people.finance,
      )
      const offered = body.reasons.map((each: { reason: string }) => each.reason)
      assert.deepEqual(
        [body.left, offered],
        [
          1_900,
          [
            'other_income',
            'network_correction',
            'duplicate_of_file',
            'not_ours',
            'amount_corrected',
          ],
        ],
      )
      assert.match(body.reasons[4].name, /^Montant corrigé$/)
      assert.equal(await act('close', '/console', people.finance, { reason: 'not_ours' }), 200)
      assert.equal(
        await act('close', '/console', people.finance, { reason }),
        'exception_not_found',
      )
      assert.equal(await act('correct', at, people.owner, { reason }), 'wallet_of_another')
      assert.equal(await act('correct', '/console', people.finance, { reason }), 200)
      assert.deepEqual((await get(`${at}/books/differences`)).body.rows, [])
      const { rows } = (await get(`${at}/books/differences?open=false&kind=amount_differs`)).body
      const [{ closed }] = rows
      assert.deepEqual([closed.by, closed.note], ['Ibrahim Moussa', 'Airtel confirme 1 900.'])
      assert.equal(closed.reason, 'Montant corrigé')
      const { whole, openDifferences } = await money()
      assert.deepEqual(
        [whole.receivable, whole.at_service, whole.unexplained, openDifferences],
        [3_000, 2_885, 0, 0],
      )
    })

    it('books: a merchant imports no statement of a shared connection, and a cashier sees no books', async () => {
      assert.deepEqual((await get(`${at}/books/sources`)).body.rows, [])
      assert.ok((await get('/console/books/sources', people.finance)).body.rows.length > 1)
      assert.equal(await upload(fileOf('Paiement;1;0;;'), people.owner, at), 'caller_not_allowed')
      for (const path of ['money', 'money/entries', 'statement/summary', 'books/differences'])
        assert.equal(
          (await get(`${at}/${path}`, people.cashier)).body.code,
          'role_not_allowed',
          path,
        )
    })

    it('books: a file of a caller without the right is refused before its body is read', async () => {
      const send = async (who: SignedIn) => {
        const url = '/dashboard/api/console/books/uploads/none/parts/0'
        const headers = { ...ORIGIN, cookie: who.cookie, 'content-type': 'text/csv' }
        const sent = await service.app.inject({
          method: 'PUT',
          url,
          headers,
          payload: 'x'.repeat(2_000_000),
        })
        return sent.json().code
      }
      assert.equal(await send(people.support), 'role_not_allowed')
      assert.notEqual(await send(people.finance), 'statement_file_not_found')
    })
  })
