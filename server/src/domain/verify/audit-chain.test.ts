// The chain of the audit log: what fits, and what an alteration, a gap and an erasure are.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  CHAIN_START,
  type ChainedEntry,
  chainChecker,
  contentHashOf,
  ERASURE_ACTION,
  entryHashOf,
  readHead,
  saltOf,
  writeHead,
} from './audit-chain.ts'

function chained(before: string, entry: number, change: Partial<ChainedEntry> = {}): ChainedEntry {
  const salt = saltOf('key', entry)
  const content = {
    earlier: change.earlier ?? null,
    detail: change.detail ?? '{"a":1}',
  }
  const made = {
    entry,
    at: 5,
    actor: 'owner p',
    action: 'key.create',
    subject: 'k',
    accountId: 'a',
    network: null,
    ...change,
    ...content,
    salt,
    contentHash: contentHashOf(salt, content),
  }
  return { ...made, entryHash: entryHashOf(before, made) }
}
function chainOf(count: number, changes: Partial<ChainedEntry>[] = []): ChainedEntry[] {
  const entries: ChainedEntry[] = []
  for (let entry = 0; entry < count; entry++)
    entries.push(chained(entries.at(-1)?.entryHash ?? CHAIN_START, entry, changes[entry]))
  return entries
}
const check = (entries: readonly ChainedEntry[], head?: { entry: number; hash: string }) => {
  const checker = chainChecker(head)
  return entries.map((entry) => checker.check(entry))
}
const [first, second, third] = chainOf(3) as [ChainedEntry, ChainedEntry, ChainedEntry]

it('audit chain: entries as they were written fit, up to the head', () => {
  assert.deepEqual(check([first, second, third]), [true, true, true])
  const head = { entry: 2, hash: third.entryHash as string }
  assert.deepEqual(check([first, second, third], head), [true, true, true])
  assert.deepEqual(check([first, second, third], { ...head, hash: CHAIN_START }), [
    true,
    true,
    false,
  ])
})

it('audit chain: an altered entry does not fit, whatever was changed in it', () => {
  const changes: Partial<ChainedEntry>[] = [
    { at: 6 },
    { actor: 'x' },
    { action: 'x' },
    { subject: 'x' },
    { accountId: null },
    { network: 'x' },
    { detail: '{}' },
    { earlier: '{}' },
    { salt: 'x' },
    { contentHash: 'x' },
    { contentHash: null },
    { entryHash: 'x' },
    { entryHash: null },
  ]
  for (const change of changes)
    assert.equal(check([first, { ...second, ...change }])[1], false, JSON.stringify(change))
})

it('audit chain: the entry after one without a hash, or after a gap, is judged alone', () => {
  assert.deepEqual(check([first, { ...second, entryHash: null }, third]), [true, false, true])
  assert.deepEqual(check([first, third]), [true, true])
  assert.deepEqual(check([second]), [true])
  const moved = chained(CHAIN_START, 1)
  assert.deepEqual(check([first, moved]), [true, false])
})

it('audit chain: an erased entry is named by an erasure, with the hash of what is left', () => {
  const left = contentHashOf('', { earlier: null, detail: '{}' })
  const judge = (detail: string) => {
    const [one, two] = chainOf(2, [{}, { action: ERASURE_ACTION, detail }])
    const checker = chainChecker(undefined)
    const fits = [{ ...one, detail: '{}', salt: null } as ChainedEntry, two as ChainedEntry].map(
      (entry) => checker.check(entry),
    )
    return [fits, checker.changedWithoutErasure(), checker.erasedEntries()]
  }
  assert.deepEqual(judge(JSON.stringify({ entries: { 0: left } })), [
    [true, true],
    [],
    [{ entry: 0, by: 1 }],
  ])
  for (const detail of [JSON.stringify({ entries: { 0: 'other' } }), '{}', '{'])
    assert.deepEqual(judge(detail), [[true, true], [0], []])
})

it('audit chain: only an erasure names erased entries', () => {
  const left = contentHashOf('', { earlier: null, detail: '{}' })
  const [one, two] = chainOf(2, [{}, { detail: JSON.stringify({ entries: { 0: left } }) }])
  const checker = chainChecker(undefined)
  checker.check({ ...one, detail: '{}', salt: null } as ChainedEntry)
  checker.check(two as ChainedEntry)
  assert.deepEqual(checker.erasedEntries(), [])
})

it('audit chain: a head is written with its entry and read back', () => {
  const hash = 'ab'.repeat(32)
  assert.equal(CHAIN_START, '0'.repeat(64))
  assert.equal(writeHead({ entry: 5, hash }), `5:${hash}`)
  assert.deepEqual(readHead(`5:${hash}`), { entry: 5, hash })
  for (const text of ['', '5', hash, `x5:${hash}`, `5:${hash}0`, `5:${'z'.repeat(64)}`, `:${hash}`])
    assert.equal(readHead(text), undefined)
})

it('audit chain: a salt is of its entry and of its key, and hides what it salts', () => {
  assert.match(saltOf('key', 5), /^[0-9a-f]{32}$/)
  const salts = [saltOf('key', 5), saltOf('key', 6), saltOf('other', 5)]
  assert.equal(new Set(salts).size, 3)
  const content = { earlier: 'x', detail: '{}' }
  const hashes = [
    contentHashOf('s', content),
    contentHashOf('t', content),
    contentHashOf('s', { ...content, earlier: null }),
    contentHashOf('s', { ...content, detail: '[]' }),
  ]
  assert.equal(new Set(hashes).size, 4)
  assert.match(hashes[0] ?? '', /^[0-9a-f]{64}$/)
})
