// Runs the example of README.md against a server of its own.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, it } from 'node:test'
import { startProcess } from '../kit/process.ts'
import { SQLITE } from '../kit/stores.ts'
import { assertAsShown, blocksOf, makeWorkshop, readDocument, runBlock } from './printed-code.ts'

const BLOCKS = blocksOf(readDocument('README.md'))
const RUN = BLOCKS.filter(({ file, language }) => file !== '' || language === 'sh')

// The example shows a pending payment: it must stay pending on a busy machine too.
const place = await SQLITE.makePlace({ KARBA_SANDBOX_DELAY_MS: '6000' })
const server = await startProcess(place.env)
const folder = makeWorkshop()
after(async () => {
  await server.end('SIGTERM')
  await place.remove()
  rmSync(folder, { recursive: true, force: true })
})

it('README: its first two blocks are npm start and npm test', () => {
  const commands = BLOCKS.slice(0, 2).map(({ code }) => code)
  assert.deepEqual(commands, ['npm start\n', 'npm test\n'])
})

it('README: its example prints what it shows', async () => {
  assert.equal(RUN.length, 1)
  const env = { SECRET_KEY: /sk_sandbox_\w+/.exec(server.printed())?.[0] as string }
  for (const block of RUN) {
    const code = block.code.replace('http://127.0.0.1:8080', server.url)
    assertAsShown(block, await runBlock(folder, { ...block, code }, env))
  }
})
