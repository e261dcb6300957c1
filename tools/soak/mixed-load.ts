// A mixed load at a low, fixed rate: merchants' servers, payers, dashboards and bad clients, as one
// afternoon of a small payment company. Every unexpected answer is counted. Requests of payers and
// of bad clients come from many loopback addresses, so that tables keyed by network fill up.
import { once } from 'node:events'
import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '../../server/test/kit/seeded-random.ts'
import { head, order } from '../../server/test/kit/service.ts'
import { SUCCEEDS, SUCCEEDS_AT_ONCE } from '../../server/test/links/payer.ts'

export interface Shop {
  accountId: string
  secretKey: string
}

export interface LoadPlace {
  port: number
  /** Payments are created for them in turn; the first one has dashboards. */
  shops: readonly [Shop, ...Shop[]]
  owner: { email: string; password: string }
  random: SeededRandom
}

export interface MixedLoad {
  done: ReadonlyMap<string, number>
  /** Acknowledged payments, including those of links. */
  payments(): number
  /** Unexpected answers, and how often each came. */
  wrongs: ReadonlyMap<string, number>
  /** Ends when every request has its answer. */
  stop(): Promise<void>
}

interface Answer {
  code: number
  text: string
  headers: IncomingHttpHeaders
}

interface Ask
  extends Pick<RequestOptions, 'method' | 'headers' | 'agent' | 'localAddress' | 'signal'> {
  body?: string
}

interface Made {
  reference: string
  transactionId: string
  secretKey: string
  at: number
}

const times = (count: number, ...numbers: string[]): string[] => Array(count).fill(numbers).flat()
/** Most payers approve after the delay, and a few numbers make the network misbehave. */
const NUMBERS: readonly string[] = [
  ...times(50, SUCCEEDS),
  ...times(25, SUCCEEDS_AT_ONCE),
  ...times(5, '40410000101'),
  ...times(4, '40410000002', '40410000004', '40410000006'),
  ...times(2, '40410000102', '40410000104'),
  '40410000107',
  '40410000108',
  '40410000111',
  '40410000112',
]
/** Enough to read, to wait for and to refund; older ones are dropped. */
const MOST_KNOWN = 1_000
/** After a machine has frozen for seconds, the missed activities must not all start at once. */
const MOST_UNDER_WAY = 200
const DASHBOARDS = 4
const LONGEST_ANSWER_MS = 60_000

export function startMixedLoad({ port, shops, owner, random }: LoadPlace): MixedLoad {
  const done = new Map<string, number>()
  const wrongs = new Map<string, number>()
  const known: Made[] = []
  const underWay = new Set<Promise<void>>()
  const timers: NodeJS.Timeout[] = []
  const leaving = new AbortController()
  const merchants = new Agent({ keepAlive: true, maxSockets: 32, timeout: LONGEST_ANSWER_MS })
  const origin = `http://127.0.0.1:${port}`
  let payments = 0

  const count = (table: Map<string, number>, name: string): void =>
    void table.set(name, (table.get(name) ?? 0) + 1)
  const pick = <Item>(items: readonly Item[]): Item =>
    items[random.between(0, items.length - 1)] as Item
  /** Not addresses of this machine's own proxies: limits for each network apply. */
  const somewhere = (): string =>
    `127.${random.between(1, 250)}.${random.between(0, 255)}.${random.between(1, 250)}`

  async function ask(path: string, { body, ...options }: Ask = {}): Promise<Answer> {
    const asked = request({
      host: '127.0.0.1',
      port,
      path,
      agent: false,
      timeout: LONGEST_ANSWER_MS,
      ...options,
    })
    asked.once('timeout', () => asked.destroy(new Error('no answer within a minute')))
    asked.end(body)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) text += chunk
    return { code: answer.statusCode as number, text, headers: answer.headers }
  }

  function expect({ code, text }: Answer, what: string, ...codes: number[]): boolean {
    const isExpected = codes.includes(code)
    if (!isExpected) count(wrongs, `${what}: ${code} ${text.slice(0, 120)}`)
    return isExpected
  }

  /** Starts an activity this often a second, with jitter. */
  function often(name: string, perSecond: number, work: () => Promise<unknown>): void {
    const run = async (): Promise<void> => {
      try {
        await work()
        count(done, name)
      } catch (error) {
        if (!leaving.signal.aborted) count(wrongs, `${name}: ${(error as Error).message}`)
      }
    }
    const begin = (): void => {
      if (underWay.size >= MOST_UNDER_WAY) return void count(done, 'skipped, too many in flight')
      const running = run().finally(() => underWay.delete(running))
      underWay.add(running)
    }
    // Spreads the activities over each second.
    timers.push(
      setTimeout(
        () => timers.push(setInterval(begin, 1_000 / perSecond)),
        random.between(0, 1_000),
      ),
    )
  }

  function remember(made: Made): void {
    payments++
    known.push(made)
    if (known.length > MOST_KNOWN) known.shift()
  }

  async function create(): Promise<void> {
    const { secretKey } = pick(shops)
    const placed = order({ msisdn: pick(NUMBERS), amount: random.between(50, 5_000) })
    const headers = head(secretKey)
    const request = { method: 'POST', headers, agent: merchants, body: JSON.stringify(placed) }
    const answer = await ask('/api/v1/payments', request)
    if (!expect(answer, 'create', 200)) return
    const { reference } = JSON.parse(answer.text) as { reference: string }
    remember({
      reference,
      transactionId: placed.transaction_id as string,
      secretKey,
      at: performance.now(),
    })
  }

  async function read(): Promise<void> {
    if (known.length === 0) return
    const { reference, transactionId, secretKey } = pick(known)
    const name = pick([reference, transactionId])
    expect(
      await ask(`/api/v1/payments/${name}`, { headers: head(secretKey), agent: merchants }),
      'read',
      200,
    )
  }

  /** One in four clients leaves before its answer. */
  async function longPoll(): Promise<void> {
    const made = known.at(-1 - random.between(0, Math.min(9, known.length - 1)))
    if (made === undefined) return
    const path = `/api/v1/payments/${made.reference}?wait=${random.between(1, 25)}`
    const leaves = random.between(1, 4) === 1
    const own = leaves ? [AbortSignal.timeout(random.between(50, 2_000))] : []
    const signal = AbortSignal.any([leaving.signal, ...own])
    try {
      expect(await ask(path, { headers: head(made.secretKey), signal }), 'long poll', 200)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  async function refund(): Promise<void> {
    // Old enough to have its outcome; a failed one answers 422.
    const old = known.filter(({ at }) => performance.now() - at > 5_000)
    if (old.length === 0) return
    const { reference, secretKey } = pick(old)
    const path = `/api/v1/payments/${reference}/refund`
    const answer = await ask(path, {
      method: 'POST',
      headers: head(secretKey),
      agent: merchants,
      body: '{}',
    })
    expect(answer, 'refund', 200, 422, 409)
    expect(
      await ask(path, { headers: head(secretKey), agent: merchants }),
      'read of a refund',
      200,
      404,
    )
  }

  let after = 0
  async function lists(): Promise<void> {
    const { secretKey } = shops[0]
    const options = { headers: head(secretKey), agent: merchants }
    expect(
      await ask(`/api/v1/payments?limit=${random.between(1, 100)}&status=succeeded`, options),
      'list',
      200,
    )
    const feed = await ask(`/api/v1/events?limit=100&after=${after}`, options)
    if (expect(feed, 'feed', 200))
      after = (JSON.parse(feed.text) as { next: { after: number } }).next.after
  }

  /** A link, its page, an attempt by phone and the page's own questions. */
  async function payByLink(): Promise<void> {
    const { secretKey } = pick(shops)
    const headers = head(secretKey, { 'svc-payment-type': 'external_payment' })
    const body = JSON.stringify({ amount: random.between(100, 9_000), title: 'Commande 12' })
    const made = await ask('/api/v1/external_payments', {
      method: 'POST',
      headers,
      agent: merchants,
      body,
    })
    if (!expect(made, 'link', 200)) return
    const { reference } = JSON.parse(made.text) as { reference: string }
    const localAddress = somewhere()
    expect(
      await ask(`/api/v1/external_payments/${reference}`, { localAddress }),
      'public read',
      200,
    )
    expect(await ask(`/pay/${reference}`, { localAddress }), 'payer page', 200)
    if (random.between(1, 5) === 1) return
    const form = new URLSearchParams({
      method: 'mobile',
      country: 'NE',
      msisdn: pick(NUMBERS),
      attempt: '0',
    })
    const typed = {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
    }
    const sent = await ask(`/pay/${reference}`, {
      method: 'POST',
      headers: typed,
      localAddress,
      body: `${form}`,
    })
    if (!expect(sent, 'payer form', 303)) return
    payments++
    for (let look = 0; look < 3; look++) {
      await pause(random.between(500, 1_500), undefined, { signal: leaving.signal })
      expect(await ask(`/pay/${reference}/status`, { localAddress }), 'payer status', 200)
    }
    expect(await ask(`/pay/${reference}`, { localAddress }), 'payer page at the end', 200)
  }

  /**
   * A request that stops in its head, in its body, or after a complete pipelined request; the
   * connection is dropped seconds later.
   */
  async function halfRequest(): Promise<void> {
    const { secretKey } = pick(shops)
    const lines = Object.entries(head(secretKey)).map(([name, value]) => `${name}: ${value}\r\n`)
    const whole = `GET /api/v1/account HTTP/1.1\r\nhost: karba\r\n${lines.join('')}\r\n`
    const halfBody = `POST /api/v1/payments HTTP/1.1\r\nhost: karba\r\n${lines.join('')}content-length: 200\r\n\r\n{"amount":`
    const socket = connect({ port, host: '127.0.0.1', localAddress: somewhere() })
    socket.on('error', () => {}).resume()
    await once(socket, 'connect')
    socket.write(pick([whole.slice(0, 60), halfBody, whole + whole.slice(0, 90)]))
    await pause(random.between(200, 15_000), undefined, { signal: leaving.signal }).catch(() => {})
    socket.destroy()
  }

  async function badRequest(): Promise<void> {
    const headers = head(pick(shops).secretKey)
    const localAddress = somewhere()
    const unique = random.between(0, 1e9).toString(36)
    const post = { method: 'POST', headers }
    const stranger = head(`sk_sandbox_${unique}${'a'.repeat(40 - unique.length)}`)
    const [what, path, options, ...codes] = pick<[string, string, Ask, ...number[]]>([
      [
        'unknown key',
        '/api/v1/payments',
        { ...post, headers: stranger, body: JSON.stringify(order()) },
        401,
      ],
      ['bad JSON', '/api/v1/payments', { ...post, body: '{' }, 400],
      ['unknown path', `/${unique}/${unique}?${unique}`, {}, 404],
      ['unknown link', `/pay/${unique}`, {}, 404, 410],
      ['unknown payment', `/api/v1/payments/${unique}`, { headers }, 404],
      ['long body', '/api/v1/payments', { ...post, body: ' '.repeat(1_000_000) }, 413, 400],
    ])
    // A server may refuse a long body before it has read it all, which cuts the connection.
    const cut = (error: Error): Answer => {
      if (what !== 'long body') throw error
      return { code: 413, text: '', headers: {} }
    }
    expect(await ask(path, { ...options, localAddress }).catch(cut), what, ...codes)
  }

  async function signIn(): Promise<string | undefined> {
    const headers = { ...typed, 'user-agent': `soak ${random.between(0, 1e9)}` }
    const answer = await ask('/dashboard/api/sign-in', {
      method: 'POST',
      headers,
      body: JSON.stringify(owner),
    })
    if (!expect(answer, 'sign-in', 200)) return undefined
    return String(answer.headers['set-cookie']).split(';')[0] as string
  }

  const typed = { origin, host: `127.0.0.1:${port}`, 'content-type': 'application/json' }
  const account = `/dashboard/api/accounts/${shops[0].accountId}`

  /** A person signs in, opens pages, exports the last minutes, and signs out. */
  async function visit(): Promise<void> {
    const cookie = await signIn()
    if (cookie === undefined) return
    const headers = { cookie }
    const from = Date.now() - 120_000
    const pages = [
      'home?days=7',
      'payments?status=failed',
      `payments.csv?from=${from}`,
      'endpoints',
    ]
    for (const page of [...pages, 'deliveries', 'links', 'events']) {
      const name = page.split('?')[0] as string
      // Two visits of the same person may overlap, and a person gets one export at a time.
      const statuses = name === 'payments.csv' ? [200, 429] : [200]
      expect(await ask(`${account}/${page}`, { headers }), `dashboard ${name}`, ...statuses)
    }
    const made = known.find(({ secretKey }) => secretKey === shops[0].secretKey)
    if (made !== undefined)
      expect(
        await ask(`${account}/payments/${made.reference}`, { headers }),
        'dashboard payment',
        200,
      )
    const signOut = { method: 'POST', headers: { ...typed, cookie }, body: '{}' }
    expect(await ask('/dashboard/api/sign-out', signOut), 'sign-out', 200, 204)
  }

  /**
   * An open page: it follows its stream, reads again at each change, and is closed and reopened
   * after a while.
   */
  async function openDashboard(cookie: string, page: string): Promise<void> {
    while (!leaving.signal.aborted) {
      const until = AbortSignal.any([
        leaving.signal,
        AbortSignal.timeout(random.between(10_000, 60_000)),
      ])
      const live = { host: '127.0.0.1', port, path: `${account}/live`, headers: { cookie } }
      const asked = request({ ...live, agent: false, signal: until }).end()
      try {
        const [stream] = (await once(asked, 'response')) as [IncomingMessage]
        if (stream.statusCode !== 200) count(wrongs, `live stream: ${stream.statusCode}`)
        for await (const chunk of stream.setEncoding('utf8')) {
          if (!(chunk as string).includes('data:')) continue
          expect(await ask(`${account}/${page}`, { headers: { cookie } }), 'dashboard read', 200)
          count(done, 'dashboard read')
          await pause(500, undefined, { signal: until })
        }
      } catch (error) {
        if (!until.aborted) count(wrongs, `live stream: ${(error as Error).message}`)
      }
    }
  }

  async function openDashboards(): Promise<void> {
    const cookie = await signIn()
    if (cookie === undefined) return
    const pages = Array.from({ length: DASHBOARDS }, (_, nth) =>
      nth % 2 === 0 ? 'home' : 'payments',
    )
    await Promise.all(pages.map((page) => openDashboard(cookie, page)))
  }

  often('create', 20, create)
  often('read', 25, read)
  often('long poll', 2, longPoll)
  often('refund', 1, refund)
  often('lists', 0.5, lists)
  often('link', 1, payByLink)
  often('half request', 3, halfRequest)
  often('bad request', 3, badRequest)
  often('dashboard visit', 0.2, visit)
  const dashboards = openDashboards()
  return {
    done,
    wrongs,
    payments: () => payments,
    async stop() {
      for (const timer of timers) clearInterval(timer)
      leaving.abort()
      await Promise.all([dashboards, ...underWay])
      merchants.destroy()
    },
  }
}
