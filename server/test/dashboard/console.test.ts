// The staff's console: changes that need two people, tasks, any merchant's payments and pages,
// figures of processes.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { listLongWaits } from '../../src/actions/console/tasks.ts'
import type { OwnConnectionRow } from '../../src/dashboard-api/shapes.ts'
import type { MerchantConnectionState } from '../../src/domain/merchants/merchant-connection.ts'
import { figuresRecorder } from '../../src/service/recorders.ts'
import { insertPause, writeHealth } from '../../src/store/operators/connections.ts'
import { insertMerchantConnection } from '../../src/store/operators/merchant-connections.ts'
import { insertAnomaly } from '../../src/store/payments/anomalies.ts'
import { merchantKey } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { ask, fillFile, type SignedIn, signedIn } from '../kit/people.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { getFrom, order, post, postAt } from '../kit/service.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const LIMIT = 10_000

for (const store of STORES_IN_HALVES)
  describe(`console on ${store.name}`, async () => {
    const service = await openVirtualService(store, { KARBA_REFUND_APPROVAL_ABOVE: String(LIMIT) })
    const support = await signedIn(service, { forServiceAs: 'support' }, 'Sani')
    const finance = await signedIn(service, { forServiceAs: 'finance' }, 'Fati')
    const one = await signedIn(service, { forServiceAs: 'administrator' }, 'Ali')
    const other = await signedIn(service, { forServiceAs: 'administrator' }, 'Bintou')
    after(() => service.remove())

    const accountOf = async (
      merchantId: string,
      environment: 'sandbox' | 'live',
      who = support,
    ) => {
      const { body } = await ask(service, `GET /console/merchants?search=${merchantId}`, who)
      return body.rows[0].accounts.find(
        (each: { environment: string }) => each.environment === environment,
      )
    }
    const tasks = async (
      subject: string,
    ): Promise<{ taskId: string; kind: string; takenBy: string | null }[]> =>
      (await ask(service, 'GET /console/tasks', support)).body.rows.filter(
        (each: { subject: string }) => each.subject === subject,
      )
    const settle = (verb: string, taskId: string, who: SignedIn, body: object = {}) =>
      ask(service, `POST /console/tasks/${taskId}/${verb}`, who, body)

    it('console: a live account is validated by two people, never by one alone', async () => {
      const { merchantId, accounts } = await service.merchant({ validateLive: false })
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      const wanted = { status: 'validated', reason: 'papers are complete' }
      const asked = await ask(
        service,
        `POST /console/merchants/${merchantId}/live/status`,
        one,
        wanted,
      )
      assert.deepEqual(asked.body, { is: 'waiting' })
      assert.equal((await accountOf(merchantId, 'live')).status, 'unvalidated')
      const [task] = await tasks(accounts.live.accountId)
      assert.equal(task?.kind, 'approve_live')
      const approvalOf = async () =>
        (await ask(service, `GET /console/merchants/${merchantId}`, other)).body.approval
      assert.equal((await approvalOf()).askedBy, 'Ali')
      const taskId = task?.taskId as string
      assert.equal((await settle('approve', taskId, one)).body.code, 'second_person_needed')
      assert.equal((await settle('approve', taskId, support)).body.code, 'role_not_allowed')
      assert.equal((await settle('approve', taskId, finance)).body.code, 'caller_not_allowed')
      const both = await Promise.all([
        settle('approve', taskId, other),
        settle('approve', taskId, other),
      ])
      assert.deepEqual(both.map(({ code }) => code).sort(), [200, 404])
      assert.equal(await approvalOf(), null)
      const { body } = await ask(service, 'GET /session', owner)
      const live = body.merchants[0].accounts[1]
      assert.deepEqual([live.status, live.reason], ['validated', 'papers are complete'])
    })

    it('console: a suspension works at once with a reason for the merchant; a rejected validation changes nothing', async () => {
      const { merchantId, accounts } = await service.merchant({ validateLive: false })
      const change = (environment: string, status: string, reason: string) =>
        ask(service, `POST /console/merchants/${merchantId}/${environment}/status`, support, {
          status,
          reason,
        })
      assert.equal((await change('sandbox', 'suspended', '')).body.code, 'note_not_valid')
      assert.deepEqual((await change('sandbox', 'suspended', 'too many complaints')).body, {
        is: 'done',
      })
      const { status, reason } = await accountOf(merchantId, 'sandbox')
      assert.deepEqual([status, reason], ['suspended', 'too many complaints'])
      await change('live', 'validated', 'papers are complete')
      const [task] = await tasks(accounts.live.accountId)
      assert.equal((await settle('reject', task?.taskId as string, one)).code, 200)
      assert.equal((await accountOf(merchantId, 'live')).status, 'unvalidated')
      assert.deepEqual(await tasks(accounts.live.accountId), [])
    })

    it('console: an approval asked before a suspension or a refusal ends with it, and makes nothing live', async () => {
      for (const status of ['suspended', 'unvalidated']) {
        const { merchantId, accounts } = await service.merchant({ validateLive: false })
        const { accountId } = accounts.live
        const change = (wanted: string, reason: string, who = support) =>
          ask(service, `POST /console/merchants/${merchantId}/live/status`, who, {
            status: wanted,
            reason,
          })
        assert.deepEqual((await change('validated', 'papers fine')).body, { is: 'waiting' })
        const [task] = await tasks(accountId)
        assert.deepEqual((await change(status, 'police report')).body, { is: 'done' })
        assert.deepEqual(await tasks(accountId), [])
        assert.equal(
          (await settle('approve', task?.taskId as string, one)).body.code,
          'approval_not_found',
        )
        assert.equal((await accountOf(merchantId, 'live')).status, status)
        // A new request is judged anew.
        await change('validated', 'the police were wrong')
        const [again] = await tasks(accountId)
        assert.equal((await settle('approve', again?.taskId as string, one)).code, 200)
        assert.equal((await accountOf(merchantId, 'live')).status, 'validated')
      }
    })

    it('console: a file that changes after its approval was asked goes back to those to review', async () => {
      const { merchantId, accounts } = await service.merchant({ validateLive: false })
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      const { accountId } = accounts.live
      await fillFile(service, owner, accountId)
      await ask(service, `POST /accounts/${accountId}/validation`, owner)
      const askApproval = async () => {
        const wanted = { status: 'validated', reason: 'papers fine' }
        await ask(service, `POST /console/merchants/${merchantId}/live/status`, support, wanted)
        return (await tasks(accountId))[0]?.taskId as string
      }
      const kinds = async () =>
        [...(await tasks(accountId)), ...(await tasks(merchantId))].map(({ kind }) => kind)
      const business = {
        legalName: 'Fraud SARL',
        registration: 'X',
        country: 'NE',
        city: 'X',
        address: 'X',
        contact: 'X',
      }
      const [document] = (await ask(service, `GET /accounts/${accountId}/settings`, owner)).body
        .documents
      const changes = [
        () => ask(service, `PUT /accounts/${accountId}/settings/business`, owner, business),
        () => ask(service, `DELETE /accounts/${accountId}/documents/${document.documentId}`, owner),
        () => fillFile(service, owner, accounts.sandbox.accountId),
      ]
      for (const change of changes) {
        const taskId = await askApproval()
        assert.deepEqual(await kinds(), ['approve_live'])
        await change()
        assert.deepEqual(await kinds(), ['review_file'])
        assert.equal((await settle('approve', taskId, one)).body.code, 'approval_not_found')
      }
      assert.equal((await accountOf(merchantId, 'live')).status, 'unvalidated')
    })

    it('console: a request whose asker left, or that an older server let wait through a suspension, is not approved', async () => {
      const { merchantId, accounts } = await service.merchant({ validateLive: false })
      const gone = await signedIn(service, { forServiceAs: 'support' }, 'Gone')
      const wanted = { status: 'validated', reason: 'papers fine' }
      await ask(service, `POST /console/merchants/${merchantId}/live/status`, gone, wanted)
      await service.db.change('update people set removed_at = 1 where person_id = :personId', {
        personId: gone.personId,
      })
      await service.db.change(
        `update accounts set status = 'suspended' where account_id = :accountId`,
        { accountId: accounts.live.accountId },
      )
      const { body } = await ask(service, 'GET /console/tasks', one)
      const task = body.rows.find(
        (each: { subject: string }) => each.subject === accounts.live.accountId,
      )
      assert.deepEqual(task.changes, [
        { what: 'asker' },
        { what: 'status', from: 'unvalidated', to: 'suspended' },
      ])
      assert.equal((await settle('approve', task.taskId, one)).body.code, 'approval_outdated')
      assert.equal((await settle('reject', task.taskId, one)).code, 200)
    })

    async function paid(amount: number, environment: 'sandbox' | 'live' = 'live') {
      const { merchantId, accounts } = await service.merchant()
      const { accountId, secretKey } = accounts[environment]
      const { body } = await post(service, secretKey, order({ amount }))
      await service.clock.advance(10_000)
      const owner = await signedIn(service, { at: merchantId, as: 'owner' }, 'Awa')
      const reference = body.reference as string
      const askFor = (who = owner) =>
        ask(service, `POST /accounts/${accountId}/payments/${reference}/refund`, who)
      const askByKey = async (key = secretKey) =>
        (await postAt(service, key, `/payments/${reference}/refund`)).body
      const read = async () =>
        (await getFrom(service, secretKey, `/payments/${reference}/refund`)).body
      return { merchantId, accountId, secretKey, owner, reference, askFor, askByKey, read }
    }
    /** Those that were approved, or needed no approval. */
    const refundsOf = (accountId: string) =>
      service.db.read<{ refund_reference: string }>(
        `select refund_reference from refunds where account_id = :accountId
          and approval_since is null`,
        { accountId },
      )

    it('refunds: above the limit one waits for an approval by staff; below it starts at once', async () => {
      const small = await paid(LIMIT)
      assert.equal((await small.askFor()).body.status, 'pending')
      const large = await paid(LIMIT + 1)
      for (let twice = 0; twice < 2; twice++) {
        const { body } = await large.askFor()
        assert.deepEqual(
          [body.status, body.approval],
          ['waiting_for_approval', { askedBy: 'Awa', state: 'waiting' }],
        )
      }
      assert.equal((await large.askFor(small.owner)).code, 404)
      const waiting = await tasks(large.reference)
      assert.deepEqual([waiting.length, (await refundsOf(large.accountId)).length], [1, 0])
      assert.equal(
        (await settle('approve', waiting[0]?.taskId as string, support)).body.code,
        'role_not_allowed',
      )
      assert.equal((await settle('approve', waiting[0]?.taskId as string, large.owner)).code, 404)
      assert.equal((await settle('approve', waiting[0]?.taskId as string, finance)).code, 200)
      assert.equal((await refundsOf(large.accountId)).length, 1)
      assert.equal((await large.askFor()).body.code, 'refund_exists')
      assert.deepEqual(await tasks(large.reference), [])
    })

    it('refunds: the approver sees what changed since; a suspension or a revoked key leaves only the rejection', async () => {
      const taskOf = async (reference: string) => {
        const { body } = await ask(service, 'GET /console/tasks', finance)
        return body.rows.find((each: { subject: string }) => each.subject === reference)
      }
      const suspended = await paid(LIMIT + 1)
      await suspended.askFor()
      assert.deepEqual((await taskOf(suspended.reference)).changes, [])
      const fraud = { status: 'suspended', reason: 'police report' }
      await ask(
        service,
        `POST /console/merchants/${suspended.merchantId}/live/status`,
        support,
        fraud,
      )
      const task = await taskOf(suspended.reference)
      assert.deepEqual(task.changes, [{ what: 'status', from: 'validated', to: 'suspended' }])
      assert.equal((await settle('approve', task.taskId, finance)).body.code, 'approval_outdated')
      assert.deepEqual(await refundsOf(suspended.accountId), [])
      assert.equal((await settle('reject', task.taskId, finance)).code, 200)
      // Asked again under the suspension, it is judged as it is.
      await suspended.askFor()
      assert.equal(
        (await settle('approve', (await taskOf(suspended.reference)).taskId, finance)).code,
        200,
      )

      const leaked = await paid(LIMIT + 1)
      await leaked.askByKey()
      const keys = (await ask(service, `GET /accounts/${leaked.accountId}/keys`, leaked.owner)).body
        .rows
      const key = keys.find((each: { kind: string }) => each.kind === 'secret')
      await ask(
        service,
        `POST /accounts/${leaked.accountId}/keys/${key.keyId}/revoke`,
        leaked.owner,
      )
      assert.deepEqual((await taskOf(leaked.reference)).changes, [{ what: 'asker' }])
      const refused = await settle('approve', (await taskOf(leaked.reference)).taskId, finance)
      assert.equal(refused.body.code, 'approval_outdated')
      assert.deepEqual(await refundsOf(leaked.accountId), [])
    })

    it('refunds by key: above the limit, all requests with any key share one approval', async () => {
      const { accountId, reference, owner, askFor, askByKey, read } = await paid(LIMIT + 1)
      const keys = `/accounts/${accountId}/keys`
      const second = (
        await ask(service, `POST ${keys}`, owner, { name: 'Till', permissions: ['refund'] })
      ).body.secret
      const [first, again, other] = [await askByKey(), await askByKey(), await askByKey(second)]
      assert.partialDeepStrictEqual(first, {
        payment_reference: reference,
        amount: LIMIT + 1,
        status: 'waiting_for_approval',
      })
      assert.deepEqual([again, other, await read()], [first, first, first])
      assert.equal((await askFor()).body.status, 'waiting_for_approval')
      assert.deepEqual(await refundsOf(accountId), [])
      const waiting = await tasks(reference)
      assert.equal(waiting.length, 1)
      await settle('approve', waiting[0]?.taskId as string, finance)
      assert.partialDeepStrictEqual(await askByKey(), {
        reference: first.reference,
        status: 'pending',
      })
      assert.deepEqual(await refundsOf(accountId), [{ refund_reference: first.reference }])
      await service.clock.advance(10_000)
      assert.partialDeepStrictEqual(await read(), {
        reference: first.reference,
        status: 'succeeded',
      })
      assert.deepEqual(await tasks(reference), [])
    })

    it('refunds by key: the request of a person and that of a key are one approval, decided once', async () => {
      const { accountId, reference, askFor, askByKey } = await paid(LIMIT + 1)
      await Promise.all([askFor(), askByKey(), askFor(), askByKey()])
      const [task] = await tasks(reference)
      const approve = () => settle('approve', task?.taskId as string, finance)
      await Promise.all([askByKey(), approve(), askByKey(), approve(), askFor(), askByKey()])
      assert.equal((await refundsOf(accountId)).length, 1)
      assert.deepEqual(
        await tasks(reference),
        [],
        'no second approval waits for a refund that exists',
      )
    })

    it('refunds by key: a rejected one fails, and a new request starts another', async () => {
      const { accountId, reference, askByKey, read } = await paid(LIMIT + 1)
      const first = await askByKey()
      const [task] = await tasks(reference)
      assert.match((task as unknown as { askedBy: string }).askedBy, /^sk_live_/)
      await service.clock.advance(1_000)
      await settle('reject', task?.taskId as string, finance)
      const rejected = await read()
      assert.partialDeepStrictEqual(rejected, {
        reference: first.reference,
        amount: first.amount,
        status: 'failed',
      })
      assert.deepEqual(
        [rejected.reason, rejected.updated_at === first.updated_at],
        ['approval_rejected', false],
      )
      await service.clock.advance(1_000)
      const second = await askByKey()
      assert.equal(second.status, 'waiting_for_approval')
      assert.notEqual(second.reference, first.reference)
      assert.deepEqual(await refundsOf(accountId), [])
    })

    it('refunds by key: at the limit and in the sandbox none waits', async () => {
      assert.equal((await (await paid(LIMIT)).askByKey()).status, 'pending')
      assert.equal((await (await paid(LIMIT + 1, 'sandbox')).askByKey()).status, 'pending')
    })

    it('console tasks: one person takes an anomaly and resolves it', async () => {
      const { reference } = await paid(500)
      const payment = await paymentOf(service, reference)
      await insertAnomaly(service.db, payment, {
        kind: 'amount_mismatch',
        detail: {},
        at: service.clock.now(),
      })
      const [task] = await tasks(reference)
      const taskId = task?.taskId as string
      assert.equal((await settle('take', 'ano_none', support)).body.code, 'task_not_found')
      const both = await Promise.all([
        settle('take', taskId, support),
        settle('take', taskId, finance),
      ])
      assert.deepEqual(both.map(({ code }) => code).sort(), [200, 409])
      const holder = (await tasks(reference))[0]?.takenBy
      const isSupports = holder === 'Sani'
      const closing = { how: 'close', note: 'the network has corrected it' }
      if (isSupports)
        assert.equal((await settle('resolve', taskId, finance, closing)).body.code, 'task_taken')
      await settle('release', taskId, isSupports ? support : finance)
      await settle('take', taskId, finance)
      assert.equal((await settle('resolve', taskId, finance, closing)).code, 200)
      assert.deepEqual(await tasks(reference), [])
    })

    it('console search: finds payments by any reference, and merchants by a part of their name', async () => {
      const { reference, merchantId } = await paid(700)
      const { publicReference } = await paymentOf(service, reference)
      for (const name of [reference, publicReference]) {
        const { body } = await ask(service, `GET /console/payments/${name}`, finance)
        assert.deepEqual([body.payment.reference, body.payment.amount], [reference, 700])
        assert.ok(body.timeline.length > 0)
        assert.deepEqual(
          [body.payment.operatorName, body.payment.payerName],
          ['Airtel Money', 'Awa Diallo'],
        )
      }
      assert.equal((await ask(service, 'GET /console/payments/nothing', finance)).code, 404)
      await service.merchant({ name: 'Chez 100% Zara_1' })
      const search = async (text: string): Promise<string[]> =>
        (
          await ask(service, `GET /console/merchants?search=${encodeURIComponent(text)}`, finance)
        ).body.rows.map(({ name }: { name: string }) => name)
      assert.deepEqual(await search('100% zara'), ['Chez 100% Zara_1'])
      assert.deepEqual(await search('z_ra'), [])
      assert.equal((await search(merchantId)).length, 1)
    })

    const found = async (search: string): Promise<string[]> => {
      const { body } = await ask(
        service,
        `GET /console/search?search=${encodeURIComponent(search)}`,
        support,
      )
      return body.payments.map(({ reference }: { reference: string }) => reference)
    }

    it('console search: finds payments of every merchant by the payer’s number and name, and none in an empty search', async () => {
      const name = `Zeinabou ${store.name} Issaka`
      const shops = [await service.merchant(), await service.merchant()]
      const references: string[] = []
      for (const { accounts } of shops) {
        const body = order({ customer_name: name, msisdn: '96 77 12 34' })
        references.push(
          (await post(service, accounts.live.secretKey, body)).body.reference as string,
        )
      }
      await service.clock.advance(60_000)
      const newestFirst = references.toReversed()
      for (const search of ['96771234', '+227 96 77 12 34', name, 'zeinabou issak'])
        assert.deepEqual(await found(search), newestFirst, search)
      assert.deepEqual(await found(references[0] as string), [references[0]])
      for (const search of ['', '   ', 'zeinabou autre', '96771235'])
        assert.deepEqual(await found(search), [], search)
      const { body } = await ask(service, 'GET /console/search?search=boutique', support)
      assert.ok(body.merchants.length > 0)
    })

    it('console search: finds payments by the operator’s reference, and by the beginning of an order id in any case', async () => {
      const shops = [await service.merchant(), await service.merchant()]
      const start = `CMD-2026-${store.name}`
      const references: string[] = []
      for (const [at, { accounts }] of shops.entries()) {
        const named = {
          order_reference: `Facture-${store.name}-A${at}`,
          transaction_id: `${start}-abc-4711${at}`,
        }
        references.push(
          (await post(service, accounts.live.secretKey, order(named))).body.reference as string,
        )
      }
      const [first, second] = references as [string, string]
      await service.clock.advance(60_000)
      const OF_EACH: [search: string, references: string[]][] = [
        [start, [second, first]],
        [`${start}-AB`, []],
        [`${start}-abc-47111`, [second]],
        [`Facture-${store.name}`, [second, first]],
        [`Facture-${store.name}-A0`, [first]],
        [`${start}-abd`, []],
        ['CM', []],
      ]
      for (const when of ['at once', 'once they are indexed']) {
        if (when !== 'at once') await service.clock.advance(200_000)
        for (const [search, expected] of OF_EACH)
          assert.deepEqual(await found(search), expected, `${search} ${when}`)
        assert.deepEqual(await found(`sim-${first.slice(0, 10)}`), [first], when)
      }
    })

    it('console files: a request for validation is a task until it is answered, and staff open its documents', async () => {
      const { merchantId, accounts } = await service.merchant({ validateLive: false })
      const owner = await signedIn(service, { at: merchantId, as: 'owner' }, 'Awa')
      const { accountId } = accounts.live
      const pdf = await fillFile(service, owner, accountId)
      const reviews = async () =>
        (await tasks(merchantId)).map(({ kind, takenBy }) => [kind, takenBy])
      assert.deepEqual(await reviews(), [])
      await ask(service, `POST /accounts/${accountId}/validation`, owner)
      assert.deepEqual(await reviews(), [['review_file', null]])
      const taskId = `rev_${merchantId}`
      assert.equal((await settle('take', taskId, support)).code, 200)
      assert.deepEqual(await reviews(), [['review_file', 'Sani']])

      const { body } = await ask(service, `GET /console/merchants/${merchantId}`, finance)
      assert.deepEqual(
        [body.business.legalName, body.validation.state, body.team[0].name],
        ['Awa SARL', 'asked', 'Awa'],
      )
      const [document] = body.documents
      const open = (who: SignedIn, owned = merchantId) =>
        ask(service, `GET /console/merchants/${owned}/documents/${document.documentId}`, who)
      const opened = await open(support)
      assert.deepEqual([opened.code, opened.body], [200, pdf.toString()])
      assert.match(String(opened.headers['content-security-policy']), /sandbox/)
      assert.equal((await open(finance)).body.code, 'role_not_allowed')
      const stranger = await service.merchant()
      assert.equal((await open(support, stranger.merchantId)).body.code, 'document_not_found')
      const log = (await ask(service, `GET /accounts/${accountId}/audit`, owner)).body.rows
      assert.equal(log[0].action, 'document.open')

      const wanted = { status: 'validated', reason: 'papers are complete' }
      await ask(service, `POST /console/merchants/${merchantId}/live/status`, one, wanted)
      assert.deepEqual(await reviews(), [], 'it waits for the second person now')
      const [approval] = await tasks(accounts.live.accountId)
      assert.equal((await settle('approve', approval?.taskId as string, other)).code, 200)
      assert.deepEqual([await reviews(), await tasks(accounts.live.accountId)], [[], []])
      const page = (await ask(service, `GET /console/merchants/${merchantId}`, support)).body
      assert.equal(page.validation.state, 'validated')
      assert.equal(
        (await ask(service, 'GET /console/merchants/mer_none', support)).body.code,
        'merchant_not_found',
      )
    })

    it('console merchant page: all staff see the merchant’s own connections with state and since when, never credentials', async () => {
      const { merchantId, accounts } = await service.merchant()
      const { accountId } = accounts.live
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      const insert = (connectionId: string, state: MerchantConnectionState) =>
        service.db.transaction((tx) =>
          insertMerchantConnection(tx, {
            accountId,
            connectionId,
            environment: 'live',
            connector: 'mtn-momo',
            label: connectionId,
            state,
            serves: 'mtn_bj',
            credentials: 'sealed-secret',
            credentialsAt: 1,
            createdAt: 1_000,
            createdBy: 'x',
          }),
        )
      const [works, down, paused, suspended, removed] = [
        'works',
        'down',
        'paused',
        'suspended',
        'removed',
      ].map((name) => `con_${store.name}_${name}`) as [string, string, string, string, string]
      for (const id of [works, down, paused, suspended]) await insert(id, 'active')
      await insert(removed, 'removed')
      const seen = {
        state: 'down',
        since: 2_000,
        why: 'no answer',
        misconfigured: 0,
        seenAt: 2_000,
      }
      await writeHealth(service.db, { environment: 'live', connection: down, ...seen })
      const pause = { since: 3_000, reason: 'slow', pausedBy: 'Sani' }
      await insertPause(service.db, { environment: 'live', connection: paused, ...pause })
      const at = service.clock.now()
      await ask(service, `POST /accounts/${accountId}/connections/${suspended}/suspend`, owner)
      const page = `GET /console/merchants/${merchantId}`
      for (const who of [support, finance, one]) {
        const { body } = await ask(service, page, who)
        assert.deepEqual(
          body.accounts.map(({ connections }: { connections: OwnConnectionRow[] }) =>
            connections.map(({ label, state, since, reason }) => [label, state, since, reason]),
          ),
          [
            [],
            [
              [down, 'down', 2_000, 'no answer'],
              [paused, 'paused', 3_000, 'slow'],
              [suspended, 'suspended', at, null],
              [works, 'active', 1_000, null],
            ],
          ],
        )
        assert.doesNotMatch(JSON.stringify(body), /sealed-secret|credentials":"/)
      }
      assert.equal((await ask(service, page, owner)).code, 404)
      assert.equal((await ask(service, page)).code, 401)
    })

    it('console connections: pause and resume, each in the audit log with person and reason', async () => {
      const pause = await ask(
        service,
        'POST /console/connections/sandbox/airtel_ne/pause',
        support,
        { reason: 'slow' },
      )
      assert.equal(pause.code, 200)
      const { body } = await ask(service, 'GET /console/connections', finance)
      const row = body.rows.find(
        ({ environment, name }: Record<string, string>) =>
          environment === 'sandbox' && name === 'airtel_ne',
      )
      assert.deepEqual([row.state, row.reason], ['paused', 'slow'])
      assert.equal(
        (await ask(service, 'POST /console/connections/sandbox/airtel_ne/resume', support)).code,
        200,
      )
      const log = await ask(
        service,
        `GET /console/audit?action=connection&actor=${support.personId}`,
        finance,
      )
      const actions = log.body.rows.map(({ action }: { action: string }) => action)
      assert.deepEqual(actions, ['connection.resume', 'connection.pause'])
    })

    it('console: shows payments that wait too long and the figures of the last hour', async () => {
      const { accounts } = await service.merchant()
      service.network.change = () => ({ is: 'silence' }) as never
      const { body } = await post(service, accounts.sandbox.secretKey, order())
      await service.clock.sleep(11 * 60_000)
      const waiting = (await ask(service, 'GET /console/waiting', support)).body.rows
      assert.ok(waiting.some((each: { reference: string }) => each.reference === body.reference))
      service.network.change = (reaction) => reaction
      const figures = (await ask(service, 'GET /console/figures', support)).body
      assert.equal(figures.minutes.length, 60)
      assert.ok(figures.minutes.some(({ created }: { created: number }) => created > 0))
      const stranger = await listLongWaits(service, merchantKey(accounts.sandbox.accountId))
      assert.deepEqual(stranger, { refused: 'caller_not_allowed' })
    })

    it('console: support views a merchant’s pages read-only for half an hour, with a reason that the merchant sees', async () => {
      const { merchantId, accounts } = await service.merchant()
      const account = `/accounts/${accounts.sandbox.accountId}`
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      const look = () => ask(service, `GET ${account}/team`, support)
      assert.equal((await look()).code, 404)
      const view = (reason: string) =>
        ask(service, `POST /console/merchants/${merchantId}/view`, support, { reason })
      assert.equal((await view('')).body.code, 'note_not_valid')
      const begun = await view('the merchant called')
      const begins = [
        begun.body.viewing.merchantId,
        begun.body.merchants.map(({ role }: { role: string }) => role),
      ]
      assert.deepEqual(begins, [merchantId, ['staff']])
      assert.equal((await look()).code, 200)
      const change = await ask(service, `POST ${account}/team/${owner.personId}/role`, support, {
        role: 'viewer',
      })
      assert.equal(change.body.code, 'role_not_allowed')
      const seen = await ask(service, `GET ${account}/viewings`, owner)
      const reasons = seen.body.rows.map(
        ({ by, reason }: Record<string, string>) => `${by}: ${reason}`,
      )
      assert.deepEqual(reasons, ['Sani: the merchant called'])
      const [entry] = (await ask(service, `GET ${account}/audit`, owner)).body.rows
      const got = [entry.action, entry.by, entry.from, entry.after]
      assert.deepEqual(got, [
        'merchant.view',
        { is: 'service', name: 'Sani' },
        null,
        { reason: 'the merchant called' },
      ])
      await ask(service, 'POST /viewing/end', support)
      assert.equal((await look()).code, 404)
      const attention = async () =>
        (await ask(service, `GET ${account}/home?days=7`, owner)).body.attention
      const viewed = (await attention()).find(
        ({ kind }: { kind: string }) => kind === 'viewed_by_service',
      )
      assert.deepEqual([viewed.by, viewed.reason], ['Sani', 'the merchant called'])
      await view('again')
      await service.clock.sleep(31 * 60_000)
      assert.equal((await look()).code, 404)
    })
  })

const HOUR_MS = 3_600_000

for (const store of STORES_IN_HALVES)
  describe(`console figures on ${store.name}`, async () => {
    const service = await openVirtualService(store, { KARBA_ROLE: 'api' })
    after(() => service.remove())

    it('figures: add up all processes, ended ones too, and expire after an hour', async () => {
      const { db, clock } = service
      const [one, other] = [1, 2].map((seed) =>
        figuresRecorder({ db, clock, random: seededRandom(seed) }),
      )
      assert.ok(one && other)
      for (let count = 0; count < 3; count++) one.created(0.002)
      one.settled('failed', 'airtel_ne')
      other.created(0.002)
      other.settled('succeeded', 'airtel_ne')
      const created = async () =>
        (await other.read()).minutes.reduce((sum, minute) => sum + minute.created, 0)
      assert.equal(await created(), 1)
      await one.stop()
      assert.equal(await created(), 4)
      assert.deepEqual((await other.read()).operators, [
        { name: 'airtel_ne', succeeded: 1, failed: 1 },
      ])
      await clock.sleep(HOUR_MS)
      assert.equal(await created(), 0)
      other.created(0.002)
      await other.stop()
      const [left] = await db.read<{ rows: number }>('select count(*) as rows from minute_figures')
      assert.equal(Number(left?.rows), 1)
    })
  })
