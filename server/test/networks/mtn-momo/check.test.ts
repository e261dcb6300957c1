// The check of a connection to MTN MoMo: each line says what to mend.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { CheckLine } from '../../../src/operators/connector.ts'
import { openMtn, type Wanted } from './open-mtn.ts'

async function checked(wanted: Wanted = {}, faults: string[] = []): Promise<CheckLine[]> {
  const { connection, network, answer } = openMtn(wanted)
  for (const fault of faults) assert.ok(network.faults.on(fault), fault)
  return answer(connection.check())
}

const wrong = (lines: readonly CheckLine[]): CheckLine[] => lines.filter(({ is }) => is !== 'right')

it('a connection in order has no line to mend', async () => {
  const lines = await checked()
  assert.deepEqual(wrong(lines), [])
  assert.deepEqual(
    lines.map(({ about }) => about),
    [
      'Collection: the network gave an access token',
      'Collection: the account is readable',
      'the clocks of the network and of this machine agree',
      'Disbursement: the network gave an access token',
      'Disbursement: the account is readable',
      'callbacks: at pay.example.bj, which must be the callback host registered with the API user',
    ],
  )
})

it('a slow token is waited for', async () => {
  assert.deepEqual(wrong(await checked({}, ['slow_token'])), [])
})

for (const [about, wanted, faults, mend] of [
  ['wrong credentials', { options: () => ({ apiKey: 'wrong' }) }, [], /System credentials .*momoapi\.momo\.africa/],
  [
    'wrong credentials of the old platform',
    { network: { platform: 'old' }, options: () => ({ apiKey: 'wrong' }) },
    [],
    /API user and API key/,
  ],
  ['a wrong subscription key', { options: () => ({ subscriptionKey: 'wrong' }) }, [], /subscription key/],
  ['a wrong target environment', { options: () => ({ targetEnvironment: 'mtnghana' }) }, [], /targetEnvironment/],
  ['a gateway that refuses us', {}, ['gateway_403_page'], /IP address, or change the option userAgent/],
  ['a currency that is not the account’s', { options: () => ({ currency: 'EUR' }) }, [], /currency to XOF/],
  ['an address without https', { callbackUrl: () => 'http://pay.example.bj' }, [], /https/],
  ['an address that is an IP address', { callbackUrl: () => 'https://192.0.2.1' }, [], /host name/],
] as const satisfies readonly [string, Wanted, readonly string[], RegExp][]) {
  it(`${about} is said, with what to mend`, async () => {
    const lines = wrong(await checked(wanted, [...faults]))
    assert.ok(lines.length > 0)
    assert.equal(lines[0]?.is, 'wrong')
    assert.match(lines.map((line) => line.mend).join('\n'), mend)
  })
}

it('no public address is not known to be wrong: payments are polled', async () => {
  const lines = wrong(await checked({ callbackUrl: () => undefined }))
  assert.deepEqual(
    lines.map(({ is }) => is),
    ['not_known'],
  )
})

it('callbacks that are switched off, and refunds by hand, are in order', async () => {
  const lines = await checked({ options: () => ({ sendsCallbackUrl: false, disbursement: undefined }) })
  assert.deepEqual(wrong(lines), [])
  assert.match(lines.map(({ about }) => about).join('\n'), /refunds: by hand/)
})

it('a network that is away is not known to be wrong', async () => {
  const lines = wrong(await checked({}, ['token_500']))
  assert.equal(lines[0]?.is, 'not_known')
})
