// Statements of merchants' own connections on both stores: the worker fetches them in the night,
// the books agree with the payments. People see the last fetch and a failure, and start a fetch.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fedapayNetwork } from '../../../simulators/src/fedapay/network.ts'
import type { ConformanceNetwork, WireCallback } from '../../../simulators/src/network.ts'
import { pawapayNetwork } from '../../../simulators/src/pawapay/network.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { TaskRow } from '../../src/dashboard-api/shapes.ts'
import { dayOf, startOfDay } from '../../src/domain/countries/business-day.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, PASSWORD, type SignedIn, signedIn } from '../kit/people.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { order, post } from '../kit/service.ts'
import { balanceOf } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { credentialOf, openWallets } from '../kit/wallets.ts'
import { deliverByInject } from '../networks/harness.ts'

const HOUR_MS = 3_600_000
const ADDRESSES = {
  KARBA_NETWORK_ADDRESSES:
    'live/pawapay=https://networks.example,live/fedapay=https://networks.example',
}

interface Shop {
  merchantId: string
  secretKey: string
  at: string
  connection: string
}

for (const store of STORES_IN_HALVES) {
  describe(`statements of merchants’ own connections on ${store.name}`, () => {
    let service: VirtualService
    const wallets = new Map<string, ConformanceNetwork>()

    before(async () => {
      service = await openVirtualService(store, ADDRESSES, { openNetwork: openWallets(wallets) })
    })
    after(() => service.remove())

    /** Sessions end while hours pass. */
    const personOf = ({ merchantId }: Shop, as: 'owner' | 'viewer' = 'owner') =>
      signedIn(service, { at: merchantId, as })
    const staff = () => signedIn(service, { forServiceAs: 'finance' })

    async function openShop(name: string, connector: 'pawapay' | 'fedapay'): Promise<Shop> {
      const sendCallback = (callback: WireCallback) => deliverByInject(service, callback)
      const deps = {
        clock: service.clock,
        random: seededRandom(wallets.size + 1),
        decideAfterMs: 2_000,
        sendCallback,
      }
      const network = connector === 'pawapay' ? pawapayNetwork(deps) : fedapayNetwork(deps)
      wallets.set(`${connector} ${name}`, network)
      const merchant = await service.merchant({ name })
      const { accountId, secretKey } = merchant.accounts.live
      const owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
      const at = `/accounts/${accountId}`
      const secret = connector === 'pawapay' ? 'apiToken' : 'secretKey'
      const fields = { [secret]: credentialOf(network.credentials[secret] as string, name) }
      const asked = ask(service, `POST ${at}/connections`, owner, {
        connector,
        label: name,
        serves: ['mtn_bj'],
        fields,
        password: PASSWORD,
      })
      const added = await service.clock.advanceUntil('answer', asked)
      assert.equal(added.code, 200, JSON.stringify(added.body))
      await service.clock.advance(1_000)
      return { merchantId: merchant.merchantId, secretKey, at, connection: added.body.connectionId }
    }

    async function paid({ secretKey }: Shop, amount: number, msisdn: string): Promise<string> {
      const { code, body } = await post(
        service,
        secretKey,
        order({ country: 'BJ', msisdn, amount }),
      )
      assert.equal(code, 200, JSON.stringify(body))
      await service.clock.advance(10_000)
      return body.reference as string
    }

    /** Hours pass, then a minute in which the worker does what is due. */
    async function later(hours: number): Promise<void> {
      await service.clock.sleep(hours * HOUR_MS)
      await service.clock.advance(60_000)
    }

    /** A day passes at once, and the link to a file with it: then the worker asks for another. */
    async function hoursUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
      for (let hours = 0; hours < 12; hours++) {
        if (await isSo()) return
        await later(1)
      }
      assert.fail(`there was no ${what}`)
    }

    const sourceOf = async (base: string, who: SignedIn, connection: string) =>
      (await ask(service, `GET ${base}/books/sources`, who)).body.rows.find(
        (row: { connection: string }) => row.connection === connection,
      )
    const differencesOf = async (shop: Shop): Promise<string[]> =>
      (await ask(service, `GET ${shop.at}/books/differences`, await personOf(shop))).body.rows.map(
        ({ kind }: { kind: string }) => kind,
      )

    it('pawaPay: payments and refunds in part are confirmed by the statement of the day', async () => {
      const shop = await openShop('Awa', 'pawapay')
      const [reference] = [
        await paid(shop, 5_000, '0197112233'),
        await paid(shop, 2_000, '0197112234'),
      ]
      granted(await refundPayment(service, TESTER, { name: reference, amount: '1500' }))
      await service.clock.advance(30_000)
      assert.deepEqual(await balanceOf(service, shop.secretKey), { to_receive: 5_500 })
      await later(18)
      assert.deepEqual(
        [await differencesOf(shop), await balanceOf(service, shop.secretKey)],
        [[], { in_wallet: 5_360 }],
      )
      const { fetches } = await sourceOf(shop.at, await personOf(shop), shop.connection)
      assert.deepEqual(
        [typeof fetches.fetchedAt, fetches.isUnderWay, fetches.failure],
        ['number', false, null],
      )
    })

    it('FedaPay: a payment that was refunded in its dashboard is two lines', async () => {
      const shop = await openShop('Sani', 'fedapay')
      await paid(shop, 3_000, '+2290166000001')
      await paid(shop, 1_000, '+2290166000007')
      await service.clock.advance(60_000)
      await later(24)
      const rows = await service.db.read<{ type: string; amount: number }>(
        `select type, amount_xof as amount from statement_lines where connection = :connection
          order by type, amount_xof`,
        { connection: shop.connection },
      )
      assert.deepEqual(
        rows.map(({ type, amount }) => [type, amount]),
        [
          ['collection', 1_000],
          ['collection', 3_000],
          ['refund', -1_000],
        ],
      )
    })

    it('an owner and staff have a statement fetched now; another merchant and a viewer cannot', async () => {
      const [shop, other] = [
        await openShop('Atelier', 'pawapay'),
        await openShop('Librairie', 'pawapay'),
      ]
      await paid(shop, 700, '0197112235')
      await later(1)
      const body = { environment: 'live', connection: shop.connection }
      const fetchAs = async (base: string, who: SignedIn, connection = shop.connection) =>
        (await ask(service, `POST ${base}/books/sources/fetch`, who, { ...body, connection })).code
      assert.deepEqual(
        [
          await fetchAs(other.at, await personOf(other)),
          await fetchAs(shop.at, await personOf(shop, 'viewer')),
          await fetchAs('/console', await personOf(shop)),
        ],
        [403, 403, 404],
      )
      assert.equal(await fetchAs('/console', await staff(), 'pawapay-none'), 404)
      assert.equal(await fetchAs(shop.at, await personOf(shop)), 200)
      assert.equal(
        (await sourceOf(shop.at, await personOf(shop), shop.connection)).fetches.isUnderWay,
        true,
      )
      assert.equal(await sourceOf(other.at, await personOf(other), shop.connection), undefined)
      await service.clock.advance(60_000)
      assert.equal((await balanceOf(service, shop.secretKey)).in_wallet, 686)
      assert.equal(await fetchAs('/console', await staff()), 200)
    })

    it('a failure is shown in words, and is a task of the staff after two days until it is fetched', async () => {
      const shop = await openShop('Quincaillerie', 'pawapay')
      const network = wallets.get('pawapay Quincaillerie') as ConformanceNetwork
      const tasks = async (): Promise<string[]> => {
        const { rows } = (await ask(service, 'GET /console/tasks', await staff())).body
        return rows
          .filter(({ subject }: { subject: string }) => subject === `live/${shop.connection}`)
          .map(
            ({ kind, connection, detail }: TaskRow) =>
              `${kind}, ${connection?.connectionLabel}: ${detail.why}`,
          )
      }
      network.faults.on('token_refused')
      await later(18)
      const { failure, isUnderWay } = (await sourceOf('/console', await staff(), shop.connection))
        .fetches
      assert.equal(isUnderWay, false, 'a failed day that waits for its retry')
      assert.match(
        failure.sentence,
        /^Le réseau a refusé les identifiants de cette connexion \(.*HTTP 403\)\.$/,
      )
      assert.deepEqual(await tasks(), [])
      await later(48)
      assert.match(
        (await tasks())[0] ?? '',
        /^statement_not_fetched, \S.*: Le réseau a refusé les identifiants/,
      )
      network.faults.allOff()
      await later(24)
      await hoursUntil('statement of the failed day', async () => (await tasks()).length === 0)
    })

    it('a network that sends another merchant’s file: no payment of either is confirmed by it', async () => {
      const [shop, other] = [
        await openShop('Tissus', 'pawapay'),
        await openShop('Pharmacie', 'pawapay'),
      ]
      await paid(shop, 4_000, '0197112236')
      await paid(other, 9_000, '0197112237')
      const [network, others] = ['pawapay Tissus', 'pawapay Pharmacie'].map((name) =>
        wallets.get(name),
      ) as [ConformanceNetwork, ConformanceNetwork]
      const handle = network.handle
      const day = startOfDay(dayOf(service.clock.now()))
      network.handle = (request) => {
        const reaction = handle(request)
        if (!('code' in reaction)) return reaction
        if (request.path.startsWith('/statement-files/'))
          return { code: 200, body: others.statement({ from: day, to: day + 24 * HOUR_MS }).bytes }
        const { status, data } = (reaction.body ?? {}) as { status?: string; data?: object }
        return status === 'FOUND'
          ? { code: 200, body: { status, data: { ...data, fileSize: null } } }
          : reaction
      }
      await later(24)
      await hoursUntil(
        'statement of the other',
        async () => 'in_wallet' in (await balanceOf(service, other.secretKey)),
      )
      await hoursUntil('difference', async () =>
        (await differencesOf(shop)).includes('missing_here'),
      )
      assert.deepEqual(await balanceOf(service, other.secretKey), { in_wallet: 8_820 })
      assert.equal((await balanceOf(service, shop.secretKey)).to_receive, 4_000)
    })
  })
}
