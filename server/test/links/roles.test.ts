// Links where one process answers and another works, on one PostgreSQL: what a payer begins with the first is brought to its outcome by the
// second.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { openService, type Service } from '../../src/service/compose.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { POSTGRES } from '../kit/stores.ts'
import {
  byPhone,
  decide,
  newLink,
  onPage,
  pay,
  readLink,
  SUCCEEDS_AT_ONCE,
  send,
  stateOf,
  toProvider,
  until,
} from './payer.ts'

let api: TestService
let worker: Service
let key: string

before(async () => {
  api = await openTestService(POSTGRES, { KARBA_ROLE: 'api', KARBA_SANDBOX_DELAY_MS: '0' })
  worker = await openService({ ...api.config, role: 'worker' })
  key = (await api.merchant()).accounts.sandbox.secretKey
})
after(async () => {
  await worker?.close()
  await api?.remove()
})

it('a link paid by phone is handed over by the worker, once', async () => {
  const link = await newLink(api, key)
  await pay(api, link, byPhone(SUCCEEDS_AT_ONCE))
  assert.equal(await stateOf(api, link), 'waiting:1')
  await until(api, link, 'succeeded:0')
  const books = await api.db.rows<{ requests: number }>('select requests from simulated_payments')
  assert.deepEqual(
    books.map(({ requests }) => requests),
    [1],
  )
})

it('a link paid on a provider’s page is settled by whoever asks first', async () => {
  const [returning, leaving] = [await newLink(api, key), await newLink(api, key)]
  await decide(api, await toProvider(api, returning, onPage('bank_card')), 'approve')
  assert.equal(await stateOf(api, returning), 'succeeded:0')
  await toProvider(api, leaving, onPage('wallet'))
  await send(api, `/pay/${leaving}/abandon`, {})
  assert.equal(await stateOf(api, leaving), 'open:1')
})

it('the worker has no pages and reads no links', async () => {
  const link = await newLink(api, key)
  for (const url of [`/pay/${link}`, `/api/v1/external_payments/${link}`, '/simulator/pay/x']) {
    assert.equal((await worker.app.inject({ method: 'GET', url })).statusCode, 404)
  }
  assert.equal((await readLink(api, link)).code, 200)
})
