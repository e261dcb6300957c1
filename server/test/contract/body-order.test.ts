// The body of POST /payments against D-06 to D-10: the order of its checks, and the values that
// each rule accepts.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { type Answer, get, head, openTestService, order, post } from '../kit/service.ts'

const MISSING = '400 Bad Request: Missing Body Params'
const COUNTRY = '400 Bad Request: Country Not Allowed'
const CURRENCY = '400 Bad Request: Currency Not Allowed'
const AMOUNT = '400 Bad Request: Amount Not Valid'
const MSISDN = '400 Bad Request: Incorrect MSISDN'
const TRANSACTION_ID = '422 External Reference Not Valid'
const CUSTOMER_NAME = '422 Customer Name Not Valid'
const PENDING = '200 pending'
const FIELDS = [
  'amount',
  'country',
  'currency',
  'msisdn',
  'transaction_id',
  'customer_name',
] as const
type Field = (typeof FIELDS)[number]

const REFUSAL_OF: Record<Field, string> = {
  amount: AMOUNT,
  country: COUNTRY,
  currency: CURRENCY,
  msisdn: MSISDN,
  transaction_id: TRANSACTION_ID,
  customer_name: CUSTOMER_NAME,
}

const short = ({ code, body }: Answer): string => `${code} ${body.message ?? body.status}`

const written = (field: Field, text: string): string =>
  JSON.stringify(order({ [field]: '@here@' })).replace('"@here@"', () => text)

describe('the body of POST /payments', async () => {
  const service = await openTestService()
  const { accounts } = await service.merchant()
  const sandbox = accounts.sandbox.secretKey
  const live = accounts.live.secretKey
  after(() => service.remove())

  it('each repair gets the next answer of D-06', async () => {
    await post(service, sandbox, order({ transaction_id: 'taken' }))
    const REPAIRS: [repair: Record<string, unknown>, nextAnswer: string][] = [
      [{}, MISSING],
      [{ customer_name: 'x\u0000' }, MISSING],
      [{ transaction_id: 'x\u0000' }, MISSING],
      [{ msisdn: 'x' }, MISSING],
      [{ amount: 1 }, MISSING],
      [{ currency: 'EUR' }, MISSING],
      [{ country: 'FR' }, COUNTRY],
      [{ country: 'BJ' }, CURRENCY],
      [{ currency: 'XOF' }, AMOUNT],
      [{ amount: 50 }, MSISDN],
      [{ msisdn: '0197123456' }, TRANSACTION_ID],
      [{ transaction_id: 'taken' }, CUSTOMER_NAME],
      [{ customer_name: 'Awa' }, TRANSACTION_ID],
      [{ transaction_id: 'free' }, PENDING],
      [{}, TRANSACTION_ID],
    ]
    let body: Record<string, unknown> = {}
    for (const [repair, nextAnswer] of REPAIRS) {
      body = { ...body, ...repair }
      assert.equal(short(await post(service, sandbox, body)), nextAnswer, JSON.stringify(body))
    }
  })

  const BODIES: [about: string, body: string | Buffer, answer: string][] = [
    ['that is empty', '', MISSING],
    ['of white space', ' \n ', MISSING],
    ['that is not JSON', 'amount=1500&country=NE', MISSING],
    ['cut in the middle', JSON.stringify(order()).slice(0, -1), MISSING],
    ['with trailing text', `${JSON.stringify(order())}x`, MISSING],
    ['with a trailing comma', JSON.stringify(order()).replace('}', ',}'), MISSING],
    ['that is an array', JSON.stringify([order()]), MISSING],
    ['that is an empty object', '{}', MISSING],
    ['that is null', 'null', MISSING],
    ['that is a number', '1500', MISSING],
    ['that is a string of JSON', JSON.stringify(JSON.stringify(order())), MISSING],
    ['nested 30,000 deep', '['.repeat(30_000) + ']'.repeat(30_000), MISSING],
    ['with bytes that are not UTF-8', bytes('customer_name', [0xff, 0xfe]), MISSING],
    ['with an over-long encoding', bytes('transaction_id', [0xc0, 0xaf]), MISSING],
    ['with a surrogate as raw bytes', bytes('transaction_id', [0xed, 0xa0, 0x80]), MISSING],
    ['in Latin-1', Buffer.from(JSON.stringify(order({ customer_name: 'Zoé' })), 'latin1'), MISSING],
    ['in UTF-16', Buffer.from(JSON.stringify(order()), 'utf16le'), MISSING],
    ['with white space around it', `\r\n\t ${JSON.stringify(order())} \n`, PENDING],
    [
      'with unknown fields',
      JSON.stringify(order({ description: 'x', constructor: 1, toString: null })),
      PENDING,
    ],
    [
      'with __proto__ and all fields',
      JSON.stringify(order()).replace('{', '{"__proto__":null,'),
      PENDING,
    ],
    ['whose fields are all in __proto__', `{"__proto__":${JSON.stringify(order())}}`, MISSING],
    [
      'with a good key after a bad one',
      JSON.stringify(order()).replace('{', '{"amount":1,'),
      PENDING,
    ],
    [
      'with a bad key after a good one',
      JSON.stringify(order()).replace(/}$/, ',"amount":1}'),
      AMOUNT,
    ],
    [
      'with null after a good value',
      JSON.stringify(order()).replace(/}$/, ',"msisdn":null}'),
      MISSING,
    ],
    [
      'with escaped names of fields',
      JSON.stringify(order()).replace('"amount"', '"\\u0061mount"'),
      PENDING,
    ],
    ['with names in capitals', JSON.stringify(order()).replace('"amount"', '"Amount"'), MISSING],
  ]
  for (const [about, body, answer] of BODIES)
    it(`a body ${about} gets ${answer}`, async () =>
      assert.equal(short(await post(service, sandbox, body)), answer))

  for (const field of FIELDS) {
    it(`${field} absent, null or blank gets Missing Body Params`, async () => {
      const { [field]: _left, ...rest } = order()
      assert.equal(short(await post(service, sandbox, rest)), MISSING)
      for (const text of ['null', '""', '" "', '"\\n\\t"', '"\\u00a0\\u2003"'])
        assert.equal(short(await post(service, sandbox, written(field, text))), MISSING, text)
    })

    it(`${field} of another type gets ${REFUSAL_OF[field]}`, async () => {
      const number = field === 'amount' ? [] : ['12', '96123456', '0']
      for (const text of [
        ...number,
        'true',
        'false',
        '{}',
        '[]',
        '["NE"]',
        '[1500]',
        '{"amount":1500}',
      ])
        assert.equal(
          short(await post(service, sandbox, written(field, text))),
          REFUSAL_OF[field],
          text,
        )
    })
  }

  // D-07: text is the digits of a whole number, optionally with a fraction of one or two zeros.
  // Many people read three digits after a dot as thousands.
  const AMOUNTS: [texts: string[], sandboxAnswer: string, liveAnswer: string][] = [
    [['50', '100', '100.0', '1e2', '999999999'], PENDING, PENDING],
    [['"100"', '"500.0"', '"5000.00"', '"999999999"', '"999999999.00"'], PENDING, PENDING],
    [['25', '49', '"49"', '"49.00"'], AMOUNT, PENDING],
    [['-100', '-0', '0', '24', '24.9', '100.5', '1000000000', '9007199254740993'], AMOUNT, AMOUNT],
    [
      ['1e21', '1e400', '-1e400', '1e-400', '["500"]', '"1000000000"', '"1000000000.00"'],
      AMOUNT,
      AMOUNT,
    ],
    [
      ['"5000.50"', '"5000.01"', '"5000."', '"100.000"', `"5000.${'0'.repeat(60)}"`, '"5000,00"'],
      AMOUNT,
      AMOUNT,
    ],
    [
      [
        '"5000.00 "',
        '"5000.00\\n"',
        '"5 000.00"',
        '"0.00"',
        '".00"',
        '"5000.0e0"',
        '" 500"',
        '"500 "',
      ],
      AMOUNT,
      AMOUNT,
    ],
    [['"500\\n"', '"1 500"', '"0500"', '"+500"', '"-500"', '"5e2"', '"٥٠٠"'], AMOUNT, AMOUNT],
    [['""', 'NaN', '0100'], MISSING, MISSING],
  ]
  for (const [texts, sandboxAnswer, liveAnswer] of AMOUNTS)
    for (const text of texts)
      it(`amount ${text} gets ${sandboxAnswer} in sandbox and ${liveAnswer} in live`, async () => {
        assert.equal(short(await post(service, sandbox, written('amount', text))), sandboxAnswer)
        assert.equal(short(await post(service, live, written('amount', text))), liveAnswer)
      })

  it('the answer has the amount as a whole number', async () => {
    const body = written('amount', '100.0')
    await post(service, sandbox, body)
    assert.equal((await get(service, sandbox, JSON.parse(body).transaction_id)).body.amount, 100)
  })

  for (const [field, refused] of [
    ['country', ['FR', 'ne', 'Ne', ' NE', 'NE ', 'NER', 'N', '227', 'toString', '__proto__']],
    ['currency', ['EUR', 'xof', 'Xof', ' XOF', 'XOF ', 'XAF', 'FCFA', 'toString']],
  ] as const) {
    it(`${field} outside the allowed values gets ${REFUSAL_OF[field]}`, async () => {
      for (const word of refused)
        assert.equal(
          short(await post(service, sandbox, order({ [field]: word }))),
          REFUSAL_OF[field],
          word,
        )
    })
  }

  // domain/texts/free-text.test.ts has every kind of character.
  const TEXTS: [about: string, text: (unique: string) => string, fits: boolean][] = [
    ['one character', () => 'x', true],
    ['255 characters', (unique) => unique.padEnd(255, 'x'), true],
    ['256 characters', (unique) => unique.padEnd(256, 'x'), false],
    ['quotes, slashes and angle brackets', (unique) => `${unique} '"\\/<script>`, true],
    ['spaces around it', (unique) => ` ${unique} `, true],
    ['NUL', (unique) => `${unique}\u0000`, false],
  ]
  for (const field of ['transaction_id', 'customer_name'] as const)
    for (const [at, [about, text, fits]] of TEXTS.entries()) {
      const expected = fits ? PENDING : REFUSAL_OF[field]
      it(`${field} of ${about} gets ${expected}`, async () => {
        const value = text(`text-${at}`)
        const answer = await post(service, sandbox, order({ [field]: value }))
        assert.equal(short(answer), expected)
        if (!fits) assert.deepEqual(answer.body, { status: 'failed', message: expected.slice(4) })
        else if (field === 'transaction_id') {
          assert.equal(
            (await get(service, sandbox, answer.body.reference as string)).body.external_reference,
            value,
          )
        }
      })
    }

  const NUMBERS: [country: string, valid: boolean, msisdns: string[]][] = [
    [
      'NE',
      true,
      ['96123456', '+227 96 12 34 56', '00227-96.12.34.56', ' 22796123456 ', '40410000000'],
    ],
    ['NE', false, ['+229 01 97 12 34 56', '9612345', '96123456\u0000']],
    ['BJ', true, ['97 12 34 56', '01\u00a097\u00a012\u00a034\u00a056', '+22997123456']],
    ['BJ', false, ['+22796123456', '01971234']],
  ]
  for (const [country, valid, numbers] of NUMBERS)
    for (const msisdn of numbers)
      it(`msisdn ${JSON.stringify(msisdn)} in ${country} is ${valid ? 'returned as sent' : 'refused'}`, async () => {
        const body = order({ country, msisdn })
        assert.equal(short(await post(service, sandbox, body)), valid ? PENDING : MSISDN)
        if (valid)
          assert.equal(
            (await get(service, sandbox, body.transaction_id as string)).body.msisdn,
            msisdn,
          )
      })

  it('live refuses a sandbox test number', async () =>
    assert.equal(short(await post(service, live, order({ msisdn: '40410000000' }))), MSISDN))

  it('64 KiB are read, and one byte more gets 413', async () => {
    const sized = (size: number): string => {
      const body = order({ note: '' })
      return JSON.stringify({ ...body, note: 'x'.repeat(size - JSON.stringify(body).length) })
    }
    assert.equal(short(await post(service, sandbox, sized(65_536))), PENDING)
    assert.equal(short(await post(service, sandbox, sized(65_537))), '413 Payload Too Large')
    assert.equal(short(await post(service, sandbox, sized(10_000_000))), '413 Payload Too Large')
  })

  it('a chunked body gets 413 as soon as it exceeds 64 KiB', async () => {
    const payload = Readable.from(Array.from({ length: 70 }, () => Buffer.alloc(1_024, ' ')))
    const url = '/api/v1/payments'
    const answer = await service.app.inject({
      method: 'POST',
      url,
      headers: head(sandbox),
      payload,
    })
    assert.equal(`${answer.statusCode} ${answer.body}`, '413 {"message":"Payload Too Large"}')
  })

  it('the body is not parsed before the headers are valid', async () => {
    const tooLong = ' '.repeat(70_000)
    const answer = await post(service, sandbox, tooLong, { 'svc-payment-type': undefined })
    assert.equal(short(answer), '400 Bad Request: Missing params')
  })
})

function bytes(field: Field, inside: number[]): Buffer {
  const [left, right] = JSON.stringify(order({ [field]: 'ab@cd' })).split('@') as [string, string]
  return Buffer.concat([Buffer.from(left), Buffer.from(inside), Buffer.from(right)])
}
