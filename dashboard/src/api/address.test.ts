// Which part of a call each field goes into.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { callOf, SELF, urlOf } from './address.ts'

const CALLS: [base: Parameters<typeof callOf>[0], address: string, fields: object, url: string][] =
  [
    [SELF, 'GET /session', {}, '/dashboard/api/session'],
    ['console', 'GET /tasks', {}, '/dashboard/api/console/tasks'],
    [
      'console',
      'GET /payments/:name',
      { name: 'a/b?c' },
      '/dashboard/api/console/payments/a%2Fb%3Fc',
    ],
    [
      'accounts/acc_1',
      'GET /links/:reference/qr.svg',
      { reference: 'lnk0' },
      '/dashboard/api/accounts/acc_1/links/lnk0/qr.svg',
    ],
    [
      'accounts/acc_1',
      'GET /payments',
      { search: 'awa & co', minimum: 0, status: '', from: undefined, operator: null },
      '/dashboard/api/accounts/acc_1/payments?search=awa+%26+co&minimum=0',
    ],
  ]
for (const [base, address, fields, url] of CALLS)
  it(`address of a call: ${address} of ${base || 'the person'} is ${url}`, () => {
    assert.equal(urlOf(callOf(base, address, fields)), url)
  })

it('address of a call: a field that the path names is not in the body', () => {
  const fields = { reference: 'p1', amount: 500, refundId: 'r' }
  assert.deepEqual(callOf('accounts/acc_1', 'POST /payments/:reference/refund', fields), {
    method: 'POST',
    path: '/dashboard/api/accounts/acc_1/payments/p1/refund',
    rest: { amount: 500, refundId: 'r' },
  })
  assert.equal(fields.reference, 'p1', 'the caller keeps its fields')
})
