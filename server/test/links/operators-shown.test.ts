// What payers and merchants see of the operator: on the form those that are connected, while waiting the one that asks, and on the receipt, in
// reads and in events its own reference of the debit (D-82). The pages are for anybody with the link, so they show no number.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { acceptLateMoney, listLatestAnomalies } from '../../src/actions/payments/anomalies.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { deliverCallback } from '../kit/direct-operators.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { get, openTestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, DECLINES, decide, look, newLink, onPage, pay, SUCCEEDS, stateOf, toProvider } from './payer.ts'

/** A page as words: no tags, no style, no script. */
const wordsOf = (page: string): string =>
  page
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

it('the form offers the countries and operators that are connected, and no others', async () => {
  const settings = { KARBA_OPERATORS: 'moov_bj,mtn_bj' }
  const service = await openTestService(undefined, settings)
  const link = await newLink(service, (await service.merchant()).accounts.sandbox.secretKey)
  const { text } = await look(service, `/pay/${link}?lang=en`)
  assert.match(wordsOf(text), /Benin, 10 digits: MTN MoMo Moov Money Pay/)
  assert.doesNotMatch(wordsOf(text), /Niger|Celtiis|Airtel/)
  assert.deepEqual(
    [...text.matchAll(/<option value="(\w+)"/g)].map(([, country]) => country),
    ['BJ'],
  )
  await service.remove()
})

describe('the operator of a link', () => {
  let service: VirtualService
  let account: NewAccount

  before(async () => {
    service = await openVirtualService(SQLITE)
    account = (await service.merchant()).accounts.sandbox
  })
  after(() => service.remove())

  const read = async (name: string) => (await get(service, account.secretKey, name)).body
  const shown = async (link: string, language = 'fr') =>
    wordsOf((await look(service, `/pay/${link}?lang=${language}`)).text)

  async function told(reference: unknown): Promise<[event: string, metaData: unknown][]> {
    const { accountId, number } = await paymentOf(service, reference)
    const rows = await service.db.rows<{ payload: string }>(
      'select payload from events where account_id = $1 and number = $2 order by sequence',
      [accountId, number],
    )
    return rows.map(({ payload }) => JSON.parse(payload)).map(({ event, data }) => [event, data.meta_data])
  }

  it('is named while it asks, and with its own reference on the receipt, before and after a refund', async () => {
    const link = await newLink(service, account.secretKey)
    assert.match(await shown(link), /Niger, 8 chiffres : Airtel Money Zamani Cash Moov Money Niger Telecoms/)
    await pay(service, link, { ...byPhone('01 97 12 34 56'), country: 'BJ' })
    assert.match(await shown(link), /Validez le paiement sur votre téléphone avec MTN MoMo/)
    assert.match(await shown(link, 'en'), /Approve the payment on your phone with MTN MoMo/)
    assert.equal('meta_data' in (await read(link)), false)
    await service.clock.advance(10_000)

    const { reference, status, meta_data: metaData } = await read(link)
    const { operator_reference: own } = metaData as { operator_reference: string }
    assert.match(own, /^SIM-\w{10}$/)
    assert.deepEqual([status, metaData], ['succeeded', { operator: 'mtn_bj', operator_reference: own }])
    const receipts = [
      new RegExp(`Moyen Mobile money Opérateur MTN MoMo .* Référence de l’opérateur ${own}`),
      new RegExp(`Method Mobile money Operator MTN MoMo .* Operator’s reference ${own}`),
    ] as const
    const expectReceipts = async () => {
      assert.match(await shown(link), receipts[0])
      assert.match(await shown(link, 'en'), receipts[1])
    }
    await expectReceipts()
    assert.ok('refundReference' in (await refundPayment(service, TESTER, { name: reference as string })))
    await service.clock.advance(20_000)
    assert.equal(await stateOf(service, link), 'refunded:0')
    await expectReceipts()
    assert.deepEqual((await read(link)).meta_data, metaData)
    assert.deepEqual(await told(reference), [
      ['payment.succeeded', metaData],
      ['payment.refunded', metaData],
    ])
  })

  it('is the method where the payer paid on a provider’s page, whose reference the receipt has', async () => {
    const link = await newLink(service, account.secretKey)
    await decide(service, await toProvider(service, link, onPage('bank_card')), 'approve')
    const { reference, meta_data: metaData } = await read(link)
    const { operator_reference: own } = metaData as { operator_reference: string }
    assert.match(own, /^PSP-\w{10}$/)
    assert.deepEqual(metaData, { operator: 'bank_card', operator_reference: own })
    assert.deepEqual(await told(reference), [['payment.succeeded', metaData]])
    assert.match(await shown(link), new RegExp(`Moyen Carte bancaire Date .* Référence du prestataire ${own}`))
    assert.match(await shown(link, 'en'), new RegExp(`Method Bank card Date .* Provider’s reference ${own}`))
  })

  it('is that of the attempt which was paid, though another came after it', async () => {
    const link = await newLink(service, account.secretKey)
    const { reference } = await read(link)
    await pay(service, link, byPhone(DECLINES))
    const { attemptReference } = await paymentOf(service, reference)
    await service.clock.advance(10_000)
    await decide(service, await toProvider(service, link, onPage('wallet', 1)), 'decline')
    const debited = { status: 'succeeded', amount: 15_000, operator_reference: 'LATE-1' } as const
    service.network.change = () => ({ answer: debited })
    await deliverCallback(service, { reference: attemptReference as string, answer: debited, genuine: true })
    await service.clock.advance(10_000)
    service.network.change = (reaction) => reaction
    const { rows } = granted(await listLatestAnomalies(service, TESTER, { openOnly: true }))
    const [late] = rows.filter((each) => each.reference === reference)
    granted(await acceptLateMoney(service, TESTER, { anomalyId: late?.anomalyId as string, note: 'looked at' }))
    const metaData = { operator: 'airtel_ne', operator_reference: 'LATE-1' }
    assert.deepEqual((await read(link)).meta_data, metaData)
    assert.deepEqual(await told(reference), [['payment.succeeded', metaData]])
    assert.match(await shown(link), /Moyen Mobile money Opérateur Airtel Money .* Référence de l’opérateur LATE-1/)
  })

  it('shows nobody the payer’s number, not even by a reference that contains it', async () => {
    const link = await newLink(service, account.secretKey)
    const { reference } = await read(link)
    await pay(service, link, byPhone(SUCCEEDS))
    await service.clock.advance(10_000)
    const change = 'update payments set operator_reference = $2 where reference = $1'
    for (const [own, isShown] of [
      ['MP261115.2210.A09876', true],
      [`CO.${SUCCEEDS}.77`, false],
      ['227 10 00 00 00 9', false],
      ['', false],
    ] as const) {
      await service.db.change(change, [reference as string, own])
      const page = await shown(link)
      assert.equal(/Référence de l’opérateur/.test(page), isShown, own)
      assert.doesNotMatch(page.replace(/\D/g, ''), new RegExp(SUCCEEDS.slice(-8)))
      const known = own === '' ? {} : { operator_reference: own }
      assert.deepEqual((await read(link)).meta_data, { operator: 'airtel_ne', ...known })
    }
    await service.db.change(change, [reference as string, `CO.${SUCCEEDS}.77`])
    await service.db.change('update payments set msisdn_written = $2 where reference = $1', [
      ...[reference as string, '*********00'],
    ])
    assert.doesNotMatch(await shown(link), /Référence de l’opérateur/)
  })
})
