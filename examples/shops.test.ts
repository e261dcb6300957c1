// The example shops against a running service: each delivers a paid order once and nothing else,
// whatever is lost on the way, and whenever the shop is killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Fault } from '../sdk/test/faulty-proxy.ts'
import { assertRefusesEmptySecret, assertVerifiesSender } from '../server/test/docs/try-receiver.ts'
import { freePort } from '../server/test/kit/process.ts'
import { seededRandom } from '../server/test/kit/seeded-random.ts'
import { until, within } from '../server/test/kit/waiting.ts'
import { SECRET_HASH } from '../server/test/kit/webhooks.ts'
import { type Mall, openMall, passes, postEvent, repeatEvents } from './open-mall.ts'
import {
  orderPage,
  orderThatIs,
  placeOrder,
  type RunningShop,
  SHOPS,
  startShop,
} from './run-shop.ts'

const SUCCEEDS = '40410000000'
const DECLINES = '40410000006'
const STAYS_PENDING = '40410000008'

const STRACE = '/usr/bin/strace'
const isStraceMissing = !existsSync(STRACE) && process.env.CI === undefined

for (const kind of SHOPS)
  describe(
    `examples/${kind.name}`,
    kind.program === undefined ? { skip: 'its language is not on this machine' } : {},
    () => {
      let mall: Mall
      before(async () => {
        mall = await openMall(kind)
      })
      after(() => mall.close())

      it('example shop: delivers a paid order once, although the event arrives twice', async () => {
        const order = await placeOrder(mall.shop.url, SUCCEEDS)
        await orderThatIs(mall.shop.url, order, 'delivered')
        await repeatEvents(mall)
        assert.deepEqual(mall.delivered(), [order])
      })

      it('example shop: accepts genuine events only', () =>
        assertVerifiesSender(`${mall.shop.url}/hook`, {
          secretHash: SECRET_HASH,
          signingSecret: mall.signingSecret,
        }))

      it('example shop: without its secrets it starts not at all, or takes no event of a stranger', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'karba-shop-'))
        const port = await freePort()
        const settings = { folder, port, karbaUrl: 'http://127.0.0.1:9', secretKey: 'sk_sandbox_x' }
        const started = await startShop(kind, {
          ...settings,
          secretHash: '',
          signingSecret: '',
        }).catch(() => undefined)
        try {
          if (started !== undefined) await assertRefusesEmptySecret(`${started.url}/hook`)
        } finally {
          await started?.end('SIGKILL')
          rmSync(folder, { recursive: true, force: true })
        }
      })

      it('example shop: an event whose delivery cannot be written comes again', async (t) => {
        const deliveriesFolder = join(mall.folder, 'deliveries')
        if (!existsSync(deliveriesFolder)) return t.diagnostic('its deliveries are in a database')
        const order = await placeOrder(mall.shop.url, STAYS_PENDING)
        renameSync(deliveriesFolder, `${deliveriesFolder}.away`)
        writeFileSync(deliveriesFolder, 'no folder')
        assert.ok(((await postEvent(mall, order)) ?? 500) >= 500)
        rmSync(deliveriesFolder)
        renameSync(`${deliveriesFolder}.away`, deliveriesFolder)
        assert.equal(await postEvent(mall, order), 204)
        await orderThatIs(mall.shop.url, order, 'delivered')
        rmSync(join(deliveriesFolder, order))
      })

      it('example shop: delivers no declined or refused order, and none of a forged event', async () => {
        const { url } = mall.shop
        const before = mall.delivered()
        assert.match(await orderThatIs(url, await placeOrder(url, DECLINES), 'failed'), /declined/)
        assert.match(
          await orderThatIs(url, await placeOrder(url, '12'), 'failed'),
          /Incorrect MSISDN/,
        )
        const pending = await placeOrder(url, STAYS_PENDING)
        const data = { external_reference: pending, amount: 2500, status: 'succeeded' }
        const body = JSON.stringify({ id: 'evt_1', event: 'payment.succeeded', data })
        const forged = await fetch(`${url}/hook`, {
          method: 'POST',
          body,
          headers: { 'secret-hash': 'x' },
        })
        assert.equal(forged.status, 401)
        assert.equal((await orderPage(url, pending)).status, 'pending')
        assert.deepEqual(mall.delivered(), before)
      })
    },
  )

/** What the shop gets for the rest of its request, after its event has arrived. */
const AFTER_THE_EVENT: readonly Fault[] = [
  'passes',
  'is cut in the middle of the answer',
  'gets a 404 of the proxy',
  'gets a 503 for a minute',
]
const LOST: readonly Fault[] = [
  'is cut before the service',
  'is cut after the commit',
  'gets a 504 of the proxy',
]

for (const kind of SHOPS)
  describe(
    `examples/${kind.name} with lost answers`,
    kind.program === undefined ? { skip: 'its language is not on this machine' } : {},
    () => {
      let mall: Mall
      before(async () => {
        mall = await openMall(kind)
      })
      after(() => mall.close())

      /**
       * The first answer is lost, and the following ones wait until the shop has handled the event.
       */
      async function orderWhoseEventOvertakes(fault: Fault): Promise<string> {
        const known = new Set(mall.delivered())
        let isFirst = true
        mall.faults.next = async () => {
          if (isFirst) {
            isFirst = false
            return 'is cut after the commit'
          }
          await until('delivery of the order', () => mall.delivered().some((id) => !known.has(id)))
          return fault
        }
        const id = await placeOrder(mall.shop.url, SUCCEEDS)
        mall.faults.next = passes
        return id
      }

      for (const fault of AFTER_THE_EVENT)
        it(`example shop: an order stays delivered when the shop then ${fault}`, async () => {
          const before = mall.delivered()
          const id = await orderWhoseEventOvertakes(fault)
          assert.equal((await orderPage(mall.shop.url, id)).status, 'delivered')
          assert.equal(await postEvent(mall, id), 204)
          assert.equal(await postEvent(mall, id, 'payment.failed'), 204)
          assert.equal((await orderPage(mall.shop.url, id)).status, 'delivered')
          assert.deepEqual(mall.delivered(), [...before, id].sort())
        })

      it('example shop: the event may arrive before the answer', async () => {
        const before = mall.delivered()
        mall.faults.next = () => 'is answered when the payment is over'
        const id = await placeOrder(mall.shop.url, SUCCEEDS)
        await orderThatIs(mall.shop.url, id, 'delivered')
        assert.deepEqual(mall.delivered(), [...before, id].sort())
      })

      it('example shop: with one answer of three lost, every paid order is delivered once', async () => {
        const random = seededRandom(7)
        const before = mall.delivered()
        mall.faults.next = () =>
          random.pick([...Array<Fault>(12).fill('passes'), ...LOST, ...AFTER_THE_EVENT.slice(1, 3)])
        const ids = await Promise.all(
          Array.from({ length: 6 }, () => placeOrder(mall.shop.url, SUCCEEDS)),
        )
        const refused = await placeOrder(mall.shop.url, DECLINES)
        mall.faults.next = passes
        for (const id of ids) await orderThatIs(mall.shop.url, id, 'delivered')
        await orderThatIs(mall.shop.url, refused, 'failed')
        await repeatEvents(mall)
        assert.deepEqual(mall.delivered(), [...before, ...ids].sort())
      })
    },
  )

/** System calls that make or change a file or a connection. */
const WRITES = [
  'openat',
  'write',
  'pwrite64',
  'rename',
  'fsync',
  'fdatasync',
  'ftruncate',
  'unlink',
]
/** Of one kind, in one piece of work. */
const MOST_WRITES = 20
const MOST_KILLS = 40

for (const kind of SHOPS) {
  const skip = kind.program === undefined || isStraceMissing
  describe(
    `examples/${kind.name} under kill -9`,
    skip ? { skip: 'it or strace is not on this machine' } : {},
    () => {
      let mall: Mall
      before(async () => {
        mall = await openMall(kind)
      })
      after(() => mall.close())

      /**
       * Runs the work again and again, killed before its 1st, 2nd … call of each kind. Returns the
       * number of kills.
       */
      async function killedAtEveryWrite(work: () => Promise<boolean>): Promise<number> {
        let kills = 0
        for (const call of WRITES)
          for (let nth = 1; nth <= MOST_WRITES; nth++) {
            const killer = await attachKiller(mall.shop, call, nth)
            const isDone = await work()
            await killer.detach()
            if (isDone) break
            await mall.restart()
            kills++
          }
        assert.ok(kills > 1, 'strace killed the shop')
        return kills
      }

      it('example shop: killed at any write of an event, it delivers the order once when the event comes again', async (t) => {
        const ids: string[] = []
        const kills = await killedAtEveryWrite(async () => {
          ids.push(pending.shift() as string)
          return (await postEvent(mall, ids.at(-1) as string)) === 204
        })
        for (const id of ids) {
          assert.equal(await postEvent(mall, id), 204)
          assert.equal((await orderPage(mall.shop.url, id)).status, 'delivered')
        }
        assert.deepEqual(mall.delivered(), ids.sort())
        t.diagnostic(`killed ${kills} times`)
      })

      const pending: string[] = []
      before(async () => {
        for (let nth = 0; nth < MOST_KILLS; nth++)
          pending.push(await placeOrder(mall.shop.url, STAYS_PENDING))
      })

      it('example shop: killed at any write of an order, it still delivers what was paid', async (t) => {
        const kills = await killedAtEveryWrite(() =>
          placeOrder(mall.shop.url, SUCCEEDS).then(
            () => true,
            () => false,
          ),
        )
        const paid = await until('end of the payments', async () => {
          const rows = await mall.service.db.read<{ id: string; status: string; payer: string }>(
            `select external_reference as id, status, msisdn as payer from payments
              where account_id = :accountId`,
            { accountId: mall.accountId },
          )
          const wanted = rows.filter(
            ({ id }) => !pending.includes(id) && !mall.delivered().includes(id),
          )
          return (
            wanted.every(({ status }) => status === 'succeeded') &&
            rows.filter((row) => row.status === 'succeeded')
          )
        })
        for (const { id } of paid) assert.equal(await postEvent(mall, id), 204)
        const ids = paid.map(({ id }) => id)
        for (const id of ids) assert.equal((await orderPage(mall.shop.url, id)).status, 'delivered')
        assert.ok(ids.length > 0)
        assert.equal(new Set(mall.delivered()).size, mall.delivered().length)
        assert.deepEqual(
          ids.filter((id) => !mall.delivered().includes(id)),
          [],
        )
        t.diagnostic(`killed ${kills} times; ${ids.length} orders were paid`)
      })
    },
  )
}

/** A worker may have been killed after its answer: it stays as a zombie. */
const isRunning = (pid: string): boolean => !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

/** Kills the process that handles the next request before its n-th call of this kind. */
async function attachKiller({ child }: RunningShop, call: string, nth: number) {
  const inject = `${call}:signal=SIGKILL:when=${nth}`
  // PHP's own server has a process for each worker.
  const workers = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
  const pids = [String(child.pid), ...workers.filter(isRunning)]
  const processes = pids.flatMap((pid) => ['-p', pid])
  const args = [
    '-f',
    ...processes,
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${inject}`,
    '-o',
    '/dev/null',
  ]
  const strace = spawn(STRACE, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(strace, 'exit')
  let said = ''
  strace.stderr.on('data', (text) => {
    said += text
  })
  // Any of them may handle the request.
  await until('strace at every process', () =>
    pids.every((pid) => said.includes(`Process ${pid} attached`)),
  )
  return {
    detach: async () => {
      strace.kill('SIGKILL')
      await within('end of strace', ended)
    },
  }
}
