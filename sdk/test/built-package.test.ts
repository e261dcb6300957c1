// The published package of the SDK, imported by a program on every Node of this machine.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { openTestService } from '../../server/test/kit/service.ts'
import { apiTypes, errorCodes } from '../write-types.ts'
import { makeProject, nodesOfMachine } from './packed.ts'

const SDK = fileURLToPath(new URL('..', import.meta.url))
const PROGRAM = `
const { Karba, signOrder } = await import(process.argv[1])
const karba = new Karba({ secretKey: process.env.SECRET_KEY, url: process.env.KARBA_URL })
const payer = { country: 'NE', msisdn: '96123456', customer_name: 'Awa' }
const order = { amount: 1500, currency: 'XOF', ...payer }
const { reference } = await karba.createPayment({ ...order, transaction_id: process.version })
const { status } = await karba.readPayment(process.version)
await signOrder('sk_sandbox_x', { amount: 1, title: 't', transaction_id: 'x' })
console.log(JSON.stringify({ reference, status }))
`

const service = await openTestService()
const project = makeProject()
after(async () => {
  await service.remove()
  rmSync(project, { recursive: true, force: true })
})

it('SDK types: api-types.ts is generated from docs/openapi.json', async () =>
  assert.equal(
    readFileSync(join(SDK, 'src', 'api-types.ts'), 'utf8'),
    await apiTypes(),
    'run `npm run docs`',
  ))

it('SDK: its codes of errors are those of the OpenAPI description', () =>
  assert.equal(
    readFileSync(join(SDK, 'src', 'error-codes.ts'), 'utf8'),
    errorCodes(),
    'run `npm run docs`',
  ))

it('SDK package: plain JavaScript that records a payment on every Node of this machine', async (t) => {
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { secretKey } = (await service.merchant()).accounts.sandbox
  const entry = pathToFileURL(join(project, 'node_modules', '@karba', 'sdk', 'karba.js')).href
  for (const node of nodesOfMachine()) {
    const env = { SECRET_KEY: secretKey, KARBA_URL: url }
    const { stdout } = await promisify(execFile)(
      node,
      ['--input-type=module', '-e', PROGRAM, entry],
      { env },
    )
    assert.equal(JSON.parse(stdout).status, 'pending')
    t.diagnostic(execFileSync(node, ['--version']).toString().trim())
  }
})
