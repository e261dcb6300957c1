// The log as it comes out of a process: whole lines, in their order, however long.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'

const LINES = [
  ...Array.from({ length: 2_000 }, (_, nth) => `line ${nth} of a shop called Épicerie “Zarma” 🛒`),
  'é'.repeat(60_000),
  'a'.repeat(200_000),
  'the last one',
]

it('has every line, whole and in order: many, some longer than a block, and letters of several bytes', async () => {
  const script = `
    import { text } from 'node:stream/consumers'
    import { makeLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
    const log = makeLog('info')
    for (const line of JSON.parse(await text(process.stdin))) log.info(line)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(LINES))
  const lines = (await text(child.stdout)).trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    LINES,
  )
})
