// What the account has enabled, as the connector asks for it before payments and as `check` shows it.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import type { CheckLine } from '../../../src/operators/connector.ts'
import { answer, CALLBACK_URL, collection, openPawapay, reference, scriptedPawapay } from './open-pawapay.ts'

const configurationCalls = (calls: { path: string }[]): number =>
  calls.filter(({ path }) => path.startsWith('/v2/active-conf')).length

describe('the active configuration', () => {
  it('is read once for ten payments at the same time, and again after ten minutes', async () => {
    const { operator, done, calls, clock } = openPawapay()
    const numbers = Array.from({ length: 10 }, (_, at) => at)
    const answers = await done(Promise.all(numbers.map((number) => operator.request(collection(number)))))
    assert.ok(answers.every(({ is }) => is === 'accepted'))
    assert.equal(configurationCalls(calls), 1)
    await clock.advance(9 * 60_000)
    await done(operator.request(collection(11)))
    assert.equal(configurationCalls(calls), 1)
    await clock.advance(60_000)
    await done(operator.request(collection(12)))
    assert.equal(configurationCalls(calls), 2)
  })

  it('keeps a payment from being sent by a provider that is not enabled, until it is', async () => {
    const { operator, done, calls, clock, network } = openPawapay()
    network.faults.on('provider_not_enabled')
    const why = 'MTN_MOMO_BEN is not enabled for deposits on the pawaPay account'
    const expected = { is: 'unknown', why, neverLeft: true, misconfigured: true }
    assert.deepEqual(await done(operator.request(collection(1))), expected)
    assert.ok(calls.every(({ method }) => method === 'GET'))
    network.faults.allOff()
    assert.deepEqual(await done(operator.request(collection(1))), expected)
    assert.equal(configurationCalls(calls), 1)
    await clock.advance(60_000)
    assert.deepEqual(await done(operator.request(collection(1))), { is: 'accepted' })
  })

  it('that cannot be read keeps no payment from being sent, and is not asked for at each', async () => {
    const { operator, done, calls, network } = openPawapay()
    network.faults.on('active_conf_unavailable')
    assert.deepEqual(await done(operator.request(collection(1))), { is: 'accepted' })
    assert.deepEqual(await done(operator.request(collection(2))), { is: 'accepted' })
    assert.equal(configurationCalls(calls), 1)
  })

  it('is understood with its operation types in a list too, as one page of the documents has them', async () => {
    const operationTypes = [{ DEPOSIT: { status: 'OPERATIONAL' } }, { operationType: 'PAYOUT', status: 'DELAYED' }]
    const provider = (code: string, types: object[]) => ({
      provider: code,
      currencies: [{ currency: 'XOF', operationTypes: types }],
    })
    const countries = [
      {
        country: 'BEN',
        providers: [provider('MTN_MOMO_BEN', operationTypes), provider('MOOV_BEN', operationTypes.slice(1))],
      },
    ]
    const { operator } = scriptedPawapay({
      'GET /v2/active-conf': answer(200, { companyName: 'Demo', countries }),
      'POST *': answer(200, { status: 'ACCEPTED' }),
    })
    assert.deepEqual(await operator.request(collection(1)), { is: 'accepted' })
    const refused = await operator.request(collection(2, { operator: 'moov_bj' }))
    assert.equal(refused.is === 'unknown' && refused.why, 'MOOV_BEN is not enabled for deposits on the pawaPay account')
  })
})

const RIGHT = [
  'the API token',
  'this machine’s clock',
  'deposits by MTN_MOMO_BEN',
  'refunds by MTN_MOMO_BEN',
  'deposits by MOOV_BEN',
  'refunds by MOOV_BEN',
  'the callback address for MTN_MOMO_BEN',
  'the callback address for MOOV_BEN',
  'the keys of signed callbacks',
  'the wallet that refunds are paid from holds 1000000 XOF',
  'numbers with 10 digits after 229',
]

describe('check', () => {
  it('finds everything right', async () => {
    const { check, done } = openPawapay({ options: { callbacks: 'signed' } })
    assert.deepEqual(
      await done(check()),
      RIGHT.map((about) => ({ is: 'right', about })),
    )
  })

  const WRONG: [about: string, arrange: () => ReturnType<typeof openPawapay>, expected: CheckLine[]][] = [
    [
      'a token that is refused',
      () => openPawapay({ options: { apiToken: 'another' } }),
      [
        {
          is: 'wrong',
          about: 'the API token',
          mend: 'pawaPay answered HTTP 403 AUTHENTICATION_ERROR: make a token in the dashboard of this environment, and set apiToken to it',
        },
      ],
    ],
    [
      'a clock that is off',
      () => withFault('clock_is_slow'),
      [
        {
          is: 'wrong',
          about: 'this machine’s clock',
          mend: 'it is 600 s apart from pawaPay’s: set it by a time server',
        },
      ],
    ],
    [
      'a provider that is closed',
      () => withFault('provider_closed'),
      ['MTN_MOMO_BEN', 'MOOV_BEN'].flatMap((provider) =>
        ['deposits', 'refunds'].map(
          (what): CheckLine => ({
            is: 'wrong',
            about: `${what} by ${provider}`,
            mend: 'CLOSED at pawaPay: they are refused until it is OPERATIONAL; nothing to change here',
          }),
        ),
      ),
    ],
    [
      'providers that are not enabled',
      () => withFault('provider_not_enabled'),
      ['MTN_MOMO_BEN', 'MOOV_BEN'].flatMap((provider) =>
        ['deposits', 'refunds'].map(
          (what): CheckLine => ({
            is: 'wrong',
            about: `${what} by ${provider}`,
            mend: 'not enabled for the account: ask pawaPay to enable it',
          }),
        ),
      ),
    ],
    [
      'another callback address in the dashboard',
      () => openPawapay({ network: { callbackUrls: { DEPOSIT: 'https://old.example/' }, signsCallbacks: false } }),
      ['MTN_MOMO_BEN', 'MOOV_BEN'].map((provider) => ({
        is: 'wrong' as const,
        about: `the callback address for ${provider}`,
        mend: `set the callback URL of deposits in the dashboard to ${CALLBACK_URL}`,
      })),
    ],
    [
      'no public address',
      () => openPawapay({ deps: { callbackUrl: () => undefined }, network: { signsCallbacks: false } }),
      [
        {
          is: 'wrong',
          about: 'the callback address',
          mend: 'the service has no public address: payments are only polled',
        },
      ],
    ],
    [
      'a public address without TLS',
      () =>
        openPawapay({
          deps: { callbackUrl: (each) => `http://karba.example/${each}` },
          network: { signsCallbacks: false },
        }),
      [
        {
          is: 'wrong',
          about: 'the callback address',
          mend: 'pawaPay calls https addresses only, not http://karba.example',
        },
      ],
    ],
    [
      'signatures that nobody verifies',
      () => openPawapay(),
      [
        {
          is: 'wrong',
          about: 'signed callbacks',
          mend: 'pawaPay signs them: set callbacks to signed, so that they are verified',
        },
      ],
    ],
    [
      'signatures that are not switched on',
      () => openPawapay({ options: { callbacks: 'signed' }, network: { signsCallbacks: false } }),
      [
        {
          is: 'wrong',
          about: 'signed callbacks',
          mend: 'switch them on in the dashboard, or set callbacks to unsigned',
        },
      ],
    ],
    [
      'an account that takes signed requests only',
      () => openPawapay({ network: { signsCallbacks: false, requestKey: { id: 'K', publicPem: '', authority: '' } } }),
      [
        {
          is: 'wrong',
          about: 'signed requests',
          mend: 'the account takes signed requests only: set signingKey and signingKeyId',
        },
      ],
    ],
  ]
  for (const [about, arrange, expected] of WRONG) {
    it(`says what to mend: ${about}`, async () => {
      const { check, done } = arrange()
      assert.deepEqual(
        (await done(check())).filter(({ is }) => is === 'wrong'),
        expected,
      )
    })
  }

  function withFault(fault: string) {
    const opened = openPawapay({ network: { signsCallbacks: false } })
    opened.network.faults.on(fault)
    return opened
  }

  it('says which form of numbers the network takes, when it is another', async () => {
    const configuration = answer(200, { countries: [] })
    const lineOf = async (prediction: ReturnType<typeof answer>) => {
      const { check } = scriptedPawapay({
        'GET /v2/active-conf': configuration,
        'POST /v2/predict-provider': prediction,
      })
      return (await check()).at(-1)
    }
    const about = 'numbers with 10 digits after 229'
    const mend = 'pawaPay takes another form: set msisdnDigits to 8'
    assert.deepEqual(await lineOf(answer(200, { phoneNumber: '22951345789' })), { is: 'wrong', about, mend })
    const refused = answer(400, { failureReason: { failureCode: 'INVALID_PARAMETER' } })
    assert.deepEqual(await lineOf(refused), { is: 'wrong', about, mend })
    const silent = 'pawaPay did not say in which form it takes numbers'
    assert.deepEqual(await lineOf(answer(503, '')), { is: 'not_known', about, mend: silent })
  })

  it('knows nothing while the network cannot be reached, and does not throw', async () => {
    const { check } = scriptedPawapay({})
    const mend = 'pawaPay could not be reached: no answer: not scripted'
    assert.deepEqual(await check(), [{ is: 'not_known', about: 'the API token', mend }])
  })
})

describe('requests that are signed', () => {
  const keys = [
    ['der', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ieee-p1363', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ] as const
  for (const [signatureEncoding, { privateKey, publicKey }] of keys) {
    it(`are taken by an account that takes no others: ${signatureEncoding}`, async () => {
      const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
      const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' })
      const network = { requestKey: { id: 'KARBA_1', publicPem, authority: 'api.sandbox.pawapay.io' } }
      const options = { signingKey, signingKeyId: 'KARBA_1', signatureEncoding }
      const signed = openPawapay({ network, options })
      assert.deepEqual(await signed.done(signed.operator.request(collection(1))), { is: 'accepted' })
      assert.equal((await signed.paid(2)) && (await signed.done(signed.operator.status(reference(2)))).is, 'succeeded')
      const unsigned = openPawapay({ network })
      assert.deepEqual(await unsigned.done(unsigned.operator.request(collection(1))), {
        is: 'unknown',
        why: 'the request’s signature was refused',
        code: 'HTTP_SIGNATURE_ERROR',
        neverLeft: true,
        misconfigured: true,
      })
    })
  }
})
