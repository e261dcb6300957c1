// NUL, and the bytes beside it, in every text that somebody outside can send: PostgreSQL takes none in a text, and nobody gets a 5xx for it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { simulatorToken } from '../../src/service/open-simulator.ts'
import { SIGNATURE_HEADER, signCallback } from '../../src/simulator/server.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { head, openTestService, order, type TestService } from '../kit/service.ts'
import { signOrder } from '../kit/sign-order.ts'
import { STORES } from '../kit/stores.ts'
import { byPhone, LINK, newLink } from '../links/payer.ts'

const SHOP = 'https://shop.example'
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
/** As they stand in an address. */
const ENCODED = ['%00', 'a%00b', '%01', '%C2%80', '%EF%BF%BF', '%ED%A0%80', '%FF']
const UNKIND = ['\u0000', 'a\u0000b', '\ud800', '\uffff', '\u0001']

interface Request {
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  payload?: string
}

for (const store of STORES) {
  describe(`NUL on ${store.name}`, () => {
    let service: TestService
    let account: NewAccount
    let link: string

    before(async () => {
      service = await openTestService(store)
      account = (await service.merchant()).accounts.sandbox
      granted(await changeCheckoutSettings(service, TESTER, { accountId: account.accountId, origins: [SHOP] }))
      link = await newLink(service, account.secretKey)
    })
    after(() => service.remove())

    let addresses = 0
    /** Answered by us, and not by a fault of ours. */
    async function isAnswered(request: Request): Promise<void> {
      const remoteAddress = `10.3.${++addresses >> 8}.${addresses & 255}`
      const { statusCode, body } = await service.app.inject({ ...request, remoteAddress })
      assert.ok(statusCode < 500, `${request.method} ${request.url} ${request.payload ?? ''}: ${statusCode} ${body}`)
    }

    it('in a path or a query', async () => {
      const headers = head(account.secretKey)
      for (const text of ENCODED) {
        for (const url of [
          ...[`/simulator/pay/${text}`, `/pay/${text}`, `/pay/${text}/share`, `/pay/${text}/status`],
          ...[`/pay/${link}?lang=${text}&embed=${text}&returned=${text}`, `/api/v1/external_payments/${text}`],
          ...[`/operators/sandbox/${text}/callback`, `/operators/${text}/airtel_ne/callback`, `/checkout-${text}.js`],
        ]) {
          await isAnswered({ method: 'GET', url })
          await isAnswered({ method: 'POST', url, headers: FORM, payload: 'decision=approve' })
        }
        await isAnswered({ method: 'GET', url: `/api/v1/payments/${text}`, headers })
        await isAnswered({ method: 'GET', url: `/api/v1/events?after=${text}&limit=${text}`, headers })
        await isAnswered({ method: 'GET', url: `/api/v1/events?after=evt_${text}&replays_after=${text}`, headers })
      }
    })

    it('in any field of a body or a form', async () => {
      const page = { 'content-type': 'application/json', authorization: `Bearer ${account.publicKey}`, origin: SHOP }
      const whole = { ...LINK, description: 'x', transaction_id: 'x', customer_name: 'x', reference: 'x', order: 'x' }
      for (const text of UNKIND) {
        for (const field of Object.keys(order())) {
          const payload = JSON.stringify(order({ [field]: text }))
          await isAnswered({ method: 'POST', url: '/api/v1/payments', headers: head(account.secretKey), payload })
        }
        for (const field of [...Object.keys(whole), 'on_success_redirection_url', 'on_failed_redirection_url']) {
          const payload = JSON.stringify({ ...LINK, [field]: text })
          const headers = head(account.secretKey)
          await isAnswered({ method: 'POST', url: '/api/v1/external_payments', headers, payload })
          await isAnswered({ method: 'POST', url: '/checkout/links', headers: page, payload })
        }
        for (const field of ['title', 'transaction_id', 'order_reference', 'expires_at']) {
          const signed = signOrder(account.secretKey, { ...LINK, [field]: text })
          await isAnswered({
            method: 'POST',
            url: '/checkout/links',
            headers: page,
            payload: JSON.stringify({ order: signed }),
          })
        }
        for (const field of ['method', 'country', 'msisdn', 'attempt', 'lang', 'embed', 'decision']) {
          const payload = `${new URLSearchParams({ ...byPhone('96123456'), [field]: text })}`
          await isAnswered({ method: 'POST', url: `/pay/${link}`, headers: FORM, payload })
          await isAnswered({ method: 'POST', url: `/pay/${link}/abandon`, headers: FORM, payload })
        }
      }
    })

    it('in a callback that is signed, as in one that is no JSON object', async () => {
      const token = simulatorToken(service.master)
      const bodies = ['', 'x', '\u0000', 'null', '12', '[]', '"x"', '{}', '{"reference":"\u0000"}', '{"reference":{}}']
      for (const payload of [...bodies, JSON.stringify({ reference: 'a\u0000b'.padEnd(24, '0') })]) {
        const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signCallback(token, payload) }
        const url = '/operators/sandbox/airtel_ne/callback'
        const { statusCode, body } = await service.app.inject({ method: 'POST', url, headers, payload })
        assert.deepEqual([statusCode, body], [401, '{"message":"Unauthorized"}'], payload)
      }
    })
  })
}

it('in production there is no page that plays a provider, and no method that would lead to one', async () => {
  const service = await openTestService(undefined, { KARBA_MODE: 'production' })
  for (const method of ['GET', 'POST'] as const) {
    const { statusCode } = await service.app.inject({ method, url: '/simulator/pay/00000000000000000000000a' })
    assert.equal(statusCode, 404)
  }
  const link = await newLink(service, (await service.merchant()).accounts.sandbox.secretKey)
  const { body } = await service.app.inject({ url: `/pay/${link}` })
  assert.match(body, /value="mobile"/)
  assert.doesNotMatch(body, /value="(bank_card|wallet)"/)
  await service.remove()
})
