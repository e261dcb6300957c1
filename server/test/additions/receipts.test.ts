// Receipts that anyone can check (D-161): what they show, what they never show, and that every
// other code gets the same answer. On both stores.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { rotateMasterKey } from '../../src/actions/master-key/rotate-master-key.ts'
import { openReceiptCodes } from '../../src/actions/payments/read-receipt.ts'
import { boxOf, masterKeyOf, useOf } from '../../src/service/master-key.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, PASSWORD, signedIn } from '../kit/people.ts'
import { get, order, post, postAt } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, settledPayment, type VirtualService } from '../kit/virtual-service.ts'
import { DECLINES, newLink, SUCCEEDS } from '../links/payer.ts'

const AMOUNT = 1_500
const PAYER = { msisdn: SUCCEEDS, customer_name: 'Ramatou Zoumari' }

for (const store of STORES_IN_HALVES) {
  describe(`receipts on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let merchant: Awaited<ReturnType<VirtualService['merchant']>>
    let key: string
    before(async () => {
      merchant = await service.merchant({ name: 'Boutique <Awa>' })
      key = merchant.accounts.sandbox.secretKey
    })

    let addresses = 0
    const look = async (path: string, headers: Record<string, string> = {}) => {
      const remoteAddress = `10.9.${++addresses >> 8}.${addresses & 255}`
      const {
        statusCode,
        body,
        headers: got,
      } = await service.app.inject({ url: path, headers, remoteAddress })
      return { code: statusCode, text: body, headers: got }
    }
    const pay = (change: object = PAYER, secretKey = key): Promise<string> =>
      settledPayment(service, secretKey, { amount: AMOUNT, ...change })
    const pathOf = async (reference: string, secretKey = key): Promise<string> => {
      const address = (await get(service, secretKey, reference)).headers['svc-receipt-url']
      return address === undefined ? '' : new URL(String(address)).pathname
    }

    it('receipts: a succeeded payment of the API has one, with merchant, amount, time and TEST, without the payer', async () => {
      const path = await pathOf(await pay())
      assert.match(path, /^\/r\/TEST(-[0-9A-Z]{4}){4}$/)
      const { code, text, headers } = await look(`${path}?lang=fr`)
      assert.equal(code, 200)
      for (const shown of [
        'Boutique &lt;Awa&gt;',
        '1\u00a0500\u00a0F\u00a0CFA',
        'TEST',
        'aucun argent n’a été payé',
      ])
        assert.ok(text.includes(shown), shown)
      assert.match(text, /<time datetime="\d{4}-/)
      for (const hidden of [SUCCEEDS, SUCCEEDS.slice(-4), 'Ramatou', 'Zoumari', 'Airtel'])
        assert.ok(!text.includes(hidden), hidden)
      assert.deepEqual(
        [headers['x-robots-tag'], headers['referrer-policy'], headers['cache-control']],
        ['noindex, nofollow', 'no-referrer', 'no-store'],
      )
      assert.match((await look(`${path}?lang=en`)).text, /no money was paid/)
    })

    it('receipts: the PDF has the same code, and nothing of the payer', async () => {
      const path = await pathOf(await pay())
      const { statusCode, rawPayload, headers } = await service.app.inject({ url: `${path}.pdf` })
      assert.deepEqual([statusCode, headers['content-type']], [200, 'application/pdf'])
      assert.equal(rawPayload.subarray(0, 5).toString(), '%PDF-')
      assert.equal(headers['x-robots-tag'], 'noindex, nofollow')
      assert.ok(
        !rawPayload.includes('Ramatou') && rawPayload.length < 60_000,
        `${rawPayload.length} bytes`,
      )
    })

    it('receipts: a refund in part and a whole one are shown', async () => {
      const reference = await pay()
      const path = await pathOf(reference)
      await postAt(service, key, `/payments/${reference}/refund`, { amount: 500 })
      await service.clock.advance(6_000)
      const inPart = (await look(`${path}?lang=en`)).text
      assert.ok(
        inPart.includes('Payment refunded in part') && inPart.includes('500\u00a0F\u00a0CFA'),
      )
      await postAt(service, key, `/payments/${reference}/refund`, { amount: 1_000 })
      await service.clock.advance(6_000)
      assert.match((await look(`${path}?lang=en`)).text, /TEST – Payment refunded</)
      assert.equal(await pathOf(reference), path)
    })

    it('receipts: pending and failed payments, forged codes and those of the other environment get one answer', async () => {
      const [failed, pending] = [
        await pay({ msisdn: DECLINES }),
        (await post(service, key, order({ msisdn: SUCCEEDS }))).body.reference as string,
      ]
      const paid = await pathOf(await pay())
      const liveKey = merchant.accounts.live.secretKey
      const live = await pathOf(await pay({ msisdn: '96123456' }, liveKey), liveKey)
      assert.deepEqual(
        [await pathOf(failed), (await get(service, key, pending)).body.status],
        ['', 'succeeded'],
      )
      assert.match(live, /^\/r\/[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/)
      const codes = await openReceiptCodes(
        service,
        boxOf(service.master, 'receipt codes', service.random),
        service.publicReferences,
      )
      const [row] = await service.db.read<{ number: number }>(
        'select number from payments where reference = :failed',
        { failed },
      )
      const answers = new Set<string>()
      const forged = [
        codes.of({
          environment: 'sandbox',
          publicReference: service.publicReferences.of(row?.number as number),
        }),
        codes.of({ environment: 'sandbox', publicReference: service.publicReferences.of(2 ** 39) }),
        paid.slice('/r/TEST-'.length),
        `TEST-${live.slice('/r/'.length)}`,
        paid.slice('/r/'.length, -1),
        'x',
        `${'9'.repeat(60)}`,
      ]
      for (const code of forged) {
        const { code: status, text, headers } = await look(`/r/${code}?lang=en`)
        answers.add(
          JSON.stringify([
            status,
            headers['x-robots-tag'],
            text.replaceAll(/value="[^"]*" aria/g, ''),
          ]),
        )
        assert.equal((await look(`/r/${code}.pdf`)).code, 404)
      }
      assert.equal(answers.size, 1)
      assert.match([...answers][0] as string, /^\[404,.*No payment has this code/)
    })

    it('receipts: a person can type the code, in small letters and with spaces', async () => {
      const path = await pathOf(await pay())
      assert.match((await look('/r?lang=fr')).text, /<form method="post" action="\/r">/)
      const typed = path.slice('/r/'.length).toLowerCase().replaceAll('-', ' ')
      const send = (code: string) =>
        service.app.inject({
          method: 'POST',
          url: '/r',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          payload: `${new URLSearchParams({ code, lang: 'fr' })}`,
        })
      const { statusCode, headers } = await send(typed)
      assert.equal(statusCode, 303)
      assert.equal((await look(String(headers.location))).code, 200)
      assert.equal((await send('')).statusCode, 404)
      const hostile = await send('../../dashboard?x=<script>')
      assert.match(String(hostile.headers.location), /^\/r\/[0-9A-Z-]+\?lang=fr$/)
      assert.equal((await send('9'.repeat(5_000))).statusCode, 413)
    })

    it('receipts: the codes stay valid when the master key is rotated', async () => {
      const paid = await pay()
      const next = masterKeyOf('ab'.repeat(32))
      const open = (master: typeof next) =>
        openReceiptCodes(
          service,
          boxOf(master, 'receipt codes', service.random),
          service.publicReferences,
        )
      const before = await open(service.master)
      const keys = { from: useOf(service.master, service.random), to: useOf(next, service.random) }
      granted(await rotateMasterKey(service, TESTER, keys))
      const afterwards = await open(next)
      const of = { environment: 'sandbox', publicReference: '7K2M-9QXD-4' } as const
      assert.equal(afterwards.of(of), before.of(of))
      await assert.rejects(() => open(service.master))
      granted(await rotateMasterKey(service, TESTER, { from: keys.to, to: keys.from }))
      assert.equal((await look(await pathOf(paid))).code, 200)
    })
  })
}

describe('receipts under attack', () => {
  const service = shared(() => openVirtualService())
  const look = (url: string, remoteAddress: string) =>
    service.app.inject({ url, remoteAddress, headers: { accept: 'text/html' } })
  const codeOf = async (url: string, remoteAddress: string) =>
    (await look(url, remoteAddress)).statusCode
  const publicReferenceOf = async (poster: string) => {
    const sql = 'select public_reference as code from posters where reference = :poster'
    return (await service.db.read<{ code: string }>(sql, { poster }))[0]?.code as string
  }
  let receipts: string[] = []
  let poster = ''
  before(async () => {
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const bodies = Array.from({ length: 12 }, () => order({ ...PAYER, amount: AMOUNT }))
    const made = await Promise.all(bodies.map((body) => post(service, secretKey, body)))
    await service.clock.advance(10_000)
    const read = await Promise.all(
      made.map(({ body }) => get(service, secretKey, body.reference as string)),
    )
    receipts = read.map(({ headers }) => new URL(String(headers['svc-receipt-url'])).pathname)
    poster = `/p/${await publicReferenceOf(await newLink(service, secretKey, { reusable: true }))}`
  })

  for (const [about, forged, works] of [
    ['receipts', '/r/AAAA-AAAA-AAAA-AAAA', 200],
    ['short addresses', '/p/AAAA-AAAA-A', 303],
  ] as const)
    it(`${about}: forged codes of many networks refuse no genuine code, and many of one network refuse its own`, async () => {
      const genuine = works === 303 ? poster : (receipts[0] as string)
      for (let each = 0; each < 1_500; each++)
        assert.equal(await codeOf(forged, `10.2.${each >> 8}.${each & 255}`), 404)
      assert.equal(await codeOf(genuine, '192.0.2.9'), works)
      const answers: number[] = []
      for (let each = 0; each < 41; each++) answers.push(await codeOf(forged, '192.0.2.10'))
      assert.deepEqual([answers.indexOf(429), answers.at(-1)], [40, 429])
      assert.equal(await codeOf(genuine, '192.0.2.10'), 429)
      assert.equal(await codeOf(genuine, '192.0.2.11'), works)
      await service.clock.advance(1_000)
      assert.equal(await codeOf(genuine, '192.0.2.10'), works)
    })

  it('short addresses: the wrong codes of a network do not refuse it receipts', async () => {
    for (let each = 0; each < 41; each++) await codeOf('/p/AAAA-AAAA-A', '192.0.2.12')
    assert.equal(await codeOf(poster, '192.0.2.12'), 429)
    assert.equal(await codeOf(receipts[0] as string, '192.0.2.12'), 200)
  })

  it('receipts: every PDF that many networks ask for at once comes, each in its turn', async () => {
    const asked = receipts.flatMap((path, each) =>
      ['fr', 'en'].map((language, at) =>
        codeOf(`${path}.pdf?lang=${language}`, `10.3.${at}.${each}`),
      ),
    )
    const answers = await service.clock.advanceUntil('PDF of each receipt', Promise.all(asked))
    assert.deepEqual([answers.length, new Set(answers)], [24, new Set([200])])
  })
})

describe('receipts and posters', () => {
  const service = shared(() => openVirtualService(undefined, { KARBA_PUBLIC_RATE: '1' }))
  const look = (url: string, remoteAddress: string) => service.app.inject({ url, remoteAddress })

  it('receipts: an address has a limit', async () => {
    const codes: number[] = []
    for (let count = 0; count < 7; count++) codes.push((await look('/r/x', '192.0.2.1')).statusCode)
    assert.deepEqual(codes, [404, 404, 404, 404, 404, 429, 429])
    await service.clock.advance(4_000)
  })

  it('short addresses: a poster has one, a link for one payer has none', async () => {
    const { accounts } = await service.merchant()
    const key = accounts.sandbox.secretKey
    const publicReference = async (table: string, reference: string) => {
      const sql = `select p.public_reference as code from ${table}
        where ${table === 'posters p' ? 'p' : 'l'}.reference = :reference`
      return (await service.db.read<{ code: string }>(sql, { reference }))[0]?.code as string
    }
    const poster = await newLink(service, key, { reusable: true })
    const code = await publicReference('posters p', poster)
    for (const [written, at] of [code, code.toLowerCase(), code.replaceAll('-', '')].map(
      (each, at) => [each, at],
    )) {
      const { statusCode, headers } = await look(`/p/${written}`, `192.0.2.${at}`)
      assert.deepEqual([statusCode, headers.location], [303, `/pay/${poster}`])
    }
    const single = await newLink(service, key)
    const hidden = await publicReference(
      'payment_links l join payments p on p.account_id = l.account_id and p.number = l.number',
      single,
    )
    const answers = await Promise.all(
      [hidden, '0000-0000-0', 'x'].map((each, at) => look(`/p/${each}`, `192.0.3.${at}`)),
    )
    assert.deepEqual(
      new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size,
      1,
    )
    assert.equal(answers[0]?.statusCode, 404)
  })

  it('posters: in live with an alias they carry a PI-SPI code; in the sandbox and without one they do not', async () => {
    const { merchantId, accounts } = await service.merchant()
    const owner = await signedIn(service, { at: merchantId, as: 'owner' })
    const alias = '3497a720-ab11-4973-9619-534e04f263a1'
    const { sandbox, live } = accounts
    const put = (path: string, body: object) =>
      ask(service, `PUT /accounts/${live.accountId}/settings/${path}`, owner, body)
    const posterIn = async ({ accountId, secretKey }: typeof live) => {
      const link = await newLink(service, secretKey, { reusable: true, amount: 2_000 })
      return (await ask(service, `GET /accounts/${accountId}/links/${link}/poster`, owner))
        .body as string
    }
    assert.equal(
      (await put('pi-spi', { alias, password: PASSWORD })).body.code,
      'pi_alias_needs_country',
    )
    await put('business', { country: 'NE' })
    for (const wrong of ['x', `${alias}0`, 'é'.repeat(900), '+22790123456'])
      assert.equal((await put('pi-spi', { alias: wrong })).body.code, 'pi_alias_not_valid')
    assert.equal(
      (await put('pi-spi', { alias: ` ${alias.toUpperCase()} `, password: PASSWORD })).body.piAlias,
      alias,
    )
    const [inLive, inSandbox] = [await posterIn(live), await posterIn(sandbox)]
    assert.match(inLive, /aria-label="QR PI-SPI"/)
    assert.match(inLive, /class="typed">[^<]*\/p\/[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]</)
    assert.doesNotMatch(inSandbox, /PI-SPI/)
    assert.equal((await put('pi-spi', { alias: '' })).body.piAlias, null)
    assert.doesNotMatch(await posterIn(live), /PI-SPI/)
    const cashier = await signedIn(service, { at: merchantId, as: 'cashier' })
    const refused = await ask(service, `PUT /accounts/${live.accountId}/settings/pi-spi`, cashier, {
      alias,
    })
    assert.equal(refused.body.code, 'role_not_allowed')
  })
})
