// The commands of karba for merchants, keys, payments, links and webhooks, while a server runs on
// the same store: what they print and change, with which exit code, and what they leave in the
// audit log.
import assert from 'node:assert/strict'
import { hostname, userInfo } from 'node:os'
import { after, describe, it } from 'node:test'
import decodeQR from 'qr/decode.js'
import { Webhook } from 'standardwebhooks'
import { LINK_METHODS } from '../../src/domain/methods/methods.ts'
import { firstValue } from '../../src/store/rows.ts'
import { commandsOn, runKarba } from '../kit/karba.ts'
import type { Ran } from '../kit/process.ts'
import { openReceiver, type Received } from '../kit/receiver.ts'
import { type Answer, get, newMerchant, openTestService, order, post } from '../kit/service.ts'
import { openTestRuntime } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import {
  byPhone,
  decide,
  newLink,
  onPage,
  pay,
  SUCCEEDS_AT_ONCE,
  toProvider,
  until as untilState,
} from '../links/payer.ts'

type Row = Record<string, string>

describe('karba merchant, keys and payment with a running server', async () => {
  const service = await openTestService()
  after(() => service.remove())

  const { karba, json } = commandsOn(service.place.env)

  const create = (secretKey: string, change: Record<string, unknown> = {}): Promise<Answer> =>
    post(service, secretKey, order(change))

  const pay = async (secretKey: string): Promise<number> => (await create(secretKey)).code

  it('merchant create: the keys work at once, and the live account needs validation', async () => {
    const merchant = await json('merchant', 'create', '--name', 'Boutique Awa')
    const { merchant: id, sandbox, live } = merchant
    assert.deepEqual(Object.keys(merchant), ['merchant', 'sandbox', 'live'])
    assert.deepEqual(Object.keys(sandbox), ['account', 'public_key', 'secret_key', 'validated'])
    assert.deepEqual([sandbox.validated, live.validated], [true, false])
    assert.equal(await pay(sandbox.secret_key), 200)
    assert.equal(await pay(live.secret_key), 403)
    await json('merchant', 'validate', id, '--environment', 'live')
    assert.equal(await payOnceSettled(live.secret_key, 200), 200)
    await json('merchant', 'suspend', id, '--environment', 'live')
    assert.equal(await payOnceSettled(live.secret_key, 403), 403)
  })

  it('merchant create: --validate-live validates the live account', async () => {
    const created = await json('merchant', 'create', '--name', 'Chez Ali', '--validate-live')
    assert.equal(created.live.validated, true)
    assert.equal(await pay(created.live.secret_key), 200)
  })

  it('keys: rolls them with and without an overlap, and revokes them', async () => {
    const { sandbox } = await json('merchant', 'create', '--name', 'Rolls')
    const second = await json('keys', 'roll', sandbox.account, '--keep-old', '24h')
    assert.deepEqual([await pay(sandbox.secret_key), await pay(second.secret_key)], [200, 200])
    const third = await json('keys', 'roll', sandbox.account)
    assert.equal(await pay(third.secret_key), 200)
    assert.equal(await payOnceSettled(second.secret_key, 401), 401)
    const byInput = await runKarba(
      ['keys', 'revoke', '-', '--json'],
      service.place.env,
      `${third.secret_key}\n`,
    )
    assert.deepEqual(JSON.parse(byInput.stdout), { revoked: 1 })
    assert.equal(await payOnceSettled(third.secret_key, 401), 401)
    assert.deepEqual(await json('keys', 'revoke', sandbox.account), { revoked: 1 })
    const noted = await json('audit', sandbox.account, '--since', '1h')
    const deeds = ['keys.revoke', 'keys.revoke', 'keys.roll', 'keys.roll']
    const actions = noted.map(({ action }: Row) => action)
    assert.deepEqual(actions, deeds)
    const me = `shell ${userInfo().username}@${hostname()}`
    assert.deepEqual([...new Set(noted.map(({ actor }: Row) => actor))], [me])
  })

  it('audit: has the user of sudo and the user that they became', async () => {
    const { sandbox } = await json('merchant', 'create', '--name', 'Sudo')
    await runKarba(['keys', 'roll', sandbox.account], { ...service.place.env, SUDO_USER: 'amina' })
    const [noted] = await json('audit', sandbox.account)
    assert.equal(noted.actor, `shell amina as ${userInfo().username}@${hostname()}`)
    assert.deepEqual(Object.keys(noted), ['at', 'actor', 'action', 'subject', 'before', 'detail'])
  })

  /** A key's state is cached for up to a second (D-17): tries for at most 3 s. */
  async function payOnceSettled(secretKey: string, wanted: number): Promise<number> {
    const deadline = performance.now() + 3_000
    let code = await pay(secretKey)
    while (code !== wanted && performance.now() < deadline) code = await pay(secretKey)
    return code
  }

  it('payment show --at: has the state and the history at that time', async () => {
    const { sandbox } = await json('merchant', 'create', '--name', 'Story')
    // Succeeds in the answer to the request.
    const created = await create(sandbox.secret_key, { msisdn: '40410000100' })
    const { reference } = created.body as { reference: string }
    const tell = async (...args: string[]) => await json('payment', reference, ...args)
    const now = await until('outcome of the payment', async () => {
      const shown = await tell()
      return shown.status !== 'pending' && shown
    })
    assert.deepEqual(kinds(now), ['request', 'moved'])
    const movedAt = (now.story[1] as { at: string }).at
    const before = await tell('--at', now.created_at)
    assert.deepEqual([before.status, before.as_of, kinds(before)], ['pending', now.created_at, []])
    const then = await tell('--at', movedAt)
    assert.deepEqual([then.status, kinds(then)], ['succeeded', ['request', 'moved']])
    const lines = await karba('payment', reference, '--at', now.created_at)
    assert.match(
      lines.stdout,
      new RegExp(`XOF  pending at ${now.created_at}\\n[^]*recorded as pending\\n$`),
    )

    const tooEarly = await karba('payment', reference, '--at', '2020-01-01T00:00:00+01:00')
    const sentence = `karba: The payment did not exist at that time: it was recorded at ${now.created_at}.\n`
    assert.deepEqual(tooEarly, { code: 1, stdout: '', stderr: sentence })
  })

  const kinds = ({ story }: { story: Row[] }) => story.map(({ kind }) => kind)

  it('merchant list, keys list: never print a secret key', async () => {
    const merchants = await json('merchant', 'list')
    const names = merchants.map(({ name }: Row) => name)
    assert.deepEqual(names, ['Boutique Awa', 'Chez Ali', 'Rolls', 'Sudo', 'Story'])
    assert.deepEqual(Object.keys(merchants[0] ?? {}), [
      'merchant',
      'name',
      'created_at',
      'sandbox',
      'live',
    ])
    const { stdout } = await karba('keys', 'list', merchants[2]?.sandbox.account as string)
    const [heading, ...keys] = stdout.trim().split('\n')
    assert.match(heading as string, /^KEY +SHOWN AS +MAY +CREATED +STATE$/)
    assert.equal(keys.length, 6)
    assert.doesNotMatch(stdout, /sk_sandbox_\w{5}/)
  })

  it('lists: are paginated, and print the command for the next page', async () => {
    const first = await karba('merchant', 'list', '--limit', '3')
    assert.equal(first.stdout.split('\n').length, 1 + 3 * 2 + 1)
    const [, next] =
      /^There are more: npm run -s karba -- merchant list --limit 3 --after (\S+)\n$/.exec(
        first.stderr,
      ) as unknown as [string, string]
    const rest = await karba('merchant', 'list', '--limit', '3', '--after', next)
    assert.equal(rest.stderr, '')
    assert.match(rest.stdout, /^MERCHANT .*\n.*Sudo\n.*Sudo\n.*Story\n.*Story\n$/)
    const names = async (...args: string[]) =>
      (await json('merchant', 'list', ...args)).map(({ name }: Row) => name)
    assert.deepEqual(await names('--limit', '1'), ['Boutique Awa'])
    assert.deepEqual(await names('--after', next), ['Sudo', 'Story'])
  })
})

const REFUSED_AT_ONCE = '40410000101'
const BENIN = { country: 'BJ', msisdn: '0197123456' }

type Made = { reference: string; public_reference: string }

describe('karba payment and refund', async () => {
  const made: Record<string, Made> = {}
  const service = await openTestService(undefined, { PUBLIC_URL: 'https://pay.example' })
  const awa = await service.merchant({ validateLive: false })
  const ali = await service.merchant({ name: 'Chez Ali' })
  await create('succeeds', awa.accounts.sandbox.secretKey, { msisdn: SUCCEEDS_AT_ONCE })
  await create('fails', awa.accounts.sandbox.secretKey, { msisdn: REFUSED_AT_ONCE })
  await create('benin', awa.accounts.sandbox.secretKey, BENIN)
  await create('list', awa.accounts.sandbox.secretKey)
  await create('twice', awa.accounts.sandbox.secretKey)
  await create('twice', ali.accounts.sandbox.secretKey)
  await create('live', ali.accounts.live.secretKey)
  const linkReference = await newLink(service, awa.accounts.sandbox.secretKey, {
    transaction_id: 'by-link',
  })
  for (const name of ['succeeds', 'fails']) await settled(name)
  after(() => service.remove())

  async function create(
    name: string,
    secretKey: string,
    change: Record<string, unknown> = {},
  ): Promise<void> {
    const { code, body } = await post(
      service,
      secretKey,
      order({ transaction_id: name, ...change }),
    )
    assert.equal(code, 200)
    made[name] = body as unknown as Made
  }

  async function settled(name: string): Promise<void> {
    const { secretKey } = awa.accounts.sandbox
    await until(
      `outcome of ${name}`,
      async () => (await get(service, secretKey, name)).body.status !== 'pending',
    )
  }

  const { karba, json, fails } = commandsOn(service.place.env)

  const listed = async (...args: string[]): Promise<string[]> => {
    const { payments } = await json('payment', 'list', ...args)
    return payments.map((payment: Row) => payment.external_reference)
  }

  it('payment show: finds a payment by each of its references, also as spoken', async () => {
    const { reference, public_reference: code } = made.benin as Made
    const spoken = code.toLowerCase().replaceAll('-', ' ')
    for (const name of [reference, code, spoken, 'benin']) {
      const shown = await json('payment', name)
      assert.deepEqual(
        [shown.reference, shown.external_reference, shown.operator],
        [reference, 'benin', 'mtn_bj'],
      )
    }
    const shown = await json('payment', 'show', linkReference)
    assert.equal(shown.external_reference, 'by-link')
    assert.equal((await json('payment', 'show', 'list')).reference, made.list?.reference)
  })

  it('payment show: has the connection and, once paid, the operator’s reference', async () => {
    const [pending, paid, open] = await Promise.all(
      ['benin', 'succeeds', linkReference].map((name) => json('payment', name)),
    )
    assert.deepEqual([pending?.connection, pending?.operator_reference], ['mtn_bj', undefined])
    assert.deepEqual([open?.connection, open?.operator_reference], [undefined, undefined])
    assert.equal(paid?.connection, 'airtel_ne')
    assert.match(paid?.operator_reference as string, /^SIM-\w{10}$/)
    const then = await json('payment', 'succeeds', '--at', paid?.created_at as string)
    assert.deepEqual([then.status, then.operator_reference], ['pending', undefined])
    const [one, other] = await Promise.all([
      karba('payment', 'succeeds'),
      karba('payment', 'benin'),
    ])
    const form = new RegExp(
      `succeeds\nconnection airtel_ne  operator’s reference ${paid?.operator_reference}\n\n`,
    )
    assert.match(one.stdout, form)
    assert.match(other.stdout, /benin\nconnection mtn_bj\n\n/)
    const { payments } = await json('payment', 'list', '--status', 'succeeded')
    assert.deepEqual(payments[0]?.meta_data, {
      operator: 'airtel_ne',
      operator_reference: paid?.operator_reference,
    })
  })

  it('link show: finds a link by each reference of its payment', async () => {
    const byLink = await json('link', 'show', linkReference)
    for (const name of ['by-link', byLink.public_reference, byLink.payment_reference])
      assert.deepEqual(await json('link', 'show', name as string), byLink)
    await fails(/^karba: benin: There is no such link\./, 'link', 'show', 'benin')
  })

  it('payment show: a transaction_id of several accounts lists their payments', async () => {
    const { code, stdout, stderr } = await karba('payment', 'twice')
    assert.deepEqual([code, stdout], [1, ''])
    const one = made.twice?.reference
    assert.match(
      stderr,
      /^karba: Several accounts have a payment of this name\. Use its reference, one of: \w{24}, \w{24}\.\n$/,
    )
    assert.match(stderr, new RegExp(one as string))
    const { error } = JSON.parse((await karba('payment', 'twice', '--json')).stderr)
    assert.deepEqual([error.code, error.references.length], ['payment_name_ambiguous', 2])
    for (const reference of error.references)
      assert.equal((await json('payment', reference)).reference, reference)
  })

  it('refund, webhook replay: take any reference too', async () => {
    const { public_reference: code, reference } = made.succeeds as Made
    assert.deepEqual(await json('webhook', 'replay', '--payment', code), {
      deliveries: 0,
      events: 1,
    })
    const part = await json('refund', code, '--amount', '400', '--refund-id', 'return-1')
    assert.deepEqual([part.amount, part.status], [400, 'pending'])
    assert.deepEqual(await json('refund', code, '--amount', '400', '--refund-id', 'return-1'), part)
    const refused = await karba('refund', code, '--amount', '1101', '--json')
    assert.equal(JSON.parse(refused.stderr).error.code, 'refund_amount_too_large')
    const refund = await karba('refund', code)
    assert.match(
      refund.stdout,
      new RegExp(`^The refund \\w{24} of 1100 F CFA of the payment ${reference} is on its way`),
    )
    const again = await karba('refund', 'succeeds', '--json')
    assert.deepEqual(
      [again.code, again.stdout, JSON.parse(again.stderr).error.code],
      [1, '', 'refund_exists'],
    )
  })

  it('payment list: newest first, by account, state, operator, environment and time', async () => {
    const [awas, alis] = [awa.accounts.sandbox.accountId, ali.accounts.sandbox.accountId]
    assert.deepEqual(await listed(), [
      'by-link',
      'live',
      'twice',
      'twice',
      'list',
      'benin',
      'fails',
      'succeeds',
    ])
    assert.deepEqual(await listed(alis), ['twice'])
    assert.deepEqual(await listed(awas, '--status', 'pending'), ['twice', 'list', 'benin'])
    assert.deepEqual(await listed('--operator', 'mtn_bj'), ['benin'])
    assert.deepEqual(await listed('--environment', 'live'), ['live'])
    assert.deepEqual(await listed(awas, '--from', '1h', '--status', 'failed'), ['fails'])
    assert.deepEqual(await listed('--to', '1h'), [])
  })

  it('payment list --json: has a page and the cursor of the next', async () => {
    const account = awa.accounts.sandbox.accountId
    const args = ['payment', 'list', account, '--limit', '4']
    const first = await json(...args)
    const rest = await json(...args, '--after', first.next)
    const names = [...first.payments, ...rest.payments].map((payment) => payment.external_reference)
    assert.deepEqual(names, ['by-link', 'twice', 'list', 'benin', 'fails', 'succeeds'])
    assert.deepEqual(Object.keys(rest), ['payments'])
    const { created_at: createdAt, ...fails } = rest.payments[0]
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

  it('payment list: prints a table and the command for the next page', async () => {
    const account = awa.accounts.sandbox.accountId
    const { stdout, stderr } = await karba(
      'payment',
      'list',
      account,
      '--status',
      'pending',
      '--limit',
      '2',
    )
    const lines = stdout.split('\n')
    const form =
      /^RECORDED {18}REFERENCE {17}PUBLIC {8}XOF {2}STATUS {3}OPERATOR {3}TRANSACTION ID$/
    assert.match(lines[0] as string, form)
    const shape =
      /^2\d{3}-\S+Z {2}\w{24} {2}\w{4}-\w{4}-\w {2}1500 {2}pending {2}airtel_ne {2}twice$/
    assert.match(lines[1] as string, shape)
    assert.equal(lines.length, 4)
    const command = `npm run -s karba -- payment list ${account} --status pending --limit 2 --after`
    assert.match(stderr, new RegExp(`^There are more: ${command} \\d+\n$`))
  })

  it('link list: by state and by page', async () => {
    const account = awa.accounts.sandbox.accountId
    const second = await newLink(service, awa.accounts.sandbox.secretKey)
    await json('link', 'cancel', second)
    const first = await json('link', 'list', '--limit', '1')
    const rest = await json(
      'link',
      'list',
      account,
      '--limit',
      '1',
      '--after',
      first.next as string,
    )
    assert.deepEqual(
      [...first.links, ...rest.links].map(({ reference, state, because }) => [
        reference,
        state,
        because,
      ]),
      [
        [second, 'closed', 'cancelled'],
        [linkReference, 'open', undefined],
      ],
    )
    assert.deepEqual(
      [rest.links[0]?.page_url, rest.next],
      [`https://pay.example/pay/${linkReference}`, undefined],
    )
    const { stdout } = await karba('link', 'list', '--status', 'initiated')
    assert.match(
      stdout,
      new RegExp(`^LINK .* STATE .* ACCOUNT .* TITLE\n${linkReference} .* open .*\n$`),
    )
  })

  it('lists: have colours only on request or on a terminal', async () => {
    const args = ['payment', 'list', '--status', 'failed']
    const [forced, plain, denied] = await Promise.all([
      runKarba(args, { ...service.place.env, FORCE_COLOR: '1' }),
      karba(...args),
      runKarba(args, { ...service.place.env, NO_COLOR: '1', TERM: 'xterm-256color' }),
    ])
    assert.match(
      forced.stdout,
      /\u001b\[1mSTATUS\u001b\[22m[\s\S]*\u001b\[31mfailed: payer_not_found\u001b\[39m/,
    )
    assert.deepEqual([plain.stdout, denied.stdout], [uncoloured(forced.stdout), plain.stdout])
  })

  const uncoloured = (text: string): string => text.replace(/\u001b\[\d+m/g, '')
})

const SITES = ['https://shop.example', 'http://localhost:3000']
const ME = `shell ${userInfo().username}@${hostname()}`
const PAGES = 'https://pay.example/pay/'

describe('karba link and merchant checkout', async () => {
  const service = await openTestService(undefined, {
    KARBA_SANDBOX_DELAY_MS: '50',
    PUBLIC_URL: 'https://pay.example',
  })
  const merchant = await service.merchant({ validateLive: false })
  const account = merchant.accounts.sandbox.accountId
  after(() => service.remove())

  const { karba, json, fails } = commandsOn(service.place.env)

  const audit = (
    subject: string,
  ): Promise<
    {
      actor: string
      action: string
      detail: string
      earlier: string
    }[]
  > =>
    service.db.read(
      `select actor, action, detail, earlier from audit_log where subject = :subject
        order by entry`,
      { subject },
    )

  const chosenMethods = () =>
    firstValue<string | null>(
      service.db,
      'select link_methods from accounts where account_id = :account',
      { account },
    )

  it('merchant checkout: shows and sets the checkout, with an audit entry', async () => {
    const all = [...LINK_METHODS]
    const usual = { pages: 'on', wording: '', page_titles: 'shown' }
    assert.deepEqual(await json('merchant', 'checkout', account), {
      account,
      methods: all,
      origins: [],
      ...usual,
    })
    assert.deepEqual(await audit(account), [], 'looking is no change')
    const origins = ['--origins', [SITES[0], ' ', SITES[1], SITES[0]].join(',')]
    assert.deepEqual(await json('merchant', 'checkout', account, ...origins), {
      account,
      methods: all,
      origins: SITES,
      ...usual,
    })
    assert.equal(await chosenMethods(), null, 'a method that is new in the code is offered too')
    const methods = ['mobile', 'wallet']
    const changed = await json('merchant', 'checkout', account, '--methods', 'wallet,mobile')
    assert.deepEqual(
      changed,
      { account, methods, origins: SITES, ...usual },
      'what is not named stays',
    )
    assert.equal(await chosenMethods(), 'mobile,wallet')
    const noted = await audit(account)
    assert.deepEqual(
      noted.map(({ actor, action }) => [actor, action]),
      [
        [ME, 'account.offer'],
        [ME, 'account.offer'],
      ],
    )
    const words = { pages: 'on', wording: '', pageTitles: 'shown' }
    assert.deepEqual(JSON.parse(noted[1]?.detail as string), { methods, origins: SITES, ...words })
    assert.deepEqual(JSON.parse(noted[1]?.earlier as string).methods, all)
    const { stdout } = await karba('merchant', 'checkout', account)
    assert.match(
      stdout,
      /^methods {6}mobile, wallet\norigins {6}https:.*\npages {8}on\nwording {6}none\npage titles {2}shown\n$/,
    )
    await json('merchant', 'offer', account, '--methods', all.join(','), '--origins', '')
    const settings = { account, methods: all, origins: [], ...usual }
    assert.deepEqual(
      await json('merchant', 'offer', account),
      settings,
      'its old name leads there too',
    )
  })

  it('merchant checkout: turns pages off and on, and sets the wording of links', async () => {
    const off = await json(
      'merchant',
      'checkout',
      account,
      '--pages',
      'off',
      '--wording',
      'Tissus, Niamey',
    )
    assert.partialDeepStrictEqual(off, {
      pages: 'off',
      wording: 'Tissus, Niamey',
      page_titles: 'shown',
    })
    const { stdout } = await karba('merchant', 'checkout', account)
    assert.match(stdout, /pages {8}off: nothing can be paid on them\nwording {6}Tissus, Niamey\n/)
    const on = await json(
      'merchant',
      'checkout',
      account,
      '--pages',
      'on',
      '--page-titles',
      'hidden',
    )
    assert.partialDeepStrictEqual(on, {
      pages: 'on',
      wording: 'Tissus, Niamey',
      page_titles: 'hidden',
    })
    await fails(
      /at most 120 visible characters/,
      'merchant',
      'checkout',
      account,
      '--wording',
      'a\u200bb',
    )
    await json('merchant', 'checkout', account, '--wording', '', '--page-titles', 'shown')
  })

  it('merchant checkout: one invalid site changes nothing', async () => {
    const list = (says: RegExp, origins: string) =>
      fails(says, 'merchant', 'checkout', account, '--origins', origins)
    const many = Array.from({ length: 21 }, (_, at) => `https://s${at}.example`)
    await list(
      /Shop.example must be written .*: https:\/\/shop.example\./,
      'https://a.example,https://Shop.example',
    )
    await list(/http:\/\/shop.example must begin with https/, 'http://shop.example')
    await list(/at most 20 sites/, many.join(','))
    await fails(
      new RegExp(`at least one payment method: ${LINK_METHODS.join(', ')}`),
      'merchant',
      'checkout',
      account,
      '--methods',
      '',
    )
    await fails(/acc_x: There is no such account/, 'merchant', 'checkout', 'acc_x')
    await fails(
      /acc_x: There is no such account/,
      'merchant',
      'checkout',
      'acc_x',
      '--methods',
      'mobile',
    )
    assert.deepEqual((await json('merchant', 'checkout', account)).origins, [])
  })

  it('link create: creates a link with a readable QR code', async () => {
    const { code, stdout } = await karba(
      'link',
      'create',
      account,
      '--amount',
      '15000',
      '--title',
      'Commande 12',
    )
    assert.equal(code, 0)
    const [first, address = '', expiry, , ...blocks] = stdout.trimEnd().split('\n')
    assert.match(first as string, /^Commande 12 {2}15000 XOF {2}\w{4}-\w{4}-\w$/)
    assert.match(expiry as string, /^Open until 2\d{3}-.*Z\.$/)
    assert.ok(address.startsWith(PAGES))
    assert.equal(readBlocks(blocks), address)
    const payment = await get(
      service,
      merchant.accounts.sandbox.secretKey,
      address.slice(PAGES.length),
    )
    assert.deepEqual(
      [payment.code, payment.body.status, payment.body.amount],
      [200, 'initiated', 15_000],
    )
  })

  it('link create: a link without expiry and with an own reference is created once', async () => {
    const args = [
      'link',
      'create',
      account,
      '--amount',
      '500',
      '--title',
      'Affiche',
      '--transaction-id',
      'affiche',
    ]
    const made = await json(...args, '--no-expiry', '--description', 'Au comptoir')
    assert.deepEqual(Object.keys(made), ['reference', 'page_url', 'share_url', 'public_reference'])
    assert.deepEqual(made.share_url, `${made.page_url}/share`)
    assert.equal((await get(service, merchant.accounts.sandbox.secretKey, 'affiche')).code, 200)
    await fails(/A payment has this transaction_id/, ...args)
  })

  it('link create: a reusable link without an amount shows its collected payments', async () => {
    const poster = ['link', 'create', account, '--reusable', '--title', 'Un don']
    const open = [...poster, '--minimum-amount', '500', '--suggested', '1000,2000']
    const { stdout } = await karba(...open)
    assert.match(
      stdout,
      /^Un don {2}from 500 XOF {2}.*\n.*\nOpen to any number of payers until it is cancelled\.\n/,
    )
    const { reference } = await json(...open, '--expires-in', '1440')
    const paid = await pay(service, reference, { ...byPhone(SUCCEEDS_AT_ONCE), amount: '1 500' })
    const own = /\/pay\/(\w+)/.exec(paid.goTo)?.[1] as string
    await untilState(service, own, 'succeeded:0')
    const shown = await json('link', 'show', reference)
    assert.partialDeepStrictEqual(shown, {
      reusable: true,
      minimum_amount: 500,
      suggested_amounts: [1000, 2000],
      payments_count: 1,
      collected_amount: 1500,
      state: 'open',
    })
    assert.ok(!('amount' in shown) && !('payment_reference' in shown))
    assert.match(
      (await karba('link', 'show', reference)).stdout,
      /from 500 XOF[\s\S]*paid 1 times {2}1500 XOF in all/,
    )
    const payers = await json('link', 'show', own)
    assert.deepEqual([payers.reference, payers.amount, payers.attempts.length], [own, 1500, 1])
    await fails(/at most four amounts/, ...poster, '--amount', '500', '--suggested', '1000')
    await fails(/neither transaction_id nor/, ...poster, '--amount', '500', '--transaction-id', 'x')
  })

  it('link create: refuses a low amount, an unknown account and an unvalidated account', async () => {
    const order = ['--amount', '49', '--title', 'x']
    await fails(/The amount is .*50 in the sandbox/, 'link', 'create', account, ...order)
    await fails(/acc_x: There is no such account/, 'link', 'create', 'acc_x', ...order)
    await fails(
      /is not validated, is suspended/,
      'link',
      'create',
      merchant.accounts.live.accountId,
      ...order,
    )
  })

  it('link show: has the state and every attempt with its reason', async () => {
    const link = await newLink(service, merchant.accounts.sandbox.secretKey, {
      transaction_id: 'cmd-77',
    })
    const untouched = await karba('link', 'show', link)
    assert.match(untouched.stdout, / open\n[\s\S]*No attempt to pay it yet\.\n$/)
    await pay(service, link, byPhone(REFUSED_AT_ONCE))
    await untilState(service, link, 'open:1')
    await decide(service, await toProvider(service, link, onPage('bank_card', 1)), 'decline')
    await untilState(service, link, 'open:2')
    await pay(service, link, byPhone(SUCCEEDS_AT_ONCE, 2))
    await untilState(service, link, 'succeeded:0')
    const shown = await json('link', 'show', link)
    assert.deepEqual(
      shown.attempts.map(({ attempt, method, status, failure_reason: reason }: Row) => [
        attempt,
        method,
        status,
        reason,
      ]),
      [
        [1, 'mobile', 'failed', 'payer_not_found'],
        [2, 'bank_card', 'failed', 'declined'],
        [3, 'mobile', 'succeeded', undefined],
      ],
    )
    const {
      state,
      page_url: page,
      share_url: share,
      external_reference: name,
      account: owner,
    } = shown
    const seen = [state, page, share, name, owner]
    assert.deepEqual(seen, ['succeeded', PAGES + link, `${PAGES}${link}/share`, 'cmd-77', account])
    const { stdout } = await karba('link', 'show', link)
    assert.match(
      stdout,
      /succeeded\n[\s\S]*page {3}https:[\s\S]*share {2}https:[\s\S]*ATTEMPT {2}BEGUN .*\n {6}1 {2}2\d{3}-.* mobile .* failed: payer_not_found/,
    )
    await fails(/can no longer be cancelled: it is paid/, 'link', 'cancel', link)
    await fails(/x: There is no such link/, 'link', 'show', 'x')
  })

  it('link cancel: works once, with an audit entry, and not during a payment', async () => {
    const link = await newLink(service, merchant.accounts.sandbox.secretKey)
    await toProvider(service, link, onPage('wallet'))
    await fails(/A customer is paying this link now/, 'link', 'cancel', link)
    const other = await newLink(service, merchant.accounts.sandbox.secretKey)
    assert.deepEqual(await json('link', 'cancel', other), {
      reference: other,
      state: 'closed',
      because: 'cancelled',
    })
    const [noted, ...more] = await audit(other)
    assert.deepEqual([noted?.actor, noted?.action, more.length], [ME, 'link.cancel', 0])
    const payment = await get(service, merchant.accounts.sandbox.secretKey, other)
    assert.deepEqual([payment.body.status, payment.body.failure_reason], ['failed', 'cancelled'])
    await fails(/can no longer be cancelled: it is already cancelled/, 'link', 'cancel', other)
    assert.equal((await audit(other)).length, 1)
    await fails(/x: There is no such link/, 'link', 'cancel', 'x')
  })
})

const PIXELS = 4

/** As a camera would: two rows of modules in each line, dark where there is a block. */
function readBlocks(lines: string[]): string {
  const rows = lines.flatMap((line) => [
    [...line].map((block) => '▀█'.includes(block)),
    [...line].map((block) => '▄█'.includes(block)),
  ])
  const size = rows[0]?.length as number
  const data = new Uint8ClampedArray(size * PIXELS * rows.length * PIXELS * 4).fill(255)
  for (const [y, row] of rows.entries())
    for (const [x, isDark] of row.entries()) {
      if (!isDark) continue
      for (let at = 0; at < PIXELS * PIXELS; at++) {
        const [px, py] = [x * PIXELS + (at % PIXELS), y * PIXELS + Math.floor(at / PIXELS)]
        data.fill(0, (py * size * PIXELS + px) * 4, (py * size * PIXELS + px) * 4 + 3)
      }
    }
  return decodeQR({ width: size * PIXELS, height: rows.length * PIXELS, data })
}

describe('karba webhook with a running server', async () => {
  let account: string
  let secretKey: string
  let endpoint: string
  let signingSecret: string
  let reference: string
  const service = await openTestService()
  const receiver = await openReceiver()
  ;({ accountId: account, secretKey } = (await service.merchant()).accounts.sandbox)
  after(async () => {
    await receiver.close()
    await service.remove()
  })

  const commands = commandsOn(service.place.env)
  const karba = (...args: string[]) => commands.karba('webhook', ...args)
  const json = (...args: string[]) => commands.json('webhook', ...args)

  /** Succeeds in the answer to the request. */
  async function pay(): Promise<string> {
    const { body } = await post(service, secretKey, order({ msisdn: '40410000100' }))
    const reference = body.reference as string
    await until(
      'success',
      async () => (await get(service, secretKey, reference)).body.status === 'succeeded',
    )
    return reference
  }

  const verify = ({ headers, body }: Received, secret: string): unknown =>
    new Webhook(secret).verify(body, headers as Record<string, string>)

  it('webhook add, test: a test reaches a new endpoint with its secrets', async () => {
    const args = [
      'webhook',
      'add',
      account,
      '--url',
      `${receiver.url}/hook`,
      '--secret-hash',
      '-',
      '--json',
    ]
    const added = await runKarba(args, service.place.env, 's3cret hash of the shop\n')
    assert.match(added.stdout, /^\{"endpoint":"whe_\w{16}","signing_secret":"whsec_[^"]{44}"\}\n$/)
    ;({ endpoint, signing_secret: signingSecret } = JSON.parse(added.stdout))
    const { code, stdout } = await karba('test', endpoint)
    assert.match(stdout, new RegExp(`^${endpoint}-1 is delivered: it answered 200 in \\d+ ms.\n$`))
    assert.equal(code, 0)
    const received = await receiver.nth(1)
    assert.equal(received.headers['secret-hash'], 's3cret hash of the shop')
    verify(received, signingSecret)
  })

  it('webhook test: shows why it failed, without control characters of the answer', async () => {
    receiver.answer = { status: 500, text: 'line one\r\n\u001b[31mred\u009b2J\n\n3\n4\n5\n6\n' }
    const failed = await karba('test', endpoint)
    assert.deepEqual([failed.code, failed.stdout], [1, ''])
    const form =
      /^karba: Not delivered: it answered 500 in \d+ ms\. It is tried again at \S+Z\. \x60karba /
    assert.match(failed.stderr, form)
    const name = `${endpoint}-2`
    const [shown, [first]] = await Promise.all([
      karba('delivery', name),
      json('deliveries', '--limit', '1'),
    ])
    const lines = shown.stdout.split('\n')
    assert.match(lines[0] as string, new RegExp(`^${name} {2}webhook.test {2}waiting {2}next `))
    assert.match(lines[3] as string, /^\S+Z {2}it answered 500 in \d+ ms; next \S+Z$/)
    const answer = ['  | line one', '  | \uFFFD[31mred\uFFFD2J', '  | 3', '  | 4', '  | 5', '  | …']
    assert.deepEqual(lines.slice(4, 10), answer)
    assert.deepEqual([first.delivery, first.status, first.account], [name, 'waiting', account])
    const asJson = (await karba('delivery', name, '--json')).stdout
    assert.doesNotMatch(asJson.trimEnd(), /\p{Cc}/u)
    assert.equal(JSON.parse(asJson).attempts[0].answer, receiver.answer.text)
  })

  it('webhook disable, roll-secret: deliveries wait, and secrets change without a gap', async () => {
    receiver.answer = { status: 200, text: '' }
    assert.deepEqual(await json('disable', endpoint), { endpoint, status: 'off' })
    reference = await pay()
    const [listed, rolled] = await Promise.all([
      karba('deliveries', endpoint, '--since', '1h'),
      json('roll-secret', endpoint, '--keep-old', '24h'),
      json('roll-secret-hash', endpoint, '--secret-hash', 'another of the shop'),
    ])
    assert.match(listed.stdout, /^QUEUED .* NEXT\n/)
    assert.match(listed.stdout, /payment\.succeeded {2}waiting {11}0 {2}when the endpoint is on\n/)
    const count = receiver.got.length
    await json('enable', endpoint)
    const received = await arrived(({ body }) => body.includes(reference), count)
    assert.equal(received.headers['secret-hash'], 'another of the shop')
    for (const secret of [signingSecret, rolled.signing_secret]) verify(received, secret)
  })

  async function arrived(isIt: (received: Received) => boolean, from: number): Promise<Received> {
    for (let count = from + 1; ; count++) {
      const received = await receiver.nth(count)
      if (isIt(received)) return received
    }
  }

  it('webhook replay: sends failed deliveries again, or one by its id', async () => {
    const name = `${endpoint}-3`
    await service.db.change(`update webhook_deliveries set status = 'failed' where sequence = 3`)
    const failed = await json('deliveries', account, '--failed')
    const names = failed.map(({ delivery }: Row) => delivery)
    assert.deepEqual(names, [name])
    const count = receiver.got.length
    const ofNobody = ['webhook', 'replay', '--failed', '--since', '24h', 'whe_x']
    await commands.fails(/whe_x: There is no such endpoint/, ...ofNobody)
    const ofEndpoint = await json('replay', '--failed', '--since', '24h', endpoint)
    assert.deepEqual(ofEndpoint, { deliveries: 1, events: 1 })
    assert.deepEqual(
      await json('replay', '--failed', '--since', '24h'),
      { deliveries: 0, events: 0 },
      'sent already',
    )
    const isReplay = (nth: string) => (received: Received) =>
      received.headers['svc-webhook-replay'] === nth && received.body.includes(reference)
    await arrived(isReplay('1'), count)
    assert.deepEqual(await json('replay', name), { deliveries: 1, events: 1 })
    await arrived(isReplay('2'), count)
  })

  it('webhook remove: its deliveries can still be shown', async () => {
    const [{ stdout }, [listed]] = await Promise.all([karba('list'), json('list', account)])
    const row = `${endpoint}  ${account}  on {6}${receiver.url}/hook {2}payment`
    assert.match(stdout, new RegExp(`^ENDPOINT .* EVENTS\n${row}`))
    assert.doesNotMatch(stdout, /another one|whsec_/)
    assert.deepEqual(Object.keys(listed), [
      'endpoint',
      'account',
      'url',
      'events',
      'status',
      'created_at',
    ])
    await json('remove', endpoint)
    const [shown, replay] = await Promise.all([
      json('delivery', `${endpoint}-1`),
      karba('replay', `${endpoint}-1`),
    ])
    assert.deepEqual(
      [shown.status, shown.account, replay.code, replay.stdout],
      ['delivered', account, 1, ''],
    )
    assert.match(replay.stderr, /endpoint of this delivery was removed/)
  })

  it('webhook test: fails when no server runs', async () => {
    const { code, stdout, stderr } = await testWithoutServer()
    const { delivery, ...shown } = JSON.parse(stdout)
    assert.deepEqual([code, shown], [1, { delivered: false }])
    const { error } = JSON.parse(stderr)
    assert.deepEqual([error.code, error.delivery], ['test_not_taken_up', delivery])
    assert.match(error.message, /^No running server sent the test within 5\.1 seconds\. /)
  })
})

/** Waits by the clock for as long as an attempt may take, so that is made short. */
async function testWithoutServer(): Promise<Ran> {
  const runtime = await openTestRuntime(SQLITE, { KARBA_WEBHOOK_TIMEOUT_MS: '100' })
  const { accountId } = (await newMerchant(runtime)).accounts.sandbox
  const { endpointId } = await newEndpoint(runtime, accountId, 'http://127.0.0.1:1/')
  const ran = await runKarba(['webhook', 'test', endpointId, '--json'], runtime.place.env)
  await runtime.remove()
  return ran
}
