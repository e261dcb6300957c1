// The pictures of README.md show today's product: each page says the same words as when its picture
// was taken.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { browserTests } from '../kit/browser.ts'
import { readDocument } from './printed-code.ts'
import {
  bytesOf,
  fileHash,
  MOST_BYTES,
  PICTURES,
  readTaken,
  visitPictures,
  wordsOf,
} from './take-pictures.ts'

const TAKE = 'npm run docs takes the picture again'

it('pictures: README.md shows each of them, and each is small and the one that its words were read with', () => {
  const names = PICTURES.map(({ name }) => name)
  const shown = [...readDocument('README.md').matchAll(/docs\/pictures\/([\w-]+\.webp)/g)].map(
    ([, name]) => name,
  )
  assert.deepEqual(shown.sort(), names.toSorted())
  const taken = readTaken()
  assert.deepEqual([...taken.keys()], names)
  for (const name of names) {
    const bytes = bytesOf(name)
    assert.ok(bytes.length <= MOST_BYTES, `${name}: ${bytes.length} bytes`)
    assert.equal(fileHash(bytes), taken.get(name)?.file, `${name}: ${TAKE}`)
  }
})

describe(
  'pictures: no menu and no word of a page has changed since its picture',
  browserTests,
  () => {
    const today = new Map<string, string>()
    before(() => visitPictures(async ({ name }, tab) => void today.set(name, await wordsOf(tab))))

    for (const { name } of PICTURES)
      it(name, () =>
        assert.equal(today.get(name), readTaken().get(name)?.words, `${name}: ${TAKE}`),
      )
  },
)
