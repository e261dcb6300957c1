// karba link and karba merchant checkout beside a running service: what they print, what they change, and what they leave in the audit log.
import assert from 'node:assert/strict'
import { hostname, userInfo } from 'node:os'
import { after, before, describe, it } from 'node:test'
import decodeQR from 'qr/decode.js'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { runKarba } from '../kit/karba.ts'
import type { Ran } from '../kit/process.ts'
import { get, openTestService, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { byPhone, decide, newLink, onPage, pay, SUCCEEDS_AT_ONCE, toProvider, until } from '../links/payer.ts'

const SITES = ['https://shop.example', 'http://localhost:3000']
const REFUSED_AT_ONCE = '40410000101'
const ME = `shell ${userInfo().username}@${hostname()}`
const PAGES = 'https://pay.example/pay/'

// On one store: commands meet it by the same functions as the doors, which are shown on both, and each costs a process.
for (const store of STORES.slice(0, 1)) {
  describe(`links by hand on ${store.name}`, () => {
    let service: TestService
    let merchant: NewMerchant
    let account: string

    before(async () => {
      service = await openTestService(store, { KARBA_SANDBOX_DELAY_MS: '50', PUBLIC_URL: 'https://pay.example' })
      merchant = await service.merchant({ validateLive: false })
      account = merchant.accounts.sandbox.accountId
    })
    after(() => service.remove())

    const karba = (...args: string[]): Promise<Ran> => runKarba(args, service.place.env)

    async function json<T>(...args: string[]): Promise<T> {
      const { code, stdout, stderr } = await karba(...args, '--json')
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
      return JSON.parse(stdout)
    }

    /** What was noted of a subject, the latest last. */
    const audit = (subject: string): Promise<{ actor: string; action: string; detail: string; earlier: string }[]> =>
      service.db.rows('select actor, action, detail, earlier from audit_log where subject = $1 order by entry', [
        subject,
      ])

    async function fails(says: RegExp, ...args: string[]): Promise<void> {
      const ran = await karba(...args)
      assert.deepEqual([ran.code, ran.stdout], [1, ''])
      assert.match(ran.stderr, says)
    }

    it('shows and sets what an account offers, and notes who changed it', async () => {
      const all = ['mobile', 'bank_card', 'wallet']
      const usual = { pages: 'on', wording: '', page_titles: 'shown' }
      assert.deepEqual(await json('merchant', 'checkout', account), { account, methods: all, origins: [], ...usual })
      assert.deepEqual(await audit(account), [], 'looking is no change')
      const origins = ['--origins', [SITES[0], ' ', SITES[1], SITES[0]].join(',')]
      assert.deepEqual(await json('merchant', 'checkout', account, ...origins), {
        account,
        methods: all,
        origins: SITES,
        ...usual,
      })
      const methods = ['mobile', 'wallet']
      const changed = await json('merchant', 'checkout', account, '--methods', 'wallet,mobile')
      assert.deepEqual(changed, { account, methods, origins: SITES, ...usual }, 'what is not named stays')
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
      assert.deepEqual(await json('merchant', 'offer', account), settings, 'its old name leads there too')
    })

    it('stops an account’s pages and starts them again, and sets the words of links that pages make', async () => {
      const off = await json('merchant', 'checkout', account, '--pages', 'off', '--wording', 'Tissus, Niamey')
      assert.partialDeepStrictEqual(off, { pages: 'off', wording: 'Tissus, Niamey', page_titles: 'shown' })
      const { stdout } = await karba('merchant', 'checkout', account)
      assert.match(stdout, /pages {8}off: nothing can be paid on them\nwording {6}Tissus, Niamey\n/)
      const on = await json('merchant', 'checkout', account, '--pages', 'on', '--page-titles', 'hidden')
      assert.partialDeepStrictEqual(on, { pages: 'on', wording: 'Tissus, Niamey', page_titles: 'hidden' })
      await fails(/at most 120 visible characters/, 'merchant', 'checkout', account, '--wording', 'a\u200bb')
      await json('merchant', 'checkout', account, '--wording', '', '--page-titles', 'shown')
    })

    it('changes nothing when one site will not do', async () => {
      await fails(
        /https:\/\/Shop.example must be written .*: https:\/\/shop.example\./,
        'merchant',
        'checkout',
        account,
        '--origins',
        'https://a.example,https://Shop.example',
      )
      await fails(
        /http:\/\/shop.example must begin with https/,
        'merchant',
        'checkout',
        account,
        '--origins',
        'http://shop.example',
      )
      const many = Array.from({ length: 21 }, (_, at) => `https://s${at}.example`)
      await fails(/at most 20 sites/, 'merchant', 'checkout', account, '--origins', many.join(','))
      await fails(
        /at least one way to pay: mobile, bank_card, wallet/,
        'merchant',
        'checkout',
        account,
        '--methods',
        '',
      )
      await fails(/acc_x: There is no such account/, 'merchant', 'checkout', 'acc_x')
      await fails(/acc_x: There is no such account/, 'merchant', 'checkout', 'acc_x', '--methods', 'mobile')
      assert.deepEqual((await json<{ origins: string[] }>('merchant', 'checkout', account)).origins, [])
    })

    it('makes a link that the service knows, with a code that a phone reads', async () => {
      const { code, stdout } = await karba('link', 'create', account, '--amount', '15000', '--title', 'Commande 12')
      assert.equal(code, 0)
      const [first, address = '', expiry, , ...blocks] = stdout.trimEnd().split('\n')
      assert.match(first as string, /^Commande 12 {2}15000 XOF {2}\w{4}-\w{4}-\w$/)
      assert.match(expiry as string, /^Open until 2\d{3}-.*Z\.$/)
      assert.ok(address.startsWith(PAGES))
      assert.equal(readBlocks(blocks), address)
      const payment = await get(service, merchant.accounts.sandbox.secretKey, address.slice(PAGES.length))
      assert.deepEqual([payment.code, payment.body.status, payment.body.amount], [200, 'initiated', 15_000])
    })

    it('makes one that never expires, under a name of one’s own, once', async () => {
      const args = ['link', 'create', account, '--amount', '500', '--title', 'Affiche', '--transaction-id', 'affiche']
      const made = await json<Record<string, string>>(...args, '--no-expiry', '--description', 'Au comptoir')
      assert.deepEqual(Object.keys(made), ['reference', 'page_url', 'share_url', 'public_reference'])
      assert.deepEqual(made.share_url, `${made.page_url}/share`)
      assert.equal((await get(service, merchant.accounts.sandbox.secretKey, 'affiche')).code, 200)
      await fails(/already has a payment/, ...args)
    })

    it('makes a poster without an amount, and shows what was collected there', async () => {
      const poster = ['link', 'create', account, '--reusable', '--title', 'Un don']
      const open = [...poster, '--minimum-amount', '500', '--suggested', '1000,2000']
      const { stdout } = await karba(...open)
      assert.match(stdout, /^Un don {2}from 500 XOF {2}.*\n.*\nOpen to any number of payers until it is cancelled\.\n/)
      const { reference } = await json<{ reference: string }>(...open, '--expires-in', '1440')
      const paid = await pay(service, reference, { ...byPhone(SUCCEEDS_AT_ONCE), amount: '1 500' })
      const own = /\/pay\/(\w+)/.exec(paid.goTo)?.[1] as string
      await until(service, own, 'succeeded:0')
      const told = await json<Record<string, unknown>>('link', 'show', reference)
      assert.partialDeepStrictEqual(told, {
        ...{ reusable: true, minimum_amount: 500, suggested_amounts: [1000, 2000] },
        ...{ payments_count: 1, collected_amount: 1500, state: 'open' },
      })
      assert.ok(!('amount' in told) && !('payment_reference' in told))
      assert.match(
        (await karba('link', 'show', reference)).stdout,
        /from 500 XOF[\s\S]*paid 1 times {2}1500 XOF in all/,
      )
      const payers = await json<ToldLink & { reference: string; amount: number }>('link', 'show', own)
      assert.deepEqual([payers.reference, payers.amount, payers.attempts.length], [own, 1500, 1])
      await fails(/at most four amounts/, ...poster, '--amount', '500', '--suggested', '1000')
      await fails(/neither transaction_id nor/, ...poster, '--amount', '500', '--transaction-id', 'x')
    })

    it('makes none for less than the least, for nobody, or for an account that waits', async () => {
      const order = ['--amount', '49', '--title', 'x']
      await fails(/The amount is .*50 in sandbox/, 'link', 'create', account, ...order)
      await fails(/acc_x: There is no such account/, 'link', 'create', 'acc_x', ...order)
      await fails(/is not validated, is suspended/, 'link', 'create', merchant.accounts.live.accountId, ...order)
    })

    it('shows where a link stands, with every attempt and why it failed', async () => {
      const link = await newLink(service, merchant.accounts.sandbox.secretKey, { transaction_id: 'cmd-77' })
      const untouched = await karba('link', 'show', link)
      assert.match(untouched.stdout, / open\n[\s\S]*Nobody has tried to pay it yet\.\n$/)
      await pay(service, link, byPhone(REFUSED_AT_ONCE))
      await until(service, link, 'open:1')
      await decide(service, await toProvider(service, link, onPage('bank_card', 1)), 'decline')
      await until(service, link, 'open:2')
      await pay(service, link, byPhone(SUCCEEDS_AT_ONCE, 2))
      await until(service, link, 'succeeded:0')
      const told = await json<ToldLink>('link', 'show', link)
      assert.deepEqual(
        told.attempts.map(({ attempt, method, status, failure_reason: reason }) => [attempt, method, status, reason]),
        [
          [1, 'mobile', 'failed', 'payer_not_found'],
          [2, 'bank_card', 'failed', 'declined'],
          [3, 'mobile', 'succeeded', undefined],
        ],
      )
      const { state, page_url: page, share_url: share, external_reference: name, account: owner } = told
      assert.deepEqual(
        [state, page, share, name, owner],
        ['succeeded', PAGES + link, `${PAGES}${link}/share`, 'cmd-77', account],
      )
      const { stdout } = await karba('link', 'show', link)
      assert.match(
        stdout,
        /succeeded\n[\s\S]*page {3}https:[\s\S]*share {2}https:[\s\S]*ATTEMPT {2}BEGUN .*\n {6}1 {2}2\d{3}-.* mobile .* failed: payer_not_found/,
      )
      await fails(/can no longer be cancelled: it is paid/, 'link', 'cancel', link)
      await fails(/x: There is no such link/, 'link', 'show', 'x')
    })

    it('cancels a link once, notes who did, and leaves one alone that somebody is paying', async () => {
      const link = await newLink(service, merchant.accounts.sandbox.secretKey)
      await toProvider(service, link, onPage('wallet'))
      await fails(/A payer is paying this link now/, 'link', 'cancel', link)
      const other = await newLink(service, merchant.accounts.sandbox.secretKey)
      assert.deepEqual(await json('link', 'cancel', other), { reference: other, state: 'closed', because: 'cancelled' })
      const [noted, ...more] = await audit(other)
      assert.deepEqual([noted?.actor, noted?.action, more.length], [ME, 'link.cancel', 0])
      const payment = await get(service, merchant.accounts.sandbox.secretKey, other)
      assert.deepEqual([payment.body.status, payment.body.failure_reason], ['failed', 'cancelled'])
      await fails(/can no longer be cancelled: it is already cancelled/, 'link', 'cancel', other)
      assert.equal((await audit(other)).length, 1)
      await fails(/x: There is no such link/, 'link', 'cancel', 'x')
    })
  })
}

interface ToldLink {
  state: string
  account: string
  external_reference: string
  page_url: string
  share_url: string
  attempts: { attempt: number; method: string; status: string; failure_reason?: string }[]
}

const PIXELS = 4

/** As a camera would: two rows of modules in each line, dark where there is a block. */
function readBlocks(lines: string[]): string {
  const rows = lines.flatMap((line) => [
    [...line].map((block) => '▀█'.includes(block)),
    [...line].map((block) => '▄█'.includes(block)),
  ])
  const size = rows[0]?.length as number
  const data = new Uint8ClampedArray(size * PIXELS * rows.length * PIXELS * 4).fill(255)
  for (const [y, row] of rows.entries()) {
    for (const [x, isDark] of row.entries()) {
      if (!isDark) continue
      for (let at = 0; at < PIXELS * PIXELS; at++) {
        const [px, py] = [x * PIXELS + (at % PIXELS), y * PIXELS + Math.floor(at / PIXELS)]
        data.fill(0, (py * size * PIXELS + px) * 4, (py * size * PIXELS + px) * 4 + 3)
      }
    }
  }
  return decodeQR({ width: size * PIXELS, height: rows.length * PIXELS, data })
}

describe('karba link called wrongly', () => {
  const WRONG: [args: string[], says: RegExp][] = [
    [['link', 'create', 'acc_x', '--title', 'x'], /either --amount or --minimum-amount/],
    [['link', 'create', 'acc_x', '--title', 'x', '--amount', '5', '--minimum-amount', '5'], /either --amount or/],
    [['link', 'create', 'acc_x', '--amount', '100'], /--title/],
    [['link', 'create', 'acc_x', '--amount', '1e3', '--title', 'x'], /whole number/],
    [['link', 'create', 'acc_x', '--amount', '-5', '--title', 'x'], /whole number/],
    [['link', 'show'], /missing required argument 'name'/],
    [['link', 'list', '--status', 'open'], /Allowed choices are initiated, pending/],
    [['merchant', 'checkout', 'acc_x', '--methods', 'cheque'], /Choose from mobile, bank_card, wallet/],
  ]
  for (const [args, says] of WRONG) {
    it(`karba ${args.join(' ')} leaves with 2 and says why`, async () => {
      const ran = await runKarba(args, {})
      assert.deepEqual([ran.code, ran.stdout], [2, ''])
      assert.match(ran.stderr, says)
    })
  }

  for (const args of [
    ['link', 'create'],
    ['link', 'show'],
    ['link', 'cancel'],
    ['link', 'list'],
    ['merchant', 'checkout'],
  ]) {
    it(`karba ${args.join(' ')} --help shows an example`, async () => {
      const { code, stdout } = await runKarba([...args, '--help'], {})
      assert.equal(code, 0)
      assert.match(stdout, /Examples?:\n {2}npm run -s karba -- /)
    })
  }
})
