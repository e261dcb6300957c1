// A merchant's payment links through the dashboard's door, on both stores: made, printed, paid, closed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, pay, SUCCEEDS } from '../links/payer.ts'

describe('links in the dashboard', () => {
  let service: VirtualService
  let cashier: SignedIn
  let at: string
  before(async () => {
    service = await openVirtualService(SQLITE)
    const merchant = await service.merchant({ name: 'Chez <Ali>' })
    cashier = await signedIn(service, { at: merchant.merchantId, as: 'cashier' })
    at = `/accounts/${merchant.accounts.sandbox.accountId}/links`
  })
  after(() => service.remove())

  const get = (path: string) => ask(service, `GET ${at}${path}` as 'GET /', cashier)
  const post = (path: string, body: object = {}) => ask(service, `POST ${at}${path}` as 'POST /', cashier, body)
  const make = async (title: string) => (await post('', { title, amount: 15_000, reusable: false })).body

  it('are made in three fields, and bring in what is paid', async () => {
    const made = await make('Panier')
    assert.deepEqual([made.state, made.amount, made.collected, made.expiresAt], ['open', 15_000, 0, null])
    await pay(service, made.reference, byPhone(SUCCEEDS))
    await service.clock.advance(10_000)
    const paid = (await get(`/${made.reference}`)).body
    assert.deepEqual([paid.state, paid.payments, paid.collected], ['paid', 1, 15_000])
    assert.deepEqual((await get('')).body.rows[0], paid)
    assert.equal((await post(`/${made.reference}/close`)).body.code, 'link_closed')
  })

  it('say what is wrong with a field', async () => {
    assert.equal((await post('', { title: 'Panier', amount: 1 })).body.code, 'amount_not_valid')
    assert.equal((await post('', { title: '', amount: 500 })).body.code, 'link_body_incomplete')
    assert.equal((await post('', { title: 3, amount: 500 })).body.param, 'title')
  })

  it('have a code as a drawing and as a picture, and a poster that runs nothing', async () => {
    const { reference, url } = await make('Thé <b>vert</b>')
    const svg = await get(`/${reference}/qr.svg`)
    assert.equal(svg.headers['content-type'], 'image/svg+xml')
    assert.match(String(svg.headers['content-security-policy']), /default-src 'none'; sandbox/)
    assert.equal((await get(`/${reference}/qr.png`)).headers['content-type'], 'image/png')
    const poster = await get(`/${reference}/poster`)
    assert.match(String(poster.headers['content-security-policy']), /script-src 'none'/)
    assert.match(poster.body, /size:A5/)
    assert.ok(poster.body.includes('15\u00a0000\u00a0F\u00a0CFA') && poster.body.includes(url))
    assert.ok(poster.body.includes('Chez &lt;Ali&gt;') && !poster.body.includes('<b>'))
  })

  it('are closed once', async () => {
    const { reference } = await make('Café')
    assert.equal((await post(`/${reference}/close`)).body.state, 'closed')
    assert.equal((await post(`/${reference}/close`)).code, 422)
    assert.equal((await get('/n0b0dys/poster')).code, 404)
  })
})
