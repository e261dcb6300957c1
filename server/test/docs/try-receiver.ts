// Tries a webhook receiver of a guide or an example: it accepts an event of the service and refuses every forged one.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSigningSecret, webhookHeaders } from '../../src/webhooks/sign.ts'
import { freePort } from '../kit/process.ts'
import { until } from '../kit/waiting.ts'
import { type Block, programFor } from './printed-code.ts'

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

export async function assertVerifiesSender(url: string, { secretHash: known, signingSecret }: Secrets): Promise<void> {
  const secretHash = known ?? 'another secret of the shop'
  const signed = (at: number, signingSecrets = [signingSecret]): Headers =>
    webhookHeaders({ eventId: 'evt_1', body: BODY, secretHash, signingSecrets, replay: 0 }, at)
  const now = Date.now()
  const tries: [what: string, headers: Headers, body: string, status: number][] = [
    ['genuine', signed(now), BODY, 204],
    ['while a secret is rolled', signed(now, [OLD_SECRET, signingSecret]), BODY, 204],
    ['with another body', signed(now), BODY.replace('succeeded', 'refunded'), 401],
    ['with another Secret-Hash', { ...signed(now), 'secret-hash': 'x' }, BODY, known === undefined ? 204 : 401],
    ['signed with another secret', signed(now, [OLD_SECRET]), BODY, 401],
    ['of an hour ago', signed(now - HOUR_MS), BODY, 401],
    ['without headers', {}, BODY, 401],
  ]
  for (const [what, headers, body, status] of tries) {
    const answer = await fetch(url, { method: 'POST', headers, body })
    assert.equal(answer.status, status, what)
  }
}

export async function tryReceiver(
  folder: string,
  { language, file, code }: Pick<Block, 'language' | 'file' | 'code'>,
  secrets = SECRETS,
): Promise<void> {
  writeFileSync(join(folder, file), code)
  const port = await freePort()
  const args = language === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file]
  const child = spawn(programFor(language) as string, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      ...(secrets.secretHash !== undefined && { SECRET_HASH: secrets.secretHash }),
      SIGNING_SECRET: secrets.signingSecret,
    },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/hook`
  try {
    await until('receiver that listens', () =>
      fetch(url, { method: 'POST' }).then(
        () => true,
        () => false,
      ),
    )
    await assertVerifiesSender(url, secrets)
  } finally {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
}
