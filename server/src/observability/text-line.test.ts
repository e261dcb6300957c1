// Log lines in a terminal: the fields of the JSON line in a readable order, without characters that command it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { textLine } from './text-line.ts'

const time = Date.UTC(2026, 10, 15, 9, 30, 12, 123)
const AT = '09:30:12.123Z'

const LINES: [what: string, line: object, text: string][] = [
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
      ...{ level: 50, time, msg: 'a bug' },
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

for (const [what, line, text] of LINES)
  it(`log text: ${what}`, () => assert.equal(textLine(JSON.stringify(line), false), text))

it('log text: colours only when asked', () => {
  const line = JSON.stringify({ level: 40, time, msg: 'slow' })
  assert.match(textLine(line, true), /\u001b\[33mWARN/)
  assert.ok(!textLine(line, false).includes('\u001b'))
})
