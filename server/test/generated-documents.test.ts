// The generated documents against the code that writes them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { generatedDocs } from '../src/cli/write-docs.ts'

const DOCS = new URL('../../docs/', import.meta.url)

it('documents: the generated ones are fresh (npm run docs)', () => {
  const texts = Object.entries(generatedDocs())
  assert.ok(texts.length > 0)
  for (const [name, text] of texts)
    assert.equal(readFileSync(new URL(name, DOCS), 'utf8'), text, `docs/${name}`)
})
