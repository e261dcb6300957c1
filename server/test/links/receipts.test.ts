// What payers, merchants and the public can read of a link: receipts (D-117), the operator and its
// reference (D-82), the public read (D-12, D-22, D-24, D-29).

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { acceptLateMoney, listLatestAnomalies } from '../../src/actions/payments/anomalies.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { WORDS } from '../../src/checkout/words.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { deliverCallback } from '../kit/direct-operators.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { get, openTestService } from '../kit/service.ts'
import {
  byPhone,
  DECLINES,
  ELSEWHERE,
  type Fields,
  linksOf,
  onPage,
  openShop,
  SHOP,
  type Shown,
  SUCCEEDS,
} from './payer.ts'

const shop = await openShop()
const { service, clock, newLink, read, readLink, look, settle } = shop
const { send, pay, stateOf, toProvider, decide, eventsOf, atProvider } = shop

describe('receipts', () => {
  const BACK = { on_success_redirection_url: `${SHOP}/ok` }
  const textOf = ({ text }: Shown): string =>
    text.replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g, '')
  const OF_THE_PAYER =
    /<time|SIM-|PSP-|badge|Mobile money|Carte bancaire|Bank card|Wallet|Portefeuille|shop\.example/

  const WAYS: [about: string, payAll: (link: string) => Promise<void>][] = [
    ['by phone', (link) => settle(link)],
    [
      'on a provider’s page',
      async (link) => decide(await toProvider(link, onPage('bank_card')), 'approve'),
    ],
  ]

  for (const [about, payAll] of WAYS)
    it(`paid ${about}: only the paying browser sees the receipt; other visitors see that the link is paid`, async () => {
      const link = await newLink(BACK)
      await payAll(link)
      for (const [language, words] of Object.entries(WORDS)) {
        const mine = await look(`/pay/${link}?lang=${language}`)
        assert.ok(textOf(mine).includes(`<h1>${words.succeeded}</h1>`))
        assert.match(textOf(mine), /<time|-\w{10}/)
        const theirs = await look(`/pay/${link}?lang=${language}`, ELSEWHERE)
        assert.ok(textOf(theirs).includes(`<h1>${words.paid}</h1>`))
        for (const shown of ['Boutique Awa', 'Commande 12', words.paidHint])
          assert.ok(textOf(theirs).includes(shown))
        assert.match(textOf(theirs), /15[\s\u00a0,]000/)
        assert.doesNotMatch(textOf(theirs), OF_THE_PAYER)
        const sheet = await look(`/pay/${link}/share?lang=${language}`, ELSEWHERE)
        assert.doesNotMatch(textOf(sheet), /<time/)
      }
      assert.equal(await stateOf(link), 'succeeded:0')
      assert.match((await look(`/pay/${link}/status`, ELSEWHERE)).text, /"succeeded:0"/)
    })

  it('a visitor with an earlier attempt does not see the receipt', async () => {
    const link = await newLink()
    const tried = await send(`/pay/${link}`, onPage('wallet'), ELSEWHERE)
    const cookie = String(tried.headers['set-cookie']).split(';')[0] as string
    await decide(new URL(tried.goTo).pathname, 'decline')
    await send(`/pay/${link}`, byPhone(SUCCEEDS, 1), ELSEWHERE)
    await clock.advance(5_000)
    const theirs = await look(`/pay/${link}`, { cookie })
    assert.ok(textOf(theirs).includes(`<h1>${WORDS.fr.paid}</h1>`))
  })

  it('after a refund, other visitors see only that the payment was refunded', async () => {
    const link = await newLink()
    await settle(link)
    const { reference } = await read(link)
    granted(await refundPayment(service, TESTER, { name: reference as string }))
    await clock.advance(20_000)
    assert.match(textOf(await look(`/pay/${link}`)), /badge[\s\S]*<time/)
    const theirs = textOf(await look(`/pay/${link}`, ELSEWHERE))
    assert.ok(theirs.includes(`<h1>${WORDS.fr.refunded}</h1>`))
    assert.doesNotMatch(theirs, OF_THE_PAYER)
  })

  it('a genuine return from the provider shows the receipt in any browser; a forged return does not', async () => {
    const [link, page] = await atProvider('wallet')
    const { goTo } = await send(page, { decision: 'approve' })
    const { pathname, search } = new URL(goTo)
    const back = await look(pathname + search, ELSEWHERE)
    assert.deepEqual([back.code, back.goTo], [303, `/pay/${link}?lang=fr`])
    const cookie = String(back.headers['set-cookie']).split(';')[0] as string
    assert.ok(textOf(await look(back.goTo, { cookie })).includes(WORDS.fr.succeeded))
    for (const query of [
      'returned=1',
      `returned=1&payer=${'0'.repeat(64)}`,
      'payer=',
      'payer=null',
      'payer=1&payer=2',
    ]) {
      const stranger = await look(`/pay/${link}?${query}`, ELSEWHERE)
      assert.equal(stranger.headers['set-cookie'], undefined)
      assert.ok(textOf(stranger).includes(`<h1>${WORDS.fr.paid}</h1>`), query)
    }
  })

  it('in a frame, the receipt needs the value that the page kept, and one retry is offered', async () => {
    const [browser, other] = ['0123456789abcdef'.repeat(2), 'f'.repeat(32)]
    const link = await newLink()
    const embed = { embed: SHOP, lang: 'en' }
    await send(`/pay/${link}`, { ...byPhone(SUCCEEDS), ...embed, browser }, ELSEWHERE)
    await clock.advance(5_000)
    const first = textOf(await look(`/pay/${link}?${new URLSearchParams(embed)}`, ELSEWHERE))
    assert.ok(first.includes(WORDS.en.paid))
    assert.match(
      first,
      new RegExp(`<form method="post" action="/pay/${link}/receipt" data-proof hidden>`),
    )
    const prove = async (fields: Fields): Promise<string> =>
      textOf(await send(`/pay/${link}/receipt`, fields, ELSEWHERE))
    assert.match(await prove({ ...embed, browser }), /<h1>Payment successful<\/h1>[\s\S]*<time/)
    for (const sent of [other, '']) {
      const refused = await prove({ ...embed, browser: sent })
      assert.ok(refused.includes(WORDS.en.paid))
      assert.doesNotMatch(refused, /data-proof/)
    }
    assert.doesNotMatch(textOf(await look(`/pay/${link}`, ELSEWHERE)), /data-proof/)
  })

  it('only the payer sees the receipt of a reusable link, which stays open', async () => {
    const poster = await newLink({ reusable: true })
    const { goTo } = await pay(poster, byPhone(SUCCEEDS))
    await clock.advance(5_000)
    assert.ok(textOf(await look(goTo)).includes(WORDS.fr.succeeded))
    assert.ok(textOf(await look(goTo, ELSEWHERE)).includes(WORDS.fr.paid))
    assert.equal(await stateOf(poster), 'open:0')
  })
})

describe('operators on pages', () => {
  const wordsOf = (page: string): string =>
    page
      .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')

  it('the form offers only connected countries and operators', async () => {
    const settings = { KARBA_OPERATORS: 'moov_bj,mtn_bj' }
    const service = await openTestService(undefined, settings)
    const { newLink, look } = linksOf(service, (await service.merchant()).accounts.sandbox)
    const { text } = await look(`/pay/${await newLink()}?lang=en`)
    assert.match(wordsOf(text), /Benin, 10 digits: MTN MoMo Moov Money Pay/)
    assert.doesNotMatch(wordsOf(text), /Niger|Celtiis|Airtel/)
    const countries = [...text.matchAll(/<option value="(\w+)"/g)].map(([, country]) => country)
    assert.deepEqual(countries, ['BJ'])
    await service.remove()
  })

  describe('the operator of a link', () => {
    const shown = async (link: string, language = 'fr') =>
      wordsOf((await look(`/pay/${link}?lang=${language}`)).text)

    const metaDataOf = async (link: string): Promise<[event: string, metaData: unknown][]> =>
      (await eventsOf(link)).map(({ event, data }) => [event, data.meta_data])

    it('is named during the prompt, and with its reference on the receipt, before and after a refund', async () => {
      const link = await newLink()
      assert.match(
        await shown(link),
        /Niger, 8 chiffres : Airtel Money Zamani Cash Moov Money Niger Telecoms/,
      )
      await pay(link, { ...byPhone('01 97 12 34 56'), country: 'BJ' })
      assert.match(await shown(link), /Validez le paiement sur votre téléphone avec MTN MoMo/)
      assert.match(await shown(link, 'en'), /Approve the payment on your phone with MTN MoMo/)
      assert.equal('meta_data' in (await read(link)), false)
      await clock.advance(10_000)

      const { reference, status, meta_data: metaData } = await read(link)
      const { operator_reference: own } = metaData as { operator_reference: string }
      assert.match(own, /^SIM-\w{10}$/)
      assert.deepEqual(
        [status, metaData],
        ['succeeded', { operator: 'mtn_bj', operator_reference: own }],
      )
      const receipts = [
        new RegExp(`Moyen Mobile money Opérateur MTN MoMo .* Référence de l’opérateur ${own}`),
        new RegExp(`Method Mobile money Operator MTN MoMo .* Operator’s reference ${own}`),
      ] as const
      const expectReceipts = async () => {
        assert.match(await shown(link), receipts[0])
        assert.match(await shown(link, 'en'), receipts[1])
      }
      await expectReceipts()
      assert.ok(
        'refundReference' in (await refundPayment(service, TESTER, { name: reference as string })),
      )
      await clock.advance(20_000)
      assert.equal(await stateOf(link), 'refunded:0')
      await expectReceipts()
      assert.deepEqual((await read(link)).meta_data, metaData)
      assert.deepEqual(await metaDataOf(link), [
        ['payment.succeeded', metaData],
        ['refund.succeeded', metaData],
        ['payment.refunded', metaData],
      ])
    })

    it('is the method for a payment on a provider’s page, with the provider’s reference on the receipt', async () => {
      const link = await newLink()
      await decide(await toProvider(link, onPage('bank_card')), 'approve')
      const { meta_data: metaData } = await read(link)
      const { operator_reference: own } = metaData as { operator_reference: string }
      assert.match(own, /^PSP-\w{10}$/)
      assert.deepEqual(metaData, { operator: 'bank_card', operator_reference: own })
      assert.deepEqual(await metaDataOf(link), [['payment.succeeded', metaData]])
      assert.match(
        await shown(link),
        new RegExp(`Moyen Carte bancaire Date .* Référence du partenaire ${own}`),
      )
      assert.match(
        await shown(link, 'en'),
        new RegExp(`Method Bank card Date .* Partner’s reference ${own}`),
      )
    })

    it('is that of the paid attempt, also after a later attempt', async () => {
      const link = await newLink()
      const { reference } = await read(link)
      await pay(link, byPhone(DECLINES))
      const { attemptReference } = await paymentOf(service, reference)
      await clock.advance(10_000)
      await decide(await toProvider(link, onPage('wallet', 1)), 'decline')
      const debited = { status: 'succeeded', amount: 15_000, operator_reference: 'LATE-1' } as const
      service.network.change = () => ({ answer: debited })
      await deliverCallback(service, {
        reference: attemptReference as string,
        answer: debited,
        genuine: true,
      })
      await clock.advance(10_000)
      const { rows } = granted(await listLatestAnomalies(service, TESTER, { openOnly: true }))
      const [late] = rows.filter((each) => each.reference === reference)
      granted(
        await acceptLateMoney(service, TESTER, {
          anomalyId: late?.anomalyId as string,
          note: 'looked at',
        }),
      )
      service.network.change = (reaction) => reaction
      const metaData = { operator: 'airtel_ne', operator_reference: 'LATE-1' }
      assert.deepEqual((await read(link)).meta_data, metaData)
      assert.deepEqual(await metaDataOf(link), [['payment.succeeded', metaData]])
      assert.match(
        await shown(link),
        /Moyen Mobile money Opérateur Airtel Money .* Référence de l’opérateur LATE-1/,
      )
    })

    it('reveals the payer’s number to no visitor, also when its reference contains the number', async () => {
      const link = await newLink()
      const { reference } = await read(link)
      await settle(link)
      const change = 'update payments set operator_reference = :own where reference = :reference'
      for (const [own, isShown] of [
        ['MP261115.2210.A09876', true],
        [`CO.${SUCCEEDS}.77`, false],
        ['227 10 00 00 00 9', false],
        ['', false],
      ] as const) {
        await service.db.change(change, { reference: reference as string, own })
        const page = await shown(link)
        assert.equal(/Référence de l’opérateur/.test(page), isShown, own)
        assert.doesNotMatch(page.replace(/\D/g, ''), new RegExp(SUCCEEDS.slice(-8)))
        const known = own === '' ? {} : { operator_reference: own }
        assert.deepEqual((await read(link)).meta_data, { operator: 'airtel_ne', ...known })
      }
      await service.db.change(change, { reference: reference as string, own: `CO.${SUCCEEDS}.77` })
      await service.db.change(
        'update payments set msisdn_written = :msisdnWritten where reference = :reference',
        { reference: reference as string, msisdnWritten: '*********00' },
      )
      assert.doesNotMatch(await shown(link), /Référence de l’opérateur/)
    })
  })
})

describe('public read', () => {
  const RANDOM = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'
  const SECRETS = { transaction_id: 'order 77-secret', customer_name: 'Zoé Secret' }
  const NOT_FOUND = { message: 'Payment Not Found' }

  describe('a link', async () => {
    const merchant = await service.merchant({ name: 'Secret Boutique' })
    const { secretKey } = merchant.accounts.sandbox
    const { postLink, newLink, read } = linksOf(service, merchant.accounts.sandbox)

    it('shows only these fields publicly, and the payment’s reference only after success', async () => {
      const input = { amount: 15_000, title: 'Commande 12', description: 'Deux pagnes', ...SECRETS }
      const { body: made } = await postLink(input)
      const { page_url: _page, ...initiated } = made
      const link = made.reference as string
      const payment = await read(link)
      const seen: string[] = []
      async function publicFields(): Promise<Record<string, unknown>> {
        const { code, body, headers } = await readLink(link)
        assert.deepEqual([code, headers['cache-control']], [200, 'no-store'])
        seen.push(JSON.stringify(body))
        return body
      }
      assert.deepEqual(await publicFields(), initiated)
      assert.deepEqual(Object.keys(initiated).sort(), [
        'amount',
        'currency',
        'description',
        'expires_at',
        'public_reference',
        'reference',
        'status',
        'title',
      ])
      await pay(link, byPhone('40410000006'))
      assert.deepEqual(await publicFields(), { ...initiated, status: 'pending' })
      await clock.advance(5_000)
      assert.deepEqual(
        await publicFields(),
        { ...initiated, status: 'pending' },
        'a failed attempt is not public',
      )
      assert.equal(seen.join().includes(payment.reference as string), false)
      await settle(link, SUCCEEDS, 1)
      const { validated_at } = await read(link)
      const paid = { status: 'succeeded', validated_at, transaction_id: payment.reference }
      assert.deepEqual(await publicFields(), { ...initiated, ...paid })
      const secrets = [
        ...Object.values(SECRETS),
        SUCCEEDS,
        '40410000006',
        'Secret Boutique',
        'mobile',
        'airtel',
      ]
      for (const secret of secrets) assert.equal(seen.join().includes(secret), false, secret)
    })

    it('without an expiry or a description omits that field', async () => {
      const { body } = await readLink(await newLink({ shouldExpire: false }))
      assert.deepEqual(Object.keys(body), [
        'reference',
        'status',
        'amount',
        'currency',
        'title',
        'public_reference',
      ])
    })

    it('is readable by its reference and its transaction_id', async () => {
      const link = await newLink({ transaction_id: 'cmd 12' })
      const bare = await newLink()
      const { body } = await get(service, secretKey, link)
      assert.deepEqual([body.status, body.external_reference], ['initiated', 'cmd 12'])
      assert.deepEqual(await read('cmd 12'), body)
      assert.deepEqual(await read(body.reference as string), body)
      assert.equal((await read(bare)).external_reference, bare)
      assert.equal(
        (await get(service, secretKey, link, { 'svc-target-environment': 'live' })).code,
        401,
      )
    })

    it('is not found by the names of its payment or attempts', async () => {
      const link = await newLink({ transaction_id: RANDOM })
      const { body } = await get(service, secretKey, link)
      const provider = await toProvider(link, onPage('bank_card'))
      const names = [
        body.reference,
        body.public_reference,
        RANDOM,
        provider.split('/').at(-1),
        link.toUpperCase(),
      ]
      for (const name of names) {
        const { code, body: answer, headers } = await readLink(name as string)
        assert.deepEqual(
          [code, answer, headers['cache-control']],
          [404, NOT_FOUND, 'no-store'],
          name as string,
        )
      }
    })
  })

  describe('the public read', async () => {
    const link = await newLink()
    await service.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = service.app.server.address() as AddressInfo

    async function read(
      rest: string,
      headers: Record<string, string> = {},
    ): Promise<[number, unknown, unknown]> {
      const path = `/api/v1/external_payments/${rest}`
      const asked = request({ port, host: '127.0.0.1', path, headers }).end()
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      return [
        answer.statusCode as number,
        JSON.parse(await text(answer)),
        answer.headers['cache-control'],
      ]
    }

    const PATHS = [
      RANDOM,
      '',
      'abc',
      `Ab3dEf6hIj${'x'.repeat(119)}`,
      'x'.repeat(15_000),
      '0'.repeat(32),
      '%zz',
      '%ff'.repeat(32),
      `${RANDOM}%00`,
      `${RANDOM}/`,
      `${RANDOM}%3F`,
    ]
    for (const rest of PATHS)
      it(`of ${rest.slice(0, 40)} (${rest.length}) is 404 Payment Not Found, without caching`, async () =>
        assert.deepEqual(await read(rest), [404, NOT_FOUND, 'no-store']))

    it('ignores headers: none, wrong ones and another account’s key give the same answer', async () => {
      const [code, body] = await read(link)
      assert.equal(code, 200)
      const heads = [
        {
          authorization: 'Bearer x',
          'svc-target-environment': 'nowhere',
          'svc-payment-type': 'cash',
        },
        { 'content-type': 'text/html', accept: 'text/html', 'svc-target-environment': 'live' },
      ]
      for (const headers of heads)
        assert.deepEqual(await read(link, headers), [200, body, 'no-store'])
      const got = (
        await read(`${link.slice(0, 8)}%${link.charCodeAt(8).toString(16)}${link.slice(9)}?x=1`)
      )[1]
      assert.deepEqual(got, body)
    })

    it('from one address is 429 with Retry-After after 500 at once, then 100 a second; other addresses are not limited', async () => {
      const from = async (remoteAddress: string): Promise<[number, unknown, unknown]> => {
        const url = `/api/v1/external_payments/${link}`
        const answer = await service.app.inject({ method: 'GET', url, remoteAddress })
        return [answer.statusCode, answer.json().message, answer.headers['retry-after']]
      }
      async function mayRead(times: number): Promise<void> {
        for (let done = 0; done < times; done++) assert.equal((await from('198.51.100.7'))[0], 200)
        assert.deepEqual(await from('198.51.100.7'), [429, 'Too Many Requests', '1'])
      }
      await mayRead(500)
      assert.equal((await from('198.51.100.8'))[0], 200)
      await clock.sleep(1_000)
      await mayRead(100)
      await clock.sleep(999)
      await mayRead(99)
    })
  })
})
