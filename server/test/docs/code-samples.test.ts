// Runs the code samples of the API reference against a service, in the order of the reference: each
// is answered with
// 200. PHP and Python run if they are installed.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { receiverSamples } from '../../src/merchant-api/code-samples.ts'
import { openApi } from '../../src/merchant-api/openapi.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { getFrom, openTestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { makeWorkshop, programFor, runBlock } from './printed-code.ts'
import { addMovement, addSettlement } from './sample-rows.ts'
import { SIGNING, tryReceiver, tryReceiverWithoutSecret } from './try-receiver.ts'

interface Sampled {
  operationId: string
  'x-codeSamples'?: { lang: string; label: string; source: string }[]
}

const { paths } = openApi() as { paths: Record<string, Record<string, Sampled>> }
/** A closed link cannot be read as an open one, and a deleted endpoint cannot be tested. */
const LAST = ['cancelLink', 'deleteWebhookEndpoint']
const OPERATIONS = Object.values(paths)
  .flatMap((item) => Object.values(item))
  .filter((each) => each['x-codeSamples'] !== undefined)
  .toSorted(
    (one, other) =>
      Number(LAST.includes(one.operationId)) - Number(LAST.includes(other.operationId)),
  )
const LANGUAGES: [label: string, language: string, file: string][] = [
  ['curl', 'sh', ''],
  ['Node', 'js', 'sample.mjs'],
  ['JavaScript', 'js', 'page.mjs'],
  ['PHP', 'php', 'sample.php'],
  ['Python', 'python', 'sample.py'],
]
const SHOP = 'https://shop.example'
const folder = makeWorkshop()
after(() => rmSync(folder, { recursive: true, force: true }))

/** A page sends its Origin and knows its address and key. */
const asPage = (source: string, url: string, key: string): string =>
  `const send = fetch
globalThis.fetch = (to, init) => send(to, { ...init, headers: { ...init.headers, Origin: '${SHOP}' } })
globalThis.location = { assign: (address) => console.log(JSON.stringify({ page_url: address })) }
${source.replace('https://karba.example', url).replace('pk_sandbox_…', key)}`

for (const [label, language, file] of LANGUAGES)
  describe(`code samples in ${label}`, async () => {
    if (programFor(language) === undefined)
      return it(
        `code samples: ${label} is not installed`,
        { skip: process.env.CI === undefined },
        () => assert.fail('a program is missing'),
      )
    const world = await openSamples()
    after(() => world.service.remove())
    for (const { operationId, 'x-codeSamples': samples = [] } of OPERATIONS) {
      const source = samples.find((each) => each.label === label)?.source
      if (source === undefined) continue
      it(`code samples: ${operationId} in ${label} is answered`, async () => {
        await world.before(operationId)
        const real = world.named(source)
        const code =
          label === 'JavaScript' ? asPage(real, world.env.KARBA_URL, world.env.PUBLIC_KEY) : real
        const printed = await runBlock(
          folder,
          { language, file, code, output: undefined },
          world.env,
        )
        assert.match(printed, world.expected(operationId), printed)
        world.saw(operationId, printed)
      })
    }
  })

describe('code samples: receivers of webhooks', () => {
  for (const { label, source } of receiverSamples()) {
    const [, language = '', file = ''] = LANGUAGES.find(([each]) => each === label) ?? []
    it(`code samples: the receiver in ${label} takes an event and refuses forged ones`, (t) =>
      programFor(language) === undefined
        ? t.diagnostic(`${label} is not installed`)
        : tryReceiver(folder, { language, file, code: source }, SIGNING))
    it(`code samples: the receiver in ${label} takes no event of a stranger when its secret is missing`, (t) =>
      programFor(language) === undefined
        ? t.diagnostic(`${label} is not installed`)
        : tryReceiverWithoutSecret(folder, { language, file, code: source }))
  }
})

const EXAMPLE_LINK = '5f0c2a7d9be14c3e8a61f2b07d4c95e3'
const EXAMPLE_ENDPOINT = 'whe_0123456789abcdef'

async function openSamples() {
  const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '50' })
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { accountId, secretKey, publicKey } = (await service.merchant()).accounts.sandbox
  granted(await changeCheckoutSettings(service, TESTER, { accountId, origins: [SHOP] }))
  let link = EXAMPLE_LINK
  let endpoint = EXAMPLE_ENDPOINT
  return {
    service,
    env: { KARBA_URL: url, SECRET_KEY: secretKey, PUBLIC_KEY: publicKey },
    /** The sample with the names that exist in this world. */
    named: (source: string): string =>
      source.replaceAll(EXAMPLE_LINK, link).replaceAll(EXAMPLE_ENDPOINT, endpoint),
    saw(operationId: string, printed: string): void {
      if (operationId === 'createWebhookEndpoint')
        endpoint = /whe_[0-9a-z]+/.exec(printed)?.[0] as string
      if (operationId === 'createLink')
        link = /\breference['"\]]*\s*(?:=>|:)\s*['"]?([0-9a-z]{20,})/.exec(printed)?.[1] as string
    },
    expected: (operationId: string): RegExp => EXPECTED[operationId] ?? /\S/,
    async before(operationId: string): Promise<void> {
      if (operationId === 'refundPayment')
        await until('payment that succeeded', async () => {
          const { body } = await getFrom(service, secretKey, '/payments/order-2026-0001')
          return body.status === 'succeeded'
        })
      if (operationId === 'downloadMonth') await addMovement(service.db, accountId)
      if (operationId === 'readSettlement') await addSettlement(service.db, accountId)
    },
  }
}

/** What an answer with 200 prints; an error has a message. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  createPayment: /pending/,
  readPayment: /order-2026-0001/,
  createLink: /page_url/,
  readLink: /initiated/,
  listPayments: /next/,
  refundPayment: /remaining_amount/,
  readRefund: /retour-7/,
  listRefunds: /next/,
  cancelLink: /failed/,
  createLinkFromPage: /page_url/,
  listEvents: /has_more/,
  readBalance: /to_receive/,
  listEntries: /next/,
  readStatement: /movements/,
  // It is saved.
  downloadMonth: /^$/,
  listSettlements: /next/,
  readSettlement: /mtn-benin-412/,
  confirmSettlement: /received/,
  showAccount: /account_id/,
}
