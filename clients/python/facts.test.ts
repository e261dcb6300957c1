// The Python client's facts are those of the OpenAPI description.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { FACTS, pythonFacts } from './write-facts.ts'

it('Python client: facts.py is generated from docs/openapi.json', () =>
  assert.equal(readFileSync(FACTS, 'utf8'), pythonFacts(), 'run `npm run docs`'))
