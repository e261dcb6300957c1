// Ten counter screens at one account: creates with them relative to creates without them, and the time from the commit
// of a success to its row on a screen.
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../server/test/kit/waiting.ts'
import { compare, inPlace, type Part, progress, running, speedOf } from './part.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, warmUpAll } from './servers.ts'

const SCREENS = 10
const PAYMENTS = 200

export const counter: Part = {
  name: 'counter',
  measure: ({ store, rounds, requests }) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, counter screens`, place), async (karba) => {
        await warmUpAll(karba)
        const url = await signIn(karba)
        progress(`${karba.name}: ${PAYMENTS} payments, one after the other, on a screen`)
        const delays = await measureDelays(karba, url)
        progress(`${karba.name}: creates with and without ${SCREENS} screens`)
        const settledLoad = async () => {
          const before = await karba.counter(SETTLED)
          const result = await load(karba, 'create', requests, { msisdn: AT_ONCE })
          await karba.hasCounted(SETTLED, before + requests)
          return result
        }
        const withScreens = async () => {
          const screens = await Promise.all(Array.from({ length: SCREENS }, () => openScreen(url)))
          try {
            return await settledLoad()
          } finally {
            for (const screen of screens) screen.close()
          }
        }
        const { ratio, last } = await compare(rounds, settledLoad, withScreens)
        const p95 = delays.toSorted((a, b) => a - b)[Math.floor(PAYMENTS * 0.95)] as number
        return [
          {
            what: `${store.name}: creates with ${SCREENS} counter screens, of those without`,
            ...{ value: ratio, detail: speedOf(last), atLeast: 0.9 },
          },
          {
            what: `${store.name}: p95 from the commit to the screen, in ms`,
            ...{
              value: p95,
              detail: `${PAYMENTS} payments, at most ${Math.max(...delays).toFixed(0)} ms`,
              atMost: 1_000,
            },
          },
        ]
      }),
    ),
}

/** As the demo merchant's owner; returns the address of the stream and the cookie for it. */
async function signIn({ port, printed }: Measured): Promise<{ address: string; cookie: string }> {
  const origin = `http://127.0.0.1:${port}`
  const [, email, password] = /owner\s+(\S+@\S+)\s+(\S+)/.exec(printed) ?? []
  const answer = await fetch(`${origin}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const { merchants } = (await answer.json()) as SessionAnswer
  const account = merchants[0]?.accounts.find(({ environment }) => environment === 'sandbox')
  return { address: `${origin}/dashboard/api/accounts/${account?.accountId}/counter`, cookie }
}

type SessionAnswer = { merchants: { accounts: { accountId: string; environment: string }[] }[] }

interface Shown {
  publicReference: string
  at: number
}

async function openScreen({ address, cookie }: { address: string; cookie: string }) {
  const leaving = new AbortController()
  const answer = await fetch(address, { headers: { cookie }, signal: leaving.signal })
  if (answer.status !== 200) throw new Error(`the stream answered ${answer.status}`)
  /** When each payment came. */
  const seen = new Map<string, { at: number; seenAt: number }>()
  let isOpen = false
  const take = (event: string): void => {
    const data = /^id: \d+\ndata: (.*)$/.exec(event)?.[1]
    if (data === undefined) return
    isOpen = true
    for (const { publicReference, at } of (JSON.parse(data) as { payments: Shown[] }).payments)
      seen.set(publicReference, { at, seenAt: Date.now() })
  }
  const reading = (async () => {
    let text = ''
    for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(chunk).toString()
      const events = text.split('\n\n')
      text = events.pop() as string
      for (const event of events) take(event)
    }
  })().catch(() => {})
  await until('the list of the screen', () => isOpen)
  return {
    seen,
    close(): void {
      leaving.abort()
      void reading
    },
  }
}

/** Payments at random times: not in step with the looks of the server. */
async function measureDelays(karba: Measured, url: { address: string; cookie: string }): Promise<number[]> {
  const screen = await openScreen(url)
  const before = new Set(screen.seen.keys())
  for (let count = 0; count < PAYMENTS; count++) {
    await load(karba, 'create', 1, { msisdn: AT_ONCE, connections: 1 })
    await pause(20 + ((count * 37) % 230))
  }
  await until('all payments on the screen', () => screen.seen.size >= before.size + PAYMENTS)
  screen.close()
  return [...screen.seen].filter(([reference]) => !before.has(reference)).map(([, { at, seenAt }]) => seenAt - at)
}
