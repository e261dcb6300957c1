// Inherited names such as `constructor` in every place of a request to the merchant API, the payers' pages, the dashboard and its pages, and as
// arguments of commands: each is a name like any other, and none makes the service answer with a 5xx.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { z } from 'zod'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { ROUTES } from '../../src/dashboard-api/routes.ts'
import { runKarba } from '../kit/karba.ts'
import { INHERITED_NAMES, namesInMessage, namesInText } from '../kit/outside-names.ts'
import { ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { head, openTestService, order, postTo, type TestService } from '../kit/service.ts'

interface Sent {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  headers: Record<string, string>
  body: string
}

describe('inherited names in requests', () => {
  let service: TestService
  let merchant: NewMerchant
  let senders = 0
  before(async () => {
    service = await openTestService(undefined, { KARBA_ROLE: 'api' })
    merchant = await service.merchant()
  })
  after(() => service.remove())

  /** Each from an address of its own: the tables are longer than what one address may ask for at once. */
  async function send({ method, path, headers, body }: Sent): Promise<number> {
    const remoteAddress = `10.5.${++senders >> 8}.${senders & 255}`
    const payload = method === 'GET' ? {} : { payload: body }
    const { statusCode, body: answer } = await service.app.inject({
      method,
      url: path,
      headers,
      remoteAddress,
      ...payload,
    })
    assert.ok(statusCode < 500, `${statusCode} ${answer} to ${JSON.stringify({ method, path, headers, body })}`)
    return statusCode
  }

  async function sendAll(requests: Sent[]): Promise<void> {
    for (const request of requests) {
      assert.ok((await send(request)) < 400, `${request.method} ${request.path} is right before it is changed`)
      for (const name of INHERITED_NAMES) for (const changed of namesInMessage(request, name)) await send(changed)
    }
  }

  it('merchant API: creates, reads, links, lists and events', async () => {
    const { secretKey } = merchant.accounts.sandbox
    const headers = head(secretKey)
    const link = { ...order(), title: 'Panier', description: 'Deux articles' }
    const forLinks = head(secretKey, { 'svc-payment-type': 'external_payment' })
    await sendAll([
      { method: 'POST', path: '/api/v1/payments', headers, body: JSON.stringify(order()) },
      { method: 'GET', path: '/api/v1/payments?status=failed&operator=mtn_bj&limit=10', headers, body: '' },
      { method: 'GET', path: '/api/v1/events?limit=10&after=0', headers, body: '' },
      { method: 'POST', path: '/api/v1/external_payments', headers: forLinks, body: JSON.stringify(link) },
    ])
  })

  it('payers’ pages: a link’s page and its forms', async () => {
    const headers = head(merchant.accounts.sandbox.secretKey, { 'svc-payment-type': 'external_payment' })
    const made = await postTo(service, '/api/v1/external_payments', headers, {
      ...order(),
      title: 'A',
      description: 'B',
    })
    const path = `/pay/${made.body.reference}`
    const form = { ...ORIGIN, 'content-type': 'application/x-www-form-urlencoded' }
    const browser = { 'accept-language': 'fr', cookie: 'karba-attempt=abc' }
    await sendAll([
      { method: 'GET', path: `${path}?lang=fr&embed=x`, headers: browser, body: '' },
      { method: 'POST', path, headers: form, body: 'lang=fr&method=mobile_money&country=NE&msisdn=96123456' },
    ])
  })

  it('dashboard: every field of every route', async () => {
    const { merchantId, accounts } = merchant
    const people = {
      owner: await signedIn(service, { at: merchantId, as: 'owner' }),
      administrator: await signedIn(service, { forServiceAs: 'administrator' }),
    }
    for (const { method, path, input } of ROUTES) {
      const who: SignedIn = path.startsWith('/console/') ? people.administrator : people.owner
      const fields = Object.keys((input as z.ZodObject).shape ?? {})
      const at = `/dashboard/api${path.replace(':accountId', accounts.sandbox.accountId)}`
      if (path.endsWith('/live') || path.includes('sign-out')) continue
      const headers = { ...ORIGIN, cookie: who.cookie, 'content-type': 'application/json' }
      for (const name of INHERITED_NAMES.slice(0, 2)) {
        const named = at.replaceAll(/:\w+/g, name)
        const body = JSON.stringify(Object.fromEntries([...fields, name].map((field) => [field, name])))
        const query = [...fields, name].map((field) => `${field}=${name}`).join('&')
        await send({ method, path: `${named}?${query}`, headers, body })
        await send({ method, path: named, headers, body })
        for (const field of fields) {
          await send({ method, path: `${named}?${field}=${name}`, headers, body: JSON.stringify({ [field]: name }) })
        }
      }
    }
  })

  it('pages and files: every word of an address', async () => {
    const headers = { ...ORIGIN, accept: 'text/html', 'accept-language': 'fr', 'accept-encoding': 'br' }
    const addresses = ['/docs/errors', '/openapi.json', '/checkout.js', '/qr/x', '/robots.txt']
    for (const name of INHERITED_NAMES) {
      for (const address of addresses)
        for (const path of namesInText(address, name)) await send({ method: 'GET', path, headers, body: '' })
    }
  })

  it('commands: as a command, an argument and an option', async () => {
    const { env } = service.place
    for (const args of [
      ['constructor'],
      ['payment', 'list', merchant.accounts.sandbox.accountId, '--status', 'constructor'],
      ['simulator', '--network', 'constructor'],
      ['audit', '__proto__'],
    ]) {
      const { code, stderr } = await runKarba(args, env)
      assert.ok(code === 1 || code === 2 || (code === 0 && args[0] === 'audit'), `${args.join(' ')}: ${code} ${stderr}`)
      assert.doesNotMatch(stderr, /TypeError|\n\s+at /, args.join(' '))
    }
  })
})
