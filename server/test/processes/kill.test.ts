// Promise 1, quick form: the server is killed with -9 under load and started again on the same store. Every payment it
// acknowledged is there under both of its names, and no transaction_id became two payments.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { newMerchant } from '../kit/merchant.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { head, order } from '../kit/service.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'

const KILLS = tries(5, 50)
const IN_FLIGHT = 16
/** The same numbers in every run: a kill that found something can be repeated. */
const SEED = 20_261_115
const LONGEST_ANSWER_MS = 30_000

interface Sent {
  /** transaction_id to reference. */
  acknowledged: Map<string, string>
  /** Sent, and nobody knows. */
  unanswered: Record<string, unknown>[]
}

interface Outcome {
  code: number
  reference: string | null
}

async function ask(url: string, secretKey: string, path: string, body?: object): Promise<Outcome> {
  const answer = await fetch(`${url}/api/v1/payments${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: head(secretKey),
    signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { reference } = (await answer.json()) as { reference?: string }
  return { code: answer.status, reference: reference ?? answer.headers.get('svc-existing-reference') }
}

/** Keeps requests in flight until the server is gone, which happens at the given number of acknowledgements. */
async function loadAndKill(server: RunningServer, secretKey: string, killAt: number): Promise<Sent> {
  const sent: Sent = { acknowledged: new Map(), unanswered: [] }
  let ended: Promise<number | null> | undefined

  async function keepSending(): Promise<void> {
    while (server.child.exitCode === null && server.child.signalCode === null) {
      const body = order()
      try {
        const { code, reference } = await ask(server.url, secretKey, '', body)
        assert.equal(code, 200)
        sent.acknowledged.set(body.transaction_id as string, reference as string)
      } catch (error) {
        if (error instanceof assert.AssertionError || ended === undefined) throw error
        sent.unanswered.push(body)
        return
      }
      if (sent.acknowledged.size === killAt) ended = server.end('SIGKILL')
    }
  }

  await Promise.all(Array.from({ length: IN_FLIGHT }, keepSending))
  assert.equal(await ended, null)
  return sent
}

async function assertReadable(server: RunningServer, secretKey: string, payments: Map<string, string>): Promise<void> {
  const left = [...payments]
  const readOn = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [transactionId, reference] = next
      for (const name of [reference, transactionId]) {
        assert.deepEqual(await ask(server.url, secretKey, `/${name}`), { code: 200, reference }, name)
      }
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, readOn))
}

for (const store of STORES) {
  describe(`a server on ${store.name} that is killed under load`, () => {
    let place: StorePlace
    let account: NewAccount
    let server: RunningServer | undefined
    const all = new Map<string, string>()
    const random = seededRandom(SEED)

    before(async () => {
      place = await store.makePlace()
      const runtime = await openRuntime(place.config)
      account = (await newMerchant(runtime)).accounts.sandbox
      await runtime.close()
      server = await startProcess(place.env)
    })
    after(async () => {
      await server?.end('SIGKILL')
      await place?.remove()
    })

    for (let kill = 1; kill <= KILLS; kill++) {
      const killAt = random.between(1, 200)

      it(`has every acknowledged payment after kill ${kill}, at ${killAt} acknowledgements`, async (t) => {
        const { secretKey } = account
        const { acknowledged, unanswered } = await loadAndKill(server as RunningServer, secretKey, killAt)
        server = await startProcess(place.env)
        await assertReadable(server, secretKey, acknowledged)
        const retried = new Map<string, string>()
        for (const body of unanswered) {
          const again = await ask(server.url, secretKey, '', body)
          assert.ok(again.code === 200 || again.code === 422, `a retry got ${again.code}`)
          retried.set(body.transaction_id as string, again.reference as string)
        }
        await assertReadable(server, secretKey, retried)
        for (const [transactionId, reference] of [...acknowledged, ...retried]) all.set(transactionId, reference)
        tried(1)
        t.diagnostic(`${acknowledged.size} acknowledged payments checked, and ${retried.size} after a retry`)
      })
    }

    it('has, after all kills, each payment once and nothing that was never sent', async (t) => {
      assert.equal(await server?.end('SIGTERM'), 0)
      const runtime = await openRuntime(place.config)
      try {
        const rows = await runtime.db.rows<{ external_reference: string; reference: string }>(
          'select external_reference, reference from payments where account_id = $1',
          [account.accountId],
        )
        assert.equal(rows.length, all.size)
        assert.deepEqual(new Map(rows.map((row) => [row.external_reference, row.reference])), all)
      } finally {
        await runtime.close()
      }
      t.diagnostic(`${all.size} payments over ${KILLS} kills`)
    })
  })
}
