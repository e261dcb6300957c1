// Runs every program and command of the guides against a running service. Both languages have the
// same code, so it runs once.
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { openTestService, postTo } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import {
  assertAsShown,
  blocksOf,
  makeWorkshop,
  programFor,
  readDocument,
  runBlock,
} from './printed-code.ts'
import { tryReceiver, tryReceiverWithoutSecret } from './try-receiver.ts'

const GUIDES = readdirSync(new URL('../../../docs/guides/en/', import.meta.url)).sort()
const SHOP = 'https://shop.example'
const folder = makeWorkshop()
const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '100' })
const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
const { accountId, secretKey, ...account } = (await service.merchant()).accounts.sandbox
const env = { KARBA_URL: url, SECRET_KEY: secretKey }
const publicKey = account.publicKey
granted(await changeCheckoutSettings(service, TESTER, { accountId, origins: [SHOP] }))
after(async () => {
  await service.remove()
  rmSync(folder, { recursive: true, force: true })
})

it('guides: both languages have the same files, code and number of rows', () => {
  assert.deepEqual(readdirSync(new URL('../../../docs/guides/fr/', import.meta.url)).sort(), GUIDES)
  for (const guide of GUIDES) {
    const [english, french] = ['en', 'fr'].map((language) =>
      readDocument(`docs/guides/${language}/${guide}`),
    ) as [string, string]
    assert.deepEqual(blocksOf(french), blocksOf(english), guide)
    const rows = (text: string): number =>
      text.split('\n').filter((line) => /^(\||- |\d\. |#)/.test(line)).length
    assert.equal(rows(french), rows(english), guide)
  }
})

it('guides: moving says what stays with the provider, and an address outside of the contract is a 404', async () => {
  for (const [language, heading] of [
    ['en', '## What does not move'],
    ['fr', '## Ce qui ne se déplace pas'],
  ]) {
    const [, chapter = ''] = readDocument(`docs/guides/${language}/moving.md`).split(`${heading}\n`)
    for (const name of ['WooCommerce', 'PrestaShop', 'payment-links.md', 'button.md', '404'])
      assert.ok(chapter.includes(name), `${language}: ${name}`)
  }
  const { code } = await postTo(
    service,
    '/api/v1/checkout_pages',
    { 'content-type': 'application/json' },
    {},
  )
  assert.equal(code, 404)
})

for (const guide of GUIDES) {
  const blocks = blocksOf(readDocument(`docs/guides/en/${guide}`)).filter(
    ({ file, language }) => file || language === 'sh',
  )
  if (blocks.length === 0) continue
  describe(`guides: the code of ${guide}`, () => {
    for (const block of blocks)
      it(`guides: ${guide}: ${block.file || 'the command'} prints what the guide shows`, async (t) => {
        if (programFor(block.language) === undefined)
          return t.diagnostic(`${block.language} is not installed`)
        if (block.file.startsWith('receiver.')) {
          await tryReceiver(folder, block)
          return tryReceiverWithoutSecret(folder, block)
        }
        const printed = await runBlock(folder, block, env)
        if (block.file.startsWith('sign.')) await assertMerchantsOrder(printed.trim())
        else assertAsShown(block, printed)
      })
  })
}

async function assertMerchantsOrder(order: string): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${publicKey}`,
    origin: SHOP,
  }
  const { code, body } = await postTo(service, '/checkout/links', headers, { order })
  assert.deepEqual([code, body.amount], [200, 15_000])
  // The title has characters outside ASCII, which each language encodes by itself.
  assert.match(String(body.title), /^Commande d’été/)
}
