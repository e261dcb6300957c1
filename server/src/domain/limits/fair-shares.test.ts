// Which wider networks a network belongs to.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fairTurns, sharedSlots, widerNetworks, widestNetwork } from './fair-shares.ts'

it('network steps: a /64 is in one /56 and one /48, an IPv4 address in none', () => {
  assert.deepEqual(widerNetworks('2001:db8:1:23ff::/64'), [
    '2001:db8:1:2300::/56',
    '2001:db8:1::/48',
  ])
  assert.deepEqual(widerNetworks('2001:db8:1:7::/64'), ['2001:db8:1:0::/56', '2001:db8:1::/48'])
  assert.deepEqual([widerNetworks('192.0.2.7'), widerNetworks('not an address')], [[], []])
  assert.equal(widestNetwork('2001:db8:1:7::/64'), '2001:db8:1::/48')
  assert.equal(widestNetwork('192.0.2.7'), '192.0.2.7')
})

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
  assert.deepEqual([typeof take(awa), take(awa)], ['function', 'own'])
})

it('shared slots: sign-ups of one network, one /48 or all together leave room for validated merchants', () => {
  const take = sharedSlots(LIMITS)
  const got = (network: string, isValidated = false) =>
    typeof take(somebody(network, isValidated)) === 'function'
  const ofAddress = [1, 2, 3, 4].map(() => got('192.0.2.1'))
  assert.deepEqual(ofAddress, [true, true, true, false])
  const ofNetworks = [1, 2, 3, 4].map((at) => got(`2001:db8:1:${at}::/64`))
  assert.deepEqual(ofNetworks, [true, true, true, false])
  assert.equal(got('198.51.100.1'), false, 'no part is left for those who are not validated')
  const ofValidated = [1, 2, 3, 4, 5].map(() => got('192.0.2.1', true))
  assert.deepEqual(ofValidated, [true, true, true, true, false])
})

const open = (limits: { mostWaiting: number; mostWaitingOfGroup: number }) =>
  fairTurns({ atOnce: 1, ...limits, busy: () => new Error('busy') })

/**
 * Asks for a turn for each letter; resolves with those that were served, in order, and those that
 * were refused.
 */
async function served(
  letters: string,
  limits: { mostWaiting: number; mostWaitingOfGroup: number },
) {
  const inTurn = open(limits)
  const done: string[] = []
  const refused: string[] = []
  const all = [...letters].map((letter) =>
    inTurn(letter, async () => void done.push(letter)).catch(() => void refused.push(letter)),
  )
  await Promise.all(all)
  return [done.join(''), refused.join('')]
}

it('fair turns: groups are served in turn, however many one of them asks for', async () =>
  assert.deepEqual(await served('aaaaabbc', { mostWaiting: 10, mostWaitingOfGroup: 10 }), [
    'aabcabaa',
    '',
  ]))

it('fair turns: the number of waiting calls of a group is limited', async () =>
  assert.deepEqual(await served('aaaaab', { mostWaiting: 10, mostWaitingOfGroup: 2 }), [
    'aaba',
    'aa',
  ]))

it('fair turns: when too many wait, the largest group loses a call to a smaller one', async () => {
  assert.deepEqual(await served('aaaaab', { mostWaiting: 4, mostWaitingOfGroup: 4 }), [
    'aabaa',
    'a',
  ])
  assert.deepEqual(await served('aabcde', { mostWaiting: 4, mostWaitingOfGroup: 4 }), [
    'aabcd',
    'e',
  ])
})

it('fair turns: failed work releases its turn', async () => {
  const inTurn = open({ mostWaiting: 4, mostWaitingOfGroup: 4 })
  const failing = inTurn('a', async () => Promise.reject(new Error('failed')))
  const next = inTurn('a', async () => 'done')
  await assert.rejects(failing, /failed/)
  assert.equal(await next, 'done')
})
