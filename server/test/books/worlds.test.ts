// The books in seeded worlds: payments on the networks, and their statements with planted faults.
// `npm run simulate -- --books` runs more of them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { tried, tries } from '../kit/tries.ts'
import { runBooks } from './run-world.ts'

const WORLDS = tries(4, 1_000)

it(`books: in ${WORLDS} worlds every planted fault is named, none is invented, the order of files changes nothing, and the same seed gives the same world`, async () => {
  const sums = { payments: 0, lines: 0, planted: 0, named: 0, invented: 0 }
  const networks = new Set<string>()
  const digests = new Set<string>()
  for (let seed = 1; seed <= WORLDS; seed++) {
    const result = await runBooks(seed)
    const { broken, counts, networkKinds, digest } = result
    digests.add(digest)
    if (seed === 1) assert.deepEqual(await runBooks(seed), result)
    for (const name of networkKinds) networks.add(name)
    assert.deepEqual(broken, [], `npm run simulate -- --books --seed ${seed}`)
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name]
  }
  assert.equal(digests.size, WORLDS)
  tried(sums.planted)
  const isFull = sums.payments > 10 * WORLDS && sums.lines > 10 * WORLDS && sums.planted > WORLDS
  assert.ok(isFull, `there was little to compare: ${JSON.stringify(sums)}`)
  assert.deepEqual([...networks].sort(), ['airtel-money', 'fedapay', 'mtn-momo', 'pawapay'])
})
