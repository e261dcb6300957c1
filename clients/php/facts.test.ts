// The PHP client's facts are those of the OpenAPI description.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { FACTS, phpFacts } from './write-facts.ts'

it('PHP client: Facts.php is generated from docs/openapi.json', () =>
  assert.equal(readFileSync(FACTS, 'utf8'), phpFacts(), 'run `npm run docs`'))
