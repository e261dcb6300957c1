// Who gets a slot when many ask, and who still gets one when others have used up their part.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sharedSlots } from './shared-slots.ts'

const LIMITS = { most: 10, ofPerson: 2, unvalidated: { most: 6, ofNetwork: 3, ofWidest: 4 } }
let people = 0
const somebody = (network: string, isValidated = false, personId = `per_${++people}`) => ({
  personId,
  network,
  isValidated,
})

it('shared slots: a person has a few, and gets one back by giving one back once', () => {
  const take = sharedSlots(LIMITS)
  const awa = somebody('192.0.2.1', true)
  const [first, second] = [take(awa), take(awa)]
  assert.ok(typeof first === 'function' && typeof second === 'function')
  assert.equal(take(awa), 'own')
  first()
  first()
  assert.equal(typeof take(awa), 'function')
  assert.equal(take(awa), 'own')
})

it('shared slots: sign-ups of one network, one /48 or all together leave room for validated merchants', () => {
  const take = sharedSlots(LIMITS)
  const got = (network: string, isValidated = false) => typeof take(somebody(network, isValidated)) === 'function'
  assert.deepEqual(
    [1, 2, 3, 4].map(() => got('192.0.2.1')),
    [true, true, true, false],
  )
  assert.deepEqual(
    [1, 2, 3, 4].map((at) => got(`2001:db8:1:${at}::/64`)),
    [true, true, true, false],
  )
  assert.equal(got('198.51.100.1'), false, 'no part is left for those who are not validated')
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => got('192.0.2.1', true)),
    [true, true, true, true, false],
  )
})
