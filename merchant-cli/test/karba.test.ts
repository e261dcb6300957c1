// The merchants' command as a process: its output, and that `listen` forwards exactly what a
// webhook delivers.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifyWebhook } from '@karba/sdk'
import { openReceiver } from '../../server/test/kit/receiver.ts'
import { openTestService, order, post } from '../../server/test/kit/service.ts'
import { SQLITE } from '../../server/test/kit/stores.ts'
import { until } from '../../server/test/kit/waiting.ts'
import { newEndpoint, removeEvents } from '../../server/test/kit/webhooks.ts'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const SUCCEEDS = '40410000000'
const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '50' })
const receiver = await openReceiver()
const home = mkdtempSync(join(tmpdir(), 'karba-merchant-'))
const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
const account = (await service.merchant()).accounts.sandbox
const accountId = account.accountId
const env = {
  PATH: process.env.PATH ?? '',
  HOME: home,
  KARBA_URL: url,
  SVC_SECRET_KEY: account.secretKey,
}
after(async () => {
  await service.remove()
  await receiver.close()
  rmSync(home, { recursive: true, force: true })
})

async function karba(args: string[], change: Record<string, string> = {}) {
  const run = promisify(execFile)(process.execPath, [join(FOLDER, 'src/karba.ts'), ...args], {
    env: { ...env, ...change },
  })
  return run.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

const pay = async (): Promise<string> =>
  (await post(service, env.SVC_SECRET_KEY as string, order({ msisdn: SUCCEEDS }))).body
    .reference as string

it('merchants’ command: shows the account, a payment at its outcome, the list and the events', async () => {
  assert.equal(JSON.parse((await karba(['account'])).stdout).account_id, accountId)
  const reference = await pay()
  assert.equal(
    JSON.parse((await karba(['payment', reference, '--wait'])).stdout).status,
    'succeeded',
  )
  const [listed = ''] = (await karba(['payments', '--status', 'succeeded'])).stdout.split('\n')
  assert.equal(JSON.parse(listed).reference, reference)
  const [event = ''] = (await karba(['events'])).stdout.split('\n')
  assert.equal(JSON.parse(event).data.reference, reference)
})

it('merchants’ command: an error is one sentence, and no file is written', async () => {
  const WRONG: [args: string[], change: Record<string, string>, code: number, said: RegExp][] = [
    [
      ['payment', 'unknown'],
      {},
      1,
      /^karba: Payment Not Found \(payment_not_found\)\. There is no such payment .*: check the reference and the key\. \(req_\S+\)\n$/,
    ],
    [['payment'], {}, 2, /takes one name/],
    [
      ['pay'],
      {},
      2,
      /^karba: There is no command pay\. `karba --help` lists commands and options\.\n$/,
    ],
    [['account', '--x'], {}, 2, /^karba: Unknown option '--x'\. `karba --help` lists [a-z ]+\.\n$/],
    [['account'], { SVC_SECRET_KEY: '' }, 2, /SVC_SECRET_KEY/],
    [['account'], { SVC_SECRET_KEY: 'pk_sandbox_x' }, 1, /sk_sandbox_/],
    [['account'], { KARBA_URL: '' }, 2, /address of the service into KARBA_URL/],
    [['listen', '--forward-to', 'x'], {}, 2, /--forward-to/],
  ]
  for (const [args, change, code, said] of WRONG) {
    const ran = await karba(args, change)
    assert.deepEqual([ran.code, ran.stdout], [code, ''])
    assert.match(ran.stderr, said)
  }
  assert.deepEqual(readdirSync(home), [])
})

it('merchants’ command: listen forwards what a webhook delivers, and resumes at its position', async () => {
  const hook = `${receiver.url}/hook`
  await newEndpoint(service, accountId, `${receiver.url}/real`)
  const listening = await startListen(hook)
  await pay()
  const [forwarded, real] = await until('webhook of both kinds', () => {
    const both = ['/hook', '/real'].map((path) => receiver.got.find((each) => each.path === path))
    return both.every((each) => each !== undefined) ? both : undefined
  })
  assert.deepEqual(forwarded?.body, real?.body)
  const names = (headers: object = {}): string[] => Object.keys(headers).sort()
  const ofTransport = [
    'connection',
    'host',
    'content-length',
    'transfer-encoding',
    'accept-language',
    'sec-fetch-mode',
    'accept-encoding',
  ]
  const own = (headers: object = {}): string[] =>
    names(headers).filter((name) => !ofTransport.includes(name))
  assert.deepEqual(own(forwarded?.headers), own(real?.headers))
  const [, secretHash = ''] = /Secret-Hash +(\S+)/.exec(listening.printed()) ?? []
  const [, signingSecret = ''] = /signing secret +(\S+)/.exec(listening.printed()) ?? []
  const event = await verifyWebhook(String(forwarded?.body), forwarded?.headers ?? {}, {
    secretHash,
    signingSecret,
  })
  assert.equal(event.event, 'payment.succeeded')
  await listening.end()
  const reference = await pay()
  const again = await startListen(hook)
  await until('event during the stop', () =>
    receiver.got.some(
      ({ path, event: { data } }) => path === '/hook' && data.reference === reference,
    ),
  )
  assert.ok(again.printed().includes(signingSecret))
  await again.end()
  assert.equal(receiver.got.filter(({ path }) => path === '/hook').length, 2)
})

it('merchants’ command: listen reports the events that the service has removed, and continues with the next', async () => {
  const eventsOf = async () => (await karba(['events'])).stdout.trim().split('\n').length
  await (await startListen(`${receiver.url}/later`)).end()
  const before = await eventsOf()
  await pay()
  await until('event that will be removed', async () => (await eventsOf()) === before + 1)
  await removeEvents(service, accountId, before + 1)
  const reference = await pay()
  const listening = await startListen(`${receiver.url}/later`)
  await until('event after the removed one', () =>
    receiver.got.some(
      ({ path, event: { data } }) => path === '/later' && data.reference === reference,
    ),
  )
  await listening.end()
  assert.match(
    listening.printed(),
    new RegExp(`has removed events ${before + 1} to ${before + 1}, written until \\d{4}-`),
  )
  assert.equal(receiver.got.filter(({ path }) => path === '/later').length, 1)
  const refused = await karba(['events', '--after', '0'])
  assert.match(
    refused.stderr,
    /Gone: Events Removed \(cursor_too_old, after\)\. The next events were removed/,
  )
})

it('merchants’ command: the built package is one file of plain JavaScript', async () => {
  execFileSync(process.execPath, ['build.ts'], { cwd: FOLDER })
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(FOLDER, 'dist/karba.js'), 'account'],
    { env },
  )
  assert.equal(JSON.parse(stdout).account_id, accountId)
})

async function startListen(hook: string) {
  const child = spawn(
    process.execPath,
    [join(FOLDER, 'src/karba.ts'), 'listen', '--forward-to', hook],
    { env },
  )
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed += chunk
  })
  await until('listener that has begun', () => printed.includes('signing secret'))
  return {
    printed: () => printed,
    end: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
