// The access token: one for all, renewed in time, and once more when the network refuses it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { collection, countOf, DEADLINE_MS, openAirtel, REFERENCE, settled } from './open-airtel.ts'

const TOKEN = '/auth/oauth2/token'

it('ten calls at once ask for one token', async () => {
  const { operator, calls } = openAirtel()
  const answers = await Promise.all(Array.from({ length: 10 }, () => operator.status(REFERENCE)))
  assert.ok(answers.every(({ is }) => is === 'not_known'))
  assert.equal(countOf(calls, TOKEN), 1)
})

it('the credentials go as JSON, with no header of the application', async () => {
  const { operator, calls } = openAirtel()
  await operator.status(REFERENCE)
  assert.deepEqual(JSON.parse(calls[0]?.body ?? ''), {
    client_id: 'simulated-airtel-client',
    client_secret: 'simulated-airtel-secret',
    grant_type: 'client_credentials',
  })
  assert.deepEqual(calls[0]?.headers, {
    accept: '*/*',
    'user-agent': 'Karba/1.0',
    'content-type': 'application/json',
  })
})

it('a token is renewed before its end, also when its life is told as text', async () => {
  for (const isText of [false, true]) {
    const { operator, calls, clock, on } = openAirtel()
    if (isText) on('token_life_is_text')
    await operator.status(REFERENCE)
    await clock.advance(140_000)
    await operator.status(REFERENCE)
    assert.equal(countOf(calls, TOKEN), 1)
    await clock.advance(15_000)
    await operator.status(REFERENCE)
    await clock.settle()
    assert.equal(countOf(calls, TOKEN), 2)
    await clock.advance(100_000)
    assert.equal((await operator.status(REFERENCE)).is, 'not_known')
    assert.equal(countOf(calls, TOKEN), 2)
  }
})

it('a token that is refused with 401 or 403 is renewed once, and the request sent with the same id', async () => {
  for (const is403 of [false, true]) {
    const { operator, network, calls, on } = openAirtel()
    if (is403) on('expired_token_is_403')
    on('token_ends_early', 1)
    assert.equal((await operator.request(collection())).is, 'accepted')
    const ids = calls
      .filter(({ path }) => path === '/merchant/v1/payments/')
      .map(({ body }) => JSON.parse(body ?? '').transaction.id)
    assert.deepEqual(ids, [REFERENCE, REFERENCE])
    assert.equal(countOf(calls, TOKEN), 2)
    assert.equal(network.books()[0]?.requests, 1)
  }
})

it('a network that refuses every token is asked twice, and the request was never taken', async () => {
  const { operator, calls, on } = openAirtel()
  on('token_ends_early')
  const why = 'HTTP 401: the network refuses the access tokens that it gives us'
  assert.deepEqual(await operator.request(collection()), { is: 'unknown', why, neverLeft: true, misconfigured: true })
  assert.equal(countOf(calls, '/merchant/v1/payments/'), 2)
})

it('ten calls that find their token refused ask for one new token', async () => {
  const { operator, network, calls } = openAirtel()
  await operator.status(REFERENCE)
  network.faults.on('token_ends_early', 10)
  const answers = await Promise.all(Array.from({ length: 10 }, () => operator.status(REFERENCE)))
  assert.ok(answers.every(({ is }) => is === 'not_known'))
  assert.equal(countOf(calls, TOKEN), 2)
})

it('calls go on when a new token ends the old one', async () => {
  const { operator, clock, on } = openAirtel()
  on('new_token_ends_the_old')
  for (let nth = 0; nth < 10; nth++) {
    const answers = await Promise.all([operator.status(REFERENCE), operator.status(REFERENCE)])
    assert.deepEqual(answers, [{ is: 'not_known' }, { is: 'not_known' }])
    await clock.advance(50_000)
  }
})

it('credentials that are refused are our configuration, and the network is left alone for a second', async () => {
  const { operator, calls } = openAirtel({ options: { clientSecret: 'another' } })
  const refused = {
    is: 'unknown',
    why: 'no access token: HTTP 400 invalid_client',
    neverLeft: true,
    misconfigured: true,
  }
  assert.deepEqual(await operator.request(collection()), refused)
  assert.deepEqual(await operator.request(collection()), refused)
  assert.equal(countOf(calls, TOKEN), 1)
})

it('a token call that fails is the network’s fault', async () => {
  const { operator, on } = openAirtel()
  on('token_answers_500')
  const why = 'no access token: HTTP 500'
  assert.deepEqual(await operator.request(collection()), { is: 'unknown', why, neverLeft: true })
})

it('a token that takes 20 seconds is given up by the call that waits, and there for the next', async () => {
  const airtel = openAirtel()
  const { operator, clock, calls } = airtel
  airtel.on('token_takes_20_seconds', 1)
  const begun = clock.now()
  const answer = await settled(airtel, operator.request(collection()))
  assert.deepEqual(answer, {
    is: 'unknown',
    why: 'the network gave no access token within 5000 ms',
    neverLeft: true,
  })
  assert.ok(clock.now() - begun <= DEADLINE_MS)
  await clock.advance(20_000)
  assert.equal((await operator.request(collection())).is, 'accepted')
  assert.equal(countOf(calls, TOKEN), 1)
})

it('a verb ends within its time, the token and a renewal included', async () => {
  const send = (airtel: ReturnType<typeof openAirtel>): Promise<unknown> => airtel.operator.request(collection())
  const airtel = openAirtel({
    send: ({ path, timeoutMs = DEADLINE_MS }) =>
      new Promise((resolve) => {
        // The token comes after 4 s, a refusal of it after 5 s: nothing is left for a second request.
        const [afterMs, result] =
          path === TOKEN
            ? [4_000, { code: 200, headers: {}, body: { access_token: 'token', expires_in: 180 } }]
            : [5_000, { code: 401, headers: {}, body: {} }]
        const isLate = afterMs > timeoutMs
        airtel.clock.after(Math.min(afterMs, timeoutMs), () => resolve(isLate ? { failed: 'no answer' } : result))
      }),
  })
  const begun = airtel.clock.now()
  const answer = await settled(airtel, send(airtel))
  assert.deepEqual(answer, { is: 'unknown', why: 'no time was left for the call', neverLeft: true })
  assert.ok(airtel.clock.now() - begun <= DEADLINE_MS)
})
