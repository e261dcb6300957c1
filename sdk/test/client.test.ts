// The SDK against a running service.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { inspect } from 'node:util'
import { openTestService, order } from '../../server/test/kit/service.ts'
import { openShopBooks } from '../../server/test/kit/shop-books.ts'
import { SQLITE } from '../../server/test/kit/stores.ts'
import { openVirtualService } from '../../server/test/kit/virtual-service.ts'
import { until } from '../../server/test/kit/waiting.ts'
import { removeEvents } from '../../server/test/kit/webhooks.ts'
import {
  Karba,
  type KarbaError,
  type KarbaEvent,
  type PaymentOrder,
  requestIdOf,
  verifyWebhook,
} from '../src/karba.ts'
import { VERSION } from '../src/version.ts'
import { openFaultyProxy } from './faulty-proxy.ts'

const SUCCEEDS = '40410000000'
const DECLINES = '40410000006'

describe(`a merchant’s server with a service`, async () => {
  let karba: Karba
  const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '50' })
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { secretKey } = (await service.merchant()).accounts.sandbox
  karba = new Karba({ secretKey, url: `${address}/api/v1/` })
  after(() => service.remove())

  const create = (change: Partial<PaymentOrder> = {}, by = karba) =>
    by.createPayment(order(change) as unknown as PaymentOrder)

  it('SDK: waitForPayment resolves at the outcome', async () => {
    const { reference, status } = await create({ msisdn: SUCCEEDS })
    assert.equal(status, 'pending')
    const paid = await karba.waitForPayment(reference)
    assert.deepEqual([paid.status, paid.reference], ['succeeded', reference])
    const declined = await karba.waitForPayment((await create({ msisdn: DECLINES })).reference)
    assert.deepEqual([declined.status, declined.failure_reason], ['failed', 'declined'])
  })

  it('SDK: waitForPayment returns the pending payment at its timeout, and ends with its signal', async () => {
    const { reference } = await create({ msisdn: '40410000008' })
    assert.equal((await karba.waitForPayment(reference, { timeoutMs: 300 })).status, 'pending')
    const leaving = new AbortController()
    const waiting = karba.waitForPayment(reference, { signal: leaving.signal })
    setImmediate(() => leaving.abort())
    await assert.rejects(waiting, { code: 'aborted' })
  })

  it('SDK: readPayment encodes every name', async () => {
    const transactionId = 'cmd/12: été 🛒 ?&#%2F'
    const { reference } = await create({ transaction_id: transactionId })
    assert.equal((await karba.readPayment(transactionId)).reference, reference)
    for (const name of ['', '.', '..'])
      await assert.rejects(karba.readPayment(name), { code: 'configuration' })
  })

  it('SDK: a refusal has its code, parameter and request id', async () => {
    await assert.rejects(create({ msisdn: '123' }), (error: KarbaError) => {
      assert.deepEqual([error.name, error.status], ['KarbaError', 400])
      const about = 'Bad Request: Incorrect MSISDN (msisdn_not_valid, msisdn).'
      assert.equal(
        error.message,
        `${about} This number is not valid: Niger has 8 digits, Benin 10 that begin with 01.`,
      )
      assert.match(error.requestId ?? '', /^req_/)
      return true
    })
    await assert.rejects(karba.readPayment('unknown'), {
      status: 404,
      message: /^Payment Not Found \(payment_not_found\)\. There is no such payment/,
    })
  })

  it('SDK: an error without an answer names the address', async () => {
    const away = new Karba({ secretKey, url: 'http://127.0.0.1:1' })
    await assert.rejects(away.readPayment('order-1', { timeoutMs: 50 }), {
      code: 'no_answer',
      message:
        'The service at 127.0.0.1:1 could not be reached, or its answer was lost (no_answer).',
    })
  })

  it('SDK: of the payments of one order a second success is a 422 that names the first', async () => {
    const attempt = (msisdn: string) =>
      create({ msisdn, order_reference: 'basket-7', metadata: { shop: 'Niamey' } })
    assert.equal((await karba.waitForPayment((await attempt(DECLINES)).reference)).status, 'failed')
    const { reference } = await attempt(SUCCEEDS)
    const { status, metadata } = await karba.waitForPayment(reference)
    assert.deepEqual([status, metadata], ['succeeded', { shop: 'Niamey' }])
    await assert.rejects(attempt(SUCCEEDS), { status: 422, existingReference: reference })
  })

  it('SDK: events resume after the last handled event and skip none', async () => {
    const own = (await service.merchant()).accounts.sandbox
    const karba = new Karba({ secretKey: own.secretKey, url: address })
    let kept = 0
    const keep = (after: number): void => {
      kept = after
    }
    const wanted = await Promise.all([1, 2, 3].map(() => create({ msisdn: SUCCEEDS }, karba)))
    const seen: string[] = []
    const take = ({ event, data }: KarbaEvent): void => {
      if (event === 'payment.succeeded') seen.push(data.reference)
    }
    for await (const event of karba.events({ after: kept, keep, pollEveryMs: 20 })) {
      take(event)
      // A crash before the next event is asked for: this one comes again.
      break
    }
    for await (const event of karba.events({ after: kept, keep, pollEveryMs: 20 })) {
      take(event)
      if (new Set(seen).size === wanted.length) break
    }
    assert.equal(seen[0], seen[1])
    assert.deepEqual([...new Set(seen)].sort(), wanted.map(({ reference }) => reference).sort())
    const rest: KarbaEvent[] = []
    for await (const event of karba.events({ after: kept, follow: false })) rest.push(event)
    assert.equal(rest.length, 1)
  })

  it('SDK: shows the account, lists payments, and refunds once', async () => {
    const own = (await service.merchant({ name: 'Boutique Awa' })).accounts.sandbox
    const karba = new Karba({ secretKey: own.secretKey, url: address })
    const { account_id: accountId, merchant } = await karba.showAccount()
    assert.deepEqual([accountId, merchant], [own.accountId, 'Boutique Awa'])
    const made = [
      await create({ msisdn: SUCCEEDS }, karba),
      await create({ msisdn: DECLINES }, karba),
    ]
    const paid = made[0]?.reference as string
    for (const { reference } of made) await karba.waitForPayment(reference)
    const listed: string[] = []
    for await (const { reference } of karba.eachPayment({ limit: 1 })) listed.push(reference)
    assert.deepEqual(listed, made.map(({ reference }) => reference).reverse())
    assert.equal((await karba.listPayments({ status: 'failed' })).data.length, 1)
    const part = await karba.refundPayment(paid, { amount: 500, refund_id: 'return-1' })
    assert.deepEqual([part.amount, part.remaining_amount], [500, 1_000])
    const again = await karba.refundPayment(paid, {
      amount: 500,
      refund_id: 'return-1',
      timeoutMs: 10_000,
    })
    assert.equal(again.reference, part.reference)
    await assert.rejects(karba.refundPayment(paid, { amount: 1_001 }), {
      code: 'refund_amount_too_large',
    })
    const refund = await karba.refundPayment(paid)
    assert.deepEqual(
      [refund.payment_reference, refund.amount, refund.refunds.length],
      [paid, 1_000, 2],
    )
    assert.equal((await karba.refundPayment(paid)).reference, refund.reference)
    assert.equal((await karba.readRefund(paid)).reference, refund.reference)
    await assert.rejects(karba.refundPayment(made[1]?.reference as string), { status: 422 })
  })

  it('SDK: creates a poster without an amount, and reads its totals', async () => {
    const order = {
      title: 'Un don',
      minimum_amount: 500,
      suggested_amounts: [1_000, 2_000],
      reusable: true,
    } as const
    const made = await karba.createLink({
      ...order,
      suggested_amounts: [...order.suggested_amounts],
      expires_in_minutes: 1_440,
    })
    assert.partialDeepStrictEqual(made, { ...order, page_url: `${address}/pay/${made.reference}` })
    assert.ok(made.amount === undefined && made.expires_at !== undefined)
    const form = new URLSearchParams({
      method: 'mobile',
      country: 'NE',
      msisdn: SUCCEEDS,
      amount: '1500',
      attempt: '0',
    })
    const chosen = await fetch(made.page_url, { method: 'POST', body: form, redirect: 'manual' })
    const [, own = ''] = /\/pay\/(\w+)/.exec(chosen.headers.get('location') ?? '') ?? []
    const paid = await karba.waitForPayment(own)
    assert.deepEqual([paid.status, paid.amount], ['succeeded', 1_500])
    const { payments_count: count, collected_amount: sum } = await karba.readLink(made.reference)
    assert.deepEqual([count, sum], [1, 1_500])
    assert.equal((await karba.cancelLink(made.reference)).status, 'failed')
    const fixed = await karba.createLink({ title: 'Entrée', amount: 1_000, reusable: true })
    assert.deepEqual([fixed.amount, fixed.expires_at], [1_000, undefined])
    const refused = karba.createLink({
      title: 'x',
      amount: 500,
      reusable: true,
      transaction_id: 'x',
    })
    await assert.rejects(refused, { status: 422 })
  })

  it('SDK: cancelLink is idempotent', async () => {
    const { reference } = await karba.createLink({ amount: 15_000, title: 'Commande 12' })
    const closed = await karba.cancelLink(reference)
    assert.deepEqual(await karba.cancelLink(reference), closed)
    assert.equal((await karba.readLink(reference)).status, 'failed')
  })

  it('SDK: a position before removed events is an error with the position where the feed continues', async () => {
    const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
    const own = new Karba({ secretKey, url: `${address}/api/v1/` })
    for (let nth = 0; nth < 3; nth++)
      await own.waitForPayment((await create({ msisdn: SUCCEEDS }, own)).reference)
    await removeEvents(service, accountId, 2)
    const read = async (after?: number): Promise<(number | undefined)[]> => {
      const found: (number | undefined)[] = []
      const options = { follow: false, ...(after !== undefined && { after }) }
      for await (const { sequence } of own.events(options)) found.push(sequence)
      return found
    }
    assert.deepEqual([await read(), await read(2), await read(3)], [[3], [3], []])
    await assert.rejects(read(1), (error: KarbaError) => {
      assert.deepEqual(
        [error.code, error.status, error.param, error.keptAfter],
        ['cursor_too_old', 410, 'after', 2],
      )
      assert.ok(Date.parse(error.removedUntil ?? '') > 0)
      return true
    })
  })

  it('SDK: a paid payment has the address of its receipt, and every answer its request id', async () => {
    const made = await create({ msisdn: SUCCEEDS })
    assert.match(requestIdOf(made) ?? '', /^req_/)
    const paid = await karba.waitForPayment(made.reference)
    const read = await karba.readPayment(made.reference)
    assert.equal(read.receipt_url, paid.receipt_url)
    const receipt = await fetch(read.receipt_url as string)
    assert.equal(receipt.status, 200)
    assert.match(requestIdOf(read) ?? '', /^req_/)
    assert.notEqual(requestIdOf(read), requestIdOf(made))
    assert.ok(!JSON.stringify(read).includes('req_'), 'the id is not part of the body')
    assert.equal(
      (await karba.readPayment((await create({ msisdn: '40410000008' })).reference)).receipt_url,
      undefined,
    )
  })

  it('SDK: names itself and its runtime in User-Agent', async () => {
    const agents: (string | null)[] = []
    const spying: typeof fetch = (url, init) => {
      agents.push(new Headers(init?.headers).get('user-agent'))
      return fetch(url, init)
    }
    await new Karba({ secretKey, url: address, fetch: spying }).showAccount()
    assert.deepEqual(agents, [`karba-node/${VERSION} node/${process.versions.node}`])
  })

  it('SDK: maxRetries says how often a call is repeated, of the client or of one call', async () => {
    const proxy = await openFaultyProxy(address, () => 'is cut before the service', {
      readsToo: true,
    })
    const counted = async (
      call: (karba: Karba) => Promise<unknown>,
      maxRetries: number,
    ): Promise<number> => {
      const before = proxy.met.get('is cut before the service') ?? 0
      await assert.rejects(call(new Karba({ secretKey, url: proxy.url, maxRetries })))
      return (proxy.met.get('is cut before the service') ?? 0) - before
    }
    assert.equal(await counted((own) => own.showAccount(), 0), 1)
    assert.equal(await counted((own) => own.showAccount(), 2), 3)
    assert.equal(await counted((own) => own.showAccount({ maxRetries: 1 }), 5), 2)
    assert.equal(await counted((own) => create({}, own), 0), 1)
    await proxy.close()
  })

  it('SDK: entries and settlements can be read one by one, beyond a page', async () => {
    const own = (await service.merchant()).accounts.sandbox
    const karba = new Karba({ secretKey: own.secretKey, url: address })
    const references = await Promise.all([1, 2, 3].map(() => create({ msisdn: SUCCEEDS }, karba)))
    for (const { reference } of references) await karba.waitForPayment(reference)
    const whole = (await karba.listEntries({ limit: 100 })).data
    const single = await allOf(karba.eachEntry({ limit: 1 }))
    assert.deepEqual(single, whole)
    assert.ok(single.length >= 3)
    assert.deepEqual(await allOf(karba.eachSettlement({ limit: 1 })), [])
  })

  it('SDK: refunds can be read one by one, beyond a page and by their state', async () => {
    const own = (await service.merchant()).accounts.sandbox
    const karba = new Karba({ secretKey: own.secretKey, url: address })
    const { reference } = await create({ msisdn: SUCCEEDS }, karba)
    await karba.waitForPayment(reference)
    const made: string[] = []
    for (const amount of [100, 200, 300]) {
      const refund = await karba.refundPayment(reference, { amount })
      made.push(refund.reference)
    }
    const all = await allOf(karba.eachRefund({ limit: 1, payment: reference }))
    assert.deepEqual(
      all.map((refund) => refund.reference),
      made.reverse(),
    )
    // Refunds settle beside the test: a list read twice before that may differ.
    const noneIsOpen = async () => (await karba.listRefunds({ status: 'open' })).data.length === 0
    await until('refunds have settled', noneIsOpen)
    const settled = await allOf(karba.eachRefund({ payment: reference }))
    const states = new Set(settled.map(({ status }) => status))
    for (const status of states) {
      const { data } = await karba.listRefunds({ status, limit: 100 })
      assert.deepEqual(await allOf(karba.eachRefund({ status, limit: 1 })), data)
    }
  })

  it('SDK: events end with their signal', async () => {
    const leaving = new AbortController()
    const feed = karba.events({ after: 'latest', signal: leaving.signal })
    const next = feed.next()
    setImmediate(() => leaving.abort())
    await assert.rejects(next, { code: 'aborted' })
  })
})

async function allOf<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}

describe('a settlement of several lines', async () => {
  const service = await openVirtualService(SQLITE)
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  after(() => service.remove())

  it('SDK: the lines of a settlement can be read one by one, and settlements of some days', async () => {
    const shop = await openShopBooks(service)
    const karba = new Karba({ secretKey: shop.secretKey, url: address })
    const references = [await shop.settled(), await shop.settled(), await shop.settled()]
    await service.clock.advance(1_000)
    await shop.run(references.map((reference) => shop.lineOf(reference)))
    await service.clock.advance(1_000)
    await shop.run([shop.lineOf('', { type: 'settlement', amountXof: -4_000 })])
    const [settlement] = await allOf(karba.eachSettlement())
    const { settlement: name = '', left_on: day = '' } = settlement ?? {}
    const { lines } = await karba.readSettlement(name)
    const single = await allOf(karba.eachSettlementLine(name, { limit: 1 }))
    assert.deepEqual(single, lines)
    assert.deepEqual(single.map((line) => line.payment_reference).sort(), references.sort())
    assert.equal((await allOf(karba.eachSettlement({ from: day, to: day }))).length, 1)
    assert.deepEqual(await allOf(karba.eachSettlement({ to: '2000-01-01' })), [])
  })
})

interface Operation {
  operationId?: string
  parameters?: { name: string; in: string }[]
}

const file = new URL('../../docs/openapi.json', import.meta.url)
const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}
const operations = Object.values(paths).flatMap((item) => Object.values(item))

/** The iterators whose names do not follow from their lists. */
const ITERATORS: Record<string, string> = {
  listEvents: 'events',
  readSettlement: 'eachSettlementLine',
}

it('SDK: has an iterator for each operation that answers in pages', () => {
  const inPages = operations.filter(({ parameters = [] }) =>
    parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'after'),
  )
  const names = inPages.map(({ operationId = '' }) => operationId)
  assert.ok(names.length >= 6)
  const iterators = names.map(
    (name) =>
      ITERATORS[name] ?? name.replace(/^list/, 'each').replace(/ies$/, 'y').replace(/s$/, ''),
  )
  assert.deepEqual(
    iterators.filter((name) => !(name in Karba.prototype)),
    [],
  )
})

it('SDK: its README names each method of the client', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const methods = Object.getOwnPropertyNames(Karba.prototype)
  const notForUsers = ['constructor', 'toJSON']
  const missing = methods.filter(
    (name) => !notForUsers.includes(name) && !readme.includes(`${name}(`),
  )
  assert.deepEqual(missing, [])
})

it('SDK: has a method for each operation of a merchant’s server', () => {
  const ids = operations.flatMap(({ operationId }) => operationId ?? [])
  const ofPages = ['createLinkFromPage', 'askBeforeLinkFromPage']
  const missing = ids.filter((id) => !ofPages.includes(id) && !(id in Karba.prototype))
  assert.deepEqual(missing, [])
})

describe('the secret key', () => {
  const secretKey = 'sk_live_notToBeSeen'
  const url = 'http://127.0.0.1:9'

  it('SDK: the secret key is never printed', async () => {
    const karba = new Karba({ secretKey, url })
    const error = await karba.readPayment('x', { timeoutMs: 50 }).catch((thrown: unknown) => thrown)
    for (const shown of [karba, { karba }, error]) {
      assert.doesNotMatch(inspect(shown, { depth: 9, showHidden: true }), /notToBeSeen/)
      assert.doesNotMatch(JSON.stringify(shown) ?? '', /notToBeSeen/)
    }
    assert.match(inspect(karba), /environment: 'live'/)
  })

  it('SDK: refuses a secret key in a page, and any other key', () => {
    const page = globalThis as { document?: object }
    page.document = {}
    assert.throws(() => new Karba({ secretKey, url }), {
      code: 'configuration',
      message: /never be in a page/,
    })
    delete page.document
    for (const other of [
      'pk_live_x',
      'sk_live_',
      'sk_sandbox_…',
      `${secretKey}\n`,
      ` ${secretKey}`,
    ])
      assert.throws(() => new Karba({ secretKey: other, url }), {
        code: 'configuration',
        message: /^secretKey must begin with sk_sandbox_ or sk_live_,.* was it copied whole\?/,
      })
    for (const other of ['karba.example', 'http://', 'http://a b/', 'ftp://karba.example'])
      assert.throws(() => new Karba({ secretKey, url: other }), {
        code: 'configuration',
        message: /^url is the http or https address/,
      })
  })

  it('SDK: a setting that the environment lacks is named when the client is made', async () => {
    const env: Record<string, string | undefined> = {}
    for (const given of [undefined, '']) {
      assert.throws(() => new Karba({ secretKey: given, url }), {
        code: 'configuration',
        message: /^secretKey is not set\. Is the secret key in the environment of this process\?/,
      })
      assert.throws(() => new Karba({ secretKey, url: given }), {
        code: 'configuration',
        message:
          /^url is not set\. Is the address of the service in the environment of this process\?/,
      })
    }
    const secrets = { secretHash: env.SECRET_HASH, signingSecret: env.SIGNING_SECRET }
    await assert.rejects(verifyWebhook('{}', {}, secrets), {
      code: 'configuration',
      message: /^Neither secretHash nor signingSecret is set\./,
    })
  })
})
