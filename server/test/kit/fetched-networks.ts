// Simulated networks over real HTTP whose statements are fetched: their time is moved by the test,
// their answers can be changed, and the calls to them are counted.
import { randomBytes } from 'node:crypto'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { fedapayNetwork } from '../../../simulators/src/fedapay/network.ts'
import type {
  ConformanceNetwork,
  NetworkDeps,
  WireReaction,
  WireRequest,
} from '../../../simulators/src/network.ts'
import { startNetworkServer } from '../../../simulators/src/network-server.ts'
import { pawapayNetwork } from '../../../simulators/src/pawapay/network.ts'
import type { Config } from '../../src/config.ts'
import type { Clock } from '../../src/domain/clock-and-random.ts'
import type { Connector } from '../../src/operators/connector.ts'
import { connectNetwork } from '../../src/service/connect-operators.ts'
import { type FileConnection, USUAL_LIMITS } from '../../src/service/operators-file.ts'
import { FEDAPAY, PAWAPAY } from '../networks/networks.ts'
import { listenLocally } from './process.ts'
import { seededRandom } from './seeded-random.ts'

/** Sees each request with the network's reaction, and gives the reaction that is sent. */
export type Tamper = (request: WireRequest, reaction: WireReaction) => WireReaction

/** Answers byte by byte, as no simulator does; true when it has taken the request. */
export type RawAnswer = (request: IncomingMessage, response: ServerResponse) => boolean

/** Passes every request on to the simulator that the test does not answer itself. */
async function startFront(url: string, isTaken: RawAnswer) {
  const { hostname, port } = new URL(url)
  const server = createServer((request, response) => {
    if (isTaken(request, response)) return
    const { method, url: path, headers } = request
    const passedOn = httpRequest(
      { hostname, port, method, path, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.on('error', () => response.destroy()).pipe(response)
      },
    )
    passedOn.on('error', () => response.destroy())
    request.pipe(passedOn)
  })
  const frontPort = await listenLocally(server)
  server.unref()
  return {
    url: `http://127.0.0.1:${frontPort}`,
    close: async (): Promise<void> => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const UNDER_TEST = { pawapay: PAWAPAY, fedapay: FEDAPAY }
const MAKERS: Readonly<Record<keyof typeof UNDER_TEST, (deps: NetworkDeps) => ConformanceNetwork>> =
  {
    pawapay: (deps) => pawapayNetwork(deps, { settlesDaily: true }),
    fedapay: (deps) => fedapayNetwork(deps, { settlesDaily: true }),
  }

/** A time that tests move. Deadlines of real calls run in real time. */
export function movedTime(startAt: number) {
  let now = startAt
  let timers: { at: number; work(): void }[] = []
  const real: Clock = {
    now: () => now,
    after(ms, work) {
      const timer = setTimeout(work, ms).unref()
      return () => clearTimeout(timer)
    },
  }
  const moved: Clock = {
    now: () => now,
    after(ms, work) {
      const timer = { at: now + ms, work }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
  }
  /** Deadlines of real calls, which also end when the test lets so much time pass. */
  const both: Clock = {
    now: () => now,
    after(ms, work) {
      const cancels = [real.after(ms, work), moved.after(ms, work)]
      return () => {
        for (const cancel of cancels) cancel()
      }
    },
  }
  return {
    real,
    moved,
    both,
    pass(ms: number): void {
      now += ms
      const due = timers.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at)
      timers = timers.filter(({ at }) => at > now)
      for (const { work } of due) work()
    },
  }
}

export async function openFetchedNetwork(
  name: keyof typeof UNDER_TEST,
  { config, time }: { config: Config; time: ReturnType<typeof movedTime> },
) {
  const network = MAKERS[name]({
    clock: time.moved,
    random: seededRandom(5),
    decideAfterMs: 1_000,
    sendCallback: async () => 200,
  })
  const state: { tamper: Tamper | undefined; raw: RawAnswer | undefined; calls: string[] } = {
    tamper: undefined,
    raw: undefined,
    calls: [],
  }
  const handle = (request: WireRequest): WireReaction => {
    state.calls.push(`${request.method} ${request.path}`)
    const reaction = network.handle(request)
    return state.tamper?.(request, reaction) ?? reaction
  }
  const server = await startNetworkServer({ ...network, handle }, { clock: time.real })
  const front = await startFront(
    server.url,
    (request, response) => state.raw?.(request, response) === true,
  )
  const { connector, options } = UNDER_TEST[name]
  const connection: FileConnection = {
    environment: 'live',
    name,
    connector: connector as Connector,
    address: front.url,
    takes: true,
    limits: USUAL_LIMITS,
    certificates: undefined,
    prompts: ['mtn_bj'],
    pages: [],
    options: options(network, {}),
  }
  const deps = {
    config,
    clock: time.both,
    random: { bytes: randomBytes },
    ownAddress: () => undefined,
  }
  const opened = connectNetwork(deps, connection)
  const { operator, statements } = opened.connected
  return {
    network,
    state,
    statements,
    /** A payment that succeeds, unless the number decides otherwise. */
    async paid(
      reference: string,
      amountXof: number,
      msisdn = UNDER_TEST[name].payer,
    ): Promise<void> {
      const collection = {
        reference,
        amountXof,
        msisdn,
        operator: 'mtn_bj',
        publicReference: 'XF5X-ZEBB-9',
      }
      const answer = await operator.request({
        ...collection,
        networkId: null,
        keepNetworkId: async () => true,
      })
      if (answer.is !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(answer)}`)
      time.pass(5_000)
    },
    async close(): Promise<void> {
      await opened.destroy()
      await front.close()
      await server.close()
    },
  }
}

export type FetchedNetwork = Awaited<ReturnType<typeof openFetchedNetwork>>
