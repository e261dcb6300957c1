// How many connections the limit on open files leaves room for.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectionRoom, isShort, openFileLimit } from './readiness.ts'

const CASES: [limit: number | undefined, wanted: number, most: number][] = [
  [undefined, 10_000, 10_000],
  [1_048_576, 10_000, 10_000],
  [10_510, 10_000, 10_000],
  [10_509, 10_000, 9_999],
  [4_096, 10_000, 3_586],
  [1_024, 10_000, 514],
  [256, 10_000, 128],
  [1_024, 50, 50],
]
for (const [limit, wanted, most] of CASES)
  it(`open files: with a limit of ${limit}, ${wanted} connections become ${most}`, () => {
    const room = connectionRoom({ connections: wanted, postgresPool: 10 }, limit)
    assert.deepEqual([room.most, isShort(room)], [most, most < wanted])
    assert.equal(
      connectionRoom({ connections: wanted, postgresPool: 10 }, room.needed).most,
      wanted,
    )
  })

it('open files: the limit of this process is a number, or there is none', () => {
  const limit = openFileLimit()
  assert.ok(limit === undefined || limit > 0)
})
