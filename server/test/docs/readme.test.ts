// The examples of README.md, run as a reader would: each sh block goes through a real shell, and its answer is compared with
// the json block that follows. `curl` is a stand-in that knows the few options the README uses, since not every machine
// has the real one.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { promisify } from 'node:util'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const EXAMPLES = [...README.matchAll(/```sh\n([\s\S]*?)```\s+```json\n([\s\S]*?)```/g)].map(([, command, answer]) => ({
  command: command as string,
  answer: JSON.parse(answer as string) as Record<string, unknown>,
}))
/** Different at every run. */
const CHANGING = ['reference', 'public_reference']

const CURL = `#!${process.execPath}
const { parseArgs } = require('node:util')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { s: { type: 'boolean', short: 's' }, H: { type: 'string', short: 'H', multiple: true }, d: { type: 'string', short: 'd' } },
})
const headers = Object.fromEntries(values.H.map((line) => line.split(/: (.*)/s)))
fetch(positionals[0], { method: values.d === undefined ? 'GET' : 'POST', headers, body: values.d })
  .then((answer) => answer.text())
  .then((text) => process.stdout.write(text))
`

let place: StorePlace
let server: RunningServer
let tools: string

before(async () => {
  place = await SQLITE.makePlace()
  server = await startProcess(place.env)
  tools = mkdtempSync(join(tmpdir(), 'karba-curl-'))
  writeFileSync(join(tools, 'curl'), CURL)
  chmodSync(join(tools, 'curl'), 0o755)
})
after(async () => {
  await server.end('SIGTERM')
  await place.remove()
  rmSync(tools, { recursive: true, force: true })
})

it('the examples of the README answer as it says', async () => {
  assert.equal(EXAMPLES.length, 3)
  const secretKey = /sk_sandbox_\w+/.exec(server.printed())?.[0] as string
  for (const { command, answer } of EXAMPLES) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('http://127.0.0.1:8080', server.url)], {
      env: { PATH: `${tools}:${process.env.PATH}`, SECRET_KEY: secretKey },
    })
    const given = JSON.parse(stdout) as Record<string, unknown>
    assert.deepEqual(Object.keys(given), Object.keys(answer))
    for (const key of CHANGING) if (key in answer) given[key] = answer[key]
    assert.deepEqual(given, answer)
  }
})
