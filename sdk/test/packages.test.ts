// The packed SDK in projects of merchants: TypeScript in each module form, require and import, and
// its size in a bundle.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import { VERSION } from '../src/version.ts'
import { makeProject, nodesOfMachine } from './packed.ts'

const PROGRAM = `
import { Karba, KarbaError, testWebhook, verifyWebhook, type KarbaEvent, type Payment } from '@karba/sdk'

declare const process: { env: Record<string, string | undefined> }
const { SECRET_KEY, KARBA_URL, SECRET_HASH: secretHash, SIGNING_SECRET: signingSecret } = process.env

export async function read(): Promise<Payment | undefined> {
  const karba = new Karba({ secretKey: SECRET_KEY, url: KARBA_URL, maxRetries: 0 })
  for await (const entry of karba.eachEntry({ limit: 10 })) console.log(entry.amount)
  for await (const refund of karba.eachRefund({ status: 'open' })) console.log(refund.amount)
  for await (const { settlement } of karba.eachSettlement({ from: '2026-11-01' }))
    for await (const line of karba.eachSettlementLine(settlement)) console.log(line.booked_at)
  try {
    const payment = await karba.readPayment('x')
    const receipt: string | undefined = payment.receipt_url
    console.log(receipt)
    return payment
  } catch (error) {
    if (error instanceof KarbaError && error.code === 'payment_not_found') return undefined
    throw error
  }
}

export async function take(body: Uint8Array): Promise<string> {
  const event: KarbaEvent = await verifyWebhook(body, {}, { secretHash, signingSecret })
  await testWebhook({ event: 'payment.succeeded', data: { amount: 5 } }, { secretHash: 'x' })
  if (event.event === 'payment.failed') return event.data.failure_reason ?? ''
  // @ts-expect-error: an amount is a number
  const wrong: string = event.event === 'payment.succeeded' ? event.data.amount : ''
  return wrong
}
`
const FORMS: [name: string, file: string, options: object][] = [
  ['node10', 'main.ts', { module: 'commonjs', moduleResolution: 'node10' }],
  ['node16 in CommonJS', 'main.cts', { module: 'node16', moduleResolution: 'node16' }],
  ['node16 as a module', 'main.mts', { module: 'node16', moduleResolution: 'node16' }],
  ['a bundler', 'main.ts', { module: 'esnext', moduleResolution: 'bundler' }],
]
const COMPILER = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))

const run = promisify(execFile)

describe('the packed SDK', () => {
  const project = makeProject()
  after(() => rmSync(project, { recursive: true, force: true }))

  for (const [name, file, options] of FORMS)
    it(`SDK package: TypeScript for ${name} finds its types`, async () => {
      const compilerOptions = {
        ...options,
        noEmit: true,
        strict: true,
        exactOptionalPropertyTypes: true,
        target: 'es2022',
        lib: ['es2023', 'dom'],
        types: [],
        skipLibCheck: false,
      }
      writeFileSync(
        join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: [file] }),
      )
      writeFileSync(join(project, file), PROGRAM)
      const { stdout } = await run(process.execPath, [COMPILER, '-p', project]).catch(
        (error: { stdout: string }) => error,
      )
      assert.equal(stdout, '')
    })

  const USES: [name: string, file: string, code: string][] = [
    ['require', 'main.cjs', `const { Karba, KarbaError, verifyWebhook } = require('@karba/sdk')`],
    ['import', 'main.mjs', `import { Karba, KarbaError, verifyWebhook } from '@karba/sdk'`],
  ]
  for (const [name, file, code] of USES)
    it(`SDK package: ${name} gives a working client on every Node of this machine`, async () => {
      const rest = `
        const karba = new Karba({ secretKey: 'sk_sandbox_x', url: 'http://127.0.0.1:9', maxRetries: 0 })
        karba.readPayment('x').catch((error) => console.log(error instanceof KarbaError, error.code, typeof verifyWebhook))`
      writeFileSync(join(project, file), code + rest)
      for (const node of nodesOfMachine()) {
        const { stdout } = await run(node, [file], { cwd: project })
        assert.equal(stdout, 'true no_answer function\n')
      }
    })

  it('SDK package: has the licence, no links to files that it lacks, and one version', () => {
    const folder = join(project, 'node_modules', '@karba', 'sdk')
    assert.match(readFileSync(join(folder, 'LICENSE'), 'utf8'), /Apache License/)
    assert.doesNotMatch(readFileSync(join(folder, 'README.md'), 'utf8'), /\]\((?!https?:|#)/)
    assert.equal(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version, VERSION)
  })

  it('SDK package: verifyWebhook alone is a small part of the client in a bundle', (t) => {
    const sizeOf = (names: string): number => {
      const entry = join(project, 'entry.mjs')
      writeFileSync(entry, `import { ${names} } from '@karba/sdk'\nglobalThis.used = [${names}]\n`)
      const { outputFiles } = buildSync({
        entryPoints: [entry],
        bundle: true,
        minify: true,
        format: 'esm',
        write: false,
      })
      return gzipSync(outputFiles[0]?.contents as Uint8Array).length
    }
    const [alone, whole] = [sizeOf('verifyWebhook'), sizeOf('Karba, verifyWebhook')]
    t.diagnostic(`verifyWebhook ${alone} bytes, with the client ${whole}, after gzip`)
    assert.ok(alone / whole < 0.3, `${alone} of ${whole} bytes`)
  })
})
