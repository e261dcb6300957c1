// A network's own id belongs to one of our requests: a payment that is given the id of another is
// not prompted and is listed, and `karba verify` names those of a store that was written before ids
// were unique.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { WireReaction } from '../../../simulators/src/network.ts'
import { migrate, migrations } from '../../src/store/engine/migrate.ts'
import { spawnKarba } from '../kit/process.ts'
import { get, order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { newLink, onPage, toProvider } from '../links/payer.ts'
import {
  anomaliesOf,
  bookedUnder,
  openServiceOnNetwork,
  orderOn,
  reactionTo,
} from '../networks/harness.ts'
import { FEDAPAY } from '../networks/networks.ts'

const MIGRATION = '0010_network_ids'

for (const store of STORES) {
  it(`network ids: a payment that is given the id of another is listed and not prompted, on ${store.name}`, async (t) => {
    let first: Record<string, unknown> | undefined
    let isWrong = true
    const service = await openServiceOnNetwork(
      FEDAPAY,
      store,
      {},
      {
        hear: (call, network) => {
          const reaction = reactionTo(network, call)
          if (!('code' in reaction)) return reaction
          const { 'v1/transaction': made } = reaction.body as Record<
            string,
            Record<string, unknown> | undefined
          >
          // Our reference and amount with the id of another, and a token that no other payment had.
          if (call.path.endsWith('/token') && isWrong)
            return answered(reaction, { token: `token of ${call.body?.length}` })
          if (made === undefined) return reaction
          first ??= made
          return isWrong
            ? answered(reaction, { 'v1/transaction': { ...made, id: first.id } })
            : reaction
        },
        callBack: (_callback, deliver) => deliver(),
      },
    )
    t.after(() => service.remove())
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const create = async (): Promise<string> => {
      const { body } = await post(service, secretKey, orderOn(FEDAPAY))
      await service.clock.advance(1_000)
      return body.reference as string
    }
    isWrong = false
    const honest = await create()
    isWrong = true
    const mixed = await create()
    assert.deepEqual(await anomaliesOf(service, mixed), ['network_id_taken'])
    assert.deepEqual(await anomaliesOf(service, honest), [])
    const [booked] = bookedUnder(service, mixed)
    assert.deepEqual([booked?.debits, booked?.msisdn], [0, ''])
    const listed = await service.db.read<{ detail: string }>('select detail from payment_anomalies')
    assert.deepEqual(
      listed.map(({ detail }) => JSON.parse(detail)),
      [{ networkId: String(first?.id), owner: honest }],
    )

    isWrong = false
    await service.clock.advance(60_000)
    for (const reference of [honest, mixed]) {
      assert.equal((await get(service, secretKey, reference)).body.status, 'succeeded')
      assert.deepEqual(
        bookedUnder(service, reference).map(({ debits }) => debits),
        [1],
      )
    }
  })

  it(`network ids: karba verify names the payments and attempts of an old store that share one, on ${store.name}`, async (t) => {
    const older = migrations().filter(({ name }) => name !== MIGRATION)
    const service = await openVirtualService(store, {}, { migrations: older })
    t.after(() => service.remove())
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const create = async (): Promise<string> =>
      (await post(service, secretKey, order())).body.reference as string
    const [first, second, other, link] = [
      await create(),
      await create(),
      await create(),
      await newLink(service, secretKey),
    ]
    await toProvider(service, link, onPage('wallet'))
    await service.clock.advance(10_000)
    const ids: [string, string][] = [
      [first, '113000001'],
      [second, '113000001'],
      [other, '113000002'],
    ]
    for (const [reference, networkId] of ids)
      await service.db.change(
        'update payments set network_id = :networkId where reference = :reference',
        { reference, networkId },
      )
    // An attempt through the connection of the first payment.
    await service.db.change(
      `update payment_attempts set network_id = '113000001',
         connection = (select connection from payments where reference = :first)`,
      { first },
    )
    const [attempt] = await service.db.read<{ reference: string }>(
      'select reference from payment_attempts',
    )

    assert.deepEqual(await migrate(service.db, 0), [MIGRATION])
    const { code, stdout } = await spawnKarba(['verify'], service.place.env)
    const named = [second, attempt?.reference].map(
      (request) => `Request ${request} has an id of the network’s that another payment had first.`,
    )
    assert.deepEqual(
      [code, stdout.split('\n').filter((line) => line.startsWith('Request'))],
      [1, named],
    )
  })
}

const answered = (reaction: WireReaction, body: object): WireReaction =>
  ({ ...reaction, body }) as WireReaction
