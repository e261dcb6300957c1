// karba payment, refund and the lists, beside a running service: names of a payment, filters, pages, and what they look like.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { runKarba } from '../kit/karba.ts'
import type { Ran } from '../kit/process.ts'
import { get, openTestService, order, post, type TestService } from '../kit/service.ts'
import { until } from '../kit/waiting.ts'
import { newLink } from '../links/payer.ts'

const SUCCEEDS_AT_ONCE = '40410000100'
const REFUSED_AT_ONCE = '40410000101'
const BENIN = { country: 'BJ', msisdn: '0197123456' }

interface Made {
  reference: string
  public_reference: string
}

interface Listed extends Made {
  external_reference: string
  account: string
  created_at: string
}

// On one store: commands meet it by the same actions as the doors, which are shown on both, and each costs a process.
describe('payments by hand', () => {
  let service: TestService
  let awa: NewMerchant
  let ali: NewMerchant
  let linkReference: string
  const made: Record<string, Made> = {}

  before(async () => {
    service = await openTestService(undefined, { PUBLIC_URL: 'https://pay.example' })
    awa = await service.merchant({ validateLive: false })
    ali = await service.merchant({ name: 'Chez Ali' })
    // The newest last.
    await create('succeeds', awa.accounts.sandbox.secretKey, { msisdn: SUCCEEDS_AT_ONCE })
    await create('fails', awa.accounts.sandbox.secretKey, { msisdn: REFUSED_AT_ONCE })
    await create('benin', awa.accounts.sandbox.secretKey, BENIN)
    await create('list', awa.accounts.sandbox.secretKey)
    await create('twice', awa.accounts.sandbox.secretKey)
    await create('twice', ali.accounts.sandbox.secretKey)
    await create('live', ali.accounts.live.secretKey)
    linkReference = await newLink(service, awa.accounts.sandbox.secretKey, { transaction_id: 'by-link' })
    for (const name of ['succeeds', 'fails']) await settled(name)
  })
  after(() => service.remove())

  async function create(name: string, secretKey: string, change: Record<string, unknown> = {}): Promise<void> {
    const { code, body } = await post(service, secretKey, order({ transaction_id: name, ...change }))
    assert.equal(code, 200)
    made[name] = body as unknown as Made
  }

  async function settled(name: string): Promise<void> {
    const { secretKey } = awa.accounts.sandbox
    await until(`outcome of ${name}`, async () => (await get(service, secretKey, name)).body.status !== 'pending')
  }

  const karba = (args: string[], env: Record<string, string> = {}): Promise<Ran> =>
    runKarba(args, { ...service.place.env, ...env })

  async function json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await karba([...args, '--json'])
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  const listed = async (...args: string[]): Promise<string[]> => {
    const { payments } = await json<{ payments: Listed[] }>('payment', 'list', ...args)
    return payments.map((payment) => payment.external_reference)
  }

  it('a payment is found by each of its names, and by how its code is spoken', async () => {
    const { reference, public_reference: code } = made.benin as Made
    const spoken = code.toLowerCase().replaceAll('-', ' ')
    for (const name of [reference, code, spoken, 'benin']) {
      const shown = await json<Record<string, unknown>>('payment', name)
      assert.deepEqual([shown.reference, shown.external_reference, shown.operator], [reference, 'benin', 'mtn_bj'])
    }
    const shown = await json<Listed>('payment', 'show', linkReference)
    assert.equal(shown.external_reference, 'by-link')
    assert.equal((await json<Listed>('payment', 'show', 'list')).reference, made.list?.reference)
  })

  it('a payment has its connection, and once it is paid the operator’s own reference, for people and for programs', async () => {
    const [pending, paid, open] = await Promise.all(
      ['benin', 'succeeds', linkReference].map((name) => json<Record<string, string>>('payment', name)),
    )
    assert.deepEqual([pending?.connection, pending?.operator_reference], ['mtn_bj', undefined])
    assert.deepEqual([open?.connection, open?.operator_reference], [undefined, undefined])
    assert.equal(paid?.connection, 'airtel_ne')
    assert.match(paid?.operator_reference as string, /^SIM-\w{10}$/)
    const then = await json<Record<string, string>>('payment', 'succeeds', '--at', paid?.created_at as string)
    assert.deepEqual([then.status, then.operator_reference], ['pending', undefined])
    const [one, other] = await Promise.all([karba(['payment', 'succeeds']), karba(['payment', 'benin'])])
    assert.match(
      one.stdout,
      new RegExp(`succeeds\nconnection airtel_ne  operator’s reference ${paid?.operator_reference}\n\n`),
    )
    assert.match(other.stdout, /benin\nconnection mtn_bj\n\n/)
    const { payments } = await json<{ payments: { meta_data?: object }[] }>('payment', 'list', '--status', 'succeeded')
    assert.deepEqual(payments[0]?.meta_data, { operator: 'airtel_ne', operator_reference: paid?.operator_reference })
  })

  it('a link is found by each of its payment’s names', async () => {
    const byLink = await json<Record<string, string>>('link', 'show', linkReference)
    for (const name of ['by-link', byLink.public_reference, byLink.payment_reference]) {
      assert.deepEqual(await json('link', 'show', name as string), byLink)
    }
    const unlinked = await karba(['link', 'show', 'benin'])
    assert.deepEqual([unlinked.code, unlinked.stderr.split('.')[0]], [1, 'karba: benin: There is no such link'])
  })

  it('a transaction_id of several accounts gets a sentence that lists their payments', async () => {
    const { code, stdout, stderr } = await karba(['payment', 'twice'])
    assert.deepEqual([code, stdout], [1, ''])
    const one = made.twice?.reference
    assert.match(
      stderr,
      /^karba: Several accounts have a payment of this name\. Use its reference, one of: \w{24}, \w{24}\.\n$/,
    )
    assert.match(stderr, new RegExp(one as string))
    const { error } = JSON.parse((await karba(['payment', 'twice', '--json'])).stderr)
    assert.deepEqual([error.code, error.references.length], ['payment_name_ambiguous', 2])
    for (const reference of error.references)
      assert.equal((await json<Made>('payment', reference)).reference, reference)
  })

  it('a refund and a replay take any name too', async () => {
    const { public_reference: code, reference } = made.succeeds as Made
    assert.deepEqual(await json('webhook', 'replay', '--payment', code), { deliveries: 0, events: 1 })
    const refund = await karba(['refund', code])
    assert.match(refund.stdout, new RegExp(`^The refund \\w{24} of the payment ${reference} is on its way`))
    const again = await karba(['refund', 'succeeds', '--json'])
    assert.deepEqual([again.code, again.stdout, JSON.parse(again.stderr).error.code], [1, '', 'refund_exists'])
  })

  it('payments are listed newest first, of an account or of all, by state, operator, environment and time', async () => {
    const [awas, alis] = [awa.accounts.sandbox.accountId, ali.accounts.sandbox.accountId]
    assert.deepEqual(await listed(), ['by-link', 'live', 'twice', 'twice', 'list', 'benin', 'fails', 'succeeds'])
    assert.deepEqual(await listed(alis), ['twice'])
    assert.deepEqual(await listed(awas, '--status', 'pending'), ['twice', 'list', 'benin'])
    assert.deepEqual(await listed('--operator', 'mtn_bj'), ['benin'])
    assert.deepEqual(await listed('--environment', 'live'), ['live'])
    assert.deepEqual(await listed(awas, '--from', '1h', '--status', 'failed'), ['fails'])
    assert.deepEqual(await listed('--to', '1h'), [])
  })

  it('a program gets a page of payments and the cursor of the next', async () => {
    const account = awa.accounts.sandbox.accountId
    const args = ['payment', 'list', account, '--limit', '4']
    const first = await json<{ payments: Listed[]; next: string }>(...args)
    const rest = await json<{ payments: Listed[]; next?: string }>(...args, '--after', first.next)
    const names = [...first.payments, ...rest.payments].map((payment) => payment.external_reference)
    assert.deepEqual(names, ['by-link', 'twice', 'list', 'benin', 'fails', 'succeeds'])
    assert.deepEqual(Object.keys(rest), ['payments'])
    const { created_at: createdAt, ...fails } = rest.payments[0] as Listed
    assert.deepEqual(fails, {
      reference: made.fails?.reference,
      public_reference: made.fails?.public_reference,
      external_reference: 'fails',
      status: 'failed',
      msisdn: REFUSED_AT_ONCE,
      amount: 1500,
      failure_reason: 'payer_not_found',
      account,
      environment: 'sandbox',
      operator: 'airtel_ne',
      customer_name: 'Awa Diallo',
    })
    assert.match(createdAt, /^2\d{3}-.*Z$/)
  })

  it('people get a table with headings, and a last line with the command for the next page', async () => {
    const account = awa.accounts.sandbox.accountId
    const { stdout, stderr } = await karba(['payment', 'list', account, '--status', 'pending', '--limit', '2'])
    const lines = stdout.split('\n')
    assert.match(
      lines[0] as string,
      /^RECORDED {18}REFERENCE {17}PUBLIC {8}XOF {2}STATUS {3}OPERATOR {3}TRANSACTION ID$/,
    )
    assert.match(
      lines[1] as string,
      /^2\d{3}-\S+Z {2}\w{24} {2}\w{4}-\w{4}-\w {2}1500 {2}pending {2}airtel_ne {2}twice$/,
    )
    assert.equal(lines.length, 4)
    const command = `npm run -s karba -- payment list ${account} --status pending --limit 2 --after`
    assert.match(stderr, new RegExp(`^There are more: ${command} \\d+\n$`))
  })

  it('links are listed by state and by pages', async () => {
    const account = awa.accounts.sandbox.accountId
    const second = await newLink(service, awa.accounts.sandbox.secretKey)
    await json('link', 'cancel', second)
    interface Links {
      links: { reference: string; state: string; because?: string; page_url: string }[]
      next?: string
    }
    const first = await json<Links>('link', 'list', '--limit', '1')
    const rest = await json<Links>('link', 'list', account, '--limit', '1', '--after', first.next as string)
    assert.deepEqual(
      [...first.links, ...rest.links].map(({ reference, state, because }) => [reference, state, because]),
      [
        [second, 'closed', 'cancelled'],
        [linkReference, 'open', undefined],
      ],
    )
    assert.equal(rest.links[0]?.page_url, `https://pay.example/pay/${linkReference}`)
    assert.equal(rest.next, undefined)
    const { stdout } = await karba(['link', 'list', '--status', 'initiated'])
    assert.match(stdout, new RegExp(`^LINK .* STATE .* ACCOUNT .* TITLE\n${linkReference} .* open .*\n$`))
  })

  it('colours are there when they are asked for, and never in a file', async () => {
    const args = ['payment', 'list', '--status', 'failed']
    const [forced, plain, denied] = await Promise.all([
      karba(args, { FORCE_COLOR: '1' }),
      karba(args),
      karba(args, { NO_COLOR: '1', TERM: 'xterm-256color' }),
    ])
    assert.match(forced.stdout, /\u001b\[1mSTATUS\u001b\[22m[\s\S]*\u001b\[31mfailed: payer_not_found\u001b\[39m/)
    assert.deepEqual([plain.stdout, denied.stdout], [uncoloured(forced.stdout), plain.stdout])
  })

  const uncoloured = (text: string): string => text.replace(/\u001b\[\d+m/g, '')
})
