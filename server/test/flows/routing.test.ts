// Which operator a merchant's payment goes to when settings say who is connected and what prefixes mean (D-19, D-43).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { readConfig } from '../../src/config.ts'
import { openService } from '../../src/service/compose.ts'
import { openTestService, order, post, type TestService } from '../kit/service.ts'

const TEST_NUMBER = '40410000000'
const NOT_AVAILABLE = { message: 'Forbidden: Environment Not Available' }

const SERVICES: {
  about: string
  settings: Record<string, string>
  goes: [country: 'NE' | 'BJ', msisdn: string, operator: string | undefined][]
}[] = [
  {
    about: 'as it comes',
    settings: {},
    goes: [
      ['NE', '93123456', 'niger_telecoms_ne'],
      ['BJ', '0197123456', 'mtn_bj'],
      ['NE', TEST_NUMBER, 'airtel_ne'],
      ['BJ', TEST_NUMBER, 'mtn_bj'],
    ],
  },
  {
    about: 'with prefixes moved',
    settings: { KARBA_OPERATOR_PREFIXES: 'NE:93=airtel_ne,BJ:97=celtiis_bj' },
    goes: [
      ['NE', '93123456', 'airtel_ne'],
      ['NE', '97123456', 'airtel_ne'],
      ['NE', '90123456', 'zamani_ne'],
      ['BJ', '0197123456', 'celtiis_bj'],
      ['BJ', '97123456', 'celtiis_bj'],
      ['NE', TEST_NUMBER, 'airtel_ne'],
    ],
  },
  {
    about: 'with Niger alone',
    settings: { KARBA_OPERATORS: 'moov_ne,airtel_ne' },
    goes: [
      ['NE', '90123456', 'airtel_ne'],
      ['NE', '94123456', 'moov_ne'],
      ['BJ', '0197123456', undefined],
      ['BJ', TEST_NUMBER, undefined],
    ],
  },
  {
    about: 'without the default operators',
    settings: { KARBA_OPERATORS: 'moov_bj,moov_ne,niger_telecoms_ne', KARBA_OPERATOR_PREFIXES: 'BJ:64=mtn_bj' },
    goes: [
      ['NE', '96123456', 'moov_ne'],
      ['NE', '93123456', 'niger_telecoms_ne'],
      ['BJ', '0140123456', 'moov_bj'],
      ['BJ', '0164123456', 'moov_bj'],
      ['NE', TEST_NUMBER, 'moov_ne'],
      ['BJ', TEST_NUMBER, 'moov_bj'],
    ],
  },
]

for (const { about, settings, goes } of SERVICES) {
  describe(`a service ${about}`, () => {
    let service: TestService
    let merchant: NewMerchant

    before(async () => {
      service = await openTestService(undefined, settings)
      merchant = await service.merchant()
    })
    after(() => service.remove())

    for (const [country, msisdn, operator] of goes) {
      const environments = msisdn === TEST_NUMBER ? (['sandbox'] as const) : (['sandbox', 'live'] as const)
      it(`takes ${msisdn} in ${country} to ${operator ?? 'nobody'}, in ${environments.join(' and ')}`, async () => {
        for (const environment of environments) {
          const { secretKey } = merchant.accounts[environment]
          const { code, body } = await post(service, secretKey, order({ country, msisdn }))
          if (operator === undefined) assert.deepEqual([code, body], [403, NOT_AVAILABLE])
          else assert.deepEqual([code, body.meta_data], [200, { operator }])
        }
      })
    }
  })
}

it('the 403 comes after the checks of the fields and before the duplicate', async () => {
  const service = await openTestService()
  const { accounts } = await service.merchant()
  const { secretKey } = accounts.sandbox
  const taken = order({ country: 'BJ', msisdn: '0197123456' })
  assert.equal((await post(service, secretKey, taken)).code, 200)
  await service.close()

  const { env } = service.place
  const without = await openService(readConfig({ ...env, KARBA_OPERATORS: 'airtel_ne' }))
  try {
    assert.equal((await post(without, secretKey, taken)).code, 403)
    assert.equal((await post(without, secretKey, { ...taken, amount: 1 })).code, 400)
    assert.equal((await post(without, secretKey, { ...taken, customer_name: '\u0007' })).code, 422)
  } finally {
    await without.close()
    await service.place.remove()
  }
})
