// A merchant's pages through the dashboard's API: home, payments, links, sandbox phone and
// settings.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { words as english } from '../../../dashboard/src/words/en.ts'
import { words as french } from '../../../dashboard/src/words/fr.ts'
import { changeAccountStatus } from '../../src/actions/merchants/change-account.ts'
import { dayOf, dayText, startOfDay } from '../../src/domain/countries/business-day.ts'
import type { MerchantRole } from '../../src/domain/people/role.ts'
import { SCENARIOS } from '../../src/simulator/scenarios.ts'
import { TESTER } from '../kit/callers.ts'
import { ask, ORIGIN, signedIn } from '../kit/people.ts'
import { order, post, get as readPayment } from '../kit/service.ts'
import { SQLITE, STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { byPhone, DECLINES, newLink, pay, SUCCEEDS } from '../links/payer.ts'

const service = await openVirtualService(SQLITE)
after(() => service.remove())

describe('payments in the dashboard', async () => {
  const references: string[] = []
  const merchant = await service.merchant()
  const owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
  const { accountId, secretKey } = merchant.accounts.sandbox
  const at = `/accounts/${accountId}`
  const payers = [
    { msisdn: SUCCEEDS, customer_name: 'Aïssa; "Maïga"' },
    { msisdn: DECLINES, customer_name: '=cmd()' },
  ]
  for (const [index, payer] of payers.entries()) {
    const body = order({ ...payer, amount: 1_000 + index, transaction_id: `order-${index}` })
    references.push((await post(service, secretKey, body)).body.reference as string)
    await service.clock.advance(5_000)
  }

  const get = (path: string) => ask(service, `GET ${at}${path}`, owner)

  it('home page: has a row for each requested day', async () => {
    const { code, body } = await get('/home?days=7')
    assert.deepEqual(
      [code, body.today],
      [200, { collected: 1_000, succeeded: 1, failed: 1, pending: 0 }],
    )
    assert.deepEqual([body.days.length, body.operators[0].name], [7, 'Airtel Money'])
    assert.equal((await get('/home?days=0')).body.code, 'input_not_valid')
  })

  const FORBIDDEN: [role: MerchantRole, turnover: boolean, developers: boolean][] = [
    ['owner', true, true],
    ['developer', true, true],
    ['accountant', true, false],
    ['cashier', false, false],
    ['viewer', false, false],
  ]
  for (const [as, seesTurnover, seesDevelopers] of FORBIDDEN)
    it(`home and payments: ${as}: turnover ${seesTurnover}, keys and webhooks ${seesDevelopers}`, async () => {
      const who = await signedIn(service, { at: merchant.merchantId, as })
      const read = (path: string) => ask(service, `GET ${at}${path}`, who)
      const { today, days, attention } = (await read('/home?days=7')).body
      assert.deepEqual([today.collected, today.succeeded], [seesTurnover ? 1_000 : null, 1])
      assert.equal(
        days.every(
          ({ collected }: { collected: number | null }) => (collected === null) === !seesTurnover,
        ),
        true,
      )
      assert.equal(
        attention.map(({ kind }: { kind: string }) => kind).includes('no_endpoint'),
        seesDevelopers,
      )
      for (const path of ['/payments.csv', '/money'])
        assert.equal((await read(path)).code, seesTurnover ? 200 : 403, path)
      for (const path of ['/keys', '/endpoints', '/deliveries', '/events', '/requests'])
        assert.equal((await read(path)).code, seesDevelopers ? 200 : 403, path)
      const { rows, sum } = (await read('/payments?minimum=1')).body
      assert.deepEqual([rows.length, sum?.count], [2, seesTurnover ? 2 : undefined])
      assert.equal((await read('/payments')).body.sum, null)
    })

  it('payments: are listed, searched and filtered', async () => {
    const ids = async (query: string) =>
      (await get(`/payments?${query}`)).body.rows.map(
        (row: { transactionId: string }) => row.transactionId,
      )
    assert.deepEqual(await ids(''), ['order-1', 'order-0'])
    assert.deepEqual(await ids('search=aissa'), ['order-0'])
    assert.deepEqual(await ids('status=failed&search='), ['order-1'])
    assert.deepEqual(await ids('minimum=1001'), ['order-1'])
    const today = dayText(Math.floor((service.clock.now() + 3_600_000) / 86_400_000))
    assert.deepEqual(await ids(`from=${today}&to=${today}`), ['order-1', 'order-0'])
    assert.deepEqual(await ids('to=2000-01-01'), [])
    assert.equal((await get('/payments?status=paid')).body.param, 'status')
    const first = (await get('/payments?limit=1')).body
    assert.deepEqual(await ids(`limit=1&after=${first.next}`), ['order-0'])
  })

  it('payments: the list has the time of a failure, the same as the payment’s page', async () => {
    const [row] = (await get('/payments?status=failed')).body.rows
    assert.ok(row.finalAt > row.createdAt)
    assert.equal(row.finalAt, (await get(`/payments/${row.reference}`)).body.finalAt)
  })

  it('payments: the timeline of a pending payment has the prompt on the phone', async () => {
    const { merchantId, accounts } = await service.merchant()
    const { accountId, secretKey } = accounts.sandbox
    const viewer = await signedIn(service, { at: merchantId, as: 'viewer' })
    const { reference } = (await post(service, secretKey, order({ msisdn: '40410000127' }))).body
    await service.clock.advance(1_000)
    const { body } = await ask(service, `GET /accounts/${accountId}/payments/${reference}`, viewer)
    const { status, timeline } = body
    const kinds = timeline.map(({ kind }: { kind: string }) => kind)
    assert.deepEqual([status, kinds], ['pending', ['recorded', 'request', 'payer_asked']])
  })

  it('CSV export: has all payments in a spreadsheet’s format, without formulas', async () => {
    const { body, headers } = await get('/payments.csv')
    assert.match(String(headers['content-type']), /^text\/csv/)
    assert.match(String(headers['content-disposition']), /^attachment/)
    const lines = (body as string).split('\r\n')
    assert.match(lines[0] as string, /^\ufeffType;Date;Référence du client;/)
    assert.match(
      lines[1] as string,
      /^Paiement;.*;order-1;;Échoué;1001;;;;;Mobile money;Airtel Money;/,
    )
    assert.match(lines[1] as string, /;'=cmd\(\);;;Refusé par le client;/)
    assert.match(
      lines[2] as string,
      /^Paiement;\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d;.*;Réussi;1000;.*;"Aïssa; ""Maïga""";/,
    )
    assert.equal(lines.length, 4)
    const english = (await get('/payments.csv?language=en&status=failed')).body
    assert.match(english, /^\ufeffType;Date;Customer.*\r\n.*;Declined by the customer;/)
  })

  const FILES: [query: string, name: RegExp][] = [
    ['', /"paiements-sandbox-jusqu-au-\d{4}-\d\d-\d\d\.csv"/],
    [
      'from=2020-01-01&to=2020-01-31&status=failed&operator=mtn_bj&minimum=500&language=en',
      /"payments-sandbox-2020-01-01-to-2020-01-31-failed-mtn-bj-min-500\.csv"/,
    ],
    [
      'from=2020-01-01&to=2020-01-31&search=96123456',
      /"paiements-sandbox-2020-01-01-au-2020-01-31-recherche\.csv"/,
    ],
    ['to=2020-01-31&operator=%22%0d%0ax', /"paiements-sandbox-jusqu-au-2020-01-31--x\.csv"/],
  ]
  for (const [query, name] of FILES)
    it(`CSV export: the name of the file says dates and filter: ${query}`, async () => {
      assert.match(
        String((await get(`/payments.csv?${query}`)).headers['content-disposition']),
        name,
      )
    })

  it('payments: one has its timeline, and an owner refunds it once', async () => {
    const [succeeded, failed] = references as [string, string]
    const { body } = await get(`/payments/${succeeded}`)
    assert.equal(body.timeline[0].kind, 'recorded')
    assert.deepEqual(
      [body.timeline.at(-1).facts, body.mayRefund],
      [{ from: 'pending', to: 'succeeded' }, true],
    )
    assert.equal((await get(`/payments/${failed}`)).body.mayRefund, false)
    const refunded = await ask(service, `POST ${at}/payments/${succeeded}/refund`, owner)
    assert.deepEqual(
      [refunded.code, refunded.body.status, refunded.body.amount],
      [200, 'pending', 1_000],
    )
    const { mayRefund, remainingAmount, refunds } = refunded.body.payment
    assert.deepEqual([mayRefund, remainingAmount, refunds[0].status], [false, 0, 'pending'])
    const again = await ask(service, `POST ${at}/payments/${succeeded}/refund`, owner)
    assert.deepEqual([again.code, again.body.code], [409, 'refund_exists'])
    await service.clock.advance(20_000)
    const after = (await get(`/payments/${succeeded}`)).body
    assert.deepEqual(
      [after.status, after.refunds[0].status, after.mayRefund],
      ['refunded', 'succeeded', false],
    )
  })

  it('CSV export: a refund is a row with a negative amount, so that a refunded payment is no income', async () => {
    const { body } = await get('/payments.csv?language=en&status=refunded')
    const [, payment = '', refund = ''] = (body as string).split('\r\n')
    assert.match(payment, /^Payment;.*;order-0;;Refunded;1000;/)
    assert.match(refund, /^Refund;.*;order-0;;Succeeded;-1000;;;;;Mobile money;/)
    const [, refundedAt] = refund.split(';')
    assert.ok(payment.includes(`;${refundedAt};;`), 'the payment has the date of its refund')
    assert.match(refund, /;[0-9a-z]{24};$/)
  })

  it('refunds: a live one above the limit waits for a second person', async () => {
    const { accountId, secretKey } = merchant.accounts.live
    const body = order({ amount: 500_001, msisdn: '96123456' })
    const { reference } = (await post(service, secretKey, body)).body
    await service.clock.advance(5_000)
    const payment = `/accounts/${accountId}/payments/${reference}`
    const asked = await ask(service, `POST ${payment}/refund`, owner)
    assert.deepEqual(
      [asked.code, asked.body.status, asked.body.approval.state],
      [200, 'waiting_for_approval', 'waiting'],
    )
    const shown = (await ask(service, `GET ${payment}`, owner)).body
    const { status, refunds, mayRefund } = shown
    assert.deepEqual(
      [status, refunds[0].approval.askedBy, mayRefund],
      ['succeeded', 'Awa Diallo', false],
    )
  })
})

describe('payment links in the dashboard', async () => {
  const merchant = await service.merchant({ name: 'Chez <Ali>' })
  const cashier = await signedIn(service, { at: merchant.merchantId, as: 'cashier' })
  const at = `/accounts/${merchant.accounts.sandbox.accountId}/links`
  const get = (path: string) => ask(service, `GET ${at}${path}`, cashier)
  const post = (path: string, body: object = {}) => ask(service, `POST ${at}${path}`, cashier, body)
  const make = async (title: string) =>
    (await post('', { title, amount: 15_000, reusable: false })).body

  it('links: are created from three fields, and show the collected amount', async () => {
    const made = await make('Panier')
    assert.deepEqual(
      [made.state, made.amount, made.collected, made.expiresAt],
      ['open', 15_000, 0, null],
    )
    await pay(service, made.reference, byPhone(SUCCEEDS))
    await service.clock.advance(10_000)
    const paid = (await get(`/${made.reference}`)).body
    assert.deepEqual([paid.state, paid.payments, paid.collected], ['paid', 1, 15_000])
    assert.deepEqual((await get('')).body.rows[0], paid)
    assert.equal((await post(`/${made.reference}/close`)).body.code, 'link_closed')
  })

  it('links: what a poster collected is a sum, which cashiers and viewers do not see', async () => {
    const poster = (await post('', { title: 'Affiche', amount: 15_000, reusable: true })).body
      .reference
    await pay(service, poster, byPhone(SUCCEEDS))
    await service.clock.advance(10_000)
    for (const [as, collected] of Object.entries({
      owner: 15_000,
      developer: 15_000,
      accountant: 15_000,
      cashier: null,
      viewer: null,
    })) {
      const who = await signedIn(service, { at: merchant.merchantId, as: as as MerchantRole })
      const one = (await ask(service, `GET ${at}/${poster}`, who)).body
      assert.deepEqual([one.payments, one.collected], [1, collected], as)
      const { rows } = (await ask(service, `GET ${at}`, who)).body
      assert.deepEqual(
        rows.find(({ reference }: { reference: string }) => reference === poster),
        one,
      )
    }
    assert.equal((await post(`/${poster}/close`)).body.collected, null)
  })

  it('links: have a description, suggested amounts and a last day', async () => {
    const lastDay = dayText(dayOf(service.clock.now()) + 2)
    const fields = {
      title: 'Don',
      description: 'Pour l’école',
      suggestedAmounts: [1_000, 2_000],
      reusable: true,
      lastDay,
    }
    const { body } = await post('', fields)
    assert.deepEqual(
      [body.amount, body.description, body.suggestedAmounts],
      [null, 'Pour l’école', [1_000, 2_000]],
    )
    const end = startOfDay(dayOf(service.clock.now()) + 3)
    assert.ok(body.expiresAt >= end && body.expiresAt < end + 60_000)
    const past = { ...fields, lastDay: dayText(dayOf(service.clock.now()) - 1) }
    assert.equal((await post('', past)).body.code, 'expires_in_minutes_not_valid')
    const many = { ...fields, suggestedAmounts: [1_000, 2_000, 3_000, 4_000, 5_000] }
    assert.equal((await post('', many)).body.code, 'suggested_amounts_not_valid')
  })

  it('links: the share page of a poster is open and waits for no payment', async () => {
    const { reference } = (await post('', { title: 'Affiche', amount: 500, reusable: true })).body
    const { body } = await service.app.inject({ url: `/pay/${reference}/share?lang=en` })
    assert.match(body, /class="state">Open</)
    assert.doesNotMatch(body, /Waiting for payment/)
  })

  it('links: a refusal names the field', async () => {
    assert.equal((await post('', { title: 'Panier', amount: 1 })).body.code, 'amount_not_valid')
    assert.equal((await post('', { title: '', amount: 500 })).body.code, 'link_body_incomplete')
    assert.equal((await post('', { title: 3, amount: 500 })).body.param, 'title')
  })

  it('links: have a QR code as SVG and PNG, and a poster whose only script prints it', async () => {
    const { reference, url } = await make('Thé <b>vert</b>')
    const svg = await get(`/${reference}/qr.svg`)
    assert.equal(svg.headers['content-type'], 'image/svg+xml')
    assert.match(String(svg.headers['content-security-policy']), /default-src 'none'; sandbox/)
    assert.equal((await get(`/${reference}/qr.png`)).headers['content-type'], 'image/png')
    const poster = await get(`/${reference}/poster`)
    assert.match(String(poster.headers['content-security-policy']), /script-src 'sha256-\S+';/)
    assert.match(poster.body, /size:A5/)
    assert.ok(
      poster.body.includes('15\u00a0000\u00a0F\u00a0CFA') &&
        poster.body.includes(`>${url.replace('http://', '')}<`),
    )
    assert.ok(poster.body.includes('Chez &lt;Ali&gt;') && !poster.body.includes('<b>'))
  })

  it('links: are closed once', async () => {
    const { reference } = await make('Café')
    assert.equal((await post(`/${reference}/close`)).body.state, 'closed')
    assert.equal((await post(`/${reference}/close`)).code, 422)
    assert.equal((await get('/n0b0dys/poster')).code, 404)
  })
})

it('sandbox phone: each test number has its text in both languages', () => {
  const missing = SCENARIOS.map(({ name }) => name.replace(', second number', '')).filter(
    (name) => !(name in french.phone.outcomes && name in english.phone.outcomes),
  )
  assert.deepEqual(missing, [])
})

const WAITS_FOR_PHONE = '40410000127'

describe('sandbox phone', async () => {
  const merchant = await service.merchant()
  const cashier = await signedIn(service, { at: merchant.merchantId, as: 'cashier' })
  const at = `/accounts/${merchant.accounts.sandbox.accountId}/phone`

  const prompts = async (): Promise<{ reference: string; amount: number }[]> =>
    (await ask(service, `GET ${at}`, cashier)).body.prompts
  const answer = (reference: string, word: string) =>
    ask(service, `POST ${at}/${reference}`, cashier, { answer: word })
  const create = async (): Promise<string> => {
    const { body } = await post(
      service,
      merchant.accounts.sandbox.secretKey,
      order({ msisdn: WAITS_FOR_PHONE }),
    )
    await service.clock.advance(1_000)
    return body.reference as string
  }
  const outcome = async (reference: string) => {
    const { body } = await readPayment(service, merchant.accounts.sandbox.secretKey, reference)
    return [body.status, body.failure_reason]
  }

  for (const [word, status, reason] of [
    ['approve', 'succeeded', undefined],
    ['decline', 'failed', 'declined'],
    ['no_credit', 'failed', 'insufficient_funds'],
  ] as const) {
    it(`sandbox phone: the answer “${word}” makes the payment ${reason ?? status}`, async () => {
      const reference = await create()
      const shown = (await prompts()).map((prompt) => [prompt.reference, prompt.amount])
      assert.deepEqual(shown, [[reference, 1_500]])
      const answered = await answer(reference, word)
      assert.deepEqual([answered.code, answered.body.prompts], [200, []])
      await service.clock.advance(1_000)
      assert.deepEqual(await outcome(reference), [status, reason])
      assert.equal((await answer(reference, word)).body.code, 'prompt_not_found')
    })
  }

  it('sandbox phone: an ignored prompt disappears and expires', async () => {
    const reference = await create()
    assert.deepEqual((await answer(reference, 'ignore')).body.prompts, [])
    assert.deepEqual((await outcome(reference))[0], 'pending')
    await service.clock.advance(120_000)
    assert.deepEqual(await outcome(reference), ['failed', 'expired'])
  })

  it('sandbox phone: shows the attempt of a link', async () => {
    const link = await newLink(service, merchant.accounts.sandbox.secretKey)
    await pay(service, link, byPhone(WAITS_FOR_PHONE))
    await service.clock.advance(1_000)
    const [prompt] = await prompts()
    assert.equal((await answer(prompt?.reference as string, 'approve')).code, 200)
    await service.clock.advance(1_000)
    assert.equal((await outcome(prompt?.reference as string))[0], 'succeeded')
  })

  it('sandbox phone: a test payment rings the phone and is answered; the live and a suspended account have none', async () => {
    const { merchantId, accounts } = await service.merchant()
    const owner = await signedIn(service, { at: merchantId, as: 'owner' })
    const phoneOf = (accountId: string) => ask(service, `POST /accounts/${accountId}/phone`, owner)
    const { accountId } = accounts.sandbox
    assert.equal((await phoneOf(accountId)).code, 200)
    await service.clock.advance(1_000)
    const { body } = await ask(service, `GET /accounts/${accountId}/phone`, owner)
    assert.deepEqual([body.prompts.length, body.prompts[0].amount], [1, 1_500])
    const { reference } = body.prompts[0]
    const answered = await ask(service, `POST /accounts/${accountId}/phone/${reference}`, owner, {
      answer: 'approve',
    })
    assert.equal(answered.code, 200)
    await service.clock.advance(5_000)
    assert.equal(
      (await ask(service, `GET /accounts/${accountId}/payments/${reference}`, owner)).body.status,
      'succeeded',
    )
    assert.equal((await phoneOf(accounts.live.accountId)).body.code, 'operator_not_available')
    await changeAccountStatus(service, TESTER, {
      merchantId,
      environment: 'sandbox',
      status: 'suspended',
    })
    assert.equal((await phoneOf(accountId)).body.code, 'account_not_available')
  })

  it('sandbox phone: no more test payments than prompts fit on the phone', async () => {
    const { merchantId, accounts } = await service.merchant()
    const owner = await signedIn(service, { at: merchantId, as: 'owner' })
    for (let count = 0; count < 22; count++) {
      assert.equal(
        (await ask(service, `POST /accounts/${accounts.sandbox.accountId}/phone`, owner)).code,
        200,
      )
      await service.clock.advance(1_000)
    }
    const { body } = await ask(
      service,
      `GET /accounts/${accounts.sandbox.accountId}/payments`,
      owner,
    )
    assert.equal(body.rows.length, 20)
  })

  it('sandbox phone: another merchant does not see a prompt; the live account has no phone', async () => {
    const reference = await create()
    const other = await service.merchant()
    const stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
    const theirs = `GET /accounts/${other.accounts.sandbox.accountId}/phone`
    assert.deepEqual((await ask(service, theirs, stranger)).body.prompts, [])
    const live = `GET /accounts/${merchant.accounts.live.accountId}/phone`
    assert.deepEqual((await ask(service, live, cashier)).body, { prompts: [], testNumbers: [] })
    await answer(reference, 'decline')
  })
})

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and a picture', 'latin1')
const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(200_000, 'page ')])
const BUSINESS = {
  legalName: 'Ali SARL',
  registration: 'NE-NIM-01',
  country: 'NE',
  city: 'Niamey',
  address: 'Rue 12',
  contact: 'ali@example.com',
}

for (const store of STORES_IN_HALVES)
  describe(`settings in the dashboard on ${store.name}`, async () => {
    const service = await openVirtualService(store)
    const merchant = await service.merchant({ name: 'Chez Ali', validateLive: false })
    const owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
    const at = `/accounts/${merchant.accounts.sandbox.accountId}`
    after(() => service.remove())

    const call = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object) =>
      ask(service, `${method} ${at}${path}`, owner, body)
    const upload = async (method: 'PUT' | 'POST', path: string, file: Buffer) => {
      const { statusCode, body } = await service.app.inject({
        method,
        url: `/dashboard/api${at}${path}`,
        payload: file,
        headers: { ...ORIGIN, cookie: owner.cookie, 'content-type': 'application/octet-stream' },
      })
      return { code: statusCode, body: JSON.parse(body) }
    }

    it('settings: the brand’s name is the merchant’s by default, and a colour must be readable', async () => {
      assert.deepEqual((await call('GET', '/settings')).body.brand, {
        name: 'Chez Ali',
        logoUrl: null,
        colour: null,
        phone: null,
      })
      const brand = { name: 'Ali & Fils', colour: '#0a7d4f', phone: '+227 20 73 00 00' }
      assert.deepEqual((await call('PUT', '/settings/brand', brand)).body.brand, {
        ...brand,
        logoUrl: null,
      })
      for (const [change, code] of [
        [{ colour: '#ffcb05' }, 'colour_not_readable'],
        [{ colour: 'red' }, 'colour_not_valid'],
        [{ phone: 'call me' }, 'phone_not_valid'],
        [{ name: '\u200b' }, 'brand_name_not_valid'],
      ] as const)
        assert.equal(
          (await call('PUT', '/settings/brand', { ...brand, ...change })).body.code,
          code,
        )
    })

    it('settings: the logo is public, cached for ever, and must be a picture', async () => {
      const { body } = await upload('PUT', '/settings/logo', PNG)
      const logo = await service.app.inject({ url: body.brand.logoUrl })
      assert.deepEqual([logo.statusCode, logo.headers['content-type']], [200, 'image/png'])
      assert.match(String(logo.headers['cache-control']), /immutable/)
      assert.deepEqual(logo.rawPayload, PNG)
      assert.equal(
        (await upload('PUT', '/settings/logo', Buffer.from('<svg onload=1>'))).body.code,
        'logo_not_valid',
      )
      const large = Buffer.concat([PNG, Buffer.alloc(200 * 1024)])
      assert.equal((await upload('PUT', '/settings/logo', large)).body.code, 'logo_not_valid')
      assert.equal((await call('DELETE', '/settings/logo')).body.brand.logoUrl, null)
      assert.equal((await service.app.inject({ url: body.brand.logoUrl })).statusCode, 404)
    })

    it('settings: a request for validation needs all fields of the business and a document', async () => {
      assert.deepEqual((await call('GET', '/settings')).body.validation, {
        state: 'not_asked',
        reason: null,
      })
      assert.equal((await call('POST', '/validation')).body.code, 'validation_not_ready')
      assert.deepEqual((await call('PUT', '/settings/business', BUSINESS)).body.business, BUSINESS)
      assert.equal((await call('POST', '/validation')).body.code, 'validation_not_ready')
      const { body } = await upload('POST', '/documents?name=registre.pdf', PDF)
      assert.deepEqual(
        body.documents.map((document: { name: string; type: string; bytes: number }) => [
          document.name,
          document.type,
          document.bytes,
        ]),
        [['registre.pdf', 'application/pdf', PDF.length]],
      )
      assert.equal((await call('POST', '/validation')).body.validation.state, 'asked')
    })

    it('settings: a document is downloaded unchanged, only as a file and only by its own team', async () => {
      const [document] = (await call('GET', '/settings')).body.documents
      const url = `/dashboard/api${at}/documents/${document.documentId}`
      const file = await service.app.inject({ url, headers: { cookie: owner.cookie } })
      assert.deepEqual(file.rawPayload, PDF)
      assert.match(String(file.headers['content-disposition']), /^attachment;/)
      assert.equal(file.headers['x-content-type-options'], 'nosniff')
      const other = await service.merchant()
      const stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
      const theirs = `GET /accounts/${other.accounts.sandbox.accountId}/documents/${document.documentId}`
      assert.equal((await ask(service, theirs, stranger)).code, 404)
      const [chunk] = await service.db.read<{ content: string }>(
        'select content from document_chunks',
      )
      assert.ok(
        !Buffer.from(chunk?.content ?? '', 'base64').includes('page page'),
        'it is encrypted',
      )
    })

    it('settings: a document is a PDF or a picture, at most ten', async () => {
      assert.equal(
        (await upload('POST', '/documents', Buffer.from('MZ'))).body.code,
        'document_not_valid',
      )
      for (let count = 1; count < 10; count++) await upload('POST', '/documents?name=page', PNG)
      assert.equal(
        (await upload('POST', '/documents?name=page', PNG)).body.code,
        'too_many_documents',
      )
      const [first] = (await call('GET', '/settings')).body.documents
      assert.equal(
        (await call('DELETE', `/documents/${first.documentId}`)).body.documents.length,
        9,
      )
    })

    it('settings: a site is an origin', async () => {
      const { body } = await call('PUT', '/settings/sites', { sites: ['https://shop.example'] })
      assert.deepEqual(body.sites, ['https://shop.example'])
      const seen = (await call('PUT', '/settings/sites', { sites: ['shop.example/x'] })).body.code
      assert.equal(seen, 'site_origin_not_valid')
    })
  })
