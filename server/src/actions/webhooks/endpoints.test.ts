// The stored answer of a receiver never holds the Secret-Hash that was sent to it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { withoutSecrets } from './endpoints.ts'

const CASES: [about: string, secretHashes: string[], answer: string, kept: string][] = [
  ['a long one', ['a word of the shop'], 'got a word of the shop.', 'got [hidden].'],
  ['one shorter than is allowed today', ['abc'], 'got abc, xabcx', 'got [hidden], x[hidden]x'],
  ['one that is a part of its replacement', ['d', 'hid'], 'hid d', '[hidden] [hidden]'],
  ['one within JSON', ['with "quotes" in it'], '{"got":"with \\"quotes\\" in it"}', '{"got":"[hidden]"}'],
  [
    'both of an overlap, the longer one whole',
    ['secret', 'secret-of-old'],
    'secret-of-old secret',
    '[hidden] [hidden]',
  ],
  ['signs that mean something in a pattern', ['.*(a|b)+$'], 'ab .*(a|b)+$', 'ab [hidden]'],
  ['one again and again, as one', ['x'], 'xxxx y', '[hidden] y'],
]
for (const [about, secretHashes, answer, kept] of CASES)
  it(`webhook secrets: a Secret-Hash is hidden in a kept answer: ${about}`, () =>
    assert.equal(withoutSecrets(answer, { url: '', hasFailed: false, secretHashes, signingSecrets: [] }), kept))
