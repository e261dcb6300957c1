// The options of a connection to Airtel, as the operators file has them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { z } from 'zod'
import { airtelMoney } from '../../../src/operators/connectors/airtel-money/connector.ts'

const options = airtelMoney.options(z.string().min(1))
const CREDENTIALS = { clientId: 'id', clientSecret: 'secret' }

it('two credentials are enough: the rest is Niger', () => {
  assert.deepEqual(options.parse(CREDENTIALS), {
    ...CREDENTIALS,
    version: 1,
    padding: 'pkcs1',
    country: 'NE',
    currency: 'XOF',
    callingCode: '227',
    userAgent: 'Karba/1.0',
  })
})

it('what is not known, missing or not of its form is refused', () => {
  for (const wrong of [
    { clientId: 'id' },
    { ...CREDENTIALS, version: 3 },
    { ...CREDENTIALS, version: '2' },
    { ...CREDENTIALS, padding: 'none' },
    { ...CREDENTIALS, country: 'Niger' },
    { ...CREDENTIALS, currency: 'xof' },
    { ...CREDENTIALS, callingCode: '+227' },
    { ...CREDENTIALS, callbackHashHeader: 'x hash' },
    { ...CREDENTIALS, userAgent: '' },
    { ...CREDENTIALS, host: 'openapi.airtel.africa' },
  ]) {
    assert.equal(options.safeParse(wrong).success, false, JSON.stringify(wrong))
  }
})

it('each option has its sentence', () => {
  const { properties = {} } = z.toJSONSchema(options, { io: 'input' })
  assert.equal(Object.keys(properties).length, 10)
  for (const [name, property] of Object.entries(properties)) {
    assert.match((property as { description?: string }).description ?? '', /^[A-Z0-9].*\.$/, name)
  }
})

it('there is no address to start from: none is published for Niger', () => {
  assert.deepEqual(airtelMoney.addresses, {})
})
