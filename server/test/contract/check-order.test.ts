// Every operation checks from top to bottom of its list in contract.ts: a request with everything wrong is mended one
// fault at a time, and the refusals that answer are that list, in its order, and then 200.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { EXISTING_REFERENCE_HEADER, OPERATIONS } from '../../src/merchant-api/contract.ts'
import { errorText } from '../../src/wire/error.ts'
import { WIRE_ERRORS } from '../../src/wire/refusals.ts'
import { SQLITE } from '../kit/stores.ts'
import type { RawAnswer } from './ask.ts'
import { openWorld, type World, walk } from './refusal-walk.ts'

describe('with everything wrong', () => {
  let world: World

  before(async () => {
    world = await openWorld(SQLITE)
  })
  after(() => world.service.remove())

  for (const { id, method, base, path, refusals } of Object.values(OPERATIONS)) {
    it(`${method} ${base}${path} refuses in the order of its list, ${refusals.length} in all`, async () => {
      const seen: string[] = []
      for await (const { answer } of walk(world, id)) seen.push(told(answer))
      const listed = refusals.map((refusal) => {
        const isTaken = refusal === 'external_reference_taken' || refusal === 'order_reference_taken'
        const names = isTaken && id !== 'createLinkFromPage' ? NAMES_PAYMENT : ''
        return `${WIRE_ERRORS[refusal].http} ${errorText(WIRE_ERRORS[refusal])} ${refusal}${names}`
      })
      assert.deepEqual(seen, [...listed, '200'])
    })
  }
})

/** A name that is taken has the same body as one that is not valid (D-16). */
const NAMES_PAYMENT = ', and names the payment that was first'

function told({ code, text, headers }: RawAnswer): string {
  const names = EXISTING_REFERENCE_HEADER in headers ? NAMES_PAYMENT : ''
  return (code === 200 ? '200' : `${code} ${text} ${headers['svc-error-code']}`) + names
}
