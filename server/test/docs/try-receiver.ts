// A receiver of webhooks that a guide prints, started and tried: it takes what the service sends and refuses everything else.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { makeSigningSecret, webhookHeaders } from '../../src/webhooks/sign.ts'
import { until } from '../kit/waiting.ts'
import { type Block, programFor } from './printed-code.ts'

const SECRET_HASH = 'le mot de la boutique'
const [SECRET, OLD_SECRET] = [7, 8].map((byte) => makeSigningSecret(new Uint8Array(32).fill(byte))) as [string, string]
const BODY = JSON.stringify({ id: 'evt_1', event: 'payment.succeeded', data: { customer: 'Été à Niamey / 🛒' } })
const HOUR_MS = 3_600_000

type Headers = Record<string, string>

const signed = (at: number, signingSecrets = [SECRET]): Headers =>
  webhookHeaders({ eventId: 'evt_1', body: BODY, secretHash: SECRET_HASH, signingSecrets, replay: 0 }, at)

const TRIES: [what: string, headers: () => Headers, body: string, status: number][] = [
  ['as the service sends it', () => signed(Date.now()), BODY, 204],
  ['while a secret is rolled', () => signed(Date.now(), [OLD_SECRET, SECRET]), BODY, 204],
  ['with another body', () => signed(Date.now()), BODY.replace('succeeded', 'refunded'), 401],
  ['with another Secret-Hash', () => ({ ...signed(Date.now()), 'secret-hash': 'x' }), BODY, 401],
  ['signed by a stranger', () => signed(Date.now(), [OLD_SECRET]), BODY, 401],
  ['of an hour ago', () => signed(Date.now() - HOUR_MS), BODY, 401],
  ['without anything', () => ({}), BODY, 401],
]

export async function tryReceiver(folder: string, { language, file, code }: Block): Promise<void> {
  writeFileSync(join(folder, file), code)
  const port = await freePort()
  const args = language === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file]
  const child = spawn(programFor(language) as string, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: String(port), SECRET_HASH, SIGNING_SECRET: SECRET },
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
    for (const [what, headers, body, status] of TRIES) {
      const answer = await fetch(url, { method: 'POST', headers: headers(), body })
      assert.equal(answer.status, status, what)
    }
  } finally {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
