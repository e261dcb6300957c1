// The examples of README.md, run as a reader would against a server of their own: the commands through a shell, the programs whole.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { assertAsShown, blocksOf, makeWorkshop, readDocument, runBlock } from './printed-code.ts'

const BLOCKS = blocksOf(readDocument('README.md'))
const RUN = BLOCKS.filter(({ file, language }) => file !== '' || language === 'sh')

let place: StorePlace
let server: RunningServer
let folder: string

before(async () => {
  // The curl examples show a payment that is still pending; so long that it is on a busy machine too.
  place = await SQLITE.makePlace({ KARBA_SANDBOX_DELAY_MS: '6000' })
  server = await startProcess(place.env)
  folder = makeWorkshop()
})
after(async () => {
  await server.end('SIGTERM')
  await place.remove()
  rmSync(folder, { recursive: true, force: true })
})

it('the README begins with a start, and has npm start and npm test in blocks of their own', () => {
  assert.deepEqual(
    BLOCKS.slice(0, 2).map(({ code }) => code),
    ['npm start\n', 'npm test\n'],
  )
})

it('the examples of the README do what it says', async () => {
  assert.equal(RUN.length, 3)
  const env = { SECRET_KEY: /sk_sandbox_\w+/.exec(server.printed())?.[0] as string }
  for (const block of RUN) {
    const code = block.code.replace('http://127.0.0.1:8080', server.url)
    assertAsShown(block, await runBlock(folder, { ...block, code }, env))
  }
})
