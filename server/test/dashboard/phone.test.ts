// The sandbox phone, on both stores: a person decides what becomes of a pending sandbox payment.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { words as english } from '../../../dashboard/src/words/en.ts'
import { words as french } from '../../../dashboard/src/words/fr.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { SCENARIOS } from '../../src/simulator/scenarios.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { order, post, get as readPayment } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, newLink, pay } from '../links/payer.ts'

it('each test number has its words in both languages', () => {
  const missing = SCENARIOS.map(({ name }) => name).filter(
    (name) => !(name in french.phone.outcomes && name in english.phone.outcomes),
  )
  assert.deepEqual(missing, [])
})

const WAITS_FOR_PHONE = '40410000127'

describe('the sandbox phone', () => {
  let service: VirtualService
  let merchant: NewMerchant
  let cashier: SignedIn
  let at: string
  before(async () => {
    service = await openVirtualService(SQLITE)
    merchant = await service.merchant()
    cashier = await signedIn(service, { at: merchant.merchantId, as: 'cashier' })
    at = `/accounts/${merchant.accounts.sandbox.accountId}/phone`
  })
  after(() => service.remove())

  const prompts = async (): Promise<{ reference: string; amount: number }[]> =>
    (await ask(service, `GET ${at}` as 'GET /', cashier)).body.prompts
  const answer = (reference: string, word: string) =>
    ask(service, `POST ${at}/${reference}` as 'POST /', cashier, { answer: word })
  const create = async (): Promise<string> => {
    const { body } = await post(service, merchant.accounts.sandbox.secretKey, order({ msisdn: WAITS_FOR_PHONE }))
    await service.clock.advance(1_000)
    return body.reference as string
  }
  const outcome = async (reference: string) => {
    const { body } = await readPayment(service, merchant.accounts.sandbox.secretKey, reference)
    return [body.status, body.failure_reason]
  }

  for (const [word, status, reason] of [
    ['approve', 'succeeded', undefined],
    ['decline', 'failed', 'declined'],
    ['no_credit', 'failed', 'insufficient_funds'],
  ] as const) {
    it(`shows a prompt, and “${word}” makes the payment ${reason ?? status}`, async () => {
      const reference = await create()
      assert.deepEqual(
        (await prompts()).map((prompt) => [prompt.reference, prompt.amount]),
        [[reference, 1_500]],
      )
      const answered = await answer(reference, word)
      assert.deepEqual([answered.code, answered.body.prompts], [200, []])
      await service.clock.advance(1_000)
      assert.deepEqual(await outcome(reference), [status, reason])
      assert.equal((await answer(reference, word)).body.code, 'prompt_not_found')
    })
  }

  it('a prompt that is ignored goes away, and expires', async () => {
    const reference = await create()
    assert.deepEqual((await answer(reference, 'ignore')).body.prompts, [])
    assert.deepEqual((await outcome(reference))[0], 'pending')
    await service.clock.advance(120_000)
    assert.deepEqual(await outcome(reference), ['failed', 'expired'])
  })

  it('a link’s attempt rings too', async () => {
    const link = await newLink(service, merchant.accounts.sandbox.secretKey)
    await pay(service, link, byPhone(WAITS_FOR_PHONE))
    await service.clock.advance(1_000)
    const [prompt] = await prompts()
    assert.equal((await answer(prompt?.reference as string, 'approve')).code, 200)
    await service.clock.advance(1_000)
    assert.equal((await outcome(prompt?.reference as string))[0], 'succeeded')
  })

  it('another merchant sees no prompt and answers none; the live account has no phone', async () => {
    const reference = await create()
    const other = await service.merchant()
    const stranger = await signedIn(service, { at: other.merchantId, as: 'owner' })
    const theirs = `/accounts/${other.accounts.sandbox.accountId}/phone`
    assert.deepEqual((await ask(service, `GET ${theirs}` as 'GET /', stranger)).body.prompts, [])
    const tried = await ask(service, `POST ${theirs}/${reference}` as 'POST /', stranger, { answer: 'approve' })
    assert.deepEqual([tried.code, tried.body.code], [404, 'prompt_not_found'])
    const live = `GET /accounts/${merchant.accounts.live.accountId}/phone` as 'GET /'
    assert.deepEqual((await ask(service, live, cashier)).body, { prompts: [], testNumbers: [] })
    await answer(reference, 'decline')
  })
})
