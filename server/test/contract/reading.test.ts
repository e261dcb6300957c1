// Reading a payment (spec §4.2, D-10 to D-13): its names, the forms of the path, its fields; and no
// account sees a payment of another (D-16). Paths go over a real socket, because an injected
// request would normalise them.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { type Answer, get, head, openTestService, order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { tried } from '../kit/tries.ts'
import { newLink, readLink } from '../links/payer.ts'

describe('reading a payment', async () => {
  const service = await openTestService()
  const sandbox = (await service.merchant()).accounts.sandbox.secretKey
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const port = (service.app.server.address() as AddressInfo).port
  after(() => service.remove())

  async function read(
    path: string,
    change: Record<string, string | undefined> = {},
  ): Promise<{ code: number; body: Record<string, unknown> }> {
    const asked = request({ port, host: '127.0.0.1', path, headers: head(sandbox, change) }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return { code: answer.statusCode as number, body: JSON.parse(await text(answer)) }
  }

  const underPayments = (rest: string): string => `/api/v1/payments/${rest}`

  async function create(change: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { code, body } = await post(service, sandbox, order(change))
    assert.equal(code, 200, JSON.stringify(change))
    return body
  }

  describe('the answer to a new payment', () => {
    it('has status, reference, public_reference and the operator, and nothing else', async () => {
      const { reference, public_reference, ...rest } = await create({ msisdn: '96123456' })
      assert.deepEqual(rest, { status: 'pending', meta_data: { operator: 'airtel_ne' } })
      assert.match(reference as string, /^[0-9a-hjkmnp-tv-z]{24}$/)
      assert.match(
        public_reference as string,
        /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]$/,
      )
    })

    it('never reuses a reference or a public_reference', async () => {
      const created = await Promise.all(Array.from({ length: 200 }, () => create()))
      assert.equal(new Set(created.map(({ reference }) => reference)).size, 200)
      assert.equal(new Set(created.map(({ public_reference }) => public_reference)).size, 200)
    })
  })

  describe('the fields of a payment', () => {
    const VALIDATED_AT = '2026-11-15T09:30:00.000Z'
    /** A success records the operator’s own reference; other states have none (D-82). */
    const paid = { operator: 'airtel_ne', operator_reference: 'MP261115.1030.A12345' }
    type Row = [
      status: string,
      validatedAt: string | null,
      failureReason: string | null,
      own: string | null,
      more: object,
    ]
    const STATES: Row[] = [
      ['pending', null, null, null, {}],
      [
        'succeeded',
        VALIDATED_AT,
        null,
        paid.operator_reference,
        { validated_at: VALIDATED_AT, meta_data: paid },
      ],
      [
        'refunded',
        VALIDATED_AT,
        null,
        paid.operator_reference,
        { validated_at: VALIDATED_AT, meta_data: paid },
      ],
      [
        'succeeded',
        VALIDATED_AT,
        null,
        null,
        { validated_at: VALIDATED_AT, meta_data: { operator: 'airtel_ne' } },
      ],
      ['failed', null, 'declined', null, { failure_reason: 'declined' }],
    ]
    for (const [status, validatedAt, failureReason, own, more] of STATES)
      it(`that is ${status}, ${own === null ? 'without' : 'with'} an operator’s reference, are those of spec §2.3 and D-82, without nulls`, async () => {
        const body = order({ msisdn: '+227 96-12-34-56', amount: 2_500 })
        const { reference, public_reference } = await create(body)
        await service.db.change(
          `update payments
           set status = :status, validated_at = :validatedAt, failure_reason = :failureReason,
             operator_reference = :own
           where reference = :reference`,
          {
            reference: reference as string,
            status,
            validatedAt: validatedAt && Date.parse(validatedAt),
            failureReason,
            own,
          },
        )
        const expected = {
          public_reference,
          external_reference: body.transaction_id,
          reference,
          status,
          msisdn: '+227 96-12-34-56',
          amount: 2_500,
          ...more,
        }
        assert.deepEqual(await read(underPayments(reference as string)), {
          code: 200,
          body: expected,
        })
        assert.deepEqual(await read(underPayments(body.transaction_id as string)), {
          code: 200,
          body: expected,
        })
      })
  })

  describe('a transaction_id in the path', () => {
    const NAMES = [
      'order:2026:0001',
      'v1.2.3',
      'a/b/c',
      '/leading',
      'trailing/',
      'double//slash',
      '.',
      '..',
      '../payments',
      'two words',
      ' padded ',
      'Zoé à Niamey',
      '🛒🇳🇪',
      '日本',
      '100%',
      '100%25',
      '%2F',
      '%zz',
      '%',
      'a?b',
      'a#b',
      'a&b=c',
      'a+b',
      'a;b',
      'a\\b',
      '"quoted"',
      '<b>',
      '__proto__',
      'encoded',
      '*',
      'x'.repeat(255),
      '🛒'.repeat(255),
    ]
    for (const name of NAMES)
      it(`${JSON.stringify(name.slice(0, 20))} reads its own payment when encoded`, async () => {
        const { reference } = await create({ transaction_id: name })
        const { code, body } = await read(underPayments(encodeURIComponent(name)))
        assert.deepEqual([code, body.reference, body.external_reference], [200, reference, name])
      })

    const PATHS: Record<string, string> = {
      'mixed%2Fb/c': 'mixed/b/c',
      'lower%2fcase': 'lower/case',
      '%65ncoded%2Dletters': 'encoded-letters',
      'once%252F': 'once%2F',
      'once%25252F': 'once%252F',
      'fifty%25': 'fifty%',
      'query?x=1': 'query',
      'query-with-percent?x=%zz': 'query-with-percent',
      'caf%C3%A9': 'café',
      '%F0%9F%9B%92': '🛒',
    }
    for (const plain of [
      'plain:2026:1',
      'plain.2.3',
      'plain/b/c',
      '/plain',
      'plain//b/',
      'plus+is+plus',
      'semi;colon',
    ])
      PATHS[plain] = plain
    for (const [path, name] of Object.entries(PATHS))
      it(`written ${path} means ${name}: it is decoded exactly once`, async () => {
        await post(service, sandbox, order({ transaction_id: name }))
        const { code, body } = await read(underPayments(path))
        assert.deepEqual([code, body.external_reference], [200, name])
      })

    it('is compared byte for byte: names that look alike are different payments', async () => {
      const alike = [
        'alike',
        'ALIKE',
        'alike ',
        ' alike',
        'al\u00efke',
        'ali\u0308ke',
        'alike\u200b',
        'alike.',
        'аlike',
      ]
      const references = []
      for (const name of alike) references.push((await create({ transaction_id: name })).reference)
      assert.equal(new Set(references).size, alike.length)
      for (const [at, name] of alike.entries())
        assert.equal(
          (await read(underPayments(encodeURIComponent(name)))).body.reference,
          references[at],
        )
    })

    it('equal to another payment’s reference does not hide that payment', async () => {
      const first = await create()
      const second = await create({ transaction_id: first.reference })
      assert.equal(
        (await read(underPayments(first.reference as string))).body.reference,
        first.reference,
      )
      assert.equal(
        (await read(underPayments(second.reference as string))).body.reference,
        second.reference,
      )
    })

    it('in the form of a reference is found', async () => {
      const name = '0123456789abcdefghjkmnpq'
      const { reference } = await create({ transaction_id: name })
      assert.equal((await read(underPayments(name))).body.reference, reference)
    })

    it('is found with an absolute URL in the request line', async () => {
      await create({ transaction_id: 'absolute' })
      const { code, body } = await read(`http://127.0.0.1:${port}${underPayments('absolute')}`)
      assert.deepEqual([code, body.external_reference], [200, 'absolute'])
    })

    it('is found when the path before it has an encoded letter', async () => {
      await create({ transaction_id: 'before' })
      const { code, body } = await read('/api/v1/%70ayments/before')
      assert.deepEqual([code, body.external_reference], [200, 'before'])
    })
  })

  describe('a path that names no payment', () => {
    const PATHS = [
      'unknown',
      '',
      '/',
      '%',
      '%zz',
      'abc%4',
      '%ff%fe',
      '%c0%af',
      '%ed%a0%80',
      '%00',
      'a%0Ab',
      '%20',
      'x'.repeat(101),
      'x'.repeat(256),
      '%F0%9F%9B%92'.repeat(256),
      'x'.repeat(15_000),
    ]
    for (const rest of PATHS)
      it(`such as ${rest.slice(0, 20)} of ${rest.length} gets 404 Payment Not Found, after the header checks`, async () => {
        const answers: [
          change: Record<string, string | undefined>,
          code: number,
          message: string,
        ][] = [
          [{}, 404, 'Payment Not Found'],
          [{ 'content-type': undefined }, 400, 'Bad Request: Missing params'],
          [{ 'svc-payment-type': 'card' }, 400, 'Bad Request: Not Allowed Payment Type'],
          [{ 'svc-target-environment': 'live' }, 401, 'Unauthorized: No Valid Key'],
        ]
        for (const [change, code, message] of answers)
          assert.deepEqual(await read(underPayments(rest), change), { code, body: { message } })
      })

    it('because it is a slightly changed name gets 404', async () => {
      const { reference, public_reference } = await create({ transaction_id: 'exactly' })
      const names = [
        (reference as string).toUpperCase(),
        `${reference}/`,
        ` ${reference}`,
        (reference as string).slice(0, -1),
        public_reference as string,
        'Exactly',
        'exactly/',
        'exactly%20',
        'exact',
        'exactly*',
        'exact%',
        'exactl_',
      ]
      for (const name of names) {
        const seen = [
          name,
          (await get(service, sandbox, name)).code,
          (await get(service, sandbox, name)).body,
        ]
        assert.deepEqual(seen, [name, 404, { message: 'Payment Not Found' }])
      }
    })
  })
})

describe('promise 17: isolation of accounts', () => {
  const ENVIRONMENTS = ['sandbox', 'live'] as const
  const MERCHANTS = 3

  interface Holder {
    about: string
    key: string
    names: { reference: string; publicReference: string; externalReference: string }[]
    links: string[]
  }

  for (const store of STORES)
    describe(`accounts on ${store.name}`, async () => {
      const holders: Holder[] = []
      const service = await openTestService(store)
      for (let merchant = 1; merchant <= MERCHANTS; merchant++) {
        const { accounts } = await service.merchant({ name: `Merchant ${merchant}` })
        for (const environment of ENVIRONMENTS) {
          const key = accounts[environment].secretKey
          const about = `merchant ${merchant} in ${environment}`
          const names = []
          for (const kind of ['plain', 'with/slash', 'with ümläut %41']) {
            const externalReference = `${about} ${kind}`
            const { body } = await post(service, key, order({ transaction_id: externalReference }))
            const { reference, public_reference } = body as Record<string, string>
            names.push({
              reference: reference as string,
              publicReference: public_reference as string,
              externalReference,
            })
          }
          const links = [
            await newLink(service, key),
            await newLink(service, key, { transaction_id: `${about} link` }),
          ]
          holders.push({ about, key, names, links })
        }
      }
      after(() => service.remove())

      it('every name of another account gets the 404 of an unknown name', async () => {
        let tries = 0
        for (const asking of holders) {
          const unknownAnswer = comparable(await get(service, asking.key, 'an unknown name'))
          assert.deepEqual(
            [unknownAnswer.code, unknownAnswer.body],
            [404, { message: 'Payment Not Found' }],
          )
          for (const other of holders.filter((holder) => holder !== asking))
            for (const name of other.names.flatMap((names) => Object.values(names))) {
              const got = comparable(await get(service, asking.key, name))
              assert.deepEqual(got, unknownAnswer, `${asking.about} reads ${name}`)
              tries++
            }
        }
        const accounts = MERCHANTS * ENVIRONMENTS.length
        assert.equal(tries, accounts * (accounts - 1) * 9)
        tried(tries)
      })

      it('a link of another account gets that 404 too, although its public read is open', async () => {
        for (const asking of holders) {
          const unknownAnswer = comparable(await get(service, asking.key, 'an unknown name'))
          for (const link of holders.flatMap(({ links }) => links)) {
            const answer = await get(service, asking.key, link)
            if (asking.links.includes(link))
              assert.deepEqual([answer.code, answer.body.status], [200, 'initiated'])
            else
              assert.deepEqual(comparable(answer), unknownAnswer, `${asking.about} reads ${link}`)
            assert.equal((await readLink(service, link)).code, 200)
          }
        }
      })

      it('an account reads its own payments by their names', async () => {
        for (const { key, names } of holders)
          for (const { reference, externalReference } of names)
            for (const name of [reference, externalReference]) {
              const { code, body } = await get(service, key, name)
              assert.deepEqual(
                [code, body.reference, body.external_reference],
                [200, reference, externalReference],
              )
            }
      })

      it('a key gets 401, not 404, for its own names in the other environment', async () => {
        for (const { about, key, names } of holders) {
          const other = about.endsWith('live') ? 'sandbox' : 'live'
          for (const name of names.flatMap((each) => Object.values(each))) {
            const { code, body } = await get(service, key, name, {
              'svc-target-environment': other,
            })
            assert.deepEqual([code, body], [401, { message: 'Unauthorized: No Valid Key' }])
          }
        }
      })

      it('each account may use the same transaction_id', async () => {
        const references = new Set<unknown>()
        for (const [at, { key }] of holders.entries()) {
          const { code, body } = await post(
            service,
            key,
            order({ transaction_id: 'shared', amount: 100 + at }),
          )
          assert.equal(code, 200)
          references.add(body.reference)
        }
        assert.equal(references.size, holders.length)
        for (const [at, { key }] of holders.entries()) {
          assert.equal((await get(service, key, 'shared')).body.amount, 100 + at)
          const again = await post(service, key, order({ transaction_id: 'shared' }))
          assert.equal(again.code, 422)
          const own = (await get(service, key, 'shared')).body.reference
          assert.equal(again.headers['svc-existing-reference'], own)
        }
      })

      it('an account may use another’s payment reference as a transaction_id, and reads its own payment by it', async () => {
        const [first, second] = holders as [Holder, Holder]
        const theirs = first.names[0]?.reference as string
        const { body } = await post(service, second.key, order({ transaction_id: theirs }))
        assert.equal((await get(service, second.key, theirs)).body.reference, body.reference)
        assert.equal((await get(service, first.key, theirs)).body.reference, theirs)
      })
    })

  /** The answer without its variable parts: nothing else may distinguish two 404s. */
  function comparable({ code, body, headers }: Answer): Answer {
    const { date: _date, 'x-request-id': _id, ...rest } = headers
    return { code, body, headers: rest }
  }
})
