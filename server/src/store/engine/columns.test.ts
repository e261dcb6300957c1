// What the query files share of their SQL text: columns under the names that the code uses, and the account as part of a statement.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVERY_ACCOUNT } from '../../domain/caller.ts'
import { columns } from './columns.ts'
import { inScope, scopeValues } from './scope.ts'

const SELECTED: [from: Record<string, string>, sql: string][] = [
  [{ status: 'status' }, 'status'],
  [{ accountId: 'account_id' }, 'account_id as "accountId"'],
  [{ status: 'p.status' }, 'p.status as "status"'],
  [{ msisdn: "coalesce(p.msisdn, '')" }, `coalesce(p.msisdn, '') as "msisdn"`],
  [
    { accountId: 'a.account_id', number: 'number', dueAt: 'due_at' },
    'a.account_id as "accountId", number, due_at as "dueAt"',
  ],
]

describe('columns', () => {
  for (const [from, sql] of SELECTED) {
    it(`${JSON.stringify(from)} are selected as ${sql}`, () => assert.equal(columns(from), sql))
  }
})

describe('the scope of one account', () => {
  const scope = { accountId: 'acc_1' }

  it('is a condition at the place of its value', () => {
    assert.equal(inScope(scope, 3), ' and account_id = $3')
    assert.deepEqual(scopeValues(scope), ['acc_1'])
  })

  it('names the table where several are joined', () => {
    assert.equal(inScope(scope, 2, 'd.account_id'), ' and d.account_id = $2')
  })
})

it('the scope of every account is no condition, and has no value', () => {
  assert.equal(inScope(EVERY_ACCOUNT, 3), '')
  assert.deepEqual(scopeValues(EVERY_ACCOUNT), [])
})
