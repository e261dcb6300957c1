// Turns that groups take, and who gives up when too many wait.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fairTurns } from './fair-turns.ts'

const open = (limits: { mostWaiting: number; mostWaitingOfGroup: number }) =>
  fairTurns({ atOnce: 1, ...limits, busy: () => new Error('busy') })

/** Asks for a turn for each letter; resolves with those that were served, in order, and those that were refused. */
async function served(letters: string, limits: { mostWaiting: number; mostWaitingOfGroup: number }) {
  const inTurn = open(limits)
  const done: string[] = []
  const refused: string[] = []
  const all = [...letters].map((letter) =>
    inTurn(letter, async () => void done.push(letter)).catch(() => void refused.push(letter)),
  )
  await Promise.all(all)
  return [done.join(''), refused.join('')]
}

it('fair turns: groups are served in turn, however many one of them asks for', async () => {
  assert.deepEqual(await served('aaaaabbc', { mostWaiting: 10, mostWaitingOfGroup: 10 }), ['aabcabaa', ''])
})

it('fair turns: a group may keep so many waiting, and no more', async () => {
  assert.deepEqual(await served('aaaaab', { mostWaiting: 10, mostWaitingOfGroup: 2 }), ['aaba', 'aa'])
})

it('fair turns: when too many wait, the group with the most makes room for one with fewer', async () => {
  assert.deepEqual(await served('aaaaab', { mostWaiting: 4, mostWaitingOfGroup: 4 }), ['aabaa', 'a'])
  assert.deepEqual(await served('aabcde', { mostWaiting: 4, mostWaitingOfGroup: 4 }), ['aabcd', 'e'])
})

it('fair turns: work that fails gives its turn on', async () => {
  const inTurn = open({ mostWaiting: 4, mostWaitingOfGroup: 4 })
  const failing = inTurn('a', async () => Promise.reject(new Error('failed')))
  const next = inTurn('a', async () => 'done')
  await assert.rejects(failing, /failed/)
  assert.equal(await next, 'done')
})
