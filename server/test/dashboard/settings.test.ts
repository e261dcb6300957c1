// The settings of a merchant through the dashboard's door, on both stores: what it shows to payers, and what it shows to be validated.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { ask, ORIGIN, type SignedIn, signedIn } from '../kit/people.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and a picture', 'latin1')
const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(200_000, 'page ')])
const BUSINESS = {
  ...{ legalName: 'Ali SARL', registration: 'NE-NIM-01', country: 'NE', city: 'Niamey' },
  ...{ address: 'Rue 12', contact: 'ali@example.com' },
}

describe('settings in the dashboard', () => {
  let service: VirtualService
  let merchant: NewMerchant
  let owner: SignedIn
  let at: string
  before(async () => {
    service = await openVirtualService(SQLITE)
    merchant = await service.merchant({ name: 'Chez Ali', validateLive: false })
    owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
    at = `/accounts/${merchant.accounts.sandbox.accountId}`
  })
  after(() => service.remove())

  const call = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object) =>
    ask(service, `${method} ${at}${path}` as 'GET /', owner, body)
  const upload = async (method: 'PUT' | 'POST', path: string, file: Buffer) => {
    const { statusCode, body } = await service.app.inject({
      ...{ method, url: `/dashboard/api${at}${path}`, payload: file },
      headers: { ...ORIGIN, cookie: owner.cookie, 'content-type': 'application/octet-stream' },
    })
    return { code: statusCode, body: JSON.parse(body) }
  }

  it('the brand is the merchant’s name until it has its own, and a colour must be readable', async () => {
    assert.deepEqual((await call('GET', '/settings')).body.brand, {
      ...{ name: 'Chez Ali', logoUrl: null, colour: null, phone: null },
    })
    const brand = { name: 'Ali & Fils', colour: '#0a7d4f', phone: '+227 20 73 00 00' }
    assert.deepEqual((await call('PUT', '/settings/brand', brand)).body.brand, { ...brand, logoUrl: null })
    for (const [change, code] of [
      [{ colour: '#ffcb05' }, 'colour_not_readable'],
      [{ colour: 'red' }, 'colour_not_valid'],
      [{ phone: 'call me' }, 'phone_not_valid'],
      [{ name: '\u200b' }, 'brand_name_not_valid'],
    ] as const)
      assert.equal((await call('PUT', '/settings/brand', { ...brand, ...change })).body.code, code)
  })

  it('the logo is for anybody, kept for ever, and only a picture', async () => {
    const { body } = await upload('PUT', '/settings/logo', PNG)
    const logo = await service.app.inject({ url: body.brand.logoUrl })
    assert.deepEqual([logo.statusCode, logo.headers['content-type']], [200, 'image/png'])
    assert.match(String(logo.headers['cache-control']), /immutable/)
    assert.deepEqual(logo.rawPayload, PNG)
    assert.equal((await upload('PUT', '/settings/logo', Buffer.from('<svg onload=1>'))).body.code, 'logo_not_valid')
    const large = Buffer.concat([PNG, Buffer.alloc(200 * 1024)])
    assert.equal((await upload('PUT', '/settings/logo', large)).body.code, 'logo_not_valid')
    assert.equal((await call('DELETE', '/settings/logo')).body.brand.logoUrl, null)
    assert.equal((await service.app.inject({ url: body.brand.logoUrl })).statusCode, 404)
  })

  it('validation is asked for with the business in full and a document', async () => {
    assert.deepEqual((await call('GET', '/settings')).body.validation, { state: 'not_asked', reason: null })
    assert.equal((await call('POST', '/validation')).body.code, 'validation_not_ready')
    assert.deepEqual((await call('PUT', '/settings/business', BUSINESS)).body.business, BUSINESS)
    assert.equal((await call('POST', '/validation')).body.code, 'validation_not_ready')
    const { body } = await upload('POST', '/documents?name=registre.pdf', PDF)
    assert.deepEqual(
      body.documents.map((document: { name: string; type: string; bytes: number }) => [
        ...[document.name, document.type, document.bytes],
      ]),
      [['registre.pdf', 'application/pdf', PDF.length]],
    )
    assert.equal((await call('POST', '/validation')).body.validation.state, 'asked')
  })

  it('a document comes back as it was, as a file and nothing else, to its own people alone', async () => {
    const [document] = (await call('GET', '/settings')).body.documents
    const url = `/dashboard/api${at}/documents/${document.documentId}`
    const file = await service.app.inject({ url, headers: { cookie: owner.cookie } })
    assert.deepEqual(file.rawPayload, PDF)
    assert.match(String(file.headers['content-disposition']), /^attachment;/)
    assert.equal(file.headers['x-content-type-options'], 'nosniff')
    const other = await service.merchant()
    const stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
    const theirs = `GET /accounts/${other.accounts.sandbox.accountId}/documents/${document.documentId}` as const
    assert.equal((await ask(service, theirs, stranger)).code, 404)
    const [chunk] = await service.db.rows<{ content: string }>('select content from document_chunks')
    assert.ok(!Buffer.from(chunk?.content ?? '', 'base64').includes('page page'), 'it is sealed')
  })

  it('a document is a PDF or a picture, and there are ten at most', async () => {
    assert.equal((await upload('POST', '/documents', Buffer.from('MZ'))).body.code, 'document_not_valid')
    for (let count = 1; count < 10; count++) await upload('POST', '/documents?name=page', PNG)
    assert.equal((await upload('POST', '/documents?name=page', PNG)).body.code, 'too_many_documents')
    const [first] = (await call('GET', '/settings')).body.documents
    assert.equal((await call('DELETE', `/documents/${first.documentId}`)).body.documents.length, 9)
  })

  it('sites are listed by their origin', async () => {
    const { body } = await call('PUT', '/settings/sites', { sites: ['https://shop.example'] })
    assert.deepEqual(body.sites, ['https://shop.example'])
    assert.equal(
      (await call('PUT', '/settings/sites', { sites: ['shop.example/x'] })).body.code,
      'site_origin_not_valid',
    )
  })
})
