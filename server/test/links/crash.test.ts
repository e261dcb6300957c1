// The process crashes between any two steps of paying a link, and the payer comes back to the service that was started again. Whatever the step,
// there is one debit, and the link ends in what the network knows (ADR-0007, D-50).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Service } from '../../src/service/compose.ts'
import { type CrashingService, openCrashingService } from '../kit/crashing-service.ts'
import { newMerchant } from '../kit/merchant.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { byPhone, look, newLink, onPage, pay, SUCCEEDS_AT_ONCE, send, stateOf, toProvider } from './payer.ts'

/** More than any of these has; a run that crashes nowhere is the last. */
const MOST_STEPS = 200
const SEED = 20_261_115
const referenceIn = (page: string): string => page.split('/').at(-1) as string

interface Path {
  about: string
  /** What the payer does until the process crashes. */
  walk(provider: CrashingService['provider'], service: Service, link: string): Promise<unknown>
}

const PATHS: Path[] = [
  { about: 'paying by phone', walk: (_provider, service, link) => pay(service, link, byPhone(SUCCEEDS_AT_ONCE)) },
  {
    about: 'paying by card, and coming back',
    walk: async (provider, service, link) => {
      const page = await toProvider(service, link, onPage('bank_card'))
      await provider.decide(referenceIn(page), 'approve')
      await look(service, `/pay/${link}?returned=1`)
    },
  },
  {
    about: 'giving up a wallet that was approved',
    walk: async (provider, service, link) => {
      const page = await toProvider(service, link, onPage('wallet'))
      await provider.decide(referenceIn(page), 'approve')
      await send(service, `/pay/${link}/abandon`, {})
    },
  },
  {
    about: 'giving up a card, and paying by phone',
    walk: async (_provider, service, link) => {
      await toProvider(service, link, onPage('bank_card'))
      await send(service, `/pay/${link}/abandon`, {})
      await pay(service, link, byPhone(SUCCEEDS_AT_ONCE, 1))
    },
  },
]

describe('a service that crashes at any step', () => {
  let crashing: CrashingService
  let secretKey: string

  before(async () => {
    crashing = await openCrashingService({ random: seededRandom(SEED) })
    secretKey = (await newMerchant(crashing.service)).accounts.sandbox.secretKey
  })
  after(() => crashing.close())

  /** The references under which the network and the provider have debited. */
  async function debits(): Promise<string[]> {
    const rows = await crashing.books.rows<{ reference: string }>('select reference from simulated_payments')
    return rows.map(({ reference }) => reference)
  }

  /** A payer who wants to pay and does whatever the page offers; every other one prefers the phone to an open provider's page. */
  async function comeBack(link: string, prefersPhone: boolean): Promise<number> {
    const { clock, provider } = crashing
    for (let minutes = 0; minutes < 20; minutes += 0.5) {
      const { service } = crashing
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
        const link = await newLink(crashing.service, secretKey, { shouldExpire: false })
        const debited = new Set(await debits())
        survived = await crashing.crashingAfter(steps, (service) => walk(crashing.provider, service, link))
        longest = Math.max(longest, await comeBack(link, steps % 2 === 0))
        const fresh = (await debits()).filter((reference) => !debited.has(reference))
        const { db } = crashing.service
        const [payment] = await db.rows<{ attempt_reference: string; number: number; due_at: null }>(
          `select p.attempt_reference, p.number, p.due_at from payments p
           join payment_links l on l.account_id = p.account_id and l.number = p.number where l.reference = $1`,
          [link],
        )
        assert.deepEqual([fresh, payment?.due_at], [[payment?.attempt_reference], null], `crashed after ${steps} steps`)
        const events = await db.rows<{ event: string }>('select event from events where number = $1', [
          payment?.number as number,
        ])
        assert.deepEqual(
          events.map(({ event }) => event),
          ['payment.succeeded'],
        )
      }
      assert.deepEqual(await crashing.service.db.rows('select kind from payment_anomalies'), [])
      t.diagnostic(`${steps - 2} crashes; the longest wait was ${longest} minutes`)
    })
  }
})
