// Failures of background work in the log: those of the store are counted, others are not.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store/engine/database.ts'
import { failureLog } from './failure-log.ts'

type Line = { err: unknown; count?: number }

function openLog() {
  const lines: Line[] = []
  const timers: (() => void)[] = []
  const clock = {
    after(_ms: number, work: () => void) {
      timers.push(work)
      return () => {}
    },
  }
  const log = failureLog(clock, (fields) => lines.push(fields))
  const pass = (): void => {
    for (const work of timers.splice(0)) work()
  }
  return { ...log, lines, pass }
}

describe('failures in the log', () => {
  it('failures of the store with one message are one line a second, with their count', () => {
    const { failed, lines, pass } = openLog()
    const first = new StoreUnavailable('PostgreSQL cannot answer now')
    failed(first)
    for (let count = 1; count < 477; count++)
      failed(new StoreUnavailable('PostgreSQL cannot answer now'))
    failed(new StoreOutcomeUnknown('the connection was lost'))
    assert.equal(lines.length, 0)
    pass()
    assert.deepEqual(
      lines.map(({ count }) => count),
      [477, 1],
    )
    assert.equal(lines[0]?.err, first)
    failed(first)
    pass()
    assert.deepEqual(lines.at(-1), { count: 1, err: first })
  })

  it('any other failure has its own line, at once', () => {
    const { failed, lines } = openLog()
    for (const each of [new Error('a bug'), new Error('a bug')]) failed(each)
    assert.equal(lines.length, 2)
  })

  it('what is counted is written at the end of the process, once', () => {
    const { failed, flush, lines, pass } = openLog()
    failed(new StoreUnavailable('away'))
    flush()
    pass()
    assert.equal(lines.length, 1)
  })
})
