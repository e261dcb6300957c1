// The table of cases that a client of any language passes. Each has a line of its own in the rules
// of README.md, and drives the client by the commands there.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Fault } from '../../sdk/test/faulty-proxy.ts'
import { openEndpoint } from '../../server/src/actions/webhooks/endpoints.ts'
import {
  dayOf,
  firstOfMonth,
  monthOf,
  startOfDay,
} from '../../server/src/domain/countries/business-day.ts'
import { orderKeyOf } from '../../server/src/domain/people/api-key.ts'
import { EVERY_ACCOUNT } from '../../server/src/domain/people/caller.ts'
import type { Endpoint } from '../../server/src/domain/webhooks/webhook-event.ts'
import { secretsBox } from '../../server/src/service/master-key.ts'
import { findEndpoint } from '../../server/src/store/webhooks/endpoints.ts'
import { makeSigningSecret, webhookHeaders } from '../../server/src/webhooks/sign.ts'
import { readSignedOrder } from '../../server/src/wire/link.ts'
import { head, order } from '../../server/test/kit/service.ts'
import { openShopBooks } from '../../server/test/kit/shop-books.ts'
import { until } from '../../server/test/kit/waiting.ts'
import { removeEvents } from '../../server/test/kit/webhooks.ts'
import type { ClientKind } from './clients.ts'
import { type Answer, ClientError, type ErrorFacts } from './driver.ts'
import { type Client, type Kit, losing, lossyLine, whileTimePasses } from './kit.ts'

export interface Case {
  title: string
  run(kit: Kit): Promise<void>
}

const SUCCEEDS = '40410000000'
const DECLINES = '40410000006'
const STAYS_PENDING = '40410000008'
const TIMES_AT_ONCE = 8
/** Two answers of 32 MiB, and what was on its way. */
const MOST_ENDLESS_MIB = 100

/** The error of a call that must be refused, as far as the case names it. */
async function refused(
  call: Promise<unknown>,
  expected: { [Fact in keyof ErrorFacts]?: ErrorFacts[Fact] | RegExp },
): Promise<ErrorFacts> {
  const facts = await call.then(
    (answer) => assert.fail(`it was answered: ${JSON.stringify(answer)}`),
    (error: unknown) => {
      if (error instanceof ClientError) return error.facts
      throw error
    },
  )
  for (const [fact, value] of Object.entries(expected)) {
    const given = facts[fact as keyof ErrorFacts]
    if (value instanceof RegExp) assert.match(String(given), value, `${fact} of ${facts.message}`)
    else assert.equal(given, value, `${fact} of ${facts.message}`)
  }
  return facts
}

async function paymentsOf(kit: Kit, { account }: Client) {
  return kit.service.db.read<{ reference: string; name: string; status: string }>(
    `select reference, external_reference as name, status from payments
      where account_id = :accountId`,
    { accountId: account.accountId },
  )
}

const references = (rows: readonly { reference?: unknown }[]): unknown[] =>
  rows.map(({ reference }) => reference)

async function paidPayment(client: Client, change: object = {}): Promise<string> {
  const { reference } = await client.create(order({ msisdn: SUCCEEDS, ...change }))
  assert.equal((await client.wait(reference)).status, 'succeeded')
  return reference
}

const times = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

// The client and its errors.

const KEYS = ['pk_live_x', 'sk_live_', 'sk_sandbox_…', 'sk_live_a\n', ' sk_live_a', '']
const URLS = ['karba.example', 'http://', 'http://a b/', 'ftp://karba.example', '']

const CLIENT: readonly Case[] = [
  {
    title: 'a wrong key or address is refused before any request',
    run: async (kit) => {
      for (const secretKey of KEYS)
        await refused(kit.open({ secretKey }), { code: 'configuration', message: /secret.?key/i })
      for (const url of URLS)
        await refused(kit.open({ url }), { code: 'configuration', message: /url/i })
      const { command, account } = await kit.open({ url: `${kit.line.url}/api/v1/` })
      const { answer } = await command({ do: 'call', operation: 'showAccount' })
      assert.equal(answer.account_id, account.accountId)
    },
  },
  {
    title: 'the key is in nothing that the client or its errors print',
    run: async (kit) => {
      const { command, account, call } = await kit.open()
      const { answer } = await command({ do: 'show' })
      const away = await kit.open({ url: 'http://127.0.0.1:1', maxRetries: 0 })
      const error = await refused(away.call('readPayment', { name: 'x' }), { code: 'no_answer' })
      const again = await kit.open({ secretKey: account.secretKey })
      const unknown = await refused(again.read('unknown'), { status: 404 })
      assert.ok((answer.shown as string[]).length > 0)
      for (const shown of [...(answer.shown as string[]), JSON.stringify(error), unknown.shown])
        assert.ok(!/sk_sandbox_\w{4}/.test(shown), shown)
      assert.ok(!unknown.shown.includes(account.secretKey.slice(12)))
      await call('showAccount')
    },
  },
  {
    title: 'User-Agent names the client and its version, and each call has the four headers',
    run: async (kit) => {
      const { call } = await kit.open()
      let seen: Headers = {}
      kit.line.next = (_method, { headers }) => {
        seen = headers as Headers
        return 'passes'
      }
      await call('showAccount')
      assert.equal(seen['content-type'], 'application/json')
      assert.equal(seen['svc-payment-type'], 'mobile')
      assert.match(
        seen['user-agent'] ?? '',
        new RegExp(`^karba-${kit.kind.agent}/\\d+\\.\\d+\\.\\d+ \\S+/\\d`),
      )
    },
  },
  {
    title: 'a refusal has its code, parameter, hint, status and request id',
    run: async (kit) => {
      const client = await kit.open()
      const facts = await refused(client.create(order({ msisdn: '123' })), {
        code: 'msisdn_not_valid',
        param: 'msisdn',
        status: 400,
        hint: /^This number is not valid/,
        message: /^Bad Request: Incorrect MSISDN \(msisdn_not_valid, msisdn\)\. This number/,
        request_id: /^req_/,
      })
      assert.match(facts.shown, /msisdn_not_valid/)
      await refused(client.read('unknown'), { code: 'payment_not_found', status: 404 })
    },
  },
  {
    title: 'a name is encoded, and one that would change the path is refused',
    run: async (kit) => {
      const client = await kit.open()
      const name = 'cmd/12: été 🛒 ?&#%2F+'
      const { reference } = await client.create(order({ transaction_id: name }))
      assert.equal((await client.read(name)).reference, reference)
      assert.deepEqual(
        references(await client.each('listPayments', { query: { payment: name } })),
        [reference],
      )
      for (const wrong of ['', '.', '..']) {
        await refused(client.read(wrong), { code: 'configuration' })
        await refused(client.call('refundPayment', { name: wrong }), { code: 'configuration' })
        await refused(client.call('cancelLink', { name: wrong }), { code: 'configuration' })
        await refused(client.wait(wrong), { code: 'configuration' })
      }
    },
  },
]

// Payments, refunds, links.

const PAYMENTS: readonly Case[] = [
  {
    title: 'wait ends at the outcome, or with the pending payment at its timeout',
    run: async (kit) => {
      const client = await kit.open()
      const made = await client.create(order({ msisdn: SUCCEEDS }))
      assert.equal(made.status, 'pending')
      const paid = await client.wait(made.reference)
      assert.deepEqual([paid.status, paid.reference], ['succeeded', made.reference])
      assert.match(paid.receipt_url, /^http/)
      const failed = await client.wait((await client.create(order({ msisdn: DECLINES }))).reference)
      assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'declined'])
      const open = await client.create(order({ msisdn: STAYS_PENDING }))
      assert.equal((await client.wait(open.reference, 300)).status, 'pending')
    },
  },
  {
    title: 'every answer has its request id, which is not part of the body',
    run: async (kit) => {
      const client = await kit.open()
      const made = await client.command({ do: 'call', operation: 'createPayment', body: order() })
      assert.match(made.requestId ?? '', /^req_/)
      assert.ok(!JSON.stringify(made.answer).includes('req_'))
      const { reference: name } = made.answer
      const read = await client.command({ do: 'call', operation: 'readPayment', name })
      assert.match(read.requestId ?? '', /^req_/)
      assert.notEqual(read.requestId, made.requestId)
    },
  },
  {
    title: 'a taken transaction_id or order_reference is a 422 that names the payment',
    run: async (kit) => {
      const client = await kit.open()
      const wanted = order({ msisdn: SUCCEEDS, order_reference: 'basket-7' })
      const { reference } = await client.create(wanted)
      await client.wait(reference)
      await refused(client.create({ ...wanted, order_reference: undefined, amount: 2_000 }), {
        code: 'external_reference_taken',
        status: 422,
        existing_reference: reference,
      })
      await refused(client.create(order({ order_reference: 'basket-7' })), {
        code: 'order_reference_taken',
        existing_reference: reference,
      })
    },
  },
  {
    title: 'texts and maps travel unchanged, an empty map stays a map',
    run: async (kit) => {
      const client = await kit.open()
      const metadata = { shop: 'Niamey « é 🛒 »', '0': 'zero', '': undefined, html: '</a>\\/' }
      const { reference } = await client.create(order({ metadata }))
      assert.deepEqual(
        (await client.read(reference)).metadata,
        JSON.parse(JSON.stringify(metadata)),
      )
      const empty = await client.create(order({ metadata: {} }))
      assert.equal(empty.status, 'pending')
    },
  },
  {
    title: 'lists are read page by page, with their filters',
    run: async (kit) => {
      const client = await kit.open()
      const made: string[] = []
      for (const msisdn of [SUCCEEDS, DECLINES, SUCCEEDS])
        made.push((await client.create(order({ msisdn }))).reference)
      for (const reference of made) await client.wait(reference)
      const all = await client.each('listPayments', { query: { limit: 1 } })
      assert.deepEqual(references(all), [...made].reverse())
      const failed = await client.call('listPayments', { query: { status: 'failed' } })
      assert.deepEqual([failed.data.length, failed.next], [1, null])
      assert.equal((await client.each('listPayments', { query: { limit: 1 }, most: 2 })).length, 2)
      const whole = (await client.call('listEntries', { query: { limit: 100 } })).data
      assert.ok(whole.length >= 2)
      assert.deepEqual(await client.each('listEntries', { query: { limit: 1 } }), whole)
      assert.equal(typeof (await client.call('readBalance')).in_wallet, 'number')
    },
  },
  {
    title: 'a refund of a part or of the rest, each once',
    run: async (kit) => {
      const client = await kit.open()
      const name = await paidPayment(client)
      const refund = (body?: object): Promise<Answer> =>
        client.call('refundPayment', { name, body })
      const part = await refund({ amount: 500, refund_id: 'return-1' })
      assert.deepEqual([part.amount, part.remaining_amount], [500, 1_000])
      const again = await refund({ amount: 500, refund_id: 'return-1' })
      assert.equal(again.reference, part.reference)
      await refused(refund({ amount: 1_001 }), { code: 'refund_amount_too_large' })
      const rest = await refund()
      assert.deepEqual([rest.amount, rest.refunds.length], [1_000, 2])
      assert.equal((await refund()).reference, rest.reference)
      assert.equal((await client.call('readRefund', { name })).reference, rest.reference)
      const listed = await client.each('listRefunds', { query: { limit: 1, payment: name } })
      assert.deepEqual(references(listed), [rest.reference, part.reference])
      await client.call('listRefunds', { query: { status: 'open' } })
    },
  },
  {
    title: 'a link is created, read and cancelled',
    run: async (kit) => {
      const client = await kit.open()
      const made = await client.call('createLink', { body: { amount: 15_000, title: 'Été 12' } })
      assert.equal(made.page_url, `${kit.address}/pay/${made.reference}`)
      const read = await client.call('readLink', { name: made.reference })
      assert.deepEqual(
        [read.status, read.title, read.page_url],
        ['initiated', 'Été 12', made.page_url],
      )
      const closed = await client.call('cancelLink', { name: made.reference })
      assert.deepEqual(await client.call('cancelLink', { name: made.reference }), closed)
      assert.equal(closed.status, 'failed')
      const poster = await client.call('createLink', {
        body: {
          title: 'Un don',
          minimum_amount: 500,
          suggested_amounts: [1_000, 2_000],
          reusable: true,
        },
      })
      assert.deepEqual([poster.amount, poster.suggested_amounts], [undefined, [1_000, 2_000]])
      await refused(client.call('createLink', { body: { amount: 1, title: 'x' } }), {
        code: 'amount_not_valid',
      })
    },
  },
  {
    title: 'the account of the key',
    run: async (kit) => {
      const client = await kit.open()
      const { account_id: id, environment } = await client.call('showAccount')
      assert.deepEqual([id, environment], [client.account.accountId, 'sandbox'])
    },
  },
]

// The books.

const BOOKS: readonly Case[] = [
  {
    title: 'settlements, their lines, and what the bank received',
    run: async (kit) => {
      const { service, address } = await kit.books()
      const shop = await openShopBooks(service)
      const client = await kit.open({ url: address, secretKey: shop.secretKey })
      const made = [await shop.settled(), await shop.settled(), await shop.settled()]
      await service.clock.advance(1_000)
      await shop.run(made.map((reference) => shop.lineOf(reference)))
      await service.clock.advance(1_000)
      await shop.run([shop.lineOf('', { type: 'settlement', amountXof: -4_000 })])
      const [settlement] = await client.each('listSettlements', { query: { limit: 1 } })
      const name = settlement?.settlement as string
      const { lines } = await client.call('readSettlement', { name })
      const single = await client.each('readSettlement', { name, query: { limit: 1 } })
      assert.deepEqual(single, lines)
      assert.deepEqual(single.map((line) => line.payment_reference).sort(), made.sort())
      const query = { to: '2000-01-01' }
      assert.deepEqual((await client.call('listSettlements', { query })).data, [])
      const body = { amount: 4_000 }
      const confirmed = await client.call('confirmSettlement', { name, body })
      assert.equal(confirmed.status, 'received')
      assert.deepEqual(await client.call('confirmSettlement', { name, body }), confirmed)
    },
  },
  {
    title: 'a statement as JSON, statements and months as files, byte for byte',
    run: async (kit) => {
      const { service, address } = await kit.books()
      const shop = await openShopBooks(service)
      const client = await kit.open({ url: address, secretKey: shop.secretKey })
      const month = monthOf(service.clock.now())
      await shop.settled()
      const nextMonth = startOfDay(firstOfMonth(firstOfMonth(dayOf(service.clock.now())) + 31))
      const period = { from: `${month}-01`, to: `${month}-28`, connection: 'airtel_ne' }
      await refused(client.call('downloadMonth', { query: { month } }), { code: 'month_not_over' })
      await service.clock.sleep(nextMonth + 86_400_000 - service.clock.now())
      const passing = <T>(work: Promise<T>): Promise<T> => whileTimePasses(service, work)
      const statement = await passing(client.call('readStatement', { query: period }))
      assert.equal(statement.connection, 'airtel_ne')
      const query = { ...period, format: 'csv', language: 'en' }
      const { file } = await passing(client.call('downloadStatement', { query }))
      const direct = await passing(
        fetch(`${address}/api/v1/statements?${new URLSearchParams(query)}`, {
          headers: head(shop.secretKey),
        }).then((answer) => answer.bytes()),
      )
      assert.equal(file, Buffer.from(direct).toString('base64'))
      const zip = await passing(client.call('downloadMonth', { query: { month } }))
      assert.equal(Buffer.from(zip.file, 'base64').toString('latin1', 0, 4), 'PK\x03\x04')
    },
  },
]

// Lost answers.

const LOST: readonly Fault[] = [
  'is cut before the service',
  'is cut after the commit',
  'is cut in the middle of the answer',
  'gets a 504 of the proxy',
]

const LOST_ANSWERS: readonly Case[] = [
  {
    title: 'a lost answer to a creation is read back by transaction_id before it is repeated',
    run: async (kit) => {
      const client = await kit.open()
      for (const fault of LOST) {
        const methods: string[] = []
        const faulty = losing('POST', [fault])
        kit.line.next = (method, request) => {
          methods.push(method)
          return faulty(method, request)
        }
        const wanted = order()
        const made = await client.create(wanted)
        assert.equal((await client.read(wanted.transaction_id as string)).reference, made.reference)
        assert.equal(methods[1], 'GET', `after the answer ${fault}`)
      }
      assert.equal((await paymentsOf(kit, client)).length, LOST.length)
    },
  },
  {
    title: 'a creation gets its payment when the read is lost too, and its own 422 comes back',
    run: async (kit) => {
      const client = await kit.open()
      let isFirst = true
      const faults: Fault[] = ['is cut after the commit', 'is cut before the service']
      kit.line.next = () => {
        isFirst = false
        return faults.shift() ?? 'passes'
      }
      const wanted = order({ metadata: { shop: 'Niamey' } })
      const { reference } = await client.create(wanted)
      assert.ok(!isFirst)
      assert.deepEqual(references(await paymentsOf(kit, client)), [reference])
    },
  },
  {
    title: 'after a lost answer, a payment with another amount or payer is not taken for its own',
    run: async (kit) => {
      const client = await kit.open()
      const wanted = order()
      const { reference } = await client.create(wanted)
      for (const change of [{ amount: 2_000 }, { msisdn: '96123457' }])
        for (const fault of ['is cut before the service', 'is cut after the commit'] as const) {
          kit.line.next = losing('POST', [fault])
          await refused(client.create({ ...wanted, ...change }), {
            status: 422,
            existing_reference: reference,
          })
        }
      assert.equal((await paymentsOf(kit, client)).length, 1)
    },
  },
  {
    title: 'a creation without an answer ends at its deadline with outcome_unknown',
    run: async (kit) => {
      const client = await kit.open()
      for (const fault of ['is cut after the commit', 'is never answered'] as const) {
        kit.line.next = () => fault
        const begunAt = performance.now()
        await refused(client.create(order(), { timeout_ms: 700 }), { code: 'outcome_unknown' })
        const tookMs = performance.now() - begunAt
        assert.ok(tookMs < 5_000, `${fault}: ${tookMs} ms`)
      }
      assert.equal((await paymentsOf(kit, client)).length, 1)
    },
  },
  {
    title: 'a read without an answer ends at its deadline with no_answer',
    run: async (kit) => {
      const client = await kit.open()
      kit.line.next = () => 'is never answered'
      const begunAt = performance.now()
      await refused(client.call('readPayment', { name: 'x', timeout_ms: 700 }), {
        code: 'no_answer',
      })
      assert.ok(performance.now() - begunAt < 5_000)
    },
  },
  {
    title: 'a 503 is repeated after its Retry-After, or ends the call if that is too late',
    run: async (kit) => {
      const client = await kit.open()
      kit.line.next = losing('POST', ['gets a 503', 'gets a 503'])
      const { reference } = await client.create(order())
      kit.line.next = () => 'gets a 503 for a minute'
      const begunAt = performance.now()
      await refused(client.create(order(), { timeout_ms: 20_000 }), { status: 503 })
      assert.ok(performance.now() - begunAt < 5_000)
      assert.deepEqual(references(await paymentsOf(kit, client)), [reference])
    },
  },
  {
    title: 'max_retries says how often a call is repeated, of the client or of one call',
    run: async (kit) => {
      const counted = async (maxRetries: number, input: object = {}): Promise<number> => {
        const client = await kit.open({ maxRetries })
        let count = 0
        kit.line.next = () => {
          count++
          return 'is cut before the service'
        }
        await refused(client.call('showAccount', input), { code: 'no_answer' })
        return count
      }
      assert.deepEqual(
        [await counted(0), await counted(2), await counted(5, { max_retries: 1 })],
        [1, 3, 2],
      )
    },
  },
  {
    title: 'a redirect is not followed',
    run: async (kit) => {
      const client = await kit.open()
      kit.line.next = () => 'gets a redirect'
      await refused(client.call('showAccount'), { code: 'unexpected_answer', status: 307 })
      assert.deepEqual(await paymentsOf(kit, client), [])
    },
  },
  {
    title: 'an answer without end is not read on',
    run: async (kit) => {
      const client = await kit.open()
      kit.line.next = () => 'gets an endless answer'
      const input = { name: 'x', max_retries: 0 }
      await refused(client.call('readPayment', input), { code: 'unexpected_answer' })
      await refused(client.create(order(), { max_retries: 0 }), { code: 'outcome_unknown' })
      const mib = kit.line.endlessBytes() / 2 ** 20
      assert.ok(mib > 0 && mib < MOST_ENDLESS_MIB, `${mib} MiB were sent`)
    },
  },
  {
    title: 'a creation that a proxy answers has an unknown outcome, unless a read finds it',
    run: async (kit) => {
      const client = await kit.open()
      kit.line.next = losing('POST', ['gets a 404 of the proxy'])
      const { reference } = await client.create(order())
      kit.line.next = () => 'gets a 404 of the proxy'
      const late = { timeout_ms: 2_000, max_retries: 1 }
      await refused(client.create(order(), late), { code: 'outcome_unknown' })
      await refused(client.call('showAccount', late), { code: 'unexpected_answer', status: 404 })
      const recorded = await paymentsOf(kit, client)
      assert.deepEqual(
        [recorded.length, recorded.some((row) => row.reference === reference)],
        [2, true],
      )
    },
  },
  {
    title: 'a part is refunded once when its answer is lost, without a refund_id too',
    run: async (kit) => {
      const client = await kit.open()
      const name = await paidPayment(client)
      for (const fault of LOST) {
        kit.line.next = losing('POST', [fault])
        await client.call('refundPayment', { name, body: { amount: 100 } })
      }
      const { refunds } = await client.call('readRefund', { name })
      assert.equal(refunds.length, LOST.length)
    },
  },
  {
    title: 'a link is created once when its answer is lost',
    run: async (kit) => {
      const client = await kit.open()
      for (const fault of LOST) {
        kit.line.next = losing('POST', [fault])
        const made = await client.call('createLink', { body: { amount: 5_000, title: fault } })
        assert.equal(made.page_url, `${kit.address}/pay/${made.reference}`)
      }
      const rows = await kit.service.db.read(
        'select reference from payment_links where account_id = :accountId',
        { accountId: client.account.accountId },
      )
      assert.equal(rows.length, LOST.length)
    },
  },
  {
    title: 'a client killed before its answer finds the payment by its transaction_id',
    run: async (kit) => {
      const first = await kit.openAnother()
      const wanted = order()
      kit.line.next = () => 'is cut after the commit'
      const lost = first.create(wanted)
      lost.catch(() => {})
      await until('recorded payment', async () => (await paymentsOf(kit, first)).length === 1)
      await first.driver.kill()
      await assert.rejects(lost, /ended/)
      kit.line.next = () => 'passes'
      const second = await kit.openAnother({ account: first.account })
      const found = await second.read(wanted.transaction_id as string)
      await refused(second.create(wanted), { existing_reference: found.reference })
      assert.equal((await paymentsOf(kit, first)).length, 1)
    },
  },
  {
    title: 'many orders over a line that loses 35 % of the answers: a payment each, paid once',
    run: payManyOrders,
  },
]

/**
 * Several processes of the client share an account. They may repeat more often than by default: on
 * a busy machine the service also sheds load, and each 503 is one of the attempts.
 */
async function payManyOrders(kit: Kit): Promise<void> {
  const account = await kit.account()
  const clients = await Promise.all(
    times(TIMES_AT_ONCE).map(() => kit.openAnother({ account, timeoutMs: 90_000, maxRetries: 30 })),
  )
  const lossy = lossyLine(kit.seed)
  const seen: string[] = []
  kit.line.next = async (method, request) => {
    const fault = await lossy(method, request)
    seen.push(`${Math.round(performance.now())} ${method} ${request.url} ${fault}`)
    return fault
  }
  const wanted = times(kit.orders).map(() => order({ msisdn: '96123456' }))
  const left = [...wanted]
  const made = new Map<string, string>()
  const work = async (client: Client): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { reference } = await client.create(next).catch((error: Error) => {
        throw new Error(`${error.message}\nThe line:\n${seen.join('\n')}`, { cause: error })
      })
      made.set(next.transaction_id as string, reference)
    }
  }
  await Promise.all(clients.map(work))
  const client = clients[0] as Client
  const recorded = await paymentsOf(kit, client)
  assert.equal(recorded.length, kit.orders)
  assert.deepEqual(new Map(recorded.map(({ name, reference }) => [name, reference])), made)
  await until('end of the payments', async () =>
    (await paymentsOf(kit, client)).every(({ status }) => status === 'succeeded'),
  )
  const { events, kept } = await client.events()
  const paid = events.filter(({ event }) => event === 'payment.succeeded')
  assert.deepEqual(
    paid.map(({ data }) => data.external_reference).sort(),
    wanted.map((each) => each.transaction_id).sort(),
  )
  assert.equal(kept, events.at(-1)?.sequence)
  for (const { driver } of clients) await driver.close()
}

// Webhooks and the feed.

const SECRET_HASH = 'le mot de la boutique'
const [OLD, NEW, STRANGE] = [1, 2, 3].map((byte) =>
  makeSigningSecret(new Uint8Array(32).fill(byte)),
) as [string, string, string]
const EVENT = {
  id: 'evt_1',
  event: 'payment.succeeded',
  data: { reference: 'été 🛒', amount: 1_500, metadata: {} },
}
const BODY = JSON.stringify(EVENT)
const MINUTE_MS = 60_000
const BOTH = { secret_hash: SECRET_HASH, signing_secret: NEW }

type Headers = Record<string, string>

/** The headers of an event as the service sends it, signed with the old and the new secret. */
function sent(signedAt = Date.now(), signingSecrets: readonly string[] = [NEW, OLD]): Headers {
  const posted = {
    eventId: 'evt_1',
    body: BODY,
    secretHash: SECRET_HASH,
    signingSecrets,
    replay: 0,
  }
  return webhookHeaders(posted, signedAt)
}

function without(name: string): Headers {
  const { [name]: _removed, ...rest } = sent()
  return rest
}

/** Signed with the key that a client has whose secret is empty. */
function signedWithNothing(): Headers {
  const headers = sent()
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${BODY}`
  const signature = createHmac('sha256', '').update(content).digest('base64')
  return { ...headers, 'webhook-signature': `v1,${signature}`, 'secret-hash': '' }
}

const FORGED: [what: string, headers: () => Headers, body?: string, secrets?: object][] = [
  ['with another Secret-Hash', () => ({ ...sent(), 'secret-hash': `${SECRET_HASH}!` })],
  ['with the beginning of the Secret-Hash', () => ({ ...sent(), 'secret-hash': 'le mot' })],
  ['with an empty Secret-Hash', () => ({ ...sent(), 'secret-hash': '' })],
  ['without a Secret-Hash', () => without('secret-hash')],
  ['with one bit of its body changed', () => sent(), BODY.replace('evt_1', 'evt_0')],
  ['with an empty body', () => sent(), ''],
  ['with another id', () => ({ ...sent(), 'webhook-id': 'evt_2' })],
  ['without an id', () => without('webhook-id')],
  [
    'with a later time',
    () => ({ ...sent(), 'webhook-timestamp': `${Math.ceil(Date.now() / 1_000) + 1}` }),
  ],
  ['with a time in words', () => ({ ...sent(), 'webhook-timestamp': 'now' })],
  ['without a time', () => without('webhook-timestamp')],
  ['of ten minutes ago, sent again', () => sent(Date.now() - 10 * MINUTE_MS)],
  ['of ten minutes from now', () => sent(Date.now() + 10 * MINUTE_MS)],
  ['without a signature', () => without('webhook-signature')],
  ['with a signature of nothing', () => ({ ...sent(), 'webhook-signature': 'v1,' })],
  ['with a signature that is no base64', () => ({ ...sent(), 'webhook-signature': 'v1,é' })],
  [
    'with a signature of another version',
    () => {
      const headers = sent()
      const other = headers['webhook-signature']?.replaceAll('v1,', 'v2,') as string
      return { ...headers, 'webhook-signature': other }
    },
  ],
  ['signed by a stranger', () => sent(Date.now(), [STRANGE])],
  ['signed with an old secret after the roll', () => sent(Date.now(), [OLD])],
  ['signed with an empty secret', signedWithNothing],
]

const WEBHOOKS: readonly Case[] = [
  {
    title: 'a genuine webhook is verified by either proof or both, while a secret is rolled too',
    run: async (kit) => {
      const { command } = await kit.open()
      const body = Buffer.from(BODY).toString('base64')
      const canonical = Object.fromEntries(
        Object.entries(sent()).map(([name, value]) => [
          name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
          value,
        ]),
      )
      for (const secrets of [
        BOTH,
        { secret_hash: SECRET_HASH },
        { signing_secret: NEW },
        { signing_secret: OLD },
      ])
        for (const headers of [sent(), canonical]) {
          const verified = await command({ do: 'verify_webhook', body, headers, ...secrets })
          assert.deepEqual(verified.answer, EVENT)
        }
      const old = { headers: sent(Date.now() - 10 * MINUTE_MS), tolerance_seconds: 900 }
      await command({ do: 'verify_webhook', body, ...old, ...BOTH })
    },
  },
  {
    title: 'a forged, changed or old webhook is refused',
    run: async (kit) => {
      const { command } = await kit.open()
      for (const [what, headers, body = BODY] of FORGED) {
        const bytes = Buffer.from(body).toString('base64')
        const verify = { do: 'verify_webhook', body: bytes, headers: headers(), ...BOTH }
        const { code } = await refused(command(verify), {}).catch((error: Error) =>
          assert.fail(`a webhook ${what}: ${error.message}`),
        )
        assert.equal(code, 'webhook_not_valid', `a webhook ${what}`)
      }
      const noText = { body: Buffer.from('no JSON').toString('base64'), headers: sent() }
      const secrets = { secret_hash: SECRET_HASH }
      await refused(command({ do: 'verify_webhook', ...noText, ...secrets }), {
        code: 'webhook_not_valid',
      })
    },
  },
  {
    title: 'verification without a usable secret is a mistake of configuration',
    run: async (kit) => {
      const { command } = await kit.open()
      const body = Buffer.from(BODY).toString('base64')
      for (const secrets of [
        {},
        { secret_hash: '', signing_secret: '' },
        { signing_secret: 'x' },
        { signing_secret: 'whsec_' },
      ])
        for (const headers of [sent(), signedWithNothing()])
          await refused(command({ do: 'verify_webhook', body, headers, ...secrets }), {
            code: 'configuration',
          })
    },
  },
  {
    title: 'a webhook for the merchant’s own tests is what the service sends',
    run: async (kit) => {
      const { command } = await kit.open()
      const at = new Date()
      const made = await command({
        do: 'test_webhook',
        event: {
          event: 'payment.succeeded',
          data: { external_reference: 'order-7', amount: 2_500 },
        },
        signed_at: at.toISOString(),
        ...BOTH,
      })
      const { headers, body } = made.answer as { headers: Headers; body: string }
      const event = JSON.parse(body)
      assert.deepEqual(
        [event.event, event.data.external_reference, event.data.amount, event.data.status],
        ['payment.succeeded', 'order-7', 2_500, 'succeeded'],
      )
      const ofService = webhookHeaders(
        { eventId: event.id, body, secretHash: SECRET_HASH, signingSecrets: [NEW], replay: 0 },
        at.getTime(),
      )
      for (const name of ['secret-hash', 'webhook-id', 'webhook-timestamp', 'webhook-signature'])
        assert.equal(headers[name], ofService[name], name)
    },
  },
  {
    title: 'a signed order is accepted by the service',
    run: async (kit) => {
      const client = await kit.open()
      const wanted = {
        transaction_id: 'cmd-12/é 🛒',
        amount: 15_000,
        title: 'Été à Niamey',
        order_reference: 'o-12',
      }
      const { answer } = await client.command({ do: 'sign_order', order: wanted })
      const keys = [orderKeyOf(client.account.secretKey)]
      const signed = readSignedOrder(answer.signed, keys)
      assert.deepEqual(
        [signed?.externalReference, signed?.amount, signed?.title, signed?.orderReference],
        Object.values(wanted),
      )
      assert.ok((signed?.expiresAt as number) > Date.now() + 50 * MINUTE_MS)
    },
  },
]

const HOOKS = 'https://shop.example.com/hooks'

/** An event as it is signed now: with the secrets of the endpoint in the service. */
async function signedFor(kit: Kit, endpointId: string): Promise<Headers> {
  const endpoint = await findEndpoint(kit.service.db, EVERY_ACCOUNT, endpointId)
  const { signingSecrets } = openEndpoint(
    secretsBox(kit.service.master, kit.service.random),
    endpoint as Endpoint,
    Date.now(),
  )
  return sent(Date.now(), signingSecrets)
}

const ENDPOINTS: readonly Case[] = [
  {
    title: 'a plugin registers, changes, tests and deletes its webhook',
    run: async (kit) => {
      const client = await kit.open()
      const wanted = { url: `${HOOKS}/1`, events: ['payment.succeeded', 'refund.succeeded'] }
      const made = await client.call('createWebhookEndpoint', { body: wanted })
      const { signing_secret: secret, ...endpoint } = made
      assert.match(secret, /^whsec_/)
      assert.deepEqual(
        [endpoint.url, endpoint.events, endpoint.status],
        [...Object.values(wanted), 'on'],
      )
      assert.deepEqual((await client.call('listWebhookEndpoints')).data, [endpoint])
      const { id: name } = made
      const test = await client.call('testWebhookEndpoint', { name })
      const { events } = await client.events()
      assert.deepEqual(
        events.map(({ event, sequence, data }) => [event, sequence, data.endpoint]),
        [['webhook.test', test.sequence, name]],
      )
      const off = await client.call('changeWebhookEndpoint', { name, body: { status: 'off' } })
      assert.deepEqual(off, { ...endpoint, status: 'off' })
      await refused(client.call('testWebhookEndpoint', { name }), { code: 'endpoint_off' })
      const gone = await client.call('deleteWebhookEndpoint', { name })
      assert.deepEqual(gone, { id: name, deleted: true })
      await refused(client.call('deleteWebhookEndpoint', { name }), {
        code: 'endpoint_not_found',
        status: 404,
      })
      assert.deepEqual((await client.call('listWebhookEndpoints')).data, [])
    },
  },
  {
    title: 'a webhook whose creation was not answered is found, and its secret is rolled',
    run: async (kit) => {
      const client = await kit.open()
      for (const fault of LOST) {
        const body = { url: `${HOOKS}/${fault.replaceAll(' ', '-')}` }
        kit.line.next = losing('POST', [fault])
        const made = await client
          .call('createWebhookEndpoint', { body })
          .catch((error: unknown) => {
            if (error instanceof ClientError) return error.facts
            throw error
          })
        // The answer was lost before the service had the request, or after it.
        const name = 'code' in made ? made.existing_reference : made.id
        if ('code' in made) assert.deepEqual([made.code, made.param], ['endpoint_url_taken', 'url'])
        kit.line.next = () => 'passes'
        const rolled = await client.call('rollWebhookSecret', { name })
        const { answer } = await client.command({
          do: 'verify_webhook',
          body: Buffer.from(BODY).toString('base64'),
          headers: await signedFor(kit, name),
          signing_secret: rolled.signing_secret,
        })
        assert.deepEqual(answer, EVENT)
        const { data } = await client.call('listWebhookEndpoints')
        assert.deepEqual(
          (data as Answer[]).filter(({ url }) => url === body.url).map(({ id }) => id),
          [name],
        )
        await client.call('deleteWebhookEndpoint', { name })
      }
    },
  },
  {
    title: 'a rolled secret overlaps with the old one for as long as the plugin says',
    run: async (kit) => {
      const client = await kit.open()
      const made = await client.call('createWebhookEndpoint', { body: { url: `${HOOKS}/rolled` } })
      const { id: name } = made
      const verify = async (signingSecret: string) =>
        client.command({
          do: 'verify_webhook',
          body: Buffer.from(BODY).toString('base64'),
          headers: await signedFor(kit, name),
          signing_secret: signingSecret,
        })
      const kept = await client.call('rollWebhookSecret', { name, body: { keep_old_minutes: 60 } })
      assert.notEqual(kept.signing_secret, made.signing_secret)
      for (const { signing_secret: each } of [made, kept])
        assert.deepEqual((await verify(each)).answer, EVENT)
      const last = await client.call('rollWebhookSecret', { name })
      assert.deepEqual((await verify(last.signing_secret)).answer, EVENT)
      await refused(verify(kept.signing_secret), { code: 'webhook_not_valid' })
      for (const minutes of [-1, 4_321])
        await refused(
          client.call('rollWebhookSecret', { name, body: { keep_old_minutes: minutes } }),
          {
            code: 'secret_overlap_not_valid',
            param: 'keep_old_minutes',
          },
        )
    },
  },
  {
    title: 'an address that no event may go to is refused with what is wrong with it',
    run: async (kit) => {
      const client = await kit.open()
      for (const [url, hint] of [
        ['https://user:word@shop.example.com/', /user name/],
        ['https://shop.example.com/#top', /#/],
        ['no address', /without spaces/],
      ] as const)
        await refused(client.call('createWebhookEndpoint', { body: { url } }), {
          code: 'webhook_url_not_valid',
          param: 'url',
          status: 400,
          hint,
        })
    },
  },
]

const FEED: readonly Case[] = [
  {
    title: 'the feed goes on after the last event that was handled, and skips none',
    run: async (kit) => {
      const client = await kit.open()
      for (const _ of times(3)) await paidPayment(client)
      const first = await client.events({ take: 1 })
      assert.deepEqual([first.events.length, first.kept], [1, null])
      const two = await client.events({ take: 2 })
      assert.deepEqual([two.events.length, two.kept], [2, first.events[0]?.sequence])
      const rest = await client.events({ after: two.kept })
      assert.deepEqual(rest.events[0], two.events[1])
      assert.equal(rest.kept, rest.events.at(-1)?.sequence)
      assert.deepEqual(await client.events({ after: rest.kept }), { events: [], kept: null })
      const page = await client.call('listEvents', { query: { limit: 1 } })
      assert.deepEqual([page.events.length, page.has_more], [1, true])
      const id = first.events[0]?.id
      assert.equal((await client.events({ after: id })).events[0]?.sequence, 2)
    },
  },
  {
    title: 'the feed waits for new events, with lost answers too',
    run: async (kit) => {
      const client = await kit.openAnother()
      const other = await kit.open({ secretKey: client.account.secretKey })
      await paidPayment(client)
      const coming = client.events({ after: 'latest', follow: true, take: 1 })
      let reads = 0
      kit.line.next = () => {
        reads++
        return reads % 2 === 0 ? 'is cut after the commit' : 'passes'
      }
      await until('reads of the feed', () => reads >= 3)
      kit.line.next = () => 'passes'
      const reference = await paidPayment(other)
      const { events } = await coming
      assert.deepEqual(
        events.map(({ data }) => data.reference),
        [reference],
      )
    },
  },
  {
    title: 'an expired cursor is an error with the position where the feed continues',
    run: async (kit) => {
      const client = await kit.open()
      for (const _ of times(3)) await paidPayment(client)
      await removeEvents(kit.service, client.account.accountId, 2)
      const facts = await refused(client.events({ after: 1 }), {
        code: 'cursor_too_old',
        status: 410,
        param: 'after',
        kept_after: 2,
      })
      assert.ok(Date.parse(facts.removed_until ?? '') > 0)
      await refused(client.call('listEvents', { query: { after: 1 } }), { code: 'cursor_too_old' })
      const { events } = await client.events({ after: facts.kept_after })
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        [3],
      )
      assert.equal((await client.events()).events[0]?.sequence, 3)
    },
  },
]

const description = new URL('../../docs/openapi.json', import.meta.url)
/** A browser calls these with a public key. */
const OF_PAGES = ['createLinkFromPage', 'askBeforeLinkFromPage']
/** The second form of readStatement. */
const FILES = ['downloadStatement']

const WHOLE: readonly Case[] = [
  {
    title: 'every operation of the API has been called',
    run: async ({ called }) => {
      const { paths } = JSON.parse(readFileSync(description, 'utf8')) as {
        paths: Record<string, Record<string, { operationId?: string }>>
      }
      const ids = Object.values(paths).flatMap((item) =>
        Object.values(item).flatMap(({ operationId }) => operationId ?? []),
      )
      const wanted = [...ids.filter((id) => !OF_PAGES.includes(id)), ...FILES]
      assert.deepEqual(
        wanted.filter((id) => !called.has(id)),
        [],
      )
    },
  },
]

/** In this order: the last one looks at the others. */
export const CASES: readonly Case[] = [
  ...CLIENT,
  ...PAYMENTS,
  ...BOOKS,
  ...LOST_ANSWERS,
  ...WEBHOOKS,
  ...ENDPOINTS,
  ...FEED,
  ...WHOLE,
]

export const casesOf = ({ except = [] }: ClientKind): Case[] =>
  CASES.filter(({ title }) => !except.includes(title))
