// Runs every program and command of the guides against a running service, each language with an
// account of its own. English and French have the same code, so it runs once.
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { openTestService, postTo } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import {
  assertAsShown,
  type Block,
  blocksOf,
  makeWorkshop,
  programFor,
  readDocument,
  runBlock,
} from './printed-code.ts'
import { tryReceiver, tryReceiverWithoutSecret } from './try-receiver.ts'

const GUIDES = readdirSync(new URL('../../../docs/guides/en/', import.meta.url)).sort()
const SHOP = 'https://shop.example'
const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '100' })
const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
type Account = Awaited<ReturnType<typeof service.merchant>>['accounts']['sandbox']
after(() => service.remove())

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

/** Guides without a program: the calls of a merchant who changes over are those of the others. */
const WITHOUT_PROGRAMS = ['README.md', 'moving.md']
/** Nothing is signed or received by a command. */
const WITHOUT_CURL = ['button.md']
const LANGUAGES: [name: string, language: string][] = [
  ['curl', 'sh'],
  ['Node', 'js'],
  ['PHP', 'php'],
  ['Python', 'python'],
]
/** The refunds of every language are of this payment. */
const FIRST_PAYMENT = blocksOf(readDocument('docs/guides/en/first-payment.md')).find(
  ({ language }) => language === 'sh',
) as Block

/** Programs of the same name do the same in each language, and share the output that is shown. */
function programsOf(guide: string, language: string): Block[] {
  const stemOf = ({ file }: Block): string => file.replace(/\.\w+$/, '')
  const blocks = blocksOf(readDocument(`docs/guides/en/${guide}`))
  return blocks
    .filter((block) => block.language === language && (block.file || language === 'sh'))
    .map((block) => {
      const shown = blocks.find(
        (other) =>
          block.file !== '' && stemOf(other) === stemOf(block) && other.output !== undefined,
      )
      return { ...block, output: block.output ?? shown?.output }
    })
}

it('guides: each has its programs in every language', () => {
  for (const guide of GUIDES.filter((each) => !WITHOUT_PROGRAMS.includes(each))) {
    const counts = LANGUAGES.map(([, language]) => programsOf(guide, language).length)
    const [curl = 0, ...others] = counts
    assert.equal(new Set(others).size, 1, `${guide}: ${counts}`)
    assert.ok((others[0] ?? 0) > 0, guide)
    assert.equal(curl > 0, !WITHOUT_CURL.includes(guide), guide)
  }
})

for (const [name, language] of LANGUAGES) {
  const isMissing = programFor(language) === undefined && process.env.CI === undefined
  describe(
    `guides: the code in ${name}`,
    isMissing ? { skip: `${name} is not on this machine` } : {},
    async () => {
      const folder = makeWorkshop()
      after(() => rmSync(folder, { recursive: true, force: true }))
      const { accounts } = await service.merchant()
      const sites = { accountId: accounts.sandbox.accountId, origins: [SHOP] }
      granted(await changeCheckoutSettings(service, TESTER, sites))
      for (const guide of GUIDES) {
        const programs = programsOf(guide, language)
        const isFirst = guide === 'first-payment.md' && language !== 'sh'
        for (const block of isFirst ? [FIRST_PAYMENT, ...programs] : programs)
          it(`guides: ${guide}: ${block.file || 'the command'} prints what the guide shows`, async () => {
            const account = guide === 'going-live.md' ? accounts.live : accounts.sandbox
            await tryBlock(folder, block, account)
          })
      }
    },
  )
}

async function tryBlock(folder: string, block: Block, account: Account): Promise<void> {
  if (block.file.startsWith('receiver.')) {
    await tryReceiver(folder, block)
    return tryReceiverWithoutSecret(folder, block)
  }
  const env = { KARBA_URL: url, SECRET_KEY: account.secretKey }
  const printed = await runBlock(folder, block, env)
  if (block.file.startsWith('sign.')) return assertMerchantsOrder(printed.trim(), account)
  if (block.file.startsWith('feed.')) return assert.match(printed, /^1 payment\.succeeded$/m)
  assertAsShown(block, printed)
}

async function assertMerchantsOrder(order: string, { publicKey }: Account): Promise<void> {
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
