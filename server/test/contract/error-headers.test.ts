// Every error says in headers which it is and what it is about, whoever answers it; its body stays the contract's (D-62).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, get, head, openTestService, order, post, postTo, type TestService } from '../kit/service.ts'
import { LINK, postLink, readLink } from '../links/payer.ts'

describe('an error says in its headers which it is and what it is about', () => {
  let service: TestService
  let key: string

  before(async () => {
    service = await openTestService()
    key = (await service.merchant()).accounts.sandbox.secretKey
    await post(service, key, order({ transaction_id: 'taken' }))
  })
  after(() => service.remove())

  const create = (change: object) => () => post(service, key, order({ ...change }))
  const withHead = (change: Record<string, string | undefined>) => () => post(service, key, order(), change)
  const link = (change: object) => () => postLink(service, key, { ...LINK, ...change })
  const raw = (body: string) => () => postTo(service, '/api/v1/payments', head(key), body)
  const feed = (query: string) => () => ask('GET', `/api/v1/events?${query}`)
  async function ask(method: 'GET' | 'DELETE', url: string): Promise<Answer> {
    const { statusCode: code, headers, ...answer } = await service.app.inject({ method, url, headers: head(key) })
    return { code, headers, body: answer.json() }
  }

  const ROWS: [about: string, send: () => Promise<Answer>, code: string, param: string | undefined][] = [
    ...['Content-Type', 'Authorization', 'Svc-Target-Environment', 'Svc-Payment-Type'].map(
      (name): (typeof ROWS)[number] => [
        `no ${name}`,
        withHead({ [name.toLowerCase()]: undefined }),
        'header_missing',
        name,
      ],
    ),
    ['two headers less', withHead({ authorization: '', 'svc-payment-type': '' }), 'header_missing', 'Authorization'],
    [
      'a wrong environment',
      withHead({ 'svc-target-environment': 'x' }),
      'environment_not_allowed',
      'Svc-Target-Environment',
    ],
    ['a body that is not JSON', raw('{'), 'body_incomplete', undefined],
    ['an empty object', raw('{}'), 'body_incomplete', undefined],
    ['no transaction_id', create({ transaction_id: undefined }), 'body_incomplete', 'transaction_id'],
    ['a blank number', create({ msisdn: ' ' }), 'body_incomplete', 'msisdn'],
    ['an amount with a space', create({ amount: '15 000' }), 'amount_not_valid', 'amount'],
    [
      'a transaction_id that is taken',
      create({ transaction_id: 'taken' }),
      'external_reference_taken',
      'transaction_id',
    ],
    ['a link without an amount', link({ amount: undefined }), 'link_body_incomplete', 'amount'],
    ['a link without a title', link({ title: '' }), 'link_body_incomplete', 'title'],
    [
      'a way back by ftp',
      link({ on_failed_redirection_url: 'ftp://x' }),
      'redirection_url_not_valid',
      'on_failed_redirection_url',
    ],
    ['an unknown payment', () => get(service, key, 'unknown'), 'payment_not_found', undefined],
    ['an unknown link', () => readLink(service, 'unknown'), 'payment_not_found', undefined],
    ['a feed after nothing', feed(`after=${'1'.repeat(41)}`), 'after_not_valid', 'after'],
    ['replays after nothing', feed('replays_after=x'), 'after_not_valid', 'replays_after'],
    ['an unknown address', () => ask('GET', '/api/v2'), 'not_found', undefined],
    ['an unknown method', () => ask('DELETE', '/api/v1/payments'), 'method_not_allowed', undefined],
    ['a long body', create({ note: 'x'.repeat(70_000) }), 'payload_too_large', undefined],
  ]

  for (const [about, send, code, param] of ROWS) {
    it(`${about}: ${code}${param === undefined ? '' : ` about ${param}`}`, async () => {
      const { headers } = await send()
      assert.deepEqual([headers['svc-error-code'], headers['svc-error-param']], [code, param])
    })
  }

  it('an answer that is no error has neither', async () => {
    const { headers } = await post(service, key, order())
    assert.equal('svc-error-code' in headers || 'svc-error-param' in headers, false)
  })
})
