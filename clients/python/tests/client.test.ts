// The Python client: its own tests on every Python of this machine, its types, and many orders over
// a line that loses answers.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Fault, openFaultyProxy } from '../../../sdk/test/faulty-proxy.ts'
import { makeCertificate } from '../../../server/test/kit/certificate.ts'
import { seededRandom } from '../../../server/test/kit/seeded-random.ts'
import { openTestService, order } from '../../../server/test/kit/service.ts'
import { STORES } from '../../../server/test/kit/stores.ts'
import { tried, tries } from '../../../server/test/kit/tries.ts'
import { until } from '../../../server/test/kit/waiting.ts'
import { apiFacts } from '../../api-facts.ts'
import { FOLDER, pythonsOfMachine, runs, unlessMissing } from '../find-python.ts'

const PYTHONS = pythonsOfMachine()
const [PYTHON = 'python3'] = PYTHONS
const HAS_PYTHON = PYTHONS.length > 0
const run = promisify(execFile)

describe('the Python client', unlessMissing('Python', HAS_PYTHON), () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-python-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('Python client: its own tests pass on every Python of this machine', async (t) => {
    const { key, cert } = makeCertificate(folder, 'localhost')
    const operations = apiFacts().operations.map(({ id }) => id)
    const env = {
      PATH: process.env.PATH,
      TLS_KEY: key,
      TLS_CERT: cert,
      OPERATIONS: operations.join(','),
    }
    for (const python of PYTHONS.length > 0 ? PYTHONS : [PYTHON]) {
      const args = ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests/unit', '-t', '.']
      const { stderr } = await run(python, args, { cwd: FOLDER, env })
      assert.match(stderr, /Ran [1-9]\d+ tests[\s\S]*\nOK\n/)
      // Python cannot raise where it closes a forgotten connection: it only prints.
      assert.doesNotMatch(stderr, /Exception ignored|Warning/)
      t.diagnostic(`${python}: ${/Ran .*/.exec(stderr)?.[0]}`)
    }
  })

  it(
    'Python client: mypy finds nothing in its strict mode',
    unlessMissing('mypy', runs('mypy', ['--version'])),
    async () => {
      const args = ['--cache-dir', join(folder, 'mypy'), 'karba', 'tests']
      const { stdout } = await run('mypy', args, { cwd: FOLDER })
      assert.match(stdout, /^Success: no issues found in \d+ source files/)
    },
  )

  it('Python client: the version of its requests is that of its package', async () => {
    const { stdout } = await run(PYTHON, ['-c', 'import karba; print(karba.__version__)'], {
      cwd: FOLDER,
    })
    const version = /__version__ = "(.*)"/.exec(
      readFileSync(join(FOLDER, 'karba/version.py'), 'utf8'),
    )
    assert.equal(stdout.trim(), version?.[1])
  })
})

/** Of 20 answers 7 are lost: 35 %. */
const FAULTS: readonly Fault[] = [
  ...Array<Fault>(13).fill('passes'),
  'is cut before the service',
  'is cut after the commit',
  'is cut after the commit',
  'is cut after the commit',
  'is cut in the middle of the answer',
  'is cut in the middle of the answer',
  'gets a 504 of the proxy',
]
const ORDERS = tries(100, 1_000)

for (const store of STORES)
  describe(
    `the Python client over a faulty line on ${store.name}`,
    unlessMissing('Python', HAS_PYTHON),
    async () => {
      const service = await openTestService(store, { KARBA_SANDBOX_DELAY_MS: '50' })
      const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
      after(() => service.remove())

      for (const kind of ['threads', 'asyncio'])
        it(`Python client: with ${kind}, each of many orders is one payment although 35 % of the answers are lost`, async (t) => {
          const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
          const random = seededRandom(35)
          const proxy = await openFaultyProxy(address, () => random.pick(FAULTS), {
            readsToo: true,
          })
          const orders = Array.from({ length: ORDERS }, () => order({ msisdn: '96123456' }))
          const env = { PATH: process.env.PATH, SECRET_KEY: secretKey, KARBA_URL: proxy.url }
          const child = spawn(PYTHON, [join(FOLDER, 'tests/many_orders.py'), kind], {
            env,
            stdio: ['pipe', 'pipe', 'inherit'],
          })
          child.stdin.end(JSON.stringify(orders))
          const printed = text(child.stdout)
          const [code] = await once(child, 'exit')
          assert.equal(code, 0)
          const made = new Map(Object.entries(JSON.parse(await printed)))
          const recorded = async () =>
            service.db.read<{ name: string; reference: string; status: string }>(
              `select external_reference as name, reference, status from payments
                where account_id = :accountId`,
              { accountId },
            )
          const rows = await recorded()
          assert.equal(rows.length, ORDERS)
          assert.deepEqual(new Map(rows.map(({ name, reference }) => [name, reference])), made)
          await until('end of the payments', async () =>
            (await recorded()).every(({ status }) => status === 'succeeded'),
          )
          await proxy.close()
          tried(ORDERS)
          t.diagnostic([...proxy.met].map(([fault, count]) => `${count} × ${fault}`).join(', '))
        })
    },
  )
