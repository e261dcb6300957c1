// Version 2: payments and refunds signed, with a key that the network gives and replaces.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { keyLastsMs } from '../../../src/operators/connectors/airtel-money/message-signing.ts'
import { collection, countOf, DECIDE_AFTER_MS, openAirtel, paid, REFERENCE, reversal } from './open-airtel.ts'

const KEYS = '/v1/rsa/encryption-keys'
const SIGNED = { network: { requiresSigning: true }, options: { version: 2 } } as const

it('a signed payment and a signed refund are verified by the network, with both paddings', async () => {
  for (const padding of ['pkcs1', 'oaep-sha256'] as const) {
    const airtel = openAirtel({
      network: { requiresSigning: true, padding },
      options: { version: 2, padding },
    })
    const operatorReference = await paid(airtel)
    assert.equal((await airtel.operator.refund(reversal(operatorReference))).is, 'succeeded')
    assert.equal(countOf(airtel.calls, '/merchant/v2/payments/'), 1)
    assert.equal(countOf(airtel.calls, '/standard/v2/payments/refund'), 1)
    assert.equal(countOf(airtel.calls, `/standard/v1/payments/${REFERENCE}`), 1)
  }
})

it('each message has a key of its own', async () => {
  const { operator, calls } = openAirtel(SIGNED)
  await operator.request(collection())
  await operator.request(collection({ reference: 'abcdefghjkmnpqrstvwxyz01' }))
  const keys = calls.filter(({ path }) => path.startsWith('/merchant')).map(({ headers }) => headers['x-key'])
  assert.equal(new Set(keys).size, 2)
})

it('ten payments at once fetch the network’s key once, and it is fetched anew after an hour', async () => {
  const { operator, calls, clock } = openAirtel(SIGNED)
  const references = Array.from({ length: 10 }, (_, nth) => `0000000000000000000000${10 + nth}`)
  const answers = await Promise.all(references.map((reference) => operator.request(collection({ reference }))))
  assert.ok(answers.every(({ is }) => is === 'accepted'))
  assert.equal(countOf(calls, KEYS), 1)
  await clock.advance(3_600_000)
  assert.equal((await operator.request(collection())).is, 'accepted')
  assert.equal(countOf(calls, KEYS), 2)
})

it('a key that was replaced before its time is fetched anew, and the same request sent again', async () => {
  const { operator, calls, network, on } = openAirtel(SIGNED)
  await operator.request(collection({ reference: 'abcdefghjkmnpqrstvwxyz01' }))
  on('signing_key_is_replaced', 1)
  assert.equal((await operator.request(collection())).is, 'accepted')
  assert.equal(countOf(calls, KEYS), 2)
  assert.deepEqual(
    network.books().map(({ requests }) => requests),
    [1, 1],
  )
})

it('a signature that the network never takes is our configuration, after one new key', async () => {
  const { operator, calls } = openAirtel({
    network: { requiresSigning: true, padding: 'oaep-sha256' },
    options: { version: 2, padding: 'pkcs1' },
  })
  assert.deepEqual(await operator.request(collection()), {
    is: 'unknown',
    why: 'DP00800001026: Signature and body do not match',
    misconfigured: true,
    neverLeft: true,
    code: 'DP00800001026',
  })
  assert.equal(countOf(calls, '/merchant/v2/payments/'), 2)
})

it('a key that is too short for its padding is our configuration, and nothing is sent', async () => {
  const { operator, calls } = openAirtel({ options: { version: 2, padding: 'oaep-sha256' } })
  assert.deepEqual(await operator.request(collection()), {
    is: 'unknown',
    why: 'the network’s key cannot be used with the padding oaep-sha256',
    neverLeft: true,
    misconfigured: true,
  })
  assert.equal(countOf(calls, '/merchant/v2/payments/'), 0)
})

it('an unsigned payment is refused where signing is on', async () => {
  const { operator } = openAirtel({ network: { requiresSigning: true } })
  const answer = await operator.request(collection())
  assert.deepEqual(answer, {
    is: 'unknown',
    why: 'ROUTER003: Header or body parameters missing',
    misconfigured: true,
    code: 'ROUTER003',
  })
})

it('enquiries are not signed', async () => {
  const { operator, calls, clock } = openAirtel(SIGNED)
  await operator.request(collection())
  await clock.advance(DECIDE_AFTER_MS)
  assert.equal((await operator.status(REFERENCE)).is, 'succeeded')
  assert.equal(calls.at(-1)?.headers['x-signature'], undefined)
})

it('the end of a key, which is told without a time zone, only ever shortens an hour', () => {
  const now = Date.UTC(2024, 7, 12, 21, 0, 0)
  const lives: [string | undefined, number][] = [
    ['12-08-2024 21:29:26', 29 * 60_000 + 26_000],
    ['13-08-2024 21:29:26', 3_600_000],
    ['12-08-2024 20:29:26', 60_000],
    ['2024-08-12', 3_600_000],
    [undefined, 3_600_000],
  ]
  for (const [validUpTo, lastsMs] of lives) assert.equal(keyLastsMs(validUpTo, now), lastsMs, validUpTo)
})
