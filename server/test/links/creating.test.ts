// POST /external_payments (D-21, D-23, D-49): exact answers, the order of the checks, taken names,
// and generated orders (promise 16).

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { anyJson, anyText, assertOurs, mutated, SEED, unkindText } from '../kit/generated.ts'
import { type Answer, get, openTestService, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { LINK, postLink, readLink } from './payer.ts'

const MISSING = '400 Bad Request: Missing Body Params'
const AMOUNT = '400 Bad Request: Amount Not Valid'
const TITLE = '422 Title Not Valid'
const DESCRIPTION = '422 Description Not Valid'
const REFERENCE = '422 External Reference Not Valid'
const CUSTOMER_NAME = '422 Customer Name Not Valid'
const SHOULD_EXPIRE = '422 Should Expire Not Valid'
const URL_NOT_VALID = '422 Redirection Url Not Valid'
const UNAVAILABLE = '403 Forbidden: Environment Not Available'
const MADE = '200 initiated'
const NOT_VALID = { status: 'failed', message: 'External Reference Not Valid' }
const OURS = /^[0-9a-hjkmnp-tv-z]{32}$/
const PUBLIC = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]$/
const START = Date.UTC(2026, 10, 15, 9, 30)

/** The complete 422 of a taken name: status and message, and no header that names a payment. */
function short({ code, body, headers }: Answer): string {
  if (code === 422) assert.deepEqual({ ...body, message: '' }, { status: 'failed', message: '' })
  if (code === 400 || code === 403) assert.deepEqual(Object.keys(body), ['message'])
  assert.equal('svc-existing-reference' in headers, false)
  return `${code} ${body.message ?? body.status}`
}

let names = 0
const named = (): string => `4f1c09ab37de82c6${String(++names).padStart(16, '0')}`
const service = await openTestService(
  SQLITE,
  {},
  { clock: { now: () => START, after: () => () => {} } },
)
const { accounts } = await service.merchant()
const sandbox = accounts.sandbox.secretKey
const live = accounts.live.secretKey
const other = (await service.merchant({ name: 'Pharmacie Sani' })).accounts.sandbox.secretKey
after(() => service.remove())

describe('POST /external_payments', () => {
  const create = (change: Record<string, unknown> = {}, key = sandbox): Promise<Answer> =>
    postLink(service, key, { ...LINK, ...change })

  it('a minimal body: exactly these fields, and the link expires after 30 minutes', async () => {
    const { code, body } = await create()
    const { reference, public_reference, ...rest } = body
    assert.equal(code, 200)
    assert.match(reference as string, OURS)
    assert.match(public_reference as string, PUBLIC)
    assert.deepEqual(rest, {
      page_url: `http://localhost/pay/${reference}`,
      status: 'initiated',
      amount: 15_000,
      currency: 'XOF',
      title: 'Commande 12',
      expires_at: '2026-11-15T10:00:00.000Z',
    })
  })

  it('a complete body: the answer repeats public fields byte for byte, and no private ones', async () => {
    const reference = named()
    const sent = {
      amount: 50,
      title: '«Pagne» <b>&amp; 🧵',
      description: 'Deux pagnes\nlivraison comprise\r\nمرحبا',
      reference,
      transaction_id: 'cmd:12/é 🛒',
      customer_name: 'Awa "Zoé" Diallo',
      shouldExpire: false,
      on_success_redirection_url: 'https://shop.example/ok?a=1',
      on_failed_redirection_url: 'http://localhost:3000/no',
      note: 'an unknown field',
    }
    const { code, body } = await postLink(service, sandbox, sent)
    const { public_reference, ...rest } = body
    assert.equal(code, 200)
    assert.deepEqual(rest, {
      reference,
      page_url: `http://localhost/pay/${reference}`,
      status: 'initiated',
      amount: 50,
      currency: 'XOF',
      title: sent.title,
      description: sent.description,
    })
  })

  it('each repair gets the next answer of D-21 and D-49', async () => {
    const taken = named()
    await create({ reference: taken, transaction_id: 'taken' })
    const REPAIRS: [repair: Record<string, unknown>, nextAnswer: string][] = [
      [{ on_failed_redirection_url: 'ftp://shop.example' }, MISSING],
      [{ on_success_redirection_url: 'http://shop.example' }, MISSING],
      [{ shouldExpire: 'no' }, MISSING],
      [{ customer_name: 'x\u0000' }, MISSING],
      [{ transaction_id: 'x'.repeat(256) }, MISSING],
      [{ reference: 'short' }, MISSING],
      [{ description: 'x'.repeat(501) }, MISSING],
      [{ amount: 49 }, MISSING],
      [{ title: 'x'.repeat(121) }, AMOUNT],
      [{ amount: 50 }, TITLE],
      [{ title: 'x'.repeat(120) }, DESCRIPTION],
      [{ description: 'x'.repeat(500) }, REFERENCE],
      [{ reference: taken }, REFERENCE],
      [{ transaction_id: 'taken' }, CUSTOMER_NAME],
      [{ customer_name: 'Awa' }, SHOULD_EXPIRE],
      [{ shouldExpire: true }, URL_NOT_VALID],
      [{ on_success_redirection_url: 'https://shop.example' }, URL_NOT_VALID],
    ]
    let body: Record<string, unknown> = {}
    for (const [repair, nextAnswer] of REPAIRS) {
      body = { ...body, ...repair }
      assert.equal(
        short(await postLink(service, sandbox, body)),
        nextAnswer,
        JSON.stringify(repair),
      )
    }
    body = { ...body, on_failed_redirection_url: null }
    assert.deepEqual(
      (await postLink(service, sandbox, body)).body,
      NOT_VALID,
      'both names are taken',
    )
    body = { ...body, transaction_id: 'free' }
    assert.equal(
      short(await postLink(service, sandbox, body)),
      REFERENCE,
      'the link’s name is taken',
    )
    assert.equal(short(await postLink(service, sandbox, { ...body, reference: null })), MADE)
  })

  const HEX = '4f1c09ab37de82c65b1f0a9e7d3c2846'
  const [ON_SUCCESS, ON_FAILED] = ['on_success_redirection_url', 'on_failed_redirection_url']
  const VALUES: [field: string, answer: string, values: unknown[]][] = [
    ['amount', MISSING, ['', undefined]],
    ['amount', AMOUNT, ['015000', '15 000', 1_000_000_000]],
    ['amount', MADE, ['15000', 999_999_999]],
    ['title', MISSING, [' ', null]],
    ['title', TITLE, [12, 'half \ud83e', 'two\nlines', '🧵'.repeat(121)]],
    ['title', TITLE, ['Total \u202e05 F', 'Bou\u200btique', '\u3164', '\u200b\u2060']],
    ['title', MADE, ['🧵'.repeat(120), '👨‍👩‍👧 famille']],
    ['description', MADE, ['', '🧵'.repeat(500)]],
    ['description', DESCRIPTION, [['x'], 'a\u0000', 'a\u200bb', 'Payé \u2067']],
    [
      'reference',
      REFERENCE,
      ['abc', `${HEX}/`, '9b2e4d07a-1c3-4f58-8a6e-0d1f2b3c4e59', `shop_${HEX}`],
    ],
    [
      'reference',
      REFERENCE,
      [HEX.slice(1), `${HEX.repeat(4)}0`, '9b2e4d07a1c3-4f58-8a6e-0d1f2b3c4e59', ''],
    ],
    [
      'reference',
      REFERENCE,
      ['00000000000000000000000000012345', '00000000-0000-0000-0000-000000012345'],
    ],
    [
      'reference',
      REFERENCE,
      ['invoice-2026-november-boutique-awa', 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'],
    ],
    [
      'reference',
      MADE,
      [`${HEX.repeat(3)}${'5e'.repeat(16)}`, '00000000000000000000000000123456', HEX.toUpperCase()],
    ],
    [
      'reference',
      MADE,
      ['9b2e4d07-a1c3-4f58-8a6e-0d1f2b3c4e59', '9B2E4D07-A1C3-4F58-8A6E-0D1F2B3C4E5A'],
    ],
    ['transaction_id', REFERENCE, ['', 12]],
    ['transaction_id', MADE, ['🛒'.repeat(255)]],
    ['customer_name', CUSTOMER_NAME, ['', [], 'x'.repeat(256)]],
    ['shouldExpire', SHOULD_EXPIRE, [0]],
    ['shouldExpire', MADE, [null]],
    [
      ON_SUCCESS,
      URL_NOT_VALID,
      ['\u0000', '\ud83e', 'x'.repeat(2_048)].map((path) => `https://shop.example/${path}`),
    ],
    [
      ON_SUCCESS,
      URL_NOT_VALID,
      [' https://shop.example/\n', 'https://', '//shop.example', 'javascript:alert(1)'],
    ],
    [
      ON_SUCCESS,
      URL_NOT_VALID,
      ['https://localhost@shop.example/', 'https://a:b@shop.example/', 'shop.example'],
    ],
    [ON_FAILED, URL_NOT_VALID, ['http://localhost.shop.example/', '']],
    [
      ON_FAILED,
      MADE,
      ['http://127.0.0.1:3000/no', 'http://[::1]:3000/no', 'https://büro.example/é?q=ü'],
    ],
  ]
  for (const [field, answer, values] of VALUES)
    for (const value of values) {
      const written = `${JSON.stringify(value)}`
      it(`${field} ${written.length > 60 ? `${written.slice(0, 40)}… of ${written.length}` : written} answers ${answer}`, async () =>
        assert.equal(short(await create({ [field]: value })), answer))
    }

  it('live refuses http on localhost, and accepts 25 francs', async () => {
    assert.equal(short(await create({ amount: 24 }, live)), AMOUNT)
    const seen = short(
      await create({ amount: 25, on_success_redirection_url: 'http://localhost/' }, live),
    )
    assert.equal(seen, URL_NOT_VALID)
    assert.equal(
      short(
        await create({ amount: 25, on_success_redirection_url: 'https://shop.example/' }, live),
      ),
      MADE,
    )
  })

  it('a transaction_id of an existing payment or link: 422 with that payment’s reference', async () => {
    const paid = await post(service, sandbox, order({ transaction_id: 'of a payment' }))
    await create({ transaction_id: 'of a link' })
    const linked = await get(service, sandbox, 'of a link')
    for (const [transaction_id, reference] of [
      ['of a payment', paid.body.reference],
      ['of a link', linked.body.reference],
    ]) {
      const again = await create({ transaction_id, reference: named() })
      assert.deepEqual([again.code, again.body], [422, NOT_VALID])
      assert.equal(again.headers['svc-existing-reference'], reference)
      assert.equal(
        short(await create({ transaction_id }, other)),
        MADE,
        'another account may have it too',
      )
    }
    const payment = await post(service, sandbox, order({ transaction_id: 'of a link' }))
    assert.deepEqual([payment.code, payment.body], [422, NOT_VALID])
    assert.equal(payment.headers['svc-existing-reference'], linked.body.reference)
  })

  it('a taken link reference: the same 422 for every account, and nothing is created', async () => {
    const reference = named()
    await create({ reference, transaction_id: 'the first' })
    for (const [key, transaction_id] of [
      [sandbox, 'the second'],
      [other, 'the third'],
      [live, 'the fourth'],
      [other, undefined],
    ] as const) {
      assert.equal(short(await create({ reference, transaction_id }, key)), REFERENCE)
      assert.equal((await get(service, key, transaction_id ?? reference)).code, 404)
    }
    assert.equal((await get(service, sandbox, reference)).body.external_reference, 'the first')
  })

  it('its own reference again without transaction_id: 422 with the payment’s reference (lost answer, D-16)', async () => {
    const reference = named()
    assert.equal(short(await create({ reference })), MADE)
    const again = await create({ reference })
    assert.deepEqual([again.code, again.body], [422, NOT_VALID])
    assert.equal(
      again.headers['svc-existing-reference'],
      (await get(service, sandbox, reference)).body.reference,
    )
  })

  it('concurrent creates with one reference create one link', async () => {
    const reference = named()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        create({ reference, transaction_id: at % 2 ? `at once ${at}` : undefined }),
      ),
    )
    assert.deepEqual(answers.map(({ code }) => code).sort(), [200, ...Array(39).fill(422)])
    assert.equal((await readLink(service, reference)).code, 200)
  })

  it('an account without a usable payment method: 403, after the field checks and before the name checks', async () => {
    const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
    await create({ transaction_id: 'offered' }, secretKey)
    await service.db.change("update accounts set link_methods = '' where account_id = :accountId", {
      accountId,
    })
    assert.equal(short(await create({ amount: 1 }, secretKey)), AMOUNT)
    assert.equal(short(await create({ transaction_id: 'offered' }, secretKey)), UNAVAILABLE)
    granted(await changeCheckoutSettings(service, TESTER, { accountId, methods: ['wallet'] }))
    assert.equal(short(await create({}, secretKey)), MADE)
  })
})

describe('links in live', () => {
  it('403 for an account that is not validated there', async () => {
    const { live, sandbox } = (await service.merchant({ validateLive: false })).accounts
    assert.equal(short(await postLink(service, live.secretKey, LINK)), UNAVAILABLE)
    assert.equal(short(await postLink(service, sandbox.secretKey, LINK)), MADE)
  })

  it('403 in production without connected operators; sandbox is not affected', async () => {
    const service = await openTestService(undefined, { KARBA_MODE: 'production' })
    const { live, sandbox } = (await service.merchant()).accounts
    assert.equal(short(await postLink(service, live.secretKey, { ...LINK, amount: 1 })), AMOUNT)
    assert.equal(short(await postLink(service, live.secretKey, LINK)), UNAVAILABLE)
    assert.equal(short(await postLink(service, sandbox.secretKey, LINK)), MADE)
    await service.remove()
  })
})

describe('promise 16: generated orders', () => {
  const FIELDS = [
    'amount',
    'title',
    'description',
    'reference',
    'transaction_id',
    'customer_name',
    'shouldExpire',
    'on_success_redirection_url',
    'on_failed_redirection_url',
    '__proto__',
  ]

  /** Fields for which a random text follows a valid prefix. */
  const STARTS: [field: string, start: string][] = [
    ...['title', 'description', 'transaction_id', 'customer_name'].map(
      (field): [string, string] => [field, ''],
    ),
    ['reference', '4f1c09ab37de82c65b1f0a9e7d3c2846'],
    ['on_success_redirection_url', 'https://shop.example/'],
    ['on_failed_redirection_url', 'https://'],
  ]

  const anyOrder = fc.oneof(
    { weight: 3, arbitrary: mutated(FIELDS, () => LINK) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...STARTS), fc.oneof(anyText, unkindText))
        .map(([[field, start], text]) => JSON.stringify({ ...LINK, [field]: start + text })),
    },
    { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  )

  it('a generated order gets an answer in our format, and a created link reads back the same', async () => {
    let made = 0
    await fc.assert(
      fc.asyncProperty(anyOrder, async (sent) => {
        const { code, body } = await postLink(service, sandbox, sent)
        assertOurs(code, JSON.stringify(body), [200, 400, 422])
        if (code !== 200) return
        made++
        const { page_url: _page, ...publicFields } = body
        assert.deepEqual((await readLink(service, body.reference as string)).body, publicFields)
        const { title, amount, description } = JSON.parse(sent.toString())
        const seen = [publicFields.title, publicFields.amount, publicFields.description]
        assert.deepEqual(seen, [title, amount, description || undefined])
      }),
      { seed: SEED, numRuns: 600, endOnFailure: true },
    )
    assert.ok(
      made > 100,
      `only ${made} orders were good: the run would show nothing about reading back`,
    )
  })
})
