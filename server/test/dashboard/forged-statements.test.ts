// Statements that a merchant forges, on both stores: they are a witness about that merchant only.
// They put nothing on the staff's list, and only the network's own answer makes a failed payment
// succeed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mtnMomoNetwork } from '../../../simulators/src/mtn-momo/network.ts'
import type { ConformanceNetwork, WireReaction } from '../../../simulators/src/network.ts'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { insertAnomaly } from '../../src/store/payments/anomalies.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { ask, ORIGIN, PASSWORD, type SignedIn, signedIn } from '../kit/people.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { get, order, post } from '../kit/service.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, settledPayment, type VirtualService } from '../kit/virtual-service.ts'
import { credentialOf, openWallets } from '../kit/wallets.ts'

const DECLINED_AT_MTN = { country: 'BJ', msisdn: '0197000001' }
const SHOP_PAYER = { country: 'NE', msisdn: '96123456' }
const FORGED = 30
const MINUTE_MS = 60_000
const ADDRESSES = { KARBA_NETWORK_ADDRESSES: 'sandbox/mtn-momo=https://networks.example' }

interface Task {
  taskId: string
  kind: string
  subject: string
  detail: Record<string, string>
  connection: { connectionLabel: string } | null
}

for (const store of STORES_IN_HALVES) {
  describe(`forged statements on ${store.name}`, () => {
    let service: VirtualService
    let staff: SignedIn
    let eve: {
      owner: SignedIn
      accountId: string
      secretKey: string
      connection: string
    }
    /** References that the network reports as paid, whatever it said before. */
    const paidLate = new Set<string>()
    const asked: string[] = []
    const wallets = new Map<string, ConformanceNetwork>()

    before(async () => {
      service = await openVirtualService(store, ADDRESSES, { openNetwork: openWallets(wallets) })
      wallets.set('mtn-momo eve', mtnOf(service))
      staff = await signedIn(service, { forServiceAs: 'administrator' })
      const merchant = await service.merchant({ name: 'Eve', validateLive: false })
      const owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
      const { accountId, secretKey } = merchant.accounts.sandbox
      const connection = await connect(owner, accountId)
      eve = { owner, accountId, secretKey, connection }
    })
    after(() => service.remove())

    function mtnOf({ clock }: VirtualService): ConformanceNetwork {
      const deps = {
        clock,
        random: seededRandom(1),
        decideAfterMs: 2_000,
        sendCallback: async () => undefined,
      }
      const network = mtnMomoNetwork(deps)
      const change = (reference: string, reaction: WireReaction): WireReaction => {
        asked.push(reference)
        if (!paidLate.has(reference) || !('code' in reaction)) return reaction
        const { reason: _, ...body } = reaction.body as Record<string, unknown>
        return {
          ...reaction,
          body: { ...body, status: 'SUCCESSFUL', financialTransactionId: '7788' },
        }
      }
      return {
        ...network,
        handle: (request) => {
          const reaction = network.handle(request)
          const { externalId } =
            ('code' in reaction && (reaction.body as { externalId?: string })) || {}
          return request.method === 'GET' && externalId ? change(externalId, reaction) : reaction
        },
      }
    }

    async function connect(owner: SignedIn, accountId: string): Promise<string> {
      const { credentials } = wallets.get('mtn-momo eve') as ConformanceNetwork
      const fields = {
        subscriptionKey: credentialOf(credentials.subscriptionKey as string, 'eve'),
        apiUser: credentials.sandboxApiUser,
        apiKey: credentials.sandboxApiKey,
      }
      const wanted = {
        connector: 'mtn-momo',
        label: 'MTN',
        serves: ['mtn_bj'],
        fields,
        password: PASSWORD,
      }
      const answer = ask(service, `POST /accounts/${accountId}/connections`, owner, wanted)
      const { code, body } = await service.clock.advanceUntil('answer', answer)
      assert.equal(code, 200, JSON.stringify(body))
      await service.clock.advance(1_000)
      return body.connectionId
    }

    async function failedPayments(count: number): Promise<string[]> {
      const references: string[] = []
      for (let nth = 0; nth < count; nth++) {
        const { body } = await post(service, eve.secretKey, order(DECLINED_AT_MTN))
        references.push(body.reference as string)
      }
      await service.clock.advance(MINUTE_MS)
      for (const reference of references) assert.equal(await statusOf(reference), 'failed')
      return references
    }
    const statusOf = async (reference: string) =>
      (await get(service, eve.secretKey, reference)).body.status

    /** MTN's export, which says that each of them was paid. */
    function forged(references: readonly string[]): Buffer {
      const day = dayText(dayOf(service.clock.now()))
      const rows = references.map(
        (reference, nth) =>
          `9${nth}${reference.slice(-8)},${reference},${day} 09:30:00,Successful,Payment,FRI:2290197000001/MSISDN,Eve,FRI:x,Eve,1500,0,`,
      )
      const headings =
        'Id,External id,Date,Status,Type,From,From Name,To,To Name,Amount,Fee,Balance'
      return Buffer.from([headings, ...rows].join('\n'))
    }

    async function importAs(
      who: SignedIn,
      at: string,
      bytes: Buffer,
    ): Promise<Record<string, number>> {
      const file = { environment: 'sandbox', connection: eve.connection, name: 'mtn.csv' }
      const { uploadId } = (await ask(service, `POST ${at}/books/uploads`, who, file)).body
      const url = `/dashboard/api${at}/books/uploads/${uploadId}`
      const headers = { ...ORIGIN, cookie: who.cookie, 'content-type': 'application/octet-stream' }
      await service.app.inject({ method: 'PUT', url: `${url}/parts/0`, headers, payload: bytes })
      const { body } = await ask(service, `POST ${at}/books/uploads/${uploadId}/finish`, who, {
        parts: 1,
      })
      const done = await ask(service, `POST ${at}/books/uploads/${body.uploadId}/import`, who, {
        dryRun: false,
      })
      assert.equal(done.code, 200, JSON.stringify(done.body))
      return done.body.differences
    }

    async function tasks(): Promise<Task[]> {
      const rows: Task[] = []
      for (let after = ''; ; ) {
        const { body } = await ask(service, `GET /console/tasks?limit=20&after=${after}`, staff)
        rows.push(...body.rows)
        after = body.next ?? ''
        if (after === '') return rows
      }
    }
    const differences = async (who: SignedIn, at: string): Promise<{ kind: string }[]> =>
      (await ask(service, `GET ${at}/books/differences?limit=200`, who)).body.rows

    it('a merchant’s forged file puts nothing on the staff’s list: the network is asked, and says no', async () => {
      const references = await failedPayments(FORGED)
      const before = asked.length
      const at = `/accounts/${eve.accountId}`
      assert.deepEqual(await importAs(eve.owner, at, forged(references)), {
        paid_although_failed: FORGED,
      })
      assert.deepEqual(await tasks(), [])
      const own = await differences(eve.owner, at)
      assert.deepEqual([own.length, own[0]?.kind], [FORGED, 'paid_although_failed'])
      await service.clock.advance(MINUTE_MS)
      const again = new Set(asked.slice(before))
      assert.deepEqual([...again].sort(), references.toSorted())
      assert.deepEqual(await tasks(), [])
      assert.deepEqual(
        await service.db.read('select request_reference from rechecks'),
        [],
        'each is asked once',
      )
    })

    it('a true line of a merchant’s file comes to the staff by the network’s own answer', async () => {
      const [reference] = await failedPayments(1)
      paidLate.add(reference as string)
      await importAs(eve.owner, `/accounts/${eve.accountId}`, forged([reference as string]))
      await service.clock.advance(MINUTE_MS)
      const [task, ...others] = await tasks()
      assert.deepEqual([task?.kind, task?.subject, others], ['anomaly', reference, []])
    })

    it('staff who were deceived by a forged file accept nothing that the network does not confirm', async () => {
      const [forgedOne, trueOne] = (await failedPayments(2)) as [string, string]
      await importAs(staff, '/console', forged([forgedOne, trueOne]))
      const taskOf = async (reference: string): Promise<Task> =>
        (await tasks()).find(({ subject }) => subject === reference) as Task
      const settle = async (reference: string, how: string) => {
        const { taskId } = await taskOf(reference)
        // A payment is asked about once in two seconds.
        await service.clock.advance(3_000)
        const answer = ask(service, `POST /console/tasks/${taskId}/resolve`, staff, {
          how,
          note: 'on the statement',
        })
        const { code, body } = await service.clock.advanceUntil('answer', answer)
        return [code, body.code]
      }
      const { detail, connection } = await taskOf(forgedOne)
      assert.deepEqual([detail.witness, connection?.connectionLabel], ['staff_file', 'MTN'])
      for (const how of ['accept', 'refund'])
        assert.deepEqual(await settle(forgedOne, how), [409, 'late_money_denied'])
      const network = wallets.get('mtn-momo eve') as ConformanceNetwork
      network.faults.on('status_500')
      for (const how of ['accept', 'refund'])
        assert.deepEqual(await settle(trueOne, how), [409, 'late_money_unknown'])
      network.faults.allOff()
      assert.deepEqual([await statusOf(forgedOne), await statusOf(trueOne)], ['failed', 'failed'])
      paidLate.add(trueOne)
      assert.deepEqual(await settle(trueOne, 'accept'), [200, undefined])
      assert.equal(await statusOf(trueOne), 'succeeded')
      const { body } = await get(service, eve.secretKey, trueOne)
      const { operator_reference: reference } = body.meta_data as Record<string, string>
      assert.equal(reference, '7788', 'not that of the file')
      assert.ok(await taskOf(forgedOne), 'it waits for a note')
    })

    it('the staff’s list has live before the sandbox, and one task of each account before the second of any', async () => {
      const shops: { live: string; sandbox: string }[] = []
      const failedIn = async (secretKey: string) => {
        const reference = await settledPayment(service, secretKey, SHOP_PAYER)
        const payment = await paymentOf(service, reference)
        await insertAnomaly(service.db, payment, {
          kind: 'amount_mismatch',
          detail: {},
          at: service.clock.now(),
        })
        return reference
      }
      const flooding = await service.merchant({ name: 'Flood' })
      const flood: string[] = []
      for (let nth = 0; nth < 25; nth++)
        flood.push(await failedIn(flooding.accounts.live.secretKey))
      for (const name of ['Awa', 'Sani']) {
        const { accounts } = await service.merchant({ name })
        const { live, sandbox } = accounts
        shops.push({
          sandbox: await failedIn(sandbox.secretKey),
          live: await failedIn(live.secretKey),
        })
      }
      const subjects = (await tasks()).map(({ subject }) => subject)
      const expected = [flood[0], ...shops.map(({ live }) => live)]
      assert.deepEqual(subjects.slice(0, 3).sort(), expected.sort())
      assert.deepEqual(subjects.slice(3, 3 + flood.length - 1), flood.slice(1), 'the oldest first')
      const ofSandbox = subjects.slice(3 + flood.length - 1)
      for (const { sandbox } of shops) assert.ok(ofSandbox.includes(sandbox))
      assert.equal(new Set(subjects).size, subjects.length)
      const { body } = await ask(service, 'GET /console/tasks?after=1.2', staff)
      assert.equal(body.code, 'cursor_not_valid')
    })
  })
}
