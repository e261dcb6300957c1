// The sample configurations of deploy/ in a real nginx and a real Caddy, in front of a real server.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { makeCertificate } from '../kit/certificate.ts'
import { configureNginx, NGINX } from '../kit/nginx.ts'
import { freePort, type RunningServer, startProcess } from '../kit/process.ts'
import { head, order } from '../kit/service.ts'
import { makePlaceWithAccount } from '../kit/several-processes.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until, within } from '../kit/waiting.ts'

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url))
const sample = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8')

/** Other than the proxy's own address, which Karba trusts. */
const CLIENT = '127.0.0.2'

interface Place {
  folder: string
  karba: string
  plain: number
  secure: number
}

/**
 * Each sample with the test's addresses and certificate in the place of the user's, and the command
 * that runs it.
 */
const PROXIES = {
  nginx: {
    program: NGINX,
    start: ({ karba, ...place }: Place): string[] =>
      configureNginx(place, sample('nginx.conf').replace('127.0.0.1:8080', karba)),
  },
  Caddy: {
    program: '/usr/bin/caddy',
    start: ({ folder, karba, plain, secure }: Place): string[] => {
      const caddyfile = sample('Caddyfile')
        .replace('127.0.0.1:8080', karba)
        .replace(
          /^pay\.example\.com \{$/m,
          `pay.example.com {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
        )
      const options = `admin off\n\thttp_port ${plain}\n\thttps_port ${secure}\n\tdefault_bind 127.0.0.1`
      writeFileSync(join(folder, 'Caddyfile'), `{\n\t${options}\n}\n${caddyfile}`)
      return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
    },
  },
}

for (const [name, { program, start }] of Object.entries(PROXIES)) {
  const isMissing = !existsSync(program) && process.env.CI === undefined
  describe(
    `${name} with the sample of deploy/`,
    isMissing ? { skip: `${program} is not installed` } : {},
    () => {
      const agent = new Agent({
        localAddress: CLIENT,
        connect: { rejectUnauthorized: false, servername: 'pay.example.com' },
      })
      let place: StorePlace
      let secretKey: string
      let karba: RunningServer
      let proxy: ChildProcess
      let ports: Place

      before(async () => {
        ;({ place, secretKey } = await makePlaceWithAccount(SQLITE))
        const port = await freePort()
        karba = await startProcess({
          ...place.env,
          PORT: String(port),
          KARBA_LOG_LEVEL: 'info',
          PUBLIC_URL: 'https://pay.example.com',
          KARBA_TRUST_PROXY: '127.0.0.1',
        })
        const folder = mkdtempSync(join(tmpdir(), 'karba-proxy-'))
        // nginx's workers run as another user.
        chmodSync(folder, 0o755)
        mkdirSync(join(folder, 'caddy'))
        makeCertificate(folder, 'pay.example.com')
        ports = {
          folder,
          karba: `127.0.0.1:${port}`,
          plain: await freePort(),
          secure: await freePort(),
        }
        proxy = spawn(program, start(ports), {
          stdio: 'ignore',
          env: {
            ...process.env,
            XDG_DATA_HOME: join(folder, 'caddy'),
            XDG_CONFIG_HOME: join(folder, 'caddy'),
          },
        })
        await until(`${name} listening`, () =>
          ask('/healthz').then(
            ({ status }) => status === 200 || undefined,
            () => undefined,
          ),
        )
      })
      after(async () => {
        // Not SIGKILL: it would leave nginx's workers behind.
        const ended = once(proxy, 'exit')
        proxy.kill('SIGTERM')
        await within(`end of ${name}`, ended)
        await agent.destroy()
        await karba.end('SIGTERM')
        await place.remove()
        rmSync(ports.folder, { recursive: true, force: true })
      })

      /** A request to pay.example.com through the proxy. */
      async function ask(
        path: string,
        options: { headers?: Record<string, string>; body?: string } = {},
      ) {
        const { headers = {}, body } = options
        const answer = await request(`https://127.0.0.1:${ports.secure}${path}`, {
          dispatcher: agent,
          method: body === undefined ? 'GET' : 'POST',
          body: body ?? null,
          headers: { host: 'pay.example.com', ...headers },
        })
        return {
          status: answer.statusCode,
          headers: answer.headers,
          text: await answer.body.text(),
        }
      }

      it('a payment is created and read with the headers of the contract', async () => {
        const made = await ask('/api/v1/payments', {
          headers: head(secretKey),
          body: JSON.stringify(order()),
        })
        assert.equal(made.status, 200, made.text)
        const read = await ask(`/api/v1/payments/${JSON.parse(made.text).reference}`, {
          headers: head(secretKey),
        })
        assert.equal(read.status, 200, read.text)
        assert.ok(read.headers['strict-transport-security'])
      })

      it('plain HTTP is redirected to https', async () => {
        const answer = await request(`http://127.0.0.1:${ports.plain}/docs`, {
          headers: { host: 'pay.example.com' },
        })
        await answer.body.dump()
        assert.equal(answer.statusCode, 308)
        assert.match(String(answer.headers.location), /^https:\/\/pay\.example\.com.*\/docs$/)
      })

      /** The status and the answer's headers as text; `closed` when there is no answer. */
      const answerTo = (host: string, path: string, dispatcher: Agent): Promise<string> =>
        request(
          `${dispatcher === agent ? `https://127.0.0.1:${ports.secure}` : `http://127.0.0.1:${ports.plain}`}${path}`,
          {
            dispatcher,
            headers: { host },
          },
        ).then(
          async ({ statusCode, headers, body }) =>
            `${statusCode} ${JSON.stringify(headers)}${await body.text()}`,
          () => 'closed',
        )

      it('a request for another name is refused: no redirect, and nothing of Karba', async () => {
        const plainly = new Agent()
        for (const host of [
          'evil.example',
          '127.0.0.1',
          'pay.example.com.evil.example',
          'evil.example:80',
        ])
          for (const dispatcher of [plainly, agent])
            for (const path of ['/docs', '/healthz', '/r']) {
              const answer = await answerTo(host, path, dispatcher)
              assert.match(answer, /^(closed|421 )/, `${host} ${path}`)
              assert.doesNotMatch(answer, /evil|karba/i)
            }
        await plainly.destroy()
        const nameless = new Agent({
          connect: { rejectUnauthorized: false, servername: 'evil.example' },
        })
        await assert.rejects(
          request(`https://127.0.0.1:${ports.secure}/healthz`, { dispatcher: nameless }),
        )
        await nameless.destroy()
      })

      it('/metrics is closed', async () => {
        assert.equal((await ask('/metrics')).status, 404)
      })

      it('a body above the limit of a route is refused by Karba itself', async () => {
        const body = JSON.stringify(order({ customer_name: 'a'.repeat(70_000) }))
        for (let tried = 0; tried < 20; tried++) {
          const { status, text } = await ask('/api/v1/payments', { headers: head(secretKey), body })
          assert.equal(`${status} ${text}`, '413 {"message":"Payload Too Large"}')
        }
      })

      it('a client cannot choose its own address with X-Forwarded-For', async () => {
        await ask('/not-here', { headers: { 'x-forwarded-for': '203.0.113.9' } })
        await until(`log line with ${CLIENT}`, () => karba.printed().includes(CLIENT))
        await ask('/healthz')
        assert.ok(!karba.printed().includes('203.0.113.9'), karba.printed())
      })
    },
  )
}
