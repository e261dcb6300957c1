// Tries a webhook receiver of a guide or an example: it accepts an event of the service and refuses
// every forged one.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSigningSecret, webhookHeaders } from '../../src/webhooks/sign.ts'
import { freePort } from '../kit/process.ts'
import { until } from '../kit/waiting.ts'
import { type Block, PYTHON, programFor } from './printed-code.ts'

/** For a receiver that verifies the signature alone. */
export const SIGNING: Secrets = { signingSecret: secretOf(7) }
const SECRETS: Secrets = { ...SIGNING, secretHash: 'le mot de la boutique' }
const OLD_SECRET = secretOf(8)
const DATA = { customer: 'Été à Niamey / 🛒', external_reference: 'unknown-order', amount: 1500 }
const BODY = JSON.stringify({ id: 'evt_1', event: 'payment.succeeded', data: DATA })
const HOUR_MS = 3_600_000

type Headers = Record<string, string>

/** Without a Secret-Hash, the receiver verifies the signature alone. */
type Secrets = { secretHash?: string; signingSecret: string }

function secretOf(byte: number): string {
  return makeSigningSecret(new Uint8Array(32).fill(byte))
}

export async function assertVerifiesSender(
  url: string,
  { secretHash: known, signingSecret }: Secrets,
): Promise<void> {
  const secretHash = known ?? 'another secret of the shop'
  const signed = (at: number, signingSecrets = [signingSecret]): Headers =>
    webhookHeaders({ eventId: 'evt_1', body: BODY, secretHash, signingSecrets, replay: 0 }, at)
  const now = Date.now()
  const tries: [what: string, headers: Headers, body: string, status: number][] = [
    ['genuine', signed(now), BODY, 204],
    ['while a secret is rolled', signed(now, [OLD_SECRET, signingSecret]), BODY, 204],
    ['with another body', signed(now), BODY.replace('succeeded', 'refunded'), 401],
    [
      'with another Secret-Hash',
      { ...signed(now), 'secret-hash': 'x' },
      BODY,
      known === undefined ? 204 : 401,
    ],
    ['signed with another secret', signed(now, [OLD_SECRET]), BODY, 401],
    ['of an hour ago', signed(now - HOUR_MS), BODY, 401],
    ['without headers', {}, BODY, 401],
  ]
  for (const [what, headers, body, status] of tries) {
    const answer = await fetch(url, { method: 'POST', headers, body })
    assert.equal(answer.status, status, what)
  }
}

/** Whoever knows that a secret is missing signs with an empty one. */
export async function assertRefusesEmptySecret(url: string): Promise<void> {
  const [id, timestamp] = ['evt_1', String(Math.floor(Date.now() / 1_000))]
  const signature = createHmac('sha256', '').update(`${id}.${timestamp}.${BODY}`).digest('base64')
  const headers = {
    'secret-hash': '',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  const { status } = await fetch(url, { method: 'POST', headers, body: BODY })
  assert.ok(status >= 400, `an event of a stranger was answered with ${status}`)
}

type Receiver = Pick<Block, 'language' | 'file' | 'code'>

/** Undefined where it ends because a setting is missing. */
async function startReceiver(
  folder: string,
  { language, file, code }: Receiver,
  env: Record<string, string>,
) {
  writeFileSync(join(folder, file), code)
  const port = await freePort()
  const args = language === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file]
  const child = spawn(programFor(language) as string, args, {
    cwd: folder,
    env: { ...PYTHON, PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}/hook`
  const answers = (): Promise<boolean> =>
    fetch(url, { method: 'POST' }).then(
      () => true,
      () => false,
    )
  await until('receiver that listens, or ends', () => child.exitCode !== null || answers())
  return {
    url,
    hasEnded: child.exitCode !== null,
    close: async (): Promise<void> => {
      child.kill()
      await ended
    },
  }
}

export async function tryReceiver(
  folder: string,
  block: Receiver,
  secrets = SECRETS,
): Promise<void> {
  const env = {
    ...(secrets.secretHash !== undefined && { SECRET_HASH: secrets.secretHash }),
    SIGNING_SECRET: secrets.signingSecret,
  }
  const receiver = await startReceiver(folder, block, env)
  try {
    assert.ok(!receiver.hasEnded)
    await assertVerifiesSender(receiver.url, secrets)
  } finally {
    await receiver.close()
  }
}

export async function tryReceiverWithoutSecret(folder: string, block: Receiver): Promise<void> {
  for (const env of [{}, { SIGNING_SECRET: '', SECRET_HASH: '' }]) {
    const receiver = await startReceiver(folder, block, env as Record<string, string>)
    try {
      if (!receiver.hasEnded) await assertRefusesEmptySecret(receiver.url)
    } finally {
      await receiver.close()
    }
  }
}
