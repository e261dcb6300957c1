// Promise 19: card numbers go into every input, and secrets are in use meanwhile. None of them may
// appear in answers, webhooks, the log, the metrics, or any table or file of the database.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeLog } from '../../src/observability/log.ts'
import type { Attempt, WebhookRequest } from '../../src/webhooks/send.ts'
import { dumped, order, post } from '../kit/service.ts'
import { STORES_IN_HALVES, type StoreKind } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS_AT_ONCE } from '../links/payer.ts'
import {
  CARDS,
  canariesOf,
  letPagesMakeLinks,
  PEOPLE_PLACES,
  PLACES,
  secretsOfAPerson,
} from './canaries.ts'
import { makeOwned } from './owned-things.ts'

interface Watched {
  service: VirtualService
  lines: string[]
  sent: WebhookRequest[]
  /** The answers of receivers and of the network from now on. */
  says: { card: string }
}

async function openWatched(store: StoreKind): Promise<Watched> {
  const [lines, sent, says]: [string[], WebhookRequest[], Watched['says']] = [[], [], { card: '' }]
  const answer = (): Attempt => ({
    status: 500,
    durationMs: 1,
    answer: `{"message":"no ${says.card}"}`,
    error: null,
    retryAfterMs: null,
  })
  const sender = {
    send: async (request: WebhookRequest) => {
      sent.push(request)
      return answer()
    },
    close: async () => {},
  }
  const log = makeLog('debug', { write: (line) => void lines.push(line) })
  const service = await openVirtualService(store, {}, { log, sender })
  return { service, lines, sent, says }
}

/** Payments for which the network answers a card number in place of a status. */
async function hearTheNetwork(
  { service }: Watched,
  secretKey: string,
  card: string,
): Promise<void> {
  service.network.change = () => ({ answer: { status: card as 'accepted' } })
  const { code } = await post(service, secretKey, order({ msisdn: SUCCEEDS_AT_ONCE }))
  assert.equal(code, 200)
  await service.clock.advance(10_000)
  service.network.change = (reaction) => reaction
  await service.clock.advance(60_000)
}

/** With any separators. */
const compact = (text: string): string => text.replace(/[ ._\u00a0\u202f-]/g, '')

function findingsIn(
  texts: Record<string, string>,
  canaries: readonly [string, string][],
): string[] {
  return Object.entries(texts).flatMap(([place, text]) => {
    const written = text + decodeLoosely(text)
    const packed = compact(written)
    return canaries.flatMap(([about, canary]) => {
      const at = packed.indexOf(compact(canary))
      return at < 0
        ? []
        : [`${about} in the ${place}: …${packed.slice(Math.max(0, at - 80), at + 40)}…`]
    })
  })
}

/** Answers and files contain URLs too. */
const decodeLoosely = (text: string): string =>
  text.includes('%2') ? text.replace(/%2[0DE]|\+/g, ' ') : ''

// On both stores: no other quick test runs as many statements on PostgreSQL through every entry
// point.
for (const store of STORES_IN_HALVES) {
  it(`promise 19: no card number from any input and no secret in use appears in any output, on ${store.name}`, async (t) => {
    const watched = await openWatched(store)
    const { service, lines, sent, says } = watched
    t.after(() => service.remove())
    const own = await makeOwned(service)
    await letPagesMakeLinks({ service, own })
    const secrets = await secretsOfAPerson(service)
    const cards = CARDS.slice(0, tries(1, CARDS.length))
    const answers: string[] = []
    for (const card of cards) {
      says.card = card
      for (const [place, plant] of [...PLACES, ...PEOPLE_PLACES]) {
        const answer = await plant({ service, own, card })
        answers.push(`${place}: ${JSON.stringify(answer)}`)
      }
      await hearTheNetwork(watched, own.secretKey, card)
    }
    await service.clock.advance(60_000)
    const texts = {
      answers: answers.join('\n'),
      webhooks: sent.map(({ url, body }) => `${url} ${body}`).join('\n'),
      log: lines.join(''),
      metrics: (await service.app.inject({ url: '/metrics' })).body,
      database: await dumped(service),
    }
    assert.deepEqual(findingsIn(texts, [...canariesOf(cards, own), ...secrets]), [])
    assert.match(
      texts.database,
      /Awa, carte 411111\*{6}1111, merci/,
      'typed text is stored with the number masked',
    )
    assert.match(
      texts.database,
      /no 411111\*{6}1111/,
      'receivers’ answers are stored with the number masked',
    )
    assert.match(
      texts.database,
      /not understood: 411111\*{6}1111/,
      'the network’s answer is stored with the number masked',
    )
    assert.match(texts.log, /411111\*{6}1111/)
    assert.ok(sent.length > 0)
    tried(cards.length * (PLACES.length + PEOPLE_PLACES.length))
  })
}
