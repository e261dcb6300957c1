// A network refuses us for our configuration: payments end truthfully, staff see it, creates are
// refused after a few, and the connection reopens by itself. One merchant's odd payments do not
// close it for the others.
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { resumeConnection } from '../../src/actions/operators/pause-connection.ts'
import { makeLog } from '../../src/observability/log.ts'
import {
  listConnectionRefusals,
  listHealth,
  removeConnectionRefusal,
  writeConnectionRefusal,
} from '../../src/store/operators/connections.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, signedIn } from '../kit/people.ts'
import { get, order, post } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import { openServiceOnNetwork } from './harness.ts'
import { MTN, PAWAPAY } from './networks.ts'

const CLOSED_LINE = /takes no new payments/
const REOPENED_LINE = /no longer refused/
const NOT_AVAILABLE = [403, 'Forbidden: Environment Not Available']

for (const underTest of [MTN, PAWAPAY]) {
  const isMtn = underTest === MTN
  const name = underTest.connector.name
  // Each network's refusal: MTN's is certainly about our settings, pawaPay's perhaps about one
  // request.
  const fault = isMtn ? 'callback_host_refused' : 'parameter_refused'
  const untilClosed = isMtn ? 5 : 10

  describe(`refused configuration: ${name}`, () => {
    const lines: string[] = []
    const log = makeLog('info', { write: (line) => void lines.push(line) })
    const service = sharedWithAccount(() => openServiceOnNetwork(underTest, SQLITE, { log }))
    let secretKey: string
    let otherKey: string
    before(async () => {
      secretKey = service.secretKey
      otherKey = (await service.merchant()).accounts.sandbox.secretKey
    })
    const resume = () =>
      resumeConnection(service, TESTER, {
        environment: 'sandbox',
        connection: service.connection,
        reason: 'mended',
      })
    beforeEach(async () => {
      service.network.reset()
      await resume()
      await service.clock.advance(3_000)
      await settled(secretKey)
      lines.length = 0
    })

    // They end like a number that succeeds at pawaPay.
    let numbers = 0
    const create = (key: string, msisdn = `97${String(numbers++).padStart(3, '0')}789`) =>
      post(service, key, order({ country: 'BJ', msisdn }))
    /** An ordinary payment that succeeds. */
    async function settled(key: string): Promise<void> {
      const { code, body } = await create(key)
      assert.equal(code, 200, JSON.stringify(body))
      await service.clock.advance(10_000)
      assert.equal((await get(service, key, body.reference as string)).body.status, 'succeeded')
    }
    async function refusedPayment(key: string, msisdn?: string): Promise<void> {
      const { code, body } = await create(key, msisdn)
      assert.equal(code, 200, JSON.stringify(body))
      await service.clock.advance(1_000)
      const { status, failure_reason } = (await get(service, key, body.reference as string)).body
      assert.deepEqual([status, failure_reason], ['failed', 'operator_error'])
    }
    async function close(): Promise<void> {
      service.network.faults.on(fault)
      for (let count = 0; count < untilClosed; count++) await refusedPayment(secretKey)
      await service.clock.advance(3_000)
    }
    const answerTo = async (key: string): Promise<unknown[]> => {
      const { code, body } = await create(key)
      return [code, body.message]
    }
    const metric = async (which: string): Promise<number> => {
      const { body } = await service.app.inject({ url: '/metrics' })
      return Number(new RegExp(`^${which}\\{.*${name}-test.*\\} (\\S+)$`, 'm').exec(body)?.[1])
    }

    it('several refusals close the connection, and health, metrics, log and store report it', async () => {
      assert.equal(await metric('karba_operator_up'), 1)
      await close()
      assert.deepEqual(await answerTo(secretKey), NOT_AVAILABLE)
      assert.equal(await metric('karba_operator_up'), 0)
      assert.equal(await metric('karba_operator_misconfigured'), 1)
      const said = isMtn ? /^INVALID_CALLBACK_URL_HOST: register/ : /^INVALID_PARAMETER: pawaPay/
      const [refusal, ...others] = await listConnectionRefusals(service.db)
      assert.match(refusal?.why ?? '', said)
      assert.deepEqual(others, [])
      const [health] = await listHealth(service.db)
      assert.equal(health?.misconfigured, 1)
      assert.match(health?.why ?? '', said)
      assert.equal(lines.filter((line) => CLOSED_LINE.test(line)).length, 1)
      const staff = await signedIn(service, { forServiceAs: 'support' })
      const { body: tasks } = await ask(service, 'GET /console/tasks', staff)
      const shown = tasks.rows.map(({ kind, subject }: Record<string, string>) => [kind, subject])
      assert.deepEqual(shown, [['connection_refused', `sandbox/${service.connection}`]])
      const { code } = await ask(service, `POST /console/tasks/${tasks.rows[0].taskId}/take`, staff)
      assert.equal(code, 200)
      // The first refusal is logged too, and not each of them.
      assert.equal(lines.filter((line) => /looks like our configuration/.test(line)).length, 1)
    })

    it('a refused probe keeps it closed, and an accepted one reopens it', async () => {
      await close()
      await service.clock.advance(30_000)
      await refusedPayment(secretKey)
      assert.deepEqual(await answerTo(secretKey), NOT_AVAILABLE)
      service.network.faults.allOff()
      assert.deepEqual(await answerTo(secretKey), NOT_AVAILABLE)
      await service.clock.advance(31_000)
      await settled(secretKey)
      for (let count = 0; count < 5; count++) assert.equal((await create(secretKey)).code, 200)
      await service.clock.advance(3_000)
      assert.deepEqual(await listConnectionRefusals(service.db), [])
      assert.equal(await metric('karba_operator_up'), 1)
      assert.equal(lines.filter((line) => REOPENED_LINE.test(line)).length, 1)
    })

    it('probes become less frequent over time', async () => {
      await close()
      let sent = 0
      for (let minute = 0; minute < 60; minute++) {
        await service.clock.sleep(59_000)
        if ((await create(secretKey)).code === 200) sent++
        await service.clock.advance(1_000)
      }
      assert.ok(sent >= 10 && sent <= 25, `${sent} probes in an hour`)
    })

    it('a success between refusals keeps it open', async () => {
      for (let round = 0; round < 3; round++) {
        service.network.faults.on(fault)
        for (let count = 1; count < untilClosed; count++) await refusedPayment(secretKey)
        service.network.faults.allOff()
        await settled(otherKey)
      }
      assert.deepEqual(await listConnectionRefusals(service.db), [])
    })

    it('a connection that another process has closed takes no payments here within a second', async () => {
      const { connection } = service
      const now = service.clock.now()
      const route = { environment: 'sandbox', connection, operator: 'mtn_bj' } as const
      const refusal = {
        ...route,
        kind: 'settings',
        since: now,
        refusedAt: now,
        why: 'NOT_ALLOWED: ask',
      } as const
      await writeConnectionRefusal(service.db, refusal)
      await service.clock.advance(1_100)
      assert.deepEqual(await answerTo(secretKey), NOT_AVAILABLE)
      await removeConnectionRefusal(service.db, refusal, now)
      await service.clock.advance(1_100)
      await settled(secretKey)
    })

    it('staff reopen it after a correction', async () => {
      await close()
      service.network.faults.allOff()
      granted(await resume())
      await service.clock.advance(1_100)
      await settled(secretKey)
    })

    if (isMtn) {
      it('payments that are accepted and then fail for our configuration close it too', async () => {
        service.network.faults.on('payee_not_allowed')
        for (let count = 0; count < 10; count++) assert.equal((await create(secretKey)).code, 200)
        await service.clock.advance(30_000)
        assert.deepEqual(await answerTo(secretKey), NOT_AVAILABLE)
        service.network.faults.allOff()
        await service.clock.advance(31_000)
        await settled(secretKey)
        await service.clock.advance(3_000)
        assert.deepEqual(await listConnectionRefusals(service.db), [])
      })

      it('credentials that are refused for a minute close it, and the waiting payments reopen it', async () => {
        service.network.reset()
        service.network.faults.on('token_refused')
        const waiting: string[] = []
        for (let count = 0; count < 6; count++) {
          const { code, body } = await create(secretKey)
          assert.equal(code, 200, `${count}`)
          waiting.push(body.reference as string)
          await service.clock.advance(5_000)
        }
        await service.clock.advance(90_000)
        assert.deepEqual(await answerTo(secretKey), NOT_AVAILABLE)
        service.network.faults.allOff()
        await service.clock.advance(60_000)
        for (const reference of waiting) {
          assert.equal((await get(service, secretKey, reference)).body.status, 'succeeded')
        }
        assert.equal((await create(secretKey)).code, 200)
      })
    } else {
      it('one payer’s refusals are shown and close nothing', async () => {
        service.network.faults.on(fault)
        for (let count = 0; count < 15; count++) await refusedPayment(secretKey, '97000000')
        assert.deepEqual(await listConnectionRefusals(service.db), [])
        assert.equal(await metric('karba_operator_misconfigured'), 1)
        service.network.faults.allOff()
        await settled(otherKey)
        assert.equal(await metric('karba_operator_misconfigured'), 0)
      })

      it('a merchant who provokes refusals does not stop another’s payments', async () => {
        await close()
        await service.clock.advance(31_000)
        await refusedPayment(secretKey)
        assert.deepEqual(await answerTo(secretKey), NOT_AVAILABLE)
        service.network.faults.allOff()
        await settled(otherKey)
      })
    }
  })
}
