// No payment is seen from outside its account: every name of it, tried with every other key, is the same 404 as a name
// that nobody has. The same transaction_id belongs to each account on its own (spec §4.2, D-12, D-16).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, get, openTestService, order, post, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { tried } from '../kit/tries.ts'
import { newLink, readLink } from '../links/payer.ts'

const ENVIRONMENTS = ['sandbox', 'live'] as const
const MERCHANTS = 3

interface Holder {
  about: string
  key: string
  /** Every name of every payment of this account. */
  names: { reference: string; publicReference: string; externalReference: string }[]
  links: string[]
}

for (const store of STORES) {
  describe(`accounts on ${store.name}`, () => {
    let service: TestService
    const holders: Holder[] = []

    before(async () => {
      service = await openTestService(store)
      for (let merchant = 1; merchant <= MERCHANTS; merchant++) {
        const { accounts } = await service.merchant({ name: `Merchant ${merchant}` })
        for (const environment of ENVIRONMENTS) {
          const key = accounts[environment].secretKey
          const about = `merchant ${merchant} in ${environment}`
          const names = []
          for (const kind of ['plain', 'with/slash', 'with ümläut %41']) {
            const externalReference = `${about} ${kind}`
            const { body } = await post(service, key, order({ transaction_id: externalReference }))
            const { reference, public_reference } = body as Record<string, string>
            names.push({
              reference: reference as string,
              publicReference: public_reference as string,
              externalReference,
            })
          }
          const links = [await newLink(service, key), await newLink(service, key, { transaction_id: `${about} link` })]
          holders.push({ about, key, names, links })
        }
      }
    })
    after(() => service.remove())

    it('answer every name of every other account with the 404 of a name that nobody has', async () => {
      let tries = 0
      for (const asking of holders) {
        const nobodys = comparable(await get(service, asking.key, 'nobody has this name'))
        assert.deepEqual([nobodys.code, nobodys.body], [404, { message: 'Payment Not Found' }])
        for (const other of holders.filter((holder) => holder !== asking)) {
          for (const name of other.names.flatMap((names) => Object.values(names))) {
            assert.deepEqual(
              comparable(await get(service, asking.key, name)),
              nobodys,
              `${asking.about} asked for ${name}`,
            )
            tries++
          }
        }
      }
      const accounts = MERCHANTS * ENVIRONMENTS.length
      assert.equal(tries, accounts * (accounts - 1) * 9)
      tried(tries)
    })

    it('answer a link of every other account with that 404 too, though anybody may read it as a link', async () => {
      for (const asking of holders) {
        const nobodys = comparable(await get(service, asking.key, 'nobody has this name'))
        for (const link of holders.flatMap(({ links }) => links)) {
          const answer = await get(service, asking.key, link)
          if (asking.links.includes(link)) assert.deepEqual([answer.code, answer.body.status], [200, 'initiated'])
          else assert.deepEqual(comparable(answer), nobodys, `${asking.about} asked for ${link}`)
          assert.equal((await readLink(service, link)).code, 200)
        }
      }
    })

    it('answer their own names with their own payments', async () => {
      for (const { key, names } of holders) {
        for (const { reference, externalReference } of names) {
          for (const name of [reference, externalReference]) {
            const { code, body } = await get(service, key, name)
            assert.deepEqual([code, body.reference, body.external_reference], [200, reference, externalReference])
          }
        }
      }
    })

    it('give a key no way into the other environment: its own names there are 401, not 404', async () => {
      for (const { about, key, names } of holders) {
        const other = about.endsWith('live') ? 'sandbox' : 'live'
        for (const name of names.flatMap((each) => Object.values(each))) {
          const { code, body } = await get(service, key, name, { 'svc-target-environment': other })
          assert.deepEqual([code, body], [401, { message: 'Unauthorized: No Valid Key' }])
        }
      }
    })

    it('each have the same transaction_id for a payment of their own', async () => {
      const references = new Set<unknown>()
      for (const [at, { key }] of holders.entries()) {
        const { code, body } = await post(service, key, order({ transaction_id: 'shared', amount: 100 + at }))
        assert.equal(code, 200)
        references.add(body.reference)
      }
      assert.equal(references.size, holders.length)
      for (const [at, { key }] of holders.entries()) {
        assert.equal((await get(service, key, 'shared')).body.amount, 100 + at)
        const again = await post(service, key, order({ transaction_id: 'shared' }))
        assert.equal(again.code, 422)
        const own = (await get(service, key, 'shared')).body.reference
        assert.equal(again.headers['svc-existing-reference'], own)
      }
    })

    it('may use the reference of another’s payment as a transaction_id, and read their own payment by it', async () => {
      const [first, second] = holders as [Holder, Holder]
      const theirs = first.names[0]?.reference as string
      const { body } = await post(service, second.key, order({ transaction_id: theirs }))
      assert.equal((await get(service, second.key, theirs)).body.reference, body.reference)
      assert.equal((await get(service, first.key, theirs)).body.reference, theirs)
    })
  })
}

/** All of an answer but what is different each time: nothing else may tell two 404s apart. */
function comparable({ code, body, headers }: Answer): Answer {
  const { date: _date, 'x-request-id': _id, ...rest } = headers
  return { code, body, headers: rest }
}
