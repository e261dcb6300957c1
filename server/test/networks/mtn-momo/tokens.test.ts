// The access tokens of MTN MoMo: one for all, renewed before its end, and nothing lost when the network refuses one.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DEADLINE_MS, openMtn, order } from './open-mtn.ts'

const mints = (sent: readonly { path: string }[]): number => sent.filter(({ path }) => path.endsWith('/token/')).length

it('ten calls at once share one token', async () => {
  const { operator, sent } = openMtn()
  const answers = await Promise.all(Array.from({ length: 10 }, () => operator.request(order())))
  assert.deepEqual(new Set(answers.map(({ is }) => is)), new Set(['accepted']))
  assert.equal(mints(sent), 1)
})

it('ten calls at once that find the token refused share one new token, and send the same references', async () => {
  const { operator, sent, network } = openMtn()
  await operator.request(order())
  network.faults.on('forgets_tokens', 1)
  const orders = Array.from({ length: 10 }, () => order())
  const answers = await Promise.all(orders.map((each) => operator.request(each)))
  assert.deepEqual(new Set(answers.map(({ is }) => is)), new Set(['accepted']))
  assert.equal(mints(sent), 2)
  assert.equal(network.books().length, 11)
})

it('a network on which a new token ends the old one loses no payment', async () => {
  const { operator, network, clock } = openMtn()
  network.faults.on('new_token_ends_the_old')
  await operator.request(order())
  await clock.advance(51 * 60_000)
  const answers = await Promise.all(Array.from({ length: 10 }, () => operator.request(order())))
  assert.deepEqual(new Set(answers.map(({ is }) => is)), new Set(['accepted']))
})

it('a token is renewed ten minutes before its end, while calls still use the old one', async () => {
  const { operator, sent, clock } = openMtn()
  await operator.request(order())
  await clock.advance(49 * 60_000)
  await operator.request(order())
  assert.equal(mints(sent), 1)
  await clock.advance(2 * 60_000)
  await operator.request(order())
  await clock.settle()
  assert.equal(mints(sent), 2)
  await operator.request(order())
  assert.equal(mints(sent), 2)
})

it('a token whose life is told as text, and short, is renewed in time', async () => {
  const { operator, sent, clock, network } = openMtn()
  network.faults.on('short_tokens')
  await operator.request(order())
  await clock.advance(200_000)
  assert.equal((await operator.request(order())).is, 'accepted')
  assert.equal(mints(sent), 2)
})

it('a token that takes 20 seconds makes the first call give up in time, as never sent, and serves the next', async () => {
  const { operator, network, clock, answer, sent } = openMtn()
  network.faults.on('slow_token')
  const began = clock.now()
  const first = await answer(operator.request(order()))
  assert.deepEqual(first, { is: 'unknown', why: 'no access token in time', neverLeft: true })
  assert.ok(clock.now() - began <= DEADLINE_MS)
  await clock.advance(20_000)
  assert.equal((await operator.request(order())).is, 'accepted')
  assert.equal(mints(sent), 1)
})

it('a refused token is renewed once and no more: the request was never taken', async () => {
  const { operator, network, sent } = openMtn()
  network.faults.on('forgets_tokens')
  const answer = await operator.request(order())
  assert.deepEqual(answer, {
    is: 'unknown',
    why: 'HTTP 401 invalid_token',
    code: 'invalid_token',
    neverLeft: true,
    misconfigured: true,
  })
  assert.equal(mints(sent), 2)
  assert.deepEqual(network.books(), [])
})

it('a request that was taken and answered with 401 is known by its reference', async () => {
  const { operator, network } = openMtn()
  network.faults.on('refuses_token_after_taking', 1)
  assert.equal((await operator.request(order())).is, 'accepted')
  assert.deepEqual(
    network.books().map(({ requests }) => requests),
    [2],
  )
})

for (const [about, platform, fault] of [
  ['refused credentials', 'new', 'token_refused'],
  ['a 500 of the old platform', 'old', 'token_500'],
  ['a page of the gateway', 'new', 'gateway_403_page'],
] as const) {
  it(`${about} instead of a token leave the payment unsent, for somebody to mend`, async () => {
    const { operator, network } = openMtn({ network: { platform } })
    network.faults.on(fault)
    const answer = await operator.request(order())
    assert.equal(answer.is === 'unknown' && answer.neverLeft && answer.misconfigured, true)
    assert.deepEqual(network.books(), [])
  })
}

it('credentials of any form are sent as they are: on the new platform a User ID is base64', async () => {
  const { operator, sent, network } = openMtn({ network: { platform: 'new' } })
  await operator.request(order())
  const { apiUser, apiKey } = network.credentials
  assert.match(apiUser as string, /=$/)
  assert.equal(sent[0]?.headers.authorization, `Basic ${btoa(`${apiUser}:${apiKey}`)}`)
})
