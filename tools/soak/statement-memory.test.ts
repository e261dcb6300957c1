// Memory while a long statement is read: what stays in use does not grow with the number of lines.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { NETWORK_MAPPINGS } from '../../server/src/statements/network-mappings.ts'
import { readStatement } from '../../server/src/statements/read-statement.ts'
import type { StatementSource } from '../../server/src/statements/statement-rows.ts'
import { createTotalsCheck } from '../../server/src/statements/totals-check.ts'
import { tried, tries } from '../../server/test/kit/tries.ts'

const LINES = tries(20_000, 1_000_000)
const LINES_PER_CHUNK = 500
/** In use for each byte read after the first fifth. Lines that were kept would take two to four. */
const MOST_GROWTH = 0.5

async function* statement(read: { bytes: number }): StatementSource {
  yield Buffer.from(
    'Id,External id,Date,Status,Type,From,From Name,To,To Name,Amount,Fee,Balance\r\n',
  )
  let balance = 1_000_000
  for (let line = 0; line < LINES; ) {
    let text = ''
    for (const end = line + LINES_PER_CHUNK; line < end; line++) {
      balance += 5_000 - 50
      const time = new Date(Date.UTC(2026, 10, 1) + line * 1_000)
        .toISOString()
        .slice(0, 19)
        .replace('T', ' ')
      text += `${81_000_000_000 + line},reference-${line},${time},Successful,Debit,FRI:2290197${line % 1_000_000}/MSISDN,"Aïssa, ${line}",FRI:1/MSISDN,Karba,5000,50,${balance}\r\n`
    }
    const chunk = Buffer.from(text)
    read.bytes += chunk.length
    yield chunk
  }
}

it('statement files: the memory in use does not grow with the lines read', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  // Buffers are freed on another thread, so the least of some readings is what is in use.
  const used = async (): Promise<number> => {
    let least = Number.POSITIVE_INFINITY
    for (let reading = 0; reading < 5; reading++) {
      await new Promise((resolve) => setImmediate(resolve))
      collectGarbage()
      const { heapUsed, external } = process.memoryUsage()
      least = Math.min(least, heapUsed + external)
    }
    return least
  }
  const [mapping] = NETWORK_MAPPINGS.get('mtn-momo') ?? []
  assert.ok(mapping)
  const check = createTotalsCheck()
  const read = { bytes: 0 }
  let lines = 0
  let early = { bytes: 0, used: 0 }
  let most = 0
  for await (const line of readStatement(statement(read), mapping)) {
    check.add(line)
    lines++
    if (lines === LINES / 5) early = { bytes: read.bytes, used: await used() }
    else if (lines % (LINES / 5) === 0) most = Math.max(most, await used())
  }
  tried(lines)
  assert.deepEqual(check.totals(), {
    lines: LINES,
    openingXof: 1_000_000,
    closingXof: 1_000_000 + LINES * 4_950,
  })
  const growth = (most - early.used) / (read.bytes - early.bytes)
  assert.ok(growth < MOST_GROWTH, `${growth.toFixed(2)} bytes in use for each byte read`)
})
