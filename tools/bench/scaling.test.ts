// The arithmetic and tables of docs/scaling.md, with figures that can be checked by hand.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { withBlock } from './report.ts'
import { type Costs, machinesFor, stepsTable } from './scaling.ts'

const step = (karbaUs: number, storeUs: number) => ({
  karbaUs,
  storeUs,
  writtenBytes: 1_000,
  logBytes: 200,
})
const costs: Costs = {
  store: 'PostgreSQL',
  create: step(200, 100),
  read: step(100, 50),
  settle: step(500, 300),
  webhook: step(300, 200),
  bytes: { payments: 600, events: 400 },
}

it('scaling: cores, disk and log of a thousand payments a second', () => {
  const { apiCores, workerCores, storeCores, diskGb, walGbADay, usdAMonth } = machinesFor(
    costs,
    1_000,
  )
  // 1,000 × (200 + 2 × 100) µs are 0.4 of a second each second; half busy, 0.8 cores: the least is
  // two.
  assert.equal(apiCores, 2)
  // 0.8 of a second each second: 1.6 cores.
  assert.equal(workerCores, 2)
  // 0.7 of a second each second: 1.4 cores, twice.
  assert.equal(storeCores, 4)
  // 2 × 1,000 × 1,000 bytes in each of 34.1 million seconds.
  assert.equal(Math.round(diskGb), 68_291)
  // 5 steps with the second read, of 1,000 bytes each.
  assert.equal(Math.round(walGbADay), 432)
  assert.equal(Math.round(usdAMonth), Math.round(8 * 729.6 * 0.03 + 6_829.056))
})

it('scaling: ten times the payments need ten times the disk, and no fewer cores', () => {
  const [little, much] = [machinesFor(costs, 100), machinesFor(costs, 1_000)]
  assert.equal(Math.round(much.diskGb), Math.round(10 * little.diskGb))
  assert.ok(much.workerCores >= little.workerCores)
})

it('scaling: a step is due when one core is half busy', () => {
  const workers = stepsTable(costs, costs).find((line) =>
    line.includes('a second `worker` process'),
  )
  // 500,000 µs of 800 each.
  assert.match(workers as string, /\| 630 \|$/)
})

it('scaling: docs/scaling.md has a place for every table', () => {
  const text = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
  for (const name of ['costs', 'disks', 'growth', 'machines', 'steps']) {
    const once = withBlock(text, name, ['| a |'])
    assert.ok(once.includes('| a |'))
    assert.equal(withBlock(once, name, ['| a |']), once, 'writing it twice changes nothing')
  }
})

it('scaling: a document without a place for a table is an error', () => {
  assert.throws(() => withBlock('# Scaling\n', 'costs', []), /no place for "costs"/)
})
