// Connections of merchants on both stores: each payment is in its own merchant's wallet by the
// networks' books, whatever becomes of the connection; credentials are tested, sealed and never
// shown.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fedapayNetwork } from '../../../simulators/src/fedapay/network.ts'
import { mtnMomoNetwork } from '../../../simulators/src/mtn-momo/network.ts'
import type {
  ConformanceNetwork,
  NetworkDeps,
  WireCallback,
} from '../../../simulators/src/network.ts'
import { pawapayNetwork } from '../../../simulators/src/pawapay/network.ts'
import { listLatestAudit } from '../../src/actions/audit/audit-log.ts'
import { rotateMasterKey } from '../../src/actions/master-key/rotate-master-key.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { MOST_CONNECTIONS } from '../../src/domain/merchants/merchant-connection.ts'
import { masterKeyOf, useOf } from '../../src/service/master-key.ts'
import { realRandom } from '../../src/service/runtime.ts'
import { insertPause } from '../../src/store/operators/connections.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, PASSWORD, type SignedIn, signedIn } from '../kit/people.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { dumped, get, order, post, rowsByTable } from '../kit/service.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { credentialOf, openWallets } from '../kit/wallets.ts'
import { deliverByInject } from '../networks/harness.ts'

const PAYER = { country: 'BJ', msisdn: '0197112233' }
/** Of an operator that no merchant here connects: the installation's simulated network has it. */
const CELTIIS = { country: 'BJ', msisdn: '0140112233' }
const A_SECOND_MS = 1_000
const SETTLED_MS = 60_000

/** Where live is simulated, a network is offered only at an address of this setting. */
const ADDRESSES = {
  KARBA_NETWORK_ADDRESSES: ['mtn-momo', 'pawapay', 'fedapay']
    .map((connector) => `live/${connector}=https://networks.example`)
    .join(','),
}

const MAKERS: Readonly<Record<string, (deps: NetworkDeps) => ConformanceNetwork>> = {
  'mtn-momo': (deps) => mtnMomoNetwork(deps),
  pawapay: (deps) => pawapayNetwork(deps),
  fedapay: (deps) => fedapayNetwork(deps),
}

interface Shop extends NewMerchant {
  owner: SignedIn
  at: string
  secretKey: string
  accountId: string
}

for (const store of STORES_IN_HALVES) {
  describe(`merchant connections on ${store.name}`, () => {
    let service: VirtualService
    let awa: Shop
    let sani: Shop
    const wallets = new Map<string, ConformanceNetwork>()

    function wallet(name: string, connector = 'mtn-momo'): ConformanceNetwork {
      const known = wallets.get(`${connector} ${name}`)
      if (known !== undefined) return known
      const sendCallback = (callback: WireCallback) => deliverByInject(service, callback)
      const deps = {
        clock: service.clock,
        random: seededRandom(wallets.size + 1),
        decideAfterMs: 2_000,
        sendCallback,
      }
      const made = MAKERS[connector]?.(deps) as ConformanceNetwork
      wallets.set(`${connector} ${name}`, made)
      return made
    }

    before(async () => {
      service = await openVirtualService(store, ADDRESSES, { openNetwork: openWallets(wallets) })
    })
    after(() => service.remove())
    beforeEach(async () => {
      wallets.clear()
      ;[awa, sani] = [await shop('Boutique Awa'), await shop('Pharmacie Sani')]
    })

    async function shop(name: string): Promise<Shop> {
      const merchant = await service.merchant({ name })
      const { accountId, secretKey } = merchant.accounts.live
      const owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
      return { ...merchant, owner, accountId, secretKey, at: `/accounts/${accountId}/connections` }
    }

    function mtnFields(name: string): Record<string, string> {
      const { credentials } = wallet(name)
      return {
        subscriptionKey: credentialOf(credentials.subscriptionKey as string, name),
        apiUser: credentials.apiUser as string,
        apiKey: credentials.apiKey as string,
        'disbursement.subscriptionKey': credentialOf(
          credentials.disbursementSubscriptionKey as string,
          name,
        ),
        'disbursement.apiUser': credentials.disbursementApiUser as string,
        'disbursement.apiKey': credentials.disbursementApiKey as string,
      }
    }

    /** Time passes only when the answer waits for a timer. */
    async function call(shop: Shop, method: 'GET' | 'POST' | 'PUT', path = '', body?: object) {
      const asked = ask(
        service,
        `${method} ${shop.at}${path}`,
        shop.owner,
        body && { password: PASSWORD, ...body },
      )
      const isOver = await Promise.race([
        asked.then(() => true),
        service.clock.settle().then(() => false),
      ])
      return isOver ? asked : service.clock.advanceUntil('answer', asked)
    }

    const NEW = { connector: 'mtn-momo', label: 'MTN of the shop', serves: ['mtn_bj'] }

    async function connect(shop: Shop, name: string, change: object = {}): Promise<string> {
      const added = await call(shop, 'POST', '', { ...NEW, fields: mtnFields(name), ...change })
      assert.equal(added.code, 200, JSON.stringify(added.body))
      await service.clock.advance(A_SECOND_MS)
      return added.body.connectionId
    }

    async function pay({ secretKey }: Shop, payer: Record<string, unknown> = PAYER) {
      const { code, body, headers } = await post(service, secretKey, order(payer))
      return { code, reference: body.reference as string, error: headers['svc-error-code'] }
    }

    const statusOf = async ({ secretKey }: Shop, reference: string) =>
      (await get(service, secretKey, reference)).body.status

    const connectionOf = async (reference: string): Promise<string> => {
      const sql = 'select connection as name from payments where reference = :reference'
      return (await service.db.read<{ name: string }>(sql, { reference }))[0]?.name as string
    }

    const booked = (name: string): string[] =>
      wallet(name)
        .books()
        .map(({ clientReference }) => clientReference)
        .sort()

    it('every payment is in its own merchant’s wallet', async () => {
      const [ofAwa, ofSani] = [await connect(awa, 'awa'), await connect(sani, 'sani')]
      const paid = { awa: [] as string[], sani: [] as string[] }
      for (let count = 0; count < 5; count++) {
        paid.awa.push((await pay(awa)).reference)
        paid.sani.push((await pay(sani)).reference)
      }
      await service.clock.advance(SETTLED_MS)
      assert.deepEqual([booked('awa'), booked('sani')], [paid.awa.sort(), paid.sani.sort()])
      for (const reference of paid.awa) assert.equal(await statusOf(awa, reference), 'succeeded')
      for (const reference of paid.sani) assert.equal(await statusOf(sani, reference), 'succeeded')
      const used = await Promise.all(
        [paid.awa[0], paid.sani[0]].map((each) => connectionOf(each as string)),
      )
      assert.deepEqual(used, [ofAwa, ofSani])
    })

    it('other operators, and merchants without a connection, use the installation’s routes', async () => {
      await connect(awa, 'awa')
      const [own, other, stranger] = [await pay(awa), await pay(awa, CELTIIS), await pay(sani)]
      assert.match(await connectionOf(own.reference), /^con_/)
      assert.equal(await connectionOf(other.reference), 'celtiis_bj')
      assert.equal(await connectionOf(stranger.reference), 'mtn_bj')
      await service.clock.advance(SETTLED_MS)
      assert.deepEqual(booked('awa'), [own.reference])
    })

    it('the pages of a payment name the merchant’s own connection, to its owner and to staff', async () => {
      const staff = await signedIn(service, { forServiceAs: 'support' })
      await connect(awa, 'awa')
      const [own, other] = [await pay(awa), await pay(awa, CELTIIS)]
      await service.clock.advance(SETTLED_MS)
      for (const [{ reference }, label] of [
        [own, NEW.label],
        [other, null],
      ] as const) {
        const owners = (
          await ask(service, `GET /accounts/${awa.accountId}/payments/${reference}`, awa.owner)
        ).body
        const staffs = (await ask(service, `GET /console/payments/${reference}`, staff)).body
          .payment
        assert.deepEqual([owners.connectionLabel, staffs.connectionLabel], [label, label])
        assert.ok(
          owners.operatorReference !== null &&
            staffs.operatorReference === owners.operatorReference,
        )
      }
    })

    it('a suspended connection takes no new payments and settles and refunds those that it took', async () => {
      const connectionId = await connect(awa, 'awa')
      const first = await pay(awa)
      await service.clock.advance(0)
      assert.equal((await call(awa, 'POST', `/${connectionId}/suspend`)).code, 200)
      await service.clock.advance(A_SECOND_MS)
      const refused = await pay(awa)
      assert.deepEqual([refused.code, refused.error], [403, 'operator_not_available'])
      await service.clock.advance(SETTLED_MS)
      assert.equal(await statusOf(awa, first.reference), 'succeeded')
      granted(await refundPayment(service, TESTER, { name: first.reference }))
      await service.clock.advance(SETTLED_MS)
      assert.equal(await statusOf(awa, first.reference), 'refunded')
      assert.equal(wallet('awa').books()[0]?.refunds, 1)
      assert.equal((await call(awa, 'POST', `/${connectionId}/activate`)).code, 200)
      await service.clock.advance(A_SECOND_MS)
      assert.equal(await connectionOf((await pay(awa)).reference), connectionId)
      await service.clock.advance(SETTLED_MS)
    })

    it('a removed connection gives its operators back to the installation and settles what it took', async () => {
      const connectionId = await connect(awa, 'awa')
      const first = await pay(awa)
      await service.clock.advance(0)
      assert.equal((await call(awa, 'POST', `/${connectionId}/remove`)).code, 200)
      await service.clock.advance(A_SECOND_MS)
      assert.deepEqual((await call(awa, 'GET')).body.rows, [])
      assert.equal(await connectionOf((await pay(awa)).reference), 'mtn_bj')
      await service.clock.advance(SETTLED_MS)
      assert.equal(await statusOf(awa, first.reference), 'succeeded')
      granted(await refundPayment(service, TESTER, { name: first.reference }))
      await service.clock.advance(SETTLED_MS)
      assert.equal(wallet('awa').books()[0]?.refunds, 1)
      for (const verb of ['activate', 'suspend', 'remove', 'test'])
        assert.equal(
          (await call(awa, 'POST', `/${connectionId}/${verb}`)).body.code,
          'connection_not_found',
          verb,
        )
    })

    it('replaced credentials keep the connection’s id and poll its pending payments', async () => {
      const connectionId = await connect(awa, 'awa')
      const first = await pay(awa)
      await service.clock.advance(0)
      // The network takes only the new key from here on.
      const books = wallet('awa')
      wallets.set('mtn-momo awa-new', books)
      wallets.delete('mtn-momo awa')
      const replaced = await call(awa, 'PUT', `/${connectionId}/credentials`, {
        fields: mtnFields('awa-new'),
      })
      assert.deepEqual([replaced.code, replaced.body], [200, { connectionId, is: 'done' }])
      await service.clock.advance(SETTLED_MS)
      assert.equal(await statusOf(awa, first.reference), 'succeeded')
      assert.equal(await connectionOf((await pay(awa)).reference), connectionId)
      await service.clock.advance(SETTLED_MS)
      assert.equal(books.books().length, 2)
    })

    it('a merchant’s several connections each serve their own operators', async () => {
      const { credentials } = wallet('awa', 'pawapay')
      const mtn = await connect(awa, 'awa')
      const apiToken = credentialOf(credentials.apiToken as string, 'awa')
      const moov = await connect(awa, 'awa', {
        connector: 'pawapay',
        serves: ['moov_bj'],
        fields: { apiToken },
      })
      const [one, other] = [await pay(awa), await pay(awa, { country: 'BJ', msisdn: '0195345789' })]
      assert.deepEqual(
        [await connectionOf(one.reference), await connectionOf(other.reference)],
        [mtn, moov],
      )
      await service.clock.advance(SETTLED_MS)
      assert.deepEqual(
        [wallet('awa').books().length, wallet('awa', 'pawapay').books().length],
        [1, 1],
      )
    })

    it('credentials that the network refuses, and a network without an answer, leave nothing', async () => {
      const refused = await call(awa, 'POST', '', {
        ...NEW,
        fields: { ...mtnFields('awa'), apiKey: 'wrong' },
      })
      assert.deepEqual([refused.code, refused.body.code], [422, 'credentials_refused'])
      assert.ok(!JSON.stringify(refused.body).includes('wrong'))
      wallet('awa').faults.on('token_500')
      const silent = await call(awa, 'POST', '', { ...NEW, fields: mtnFields('awa') })
      assert.deepEqual([silent.code, silent.body.code], [422, 'network_not_reached'])
      assert.deepEqual((await call(awa, 'GET')).body.rows, [])
    })

    const MISTAKES: [about: string, change: object, code: string][] = [
      ['another connector', { connector: 'constructor' }, 'connector_not_available'],
      [
        'Airtel, which has no address here',
        { connector: 'airtel-money' },
        'connector_not_available',
      ],
      ['no name', { label: ' ' }, 'connection_label_not_valid'],
      ['an operator of another network', { serves: ['airtel_ne'] }, 'connection_serves_not_valid'],
      ['no operator', { serves: [] }, 'connection_serves_not_valid'],
      [
        'a field of another name',
        { fields: { address: 'http://169.254.169.254' } },
        'credentials_not_valid',
      ],
      [
        'a line break in a key',
        { fields: { subscriptionKey: 'a\r\nx: y' } },
        'credentials_not_valid',
      ],
      [
        'a key of 9,000 characters',
        { fields: { subscriptionKey: 'k'.repeat(9_000) } },
        'credentials_not_valid',
      ],
      ['a missing key', { fields: {} }, 'credentials_not_valid'],
      [
        'half of the second product',
        { fields: { 'disbursement.apiKey': 'x' } },
        'credentials_not_valid',
      ],
      [
        '30 fields',
        { fields: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at, 'x'])) },
        'input_not_valid',
      ],
    ]
    for (const [about, change, code] of MISTAKES)
      it(`a new connection is refused with ${about}`, async () => {
        const { fields = mtnFields('awa'), ...rest } = change as { fields?: object }
        const isHalf = 'disbursement.apiKey' in fields
        const {
          'disbursement.subscriptionKey': _a,
          'disbursement.apiUser': _b,
          ...main
        } = mtnFields('awa')
        const sent = { ...NEW, ...rest, fields: isHalf ? { ...main, ...fields } : fields }
        assert.equal((await call(awa, 'POST', '', sent)).body.code, code)
      })

    it('an account has a limited number of connections', async () => {
      for (let count = 0; count < MOST_CONNECTIONS.inUse; count++) await connect(awa, 'awa')
      const one = await call(awa, 'POST', '', { ...NEW, fields: mtnFields('awa') })
      assert.deepEqual([one.code, one.body.code], [422, 'too_many_connections'])
    })

    it('tests of credentials are limited', async () => {
      const connectionId = await connect(awa, 'awa')
      const codes = new Set<string>()
      for (let count = 0; count < 25; count++)
        codes.add((await call(awa, 'POST', `/${connectionId}/test`)).body.code ?? 'accepted')
      assert.deepEqual([...codes], ['accepted', 'too_many_tries'])
    })

    it('only the owner changes them, and another merchant finds none', async () => {
      const connectionId = await connect(awa, 'awa')
      for (const as of ['developer', 'cashier', 'viewer'] as const) {
        const person = await signedIn(service, { at: awa.merchantId, as })
        const shown = await ask(service, `GET ${awa.at}`, person)
        assert.equal(shown.body.rows.length, 1)
        for (const path of [
          '',
          `/${connectionId}/suspend`,
          `/${connectionId}/test`,
          `/${connectionId}/remove`,
        ]) {
          const body = { ...NEW, fields: mtnFields('awa') }
          const answer = await ask(service, `POST ${awa.at}${path}`, person, body)
          assert.deepEqual(
            [answer.code, answer.body.code],
            [403, 'role_not_allowed'],
            `${as} ${path}`,
          )
        }
      }
      for (const path of [
        `/${connectionId}/suspend`,
        `/${connectionId}/test`,
        `/${connectionId}/remove`,
      ])
        assert.equal((await call(sani, 'POST', path)).body.code, 'connection_not_found')
      const replaced = await call(sani, 'PUT', `/${connectionId}/credentials`, {
        fields: mtnFields('sani'),
      })
      assert.equal(replaced.body.code, 'connection_not_found')
      assert.equal((await call(awa, 'GET')).body.rows[0].state, 'active')
    })

    it('credentials are not shown, not stored as text, and stay readable after a rotation of the master key', async () => {
      const connectionId = await connect(awa, 'awa')
      const secrets = Object.values(mtnFields('awa'))
      const shown = JSON.stringify([(await call(awa, 'GET')).body, await dumped(service)])
      for (const secret of secrets) assert.ok(!shown.includes(secret), 'a secret is shown')
      const { rows } = granted(await listLatestAudit(service, TESTER, { subject: connectionId }))
      assert.deepEqual(
        rows.map(({ action }) => action),
        ['connection.add'],
      )
      const next = useOf(masterKeyOf('cd'.repeat(32)), realRandom)
      const sides = { from: useOf(service.master, realRandom), to: next }
      granted(await rotateMasterKey(service, TESTER, sides))
      const { merchant_connections: sealed = [] } = await rowsByTable(service)
      const row = sealed.find(
        (each) => (each as { connection_id: string }).connection_id === connectionId,
      )
      const { credentials } = row as { credentials: string }
      const opened = next
        .box('network credentials')
        .open(credentials, `${connectionId} credentials`)
      for (const secret of secrets) assert.ok(opened.includes(secret))
      granted(await rotateMasterKey(service, TESTER, { from: next, to: sides.from }))
    })

    it('a callback through another merchant’s connection changes nothing and asks no network', async () => {
      await connect(awa, 'awa')
      const ofSani = await connect(sani, 'sani')
      const { reference } = await pay(awa)
      await service.clock.advance(0)
      const url = `/operators/live/${ofSani}/callback/${reference}`
      const headers = { 'content-type': 'application/json' }
      await service.app.inject({ method: 'PUT', url, headers, payload: '{"status":"SUCCESSFUL"}' })
      await service.clock.advance(0)
      assert.equal(await statusOf(awa, reference), 'pending')
      assert.deepEqual(booked('sani'), [])
      await service.clock.advance(SETTLED_MS)
    })

    it('home tells an owner of their own connection, and another merchant nothing of it', async () => {
      const connectionId = await connect(awa, 'awa')
      const at = service.clock.now()
      const pause = {
        environment: 'live',
        connection: connectionId,
        since: at,
        reason: 'outage',
        pausedBy: 'x',
      } as const
      await insertPause(service.db, pause)
      const attention = async ({ accountId, owner }: Shop): Promise<object[]> =>
        (await ask(service, `GET /accounts/${accountId}/home?days=7`, owner)).body.attention
      const isPaused = ({ kind }: { kind?: string }): boolean => kind === 'operator_paused'
      const ofAwa = (await attention(awa)).filter(isPaused).map((each) => ({ ...each, since: 0 }))
      const { label: name } = NEW
      const { reason } = pause
      assert.deepEqual(ofAwa, [
        { kind: 'operator_paused', operator: connectionId, name, since: 0, reason },
      ])
      assert.ok(!JSON.stringify(await attention(sani)).includes(connectionId))
    })

    it('a callback that a merchant signs about no payment leaves staff nothing to look at', async () => {
      const webhookSecret = 'wh_of_the_merchant'
      const { credentials } = wallet('awa', 'fedapay')
      const fields = {
        secretKey: credentialOf(credentials.secretKey as string, 'awa'),
        webhookSecret,
      }
      const connectionId = await connect(awa, 'awa', {
        connector: 'fedapay',
        serves: ['moov_bj'],
        fields,
      })
      const payload = JSON.stringify({ entity: { merchant_reference: '0'.repeat(24) } })
      const seconds = Math.floor(service.clock.now() / 1_000)
      const signature = createHmac('sha256', webhookSecret)
        .update(`${seconds}.${payload}`)
        .digest('hex')
      const headers = {
        'content-type': 'application/json',
        'x-fedapay-signature': `t=${seconds},s=${signature}`,
      }
      const url = `/operators/live/${connectionId}/callback`
      assert.equal(
        (await service.app.inject({ method: 'POST', url, headers, payload })).statusCode,
        200,
      )
      assert.deepEqual(await service.db.read('select * from payment_anomalies'), [])
    })

    it('staff pause a merchant’s connection, and its health is listed with its owner', async () => {
      const connectionId = await connect(awa, 'awa')
      const administrator = await signedIn(service, { forServiceAs: 'administrator' })
      const at = `POST /console/connections/live/${connectionId}`
      assert.equal(
        (await ask(service, `${at}/pause`, administrator, { reason: 'outage' })).code,
        200,
      )
      await service.clock.advance(A_SECOND_MS)
      assert.equal((await pay(awa)).error, 'operator_not_available')
      const listed = await ask(service, 'GET /console/connections', administrator)
      const row = listed.body.rows.find(({ name }: { name: string }) => name === connectionId)
      assert.deepEqual([row.owner, row.state, row.reason], ['Boutique Awa', 'paused', 'outage'])
      assert.deepEqual(
        (await call(awa, 'GET')).body.rows.map(({ state, reason }: Record<string, string>) => [
          state,
          reason,
        ]),
        [['paused', 'outage']],
      )
      assert.equal(
        (await ask(service, `${at}/resume`, administrator, { reason: 'over' })).code,
        200,
      )
      await service.clock.advance(A_SECOND_MS)
      assert.equal((await pay(awa)).code, 200)
      await service.clock.advance(SETTLED_MS)
    })
  })
}
