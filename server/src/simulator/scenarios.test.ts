// Behaviours in a seeded sandbox: the same for the same seed and number, and in the promised shares
// (D-20).
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Behaviour, behaviourOf, SCENARIOS } from './scenarios.ts'

const NUMBERS = Array.from({ length: 10_000 }, (_, n) => `22796${String(n).padStart(6, '0')}`)
const drawn = (seed: number): Behaviour[] => NUMBERS.map((msisdn) => behaviourOf(seed, msisdn))
const share = (behaviours: Behaviour[], is: (behaviour: Behaviour) => boolean): number =>
  behaviours.filter(is).length / behaviours.length
const delaysOf = ({ decides }: Behaviour): number => (decides as { delays: number }).delays

const SHARES: [
  about: string,
  is: (behaviour: Behaviour) => boolean,
  least: number,
  most: number,
][] = [
  ['succeed', ({ ending }) => ending === 'succeeded', 0.68, 0.72],
  ['fail as declined', ({ ending }) => ending === 'declined', 0.025, 0.042],
  ['fail for insufficient funds', ({ ending }) => ending === 'insufficient_funds', 0.025, 0.042],
  ['fail by an operator error', ({ ending }) => ending === 'operator_error', 0.025, 0.042],
  ['take more than one delay', (behaviour) => delaysOf(behaviour) > 1, 0.27, 0.31],
  ['take 30 delays', (behaviour) => delaysOf(behaviour) === 30, 0.005, 0.015],
  [
    'take less than one delay or more than 30',
    (behaviour) => delaysOf(behaviour) < 1 || delaysOf(behaviour) > 30,
    0,
    0,
  ],
  ['lose their callback', ({ callbacks }) => callbacks?.length === 0, 0.09, 0.11],
  ['are never received', ({ ending }) => ending === 'never_received', 0, 0],
]

describe('seeded sandbox', () => {
  for (const [about, is, least, most] of SHARES)
    it(`${least * 100} to ${most * 100} % of numbers ${about}`, () => {
      for (const seed of [1, 2 ** 31]) {
        const found = share(drawn(seed), is)
        assert.ok(found >= least && found <= most, `${found} with seed ${seed}`)
      }
    })

  it('the same seed gives a number the same behaviour', () => assert.deepEqual(drawn(7), drawn(7)))

  it('a number keeps its behaviour from version to version', () => {
    const endings = ['22796000000', '22796000011', '22796123456'].map((msisdn) =>
      behaviourOf(7, msisdn),
    )
    assert.deepEqual(endings, [
      { ending: 'succeeded', decides: { delays: 1 } },
      { ending: 'insufficient_funds', decides: { delays: 1 } },
      { ending: 'succeeded', decides: { delays: 28 } },
    ])
  })

  it('another seed gives other behaviours', () => {
    const other = drawn(8)
    const same = share(
      drawn(7),
      (behaviour) => behaviour.ending === (other.shift() as Behaviour).ending,
    )
    assert.ok(same < 0.6, `${same} of the endings are the same`)
  })

  it('a test number keeps its scenario', () => {
    for (const scenario of SCENARIOS) assert.equal(behaviourOf(7, scenario.msisdn), scenario)
    assert.equal(behaviourOf(7, '40410000199').ending, 'succeeded')
  })

  it('with seed 0 every ordinary number succeeds', () =>
    assert.deepEqual([...new Set(drawn(0))], [SCENARIOS[0]]))
})
