// Statement files through the dashboard on both stores: upload in parts, columns, dry run, import
// with its progress, the kept file, and who may do it.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { erasePayer } from '../../src/actions/privacy/erase-payer.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { importSlots } from '../../src/service/shop-deps.ts'
import { pruneKeptFiles } from '../../src/worker/prune.ts'
import { makeConnection } from '../flows/owned-things.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { shared } from '../kit/shared.ts'
import { importLines } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, settledPayment } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

const CONNECTION = { environment: 'sandbox', connection: 'airtel_ne' }
const HEADINGS = 'Date;Référence;Référence marchand;Type;Montant;Numéro;Statut'
const DAY_MS = 86_400_000

for (const store of STORES_IN_HALVES) {
  describe(`statement uploads on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let finance: SignedIn
    let support: SignedIn
    let owner: SignedIn
    let accountId: string
    let secretKey: string
    let merchantId: string
    before(async () => {
      const merchant = await service.merchant()
      merchantId = merchant.merchantId
      ;({ accountId, secretKey } = merchant.accounts.sandbox)
      finance = await signedIn(service, { forServiceAs: 'finance' })
      support = await signedIn(service, { forServiceAs: 'support' })
      owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
    })

    const settled = (): Promise<string> =>
      settledPayment(service, secretKey, { msisdn: SUCCEEDS, amount: 1_500 })

    const csvOf = (...rows: string[]): Buffer => Buffer.from([HEADINGS, ...rows].join('\r\n'))
    const rowOf = (reference: string, text = 'A1'): string =>
      `15/11/2026 09:30;${text};${reference};Paiement;1 500;96 12 34 56;Réussi`

    const lineWithout = (text: string): StatementLine => ({
      line: 1,
      bookedAt: service.clock.now(),
      day: dayOf(service.clock.now()),
      type: 'other',
      amountXof: 1_500,
      feeXof: 0,
      taxXof: 0,
      balanceXof: null,
      networkReference: '',
      ourReference: '',
      counterparty: '',
      text,
    })

    async function sendPart(
      uploadId: string,
      part: number,
      bytes: Buffer,
      who = finance,
      at = '/console',
    ) {
      const url = `/dashboard/api${at}/books/uploads/${uploadId}/parts/${part}`
      const headers = { ...ORIGIN, cookie: who.cookie, 'content-type': 'application/octet-stream' }
      const { statusCode } = await service.app.inject({
        method: 'PUT',
        url,
        headers,
        payload: bytes,
      })
      return statusCode
    }

    async function upload(file: Buffer, name = 'novembre.csv'): Promise<string> {
      const { code, body } = await ask(service, 'POST /console/books/uploads', finance, {
        ...CONNECTION,
        name,
      })
      assert.equal(code, 200)
      const { uploadId, partBytes } = body as { uploadId: string; partBytes: number }
      const parts = Math.ceil(file.length / partBytes)
      for (let part = 0; part < parts; part++)
        assert.equal(
          await sendPart(uploadId, part, file.subarray(part * partBytes, (part + 1) * partBytes)),
          200,
        )
      const finished = await ask(
        service,
        `POST /console/books/uploads/${uploadId}/finish`,
        finance,
        { parts },
      )
      assert.deepEqual([finished.code, finished.body.bytes], [200, file.length])
      return finished.body.uploadId
    }

    const importFile = (uploadId: string, dryRun = false, who = finance) =>
      ask(service, `POST /console/books/uploads/${uploadId}/import`, who, { dryRun })
    const files = async () => (await ask(service, 'GET /console/books/files', finance)).body.rows

    it('a file is uploaded, read by chosen columns, tried, imported, listed and downloaded', async () => {
      const reference = await settled()
      const file = csvOf(rowOf(reference), rowOf('', 'A2'))
      const uploadId = await upload(file)
      const unknown = await importFile(uploadId, true)
      assert.equal(unknown.body.code, 'statement_columns_unknown')
      const columns = await ask(service, `GET /console/books/uploads/${uploadId}/columns`, finance)
      assert.deepEqual(columns.body.headings, HEADINGS.split(';'))
      assert.equal(columns.body.mapping.columns.ourReference, 'Référence marchand')
      const { mapping } = columns.body
      const kept = await ask(service, `PUT /console/books/uploads/${uploadId}/columns`, finance, {
        mapping,
      })
      assert.deepEqual(kept.body, { mapping })
      const result = {
        lines: 2,
        added: 2,
        matched: 1,
        differences: { missing_here: 1 },
        missing: 0,
        isRepeated: false,
      }
      assert.deepEqual((await importFile(uploadId, true)).body, result)
      assert.deepEqual(await files(), [])
      assert.deepEqual((await importFile(uploadId)).body, result)
      assert.deepEqual((await importFile(uploadId)).body.isRepeated, true)
      const [listed] = await files()
      assert.deepEqual(
        [listed.name, listed.lines, listed.state, listed.isKept],
        ['novembre.csv', 2, 'imported', true],
      )
      const url = `/dashboard/api/console/books/files/${listed.fileId}/content`
      const content = await service.app.inject({
        url,
        headers: { ...ORIGIN, cookie: finance.cookie },
      })
      assert.deepEqual(content.rawPayload, file)
      assert.match(
        content.headers['content-disposition'] as string,
        /^attachment; .*novembre\.csv$/,
      )
    })

    it('the stored parts do not show the file', async () => {
      const rows = await service.db.read<{ content: string }>('select content from kept_file_parts')
      assert.ok(rows.length > 0)
      for (const { content } of rows)
        assert.ok(!Buffer.from(content, 'base64').includes('Paiement'))
    })

    it('a large import answers with its progress as lines of JSON, and the result last', async () => {
      const rows = Array.from({ length: 11_000 }, (_, at) => rowOf('', `B${at}`.padEnd(50, '-')))
      const file = csvOf(...rows)
      assert.ok(file.length > 1_048_576)
      const uploadId = await upload(file)
      const url = `/dashboard/api/console/books/uploads/${uploadId}/import`
      const headers = { ...ORIGIN, cookie: finance.cookie }
      const importing = service.app.inject({
        method: 'POST',
        url,
        headers,
        payload: { dryRun: true },
      })
      const { payload } = await importing
      const events = payload
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.deepEqual(events[0], { read: 2_000 })
      assert.ok(events.some((event) => event.imported === 10_000))
      assert.deepEqual(events.at(-1).result.differences, { missing_here: 11_000 })
    })

    it('a broken file is refused with its line, and nothing of it stays', async () => {
      const uploadId = await upload(
        csvOf(rowOf(''), '15/11/2026 09:31;A3;;Paiement;douze;;Réussi'),
        'broken.csv',
      )
      const { code, body } = await importFile(uploadId)
      assert.equal(body.code, 'statement_not_valid')
      assert.match(body.message, /3.*douze/)
      assert.equal(code, 422)
      assert.equal((await importFile(uploadId)).body.code, 'statement_file_not_found')
    })

    it('an upload without all of its parts is not complete', async () => {
      const begun = await ask(service, 'POST /console/books/uploads', finance, {
        ...CONNECTION,
        name: 'x.csv',
      })
      const { uploadId } = begun.body
      assert.equal(await sendPart(uploadId, 1, Buffer.from('x')), 200)
      const finished = await ask(
        service,
        `POST /console/books/uploads/${uploadId}/finish`,
        finance,
        { parts: 2 },
      )
      assert.equal(finished.body.code, 'upload_not_complete')
      assert.equal((await importFile(uploadId)).body.code, 'upload_not_complete')
      assert.equal(await sendPart(uploadId, 2, Buffer.alloc(1_048_577)), 422)
    })

    it('of six unfinished uploads the oldest makes room', async () => {
      const ids: string[] = []
      for (let nth = 0; nth < 6; nth++) {
        await service.clock.advance(1)
        const { body } = await ask(service, 'POST /console/books/uploads', finance, {
          ...CONNECTION,
          name: `${nth}.csv`,
        })
        ids.push(body.uploadId)
      }
      assert.equal(await sendPart(ids[0] as string, 0, Buffer.from('x')), 404)
      assert.equal(await sendPart(ids[5] as string, 0, Buffer.from('x')), 200)
    })

    it('support staff and a merchant’s owner cannot import, and see no files', async () => {
      const uploadId = await upload(csvOf(rowOf('', 'C1')), 'staff.csv')
      const account = `/accounts/${accountId}`
      assert.equal((await importFile(uploadId, false, support)).code, 403)
      const calls: [call: string, body: object | undefined, code: string][] = [
        [`POST ${account}/books/uploads`, { ...CONNECTION, name: 'x.csv' }, 'caller_not_allowed'],
        [
          `POST ${account}/books/uploads/${uploadId}/import`,
          { dryRun: true },
          'statement_file_not_found',
        ],
        [
          `POST ${account}/books/uploads/${uploadId}/finish`,
          { parts: 1 },
          'statement_file_not_found',
        ],
        [`GET ${account}/books/uploads/${uploadId}/columns`, undefined, 'statement_file_not_found'],
        [
          `PUT ${account}/books/uploads/${uploadId}/columns`,
          { mapping: { columns: { bookedAt: 'Date' } } },
          'statement_file_not_found',
        ],
        [`GET ${account}/books/files`, undefined, 'connection_not_found'],
        [
          `GET ${account}/books/files/${(await files())[0].fileId}/content`,
          undefined,
          'statement_file_not_found',
        ],
      ]
      for (const [call, body, code] of calls)
        assert.equal((await ask(service, call, owner, body)).body.code, code, call)
      assert.equal(await sendPart(uploadId, 0, Buffer.from('x'), owner, account), 404)
    })

    it('an owner imports statements of the merchant’s own connection, and another merchant’s owner does not', async () => {
      const connection = await makeConnection(service, accountId)
      const own = { environment: 'sandbox', connection }
      const stranger = await service.merchant()
      const strangersOwner = await signedIn(service, { at: stranger.merchantId, as: 'owner' })
      const strangersPlace = `/accounts/${stranger.accounts.sandbox.accountId}`
      const place = `/accounts/${accountId}`
      const begin = (at: string, who: SignedIn) =>
        ask(service, `POST ${at}/books/uploads`, who, { ...own, name: 'own.csv' })
      assert.equal((await begin(strangersPlace, strangersOwner)).body.code, 'caller_not_allowed')
      const { uploadId } = (await begin(place, owner)).body
      assert.equal(await sendPart(uploadId, 0, csvOf(rowOf('', 'E1')), owner, place), 200)
      const finished = await ask(service, `POST ${place}/books/uploads/${uploadId}/finish`, owner, {
        parts: 1,
      })
      const file = (at: string): string => `${at}/books/uploads/${finished.body.uploadId}`
      const { mapping } = (await ask(service, `GET ${file(place)}/columns`, owner)).body
      assert.equal((await ask(service, `PUT ${file(place)}/columns`, owner, { mapping })).code, 200)
      const theirs = await ask(service, `POST ${file(strangersPlace)}/import`, strangersOwner, {
        dryRun: true,
      })
      assert.equal(theirs.body.code, 'statement_file_not_found')
      const imported = await ask(service, `POST ${file(place)}/import`, owner, { dryRun: false })
      assert.deepEqual([imported.code, imported.body.added], [200, 1])
      const [line] = await service.db.read(
        'select account_id from statement_lines where connection = :connection',
        { connection },
      )
      assert.deepEqual(line, { account_id: accountId })
    })

    it('a merchant’s own connection has its label in every list of the books, and in a statement', async () => {
      const place = `/accounts/${accountId}`
      const [{ connection }] = (await ask(service, `GET ${place}/books/sources`, owner)).body.rows
      const of = `environment=sandbox&connection=${connection}`
      const today = dayText(dayOf(service.clock.now()))
      const LISTS: [who: SignedIn, path: string][] = [
        [owner, `${place}/books/sources`],
        [owner, `${place}/books/files?${of}`],
        [owner, `${place}/books/differences`],
        [owner, `${place}/money/entries?place=wallet`],
        [finance, '/console/books/sources'],
        [finance, '/console/books/files'],
        [finance, '/console/books/differences'],
      ]
      type Row = { connection: string; connectionLabel: string | null }
      const labelsIn = (rows: Row[]) =>
        new Set(
          rows
            .filter((row) => row.connection === connection)
            .map(({ connectionLabel }) => connectionLabel),
        )
      for (const [who, path] of LISTS)
        assert.deepEqual(
          [...labelsIn((await ask(service, `GET ${path}`, who)).body.rows)],
          ['Mine'],
          path,
        )
      assert.deepEqual(
        [...labelsIn((await ask(service, `GET ${place}/money`, owner)).body.connections)],
        ['Mine'],
      )
      const period = `connection=${connection}&from=${today}&to=${today}`
      const url = `/dashboard/api${place}/statement?${period}&format=csv&language=en`
      const file = await service.app.inject({
        method: 'GET',
        url,
        headers: { cookie: owner.cookie },
      })
      assert.match(file.body, /^Connection;Mine\r?$/m)
      assert.match(`${file.headers['content-disposition']}`, /"statement-Mine-/)
    })

    it('uploads that are not imported are listed and deleted; another merchant cannot, and too many are refused', async () => {
      const connection = await makeConnection(service, accountId)
      const own = { environment: 'sandbox', connection }
      const stranger = await service.merchant()
      const strangersOwner = await signedIn(service, { at: stranger.merchantId, as: 'owner' })
      const strangersPlace = `/accounts/${stranger.accounts.sandbox.accountId}`
      const place = `/accounts/${accountId}`
      const send = async (name: string, bytes: Buffer) => {
        const begun = await ask(service, `POST ${place}/books/uploads`, owner, { ...own, name })
        if (begun.code !== 200) return begun
        const code = await sendPart(begun.body.uploadId, 0, bytes, owner, place)
        if (code !== 200) return { code, body: begun.body }
        return ask(service, `POST ${place}/books/uploads/${begun.body.uploadId}/finish`, owner, {
          parts: 1,
        })
      }
      const listed = async (at = place, who = owner) =>
        (await ask(service, `GET ${at}/books/uploads`, who)).body.rows.filter(
          (row: { connection: string }) => row.connection === connection,
        )
      for (const name of ['one', 'two']) {
        await service.clock.advance(1)
        assert.equal((await send(name, Buffer.from(name))).code, 200)
      }
      const [row] = await listed()
      assert.deepEqual([row.name, row.bytes, row.isComplete], ['two', 3, true])
      assert.deepEqual(await listed(strangersPlace, strangersOwner), [])
      const remove = (at: string, who: SignedIn) =>
        ask(service, `DELETE ${at}/books/uploads/${row.uploadId}`, who)
      assert.equal(
        (await remove(strangersPlace, strangersOwner)).body.code,
        'statement_file_not_found',
      )
      assert.equal((await remove(place, owner)).code, 200)
      assert.deepEqual(
        (await listed()).map(({ name }: { name: string }) => name),
        ['one'],
      )
      // A validated merchant may keep 300 MB, and 100 files.
      await service.db.change(
        `update kept_files set bytes = 300000000 where connection = :connection and name = 'one'`,
        { connection },
      )
      assert.equal((await send('three', Buffer.from('three'))).code, 409)
      await service.db.change(
        `update kept_files set bytes = 3 where connection = :connection and name = 'one'`,
        { connection },
      )
      let refused = await send('last', Buffer.from('last'))
      for (let sent = 0; sent < 100 && refused.code === 200; sent++)
        refused = await send(`${sent}`, Buffer.from(`file ${sent}`))
      assert.equal(refused.body.code, 'upload_space_taken')
      assert.match(refused.body.message, /100/)
    })

    it('differences are listed by age or amount with both sides and the next step, and closed with a note', async () => {
      const reference = await settled()
      const uploadId = await upload(csvOf(rowOf(reference).replace('1 500', '1 400')), 'other.csv')
      await importFile(uploadId)
      const english = { 'accept-language': 'en' }
      const read = async (query: string) =>
        (await ask(service, `GET /console/books/differences?${query}`, finance, undefined, english))
          .body.rows
      const [found] = await read('kind=amount_differs')
      assert.deepEqual(
        [found.line.amount, found.payment.amount, found.payment.reference],
        [1_400, 1_500, reference],
      )
      assert.match(found.nextStep, /^Compare both amounts/)
      const amounts = (await read('order=largest')).map(({ amount }: { amount: number }) => amount)
      assert.deepEqual(
        amounts,
        amounts.toSorted((a: number, b: number) => b - a),
      )
      const own = await ask(service, `GET /accounts/${accountId}/books/differences`, owner)
      const kinds = own.body.rows.map(({ kind }: { kind: string }) => kind).sort()
      assert.deepEqual(kinds, ['amount_differs', 'missing_here', 'missing_here'])
      const close = `POST /console/books/differences/${found.differenceId}/close`
      const said = { reason: 'amount_corrected', note: 'The network corrected it.' }
      assert.equal((await ask(service, close, support, said)).code, 403)
      assert.equal((await ask(service, close, finance, said)).code, 200)
      const [closed] = await read('open=false&kind=amount_differs')
      assert.deepEqual(
        [closed.closed.by, closed.closed.note],
        ['Awa Diallo', 'The network corrected it.'],
      )
      assert.equal(closed.closed.reason, 'Amount corrected')
    })

    it('a difference of a merchant’s own connection: its owner and accountant say what it was, and staff cannot', async () => {
      const merchant = await service.merchant()
      const own = merchant.accounts.sandbox.accountId
      const connection = await makeConnection(service, own)
      const place = `/accounts/${own}`
      const mine = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
      const accountant = await signedIn(service, { at: merchant.merchantId, as: 'accountant' })
      const developer = await signedIn(service, { at: merchant.merchantId, as: 'developer' })
      await importLines(
        service,
        [1, 2].map((nth) => lineWithout(`E${nth}`)),
        { connection },
      )
      const { rows } = (await ask(service, `GET ${place}/books/differences`, mine)).body
      assert.deepEqual(
        rows.map(({ isOwn }: { isOwn: boolean }) => isOwn),
        [true, true],
      )
      const said = { reason: 'top_up', note: 'Our own transfer.' }
      const act = async (
        nth: number,
        who: SignedIn,
        at: string,
        deed = 'close',
        body: object = said,
      ) => {
        const call = `POST ${at}/books/differences/${rows[nth].differenceId}/${deed}`
        const answer = await ask(service, call, who, body)
        return answer.code === 200 ? 200 : answer.body.code
      }
      assert.equal(await act(0, finance, '/console'), 'wallet_of_another')
      assert.equal(await act(0, developer, place), 'role_not_allowed')
      assert.equal(await act(0, mine, place), 200)
      assert.equal(
        await act(1, accountant, place, 'close', { ...said, reason: 'other_income' }),
        200,
      )
      assert.equal(await act(1, accountant, place, 'correct'), 200)
      const { whole } = (await ask(service, `GET ${place}/money`, mine)).body
      assert.deepEqual([whole.wallet, whole.unexplained], [3_000, 0])
    })

    it('erasing a payer removes the kept files that name the number; others go after the retention time', async () => {
      await importFile(
        await upload(csvOf(rowOf('', 'D1').replace('96 12 34 56', '97 00 00 01')), 'without.csv'),
      )
      const keptNames = async () =>
        (await files())
          .filter(({ isKept }: { isKept: boolean }) => isKept)
          .map(({ name }: { name: string }) => name)
      assert.ok((await keptNames()).includes('novembre.csv'))
      assert.ok(
        granted(await erasePayer(service, TESTER, { number: '+227 96 12 34 56' })).files > 0,
      )
      assert.deepEqual(await keptNames(), ['without.csv'])
      const { db, clock } = service
      const prunedAfter = async (days: number) => {
        const later = { ...clock, now: () => clock.now() + days * DAY_MS }
        while (await pruneKeptFiles({ db, clock: later }, 30));
        return keptNames()
      }
      assert.deepEqual(await prunedAfter(29), ['without.csv'])
      assert.deepEqual(await prunedAfter(31), [])
      assert.deepEqual(await db.read('select kept_id from kept_file_parts'), [])
    })

    it('a state of no list is refused with its words, for the columns, and the upload is kept for its next reading', async () => {
      const file = csvOf(rowOf('', 'W1'), rowOf('', 'W2').replace('Réussi', 'Traité'))
      const uploadId = await upload(file)
      const { mapping } = (
        await ask(service, `GET /console/books/uploads/${uploadId}/columns`, finance)
      ).body
      const keep = (statuses: string[]) => {
        const given = { ...mapping, statuses }
        return ask(service, `PUT /console/books/uploads/${uploadId}/columns`, finance, {
          mapping: given,
        })
      }
      const refused = await keep(['Réussi'])
      assert.deepEqual(
        [refused.body.code, refused.body.columns],
        ['statement_not_valid', { statuses: ['Traité'], types: [] }],
      )
      assert.equal((await keep(['Réussi', 'Traité'])).code, 200)
      assert.equal((await importFile(uploadId)).body.added, 2)
    })

    it('a type of no list is refused with its words, for the columns', async () => {
      const uploadId = await upload(csvOf(rowOf('', 'W3').replace('Paiement', 'Encaissement')))
      const columns = `/console/books/uploads/${uploadId}/columns`
      const { mapping } = (await ask(service, `GET ${columns}`, finance)).body
      const keep = (types: object) =>
        ask(service, `PUT ${columns}`, finance, { mapping: { ...mapping, types } })
      const refused = await keep({ Paiement: 'collection' })
      assert.deepEqual(
        [refused.code, refused.body.columns],
        [422, { statuses: [], types: ['Encaissement'] }],
      )
      assert.match(refused.body.message, /^Le type de 1 ligne .*\sEncaissement\s» \(1\)/)
      assert.equal((await keep({ Paiement: 'collection', Encaissement: 'collection' })).code, 200)
      assert.equal((await importFile(uploadId)).body.added, 1)
    })

    it('an import at the merchant’s own connection is taken back by the owner, the accountant or finance alone', async () => {
      const place = `/accounts/${accountId}`
      const [file] = await service.db.read<{ fileId: string; added: number }>(
        `select f.file_id as "fileId", f.added from statement_files f
         join merchant_connections m on m.connection_id = f.connection
         where m.account_id = :accountId`,
        { accountId },
      )
      const stranger = await service.merchant()
      const strangersOwner = await signedIn(service, { at: stranger.merchantId, as: 'owner' })
      const takeBack = (at: string, who: SignedIn) =>
        ask(service, `POST ${at}/books/files/${file?.fileId}/take-back`, who, { note: 'Not mine.' })
      const strangersPlace = `/accounts/${stranger.accounts.sandbox.accountId}`
      assert.equal(
        (await takeBack(strangersPlace, strangersOwner)).body.code,
        'statement_file_not_found',
      )
      const viewer = await signedIn(service, { at: merchantId, as: 'viewer' })
      assert.equal((await takeBack(place, viewer)).code, 403)
      assert.equal((await takeBack('/console', support)).code, 403)
      const accountant = await signedIn(service, { at: merchantId, as: 'accountant' })
      const taken = await takeBack(place, accountant)
      assert.deepEqual([taken.code, taken.body.lines], [200, file?.added])
    })
  })
}

it('import slots: an account has one at a time, a few are imported at once, and new merchants have half of them', async () => {
  const service = await openVirtualService()
  const take = importSlots(service.db)
  const staff = (personId: string) =>
    take({ is: 'service_person', personId, role: 'finance', network: '' })
  const { accountId } = (await service.merchant()).accounts.sandbox
  const person = {
    is: 'merchant_person',
    environment: 'sandbox',
    personId: 'per_1',
    role: 'owner',
  } as const
  const merchant = (network: string) => take({ ...person, accountId, network })
  const release = await staff('per_1')
  assert.equal(typeof release, 'function')
  assert.equal(await staff('per_1'), 'own')
  assert.equal(typeof (await merchant('192.0.2.1')), 'function')
  assert.equal(await merchant('192.0.2.2'), 'own')
  for (const personId of ['per_2', 'per_3'])
    assert.equal(typeof (await staff(personId)), 'function')
  assert.equal(await staff('per_4'), 'shared')
  if (typeof release === 'function') release()
  assert.equal(typeof (await staff('per_4')), 'function')
  await service.remove()
})
