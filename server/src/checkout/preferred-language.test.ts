// Which of the two languages a browser's header asks for.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Language } from './link-view.ts'
import { preferredLanguage } from './routes.ts'

const HEADERS: readonly [header: string, language: Language][] = [
  ['', 'fr'],
  ['fr', 'fr'],
  ['en', 'en'],
  ['en-GB,en;q=0.9', 'en'],
  ['en;q=0.5, fr;q=0.9', 'fr'],
  ['fr;q=0.2,en;q=0.8', 'en'],
  ['ha, en;q=0.8, fr;q=0.6', 'en'],
  ['fr-NE, en', 'fr'],
  ['fr;q=0, en;q=0.1', 'en'],
  ['en;q=0', 'fr'],
  ['EN-us;q=0.7', 'en'],
  ['en;q=nothing', 'fr'],
  ['de, *;q=0.5', 'fr'],
  ['fra, eng', 'fr'],
]

describe('the language of a page', () => {
  for (const [header, language] of HEADERS) {
    it(`is ${language} for "${header}"`, () => assert.equal(preferredLanguage(header), language))
  }
})
