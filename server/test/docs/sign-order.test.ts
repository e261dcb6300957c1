// The guide's ways to sign an order, run as they are printed: each makes an order that the service takes for the merchant's own. Node is always
// there; PHP and Python are run where the machine has them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-checkout-settings.ts'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { get, openTestService, postTo, type TestService } from '../kit/service.ts'

const GUIDE = readFileSync(new URL('../../../docs/payment-links.md', import.meta.url), 'utf8')
const CHAPTER = GUIDE.slice(GUIDE.indexOf('### Sign the order'))
const SHOP = 'https://shop.example'

interface Way {
  language: string
  program: string
  file: string
  /** Around the function that the guide prints: reads key and order from the arguments, prints the signed order. */
  whole(printed: string): string
}

const WAYS: Way[] = [
  {
    language: 'js',
    program: process.execPath,
    file: 'sign.mjs',
    whole: (printed) => `${printed}\nprocess.stdout.write(signOrder(process.argv[2], JSON.parse(process.argv[3])))`,
  },
  {
    language: 'php',
    program: 'php',
    file: 'sign.php',
    whole: (printed) => `<?php\n${printed}\necho sign_order($argv[1], json_decode($argv[2], true));`,
  },
  {
    language: 'python',
    program: 'python3',
    file: 'sign.py',
    whole: (printed) => `${printed}\nimport sys\nsys.stdout.write(sign_order(sys.argv[1], json.loads(sys.argv[2])))`,
  },
]

let service: TestService
let account: NewAccount
let folder: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'karba-sign-'))
  service = await openTestService()
  account = (await service.merchant()).accounts.sandbox
  granted(await changeCheckoutSettings(service, TESTER, { accountId: account.accountId, origins: [SHOP] }))
})
after(async () => {
  await service.remove()
  rmSync(folder, { recursive: true, force: true })
})

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

for (const { language, program, file, whole } of WAYS) {
  it(`an order signed as the guide says in ${language} is the merchant’s`, async (t) => {
    const [, code] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(CHAPTER) ?? []
    assert.match(code ?? '', /sign_?order/i)
    if (!isThere(program)) return t.diagnostic(`${program} is not on this machine`)
    writeFileSync(join(folder, file), whole(code as string))
    const order = { transaction_id: `cmd:${language}/é 🛒`, amount: 15_000, title: 'Été à Niamey' }
    const input = JSON.stringify({ ...order, expires_at: new Date(Date.now() + 60_000).toISOString() })
    const signed = execFileSync(program, [join(folder, file), account.secretKey, input]).toString()
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${account.publicKey}`, origin: SHOP }
    const made = await postTo(service, '/checkout/links', headers, { order: signed })
    assert.deepEqual([made.code, made.body.title], [200, order.title])
    assert.equal((await get(service, account.secretKey, order.transaction_id)).body.amount, 15_000)
  })
}
