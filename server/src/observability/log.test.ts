// The log as it comes out of a process: whole lines, in their order, however long.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { textLine } from './log.ts'

const LONGEST_RUN_MS = 60_000

const LINES = [
  ...Array.from({ length: 2_000 }, (_, nth) => `line ${nth} of a shop called Épicerie “Zarma” 🛒`),
  'é'.repeat(60_000),
  'a'.repeat(200_000),
  'the last one',
]

/** A process that runs this script, in which `log` is the log. */
function run(script: string, input = '', stdout: 'pipe' | number = 'pipe'): ChildProcess {
  const start = `
    import { text } from 'node:stream/consumers'
    import { makeLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
    const log = makeLog('info')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${start}\n${script}`], {
    stdio: ['pipe', stdout, 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    timeout: LONGEST_RUN_MS,
  })
  child.stdin?.end(input)
  return child
}

async function logged(script: string, input?: string): Promise<string[]> {
  const lines = (await text(run(script, input).stdout as Readable)).trimEnd().split('\n')
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
}

it('log: has every line, whole and in order: many, some longer than a block, and letters of several bytes', async () => {
  const script = 'for (const line of JSON.parse(await text(process.stdin))) log.info(line)'
  assert.deepEqual(await logged(script, JSON.stringify(LINES)), LINES)
})

it('log: has the last line of a process that ends while its only thread for files is busy', async () => {
  const busy = `
    import { pbkdf2 } from 'node:crypto'
    const hash = () => pbkdf2('busy', 'salt', 100_000, 64, 'sha512', () => undefined)
    process.prependListener('exit', hash)`
  assert.deepEqual(await logged(`${busy}\nlog.info('goodbye')`), ['goodbye'])
})

const FULL_DISK = '/dev/full'

it('log: does not stop or hold its process when its disk is full', {
  skip: !existsSync(FULL_DISK),
}, async () => {
  const full = openSync(FULL_DISK, 'w')
  const lines = `
    import { setTimeout as pause } from 'node:timers/promises'
    for (let nth = 0; nth < 4; nth++) {
      log.info('not written')
      await pause(110)
    }
    process.exitCode = 7`
  assert.deepEqual(await once(run(lines, '', full), 'exit'), [7, null])
  closeSync(full)
})

it('log: does not hold its process when its reader is gone', async () => {
  const child = run(`await text(process.stdin)\nlog.info('not read')\nprocess.exitCode = 7`)
  child.stdout?.destroy()
  assert.deepEqual(await once(child, 'exit'), [7, null])
})

const SCRIPT = '/usr/bin/script'

it('log: is text in a terminal, or JSON by the setting', {
  skip: !existsSync(SCRIPT),
}, async () => {
  const log = JSON.stringify(new URL('./log.ts', import.meta.url).href)
  const inTerminal = async (format: string): Promise<string> => {
    const source = `const { makeLog, standardOutput } = await import(${log}); makeLog('info', standardOutput('${format}')).info({ port: 80 }, 'ready')`
    const command = `'${process.execPath}' --eval "${source.replaceAll('"', '\\"')}"`
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NO_COLOR: '1' },
      timeout: LONGEST_RUN_MS,
    })
    return text(child.stdout as Readable)
  }
  assert.match(await inTerminal('auto'), /^\d\d:\d\d:\d\d\.\d{3}Z INFO {2}ready port=80\r\n$/)
  assert.match(await inTerminal('json'), /^\{"level":30,.*"msg":"ready"\}\r\n$/)
})

// Log lines in a terminal: the fields of the JSON line in a readable order, without characters that
// command it.

const time = Date.UTC(2026, 10, 15, 9, 30, 12, 123)
const AT = '09:30:12.123Z'

const TERMINAL_LINES: [what: string, line: object, text: string][] = [
  [
    'a message with fields',
    { level: 30, time, msg: 'stopping', signal: 'SIGTERM' },
    `${AT} INFO  stopping signal=SIGTERM\n`,
  ],
  [
    'a request',
    {
      level: 30,
      time,
      request: 'req_1',
      method: 'GET',
      route: '/api/v1/payments/*',
      status: 404,
      ms: 1.25,
      refusal: 'payment_not_found',
    },
    `${AT} INFO  GET /api/v1/payments/* 404 1.25 ms request=req_1 refusal=payment_not_found\n`,
  ],
  [
    'values with spaces, and values that are not text',
    { level: 40, time, msg: 'slow', why: 'no answer', sum: { count: 2 }, on: true },
    `${AT} WARN  slow why="no answer" sum={"count":2} on=true\n`,
  ],
  [
    'an error with its cause',
    {
      level: 50,
      time,
      msg: 'a bug',
      err: {
        type: 'Error',
        message: 'x',
        code: 'E1',
        stack: 'Error: x\n    at one',
        cause: { type: 'Error', message: 'y' },
      },
    },
    `${AT} ERROR a bug\n    Error: x\n    code=E1\n    at one\n    caused by Error: y\n`,
  ],
  [
    'escape sequences and line breaks of another author',
    { level: 30, time, msg: 'a\u001b[2Jb\nc', network: '\u009b1m\u202e' },
    `${AT} INFO  a\\u001b[2Jb\\u000ac network=\\u009b1m\\u202e\n`,
  ],
]

for (const [what, line, text] of TERMINAL_LINES)
  it(`log text: ${what}`, () => assert.equal(textLine(JSON.stringify(line), false), text))

it('log text: colours only when asked', () => {
  const line = JSON.stringify({ level: 40, time, msg: 'slow' })
  assert.match(textLine(line, true), /\u001b\[33mWARN/)
  assert.ok(!textLine(line, false).includes('\u001b'))
})
