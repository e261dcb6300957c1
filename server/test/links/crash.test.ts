// The process dies between any two steps of paying a link, and the payer comes back to the service that was started again. Whatever the step,
// there is one debit, and the link ends in what the network knows (D-42, D-50).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Service } from '../../src/service/compose.ts'
import { type MortalService, openMortalService } from './mortal-service.ts'
import { byPhone, look, newLink, onPage, pay, SUCCEEDS_AT_ONCE, send, stateOf, toProvider } from './payer.ts'

/** More than any of these has; a run that dies nowhere is the last. */
const MOST_STEPS = 200
const referenceIn = (page: string): string => page.split('/').at(-1) as string

interface Path {
  about: string
  /** What the payer does until the process dies. */
  walk(world: MortalService, service: Service, link: string): Promise<unknown>
}

const PATHS: Path[] = [
  { about: 'paying by phone', walk: (_world, service, link) => pay(service, link, byPhone(SUCCEEDS_AT_ONCE)) },
  {
    about: 'paying by card, and coming back',
    walk: async ({ provider }, service, link) => {
      const page = await toProvider(service, link, onPage('bank_card'))
      await provider.decide(referenceIn(page), 'approve')
      await look(service, `/pay/${link}?returned=1`)
    },
  },
  {
    about: 'giving up a wallet that was approved',
    walk: async ({ provider }, service, link) => {
      const page = await toProvider(service, link, onPage('wallet'))
      await provider.decide(referenceIn(page), 'approve')
      await send(service, `/pay/${link}/abandon`, {})
    },
  },
  {
    about: 'giving up a card, and paying by phone',
    walk: async (_world, service, link) => {
      await toProvider(service, link, onPage('bank_card'))
      await send(service, `/pay/${link}/abandon`, {})
      await pay(service, link, byPhone(SUCCEEDS_AT_ONCE, 1))
    },
  },
]

describe('a service that dies at any step', () => {
  let world: MortalService

  before(async () => {
    world = await openMortalService()
  })
  after(() => world.remove())

  /** A payer who wants to pay and does whatever the page offers; every other one prefers the phone to an open provider's page. */
  async function comeBack(link: string, prefersPhone: boolean): Promise<number> {
    const { clock, provider } = world
    for (let minutes = 0; minutes < 20; minutes += 0.5) {
      const service = world.service()
      const [state, attempts] = (await stateOf(service, link)).split(':') as [string, string]
      if (state === 'succeeded') return minutes
      if (state === 'open') await pay(service, link, byPhone(SUCCEEDS_AT_ONCE, Number(attempts)))
      if (state === 'waiting') {
        const [, page] =
          /href="[^"]*\/simulator\/pay\/([0-9a-z]{24})"/.exec((await look(service, `/pay/${link}`)).text) ?? []
        if (page !== undefined && !prefersPhone) await provider.decide(page, 'approve')
        if (prefersPhone) await send(service, `/pay/${link}/abandon`, {})
      }
      await clock.sleep(30_000)
      await clock.advance(1_000)
    }
    throw new Error('the link was not paid within twenty minutes')
  }

  for (const { about, walk } of PATHS) {
    it(`while somebody is ${about}, debits once, and the link ends as succeeded with one event`, async (t) => {
      let longest = 0
      let steps = 1
      for (let survived = false; !survived; steps++) {
        assert.ok(steps < MOST_STEPS)
        const link = await newLink(world.service(), world.secretKey, { shouldExpire: false })
        const debited = new Set(await world.debits())
        survived = await world.dyingAfter(steps, (service) => walk(world, service, link))
        longest = Math.max(longest, await comeBack(link, steps % 2 === 0))
        const debits = (await world.debits()).filter((reference) => !debited.has(reference))
        const { db } = world.service()
        const [payment] = await db.rows<{ attempt_reference: string; number: number; due_at: null }>(
          `select p.attempt_reference, p.number, p.due_at from payments p
           join payment_links l on l.account_id = p.account_id and l.number = p.number where l.reference = $1`,
          [link],
        )
        assert.deepEqual([debits, payment?.due_at], [[payment?.attempt_reference], null], `dead after ${steps} steps`)
        const events = await db.rows<{ event: string }>('select event from events where number = $1', [
          payment?.number as number,
        ])
        assert.deepEqual(
          events.map(({ event }) => event),
          ['payment.succeeded'],
        )
      }
      assert.deepEqual(await world.service().db.rows('select kind from anomalies'), [])
      t.diagnostic(`${steps - 2} deaths; the longest wait was ${longest} minutes`)
    })
  }
})
