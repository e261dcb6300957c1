// The key of a database's public references (D-11, D-123): one of an older form stays in use, and a server that knows no other form than that
// is not let near a database of the newer one.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { publicReferences } from '../../src/domain/public-reference.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import { migrations } from '../../src/store/engine/migrate.ts'
import { newMerchant } from '../kit/merchant.ts'
import { order, post } from '../kit/service.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'

/** What a server knows that has no quick codes. Later tables stay: the code of this version needs them. */
const OLDER = migrations().filter(({ name }) => !name.startsWith('0019'))
const OLD_KEY = '000102030405060708090a0b0c0d0e0f'

const keyOf = async ({ db }: Service): Promise<string> =>
  (await db.rows<{ value: string }>(`select value from service_facts where name = 'public_reference_key'`))[0]?.value ??
  ''

/** Creates a payment. Returns its code, and that of its number under the key. */
async function codesUnder(service: Service, key: string): Promise<{ given: unknown; expected: string }> {
  const { secretKey } = (await newMerchant(service)).accounts.sandbox
  const { body } = await post(service, secretKey, order())
  const [row] = await service.db.rows<{ number: number }>('select max(number) as number from payments')
  return {
    given: (body as { public_reference: string }).public_reference,
    expected: publicReferences(key).of(row?.number ?? -1),
  }
}

for (const store of STORES) {
  describe(`a database on ${store.name}`, () => {
    const at = async (test: (place: StorePlace) => Promise<void>): Promise<void> => {
      const place = await store.makePlace()
      await test(place).finally(() => place.remove())
    }
    async function running<T>(
      place: StorePlace,
      known = migrations(),
      look: (service: Service) => Promise<T>,
    ): Promise<T> {
      const service = await openService(place.config, { migrations: known })
      return look(service).finally(() => service.close())
    }

    it('that is new has quick codes, and refuses a server that does not know them', () =>
      at(async (place) => {
        const key = await running(place, undefined, keyOf)
        assert.match(key, /^quick:[0-9a-f]{32}$/)
        const { given, expected } = await running(place, undefined, (service) => codesUnder(service, key))
        assert.equal(given, expected)
        await assert.rejects(running(place, OLDER, keyOf), { name: 'DatabaseIsNewer', message: /0019_quick_codes/ })
      }))

    it('that was made by an older version keeps its codes, and servers of both versions work on it', () =>
      at(async (place) => {
        await running(place, OLDER, ({ db }) =>
          db.transaction((tx) =>
            tx.change(`update service_facts set value = $1 where name = 'public_reference_key'`, [OLD_KEY]),
          ),
        )
        for (const known of [migrations(), OLDER]) {
          const { given, expected } = await running(place, known, (service) => codesUnder(service, OLD_KEY))
          assert.equal(given, expected)
        }
      }))
  })
}
