// Memory while a long statement is read: what stays in use does not grow with the number of lines.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { NETWORK_MAPPINGS } from '../../src/statements/network-mappings.ts'
import { readStatement } from '../../src/statements/read-statement.ts'
import type { StatementSource } from '../../src/statements/statement-rows.ts'
import { createTotalsCheck } from '../../src/statements/totals-check.ts'
import { tried, tries } from '../kit/tries.ts'

const LINES = tries(20_000, 1_000_000)
const LINES_PER_CHUNK = 500
/** Twenty thousand lines that were kept would double it. */
const MOST_GROWTH = 1.3

async function* statement(): StatementSource {
  yield Buffer.from('Id,External id,Date,Status,Type,From,From Name,To,To Name,Amount,Fee,Balance\r\n')
  let balance = 1_000_000
  for (let line = 0; line < LINES; ) {
    let text = ''
    for (const end = line + LINES_PER_CHUNK; line < end; line++) {
      balance += 5_000 - 50
      const time = new Date(Date.UTC(2026, 10, 1) + line * 1_000).toISOString().slice(0, 19).replace('T', ' ')
      text += `${81_000_000_000 + line},reference-${line},${time},Successful,Debit,FRI:2290197${line % 1_000_000}/MSISDN,"Aïssa, ${line}",FRI:1/MSISDN,Karba,5000,50,${balance}\r\n`
    }
    yield Buffer.from(text)
  }
}

it('statement files: the memory in use does not grow with the lines read', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const used = (): number => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const [mapping] = NETWORK_MAPPINGS.get('mtn-momo') ?? []
  assert.ok(mapping)
  const check = createTotalsCheck()
  let lines = 0
  let early = 0
  let most = 0
  for await (const line of readStatement(statement(), mapping)) {
    check.add(line)
    lines++
    if (lines === LINES / 5) early = used()
    else if (lines % (LINES / 5) === 0) most = Math.max(most, used())
  }
  tried(lines)
  assert.deepEqual(check.totals(), { lines: LINES, openingXof: 1_000_000, closingXof: 1_000_000 + LINES * 4_950 })
  assert.ok(most / early < MOST_GROWTH, `${(most / early).toFixed(2)} times the memory after a fifth of the lines`)
})
