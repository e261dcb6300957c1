// A conformance simulator over HTTP, with a control address: its ledger, its faults, and payers'
// decisions. For tests and for developers of clients of the network; it is no part of a service
// that moves money.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Clock,
  type ConformanceNetwork,
  lookUp,
  type PayerDecision,
  parseObject,
  STATEMENT_FAULTS,
  type StatementFault,
  type WireReaction,
  type WireRequest,
} from './network.ts'

export type NetworkServer = { url: string; close(): Promise<void> }

export interface NetworkServerOptions {
  clock: Clock
  /** Any free port by default. */
  port?: number
  keepsAlive?: boolean
}

const BODY_LIMIT_BYTES = 256 * 1024

export async function startNetworkServer(
  network: ConformanceNetwork,
  { clock, port = 0, keepsAlive = false }: NetworkServerOptions,
): Promise<NetworkServer> {
  const server = createServer((request, response) => {
    readBody(request, (body) => {
      try {
        answer(network, clock, request, response, body)
      } catch {
        response.destroy()
      }
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  if (!keepsAlive) server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Including connections that a silent network keeps open.
      server.closeAllConnections()
      await closed
    },
  }
}

/** By events: an iterator over the chunks costs more than all else that a short request needs. */
function readBody(request: IncomingMessage, done: (body: string) => void): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) {
    request.resume()
    done('')
    return
  }
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > BODY_LIMIT_BYTES) request.destroy()
    else chunks.push(chunk)
  })
  request.on('end', () => done(Buffer.concat(chunks).toString('utf8')))
  request.on('error', () => {})
}

function answer(
  network: ConformanceNetwork,
  clock: Clock,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) {
  const { method = 'GET', url = '/' } = request
  const queryAt = url.indexOf('?')
  const path = queryAt < 0 ? url : url.slice(0, queryAt)
  const query = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt))
  const wire: WireRequest = { method, path, query, headers: headersOf(request), body }
  const reaction = path.startsWith(CONTROL_PATH)
    ? answerControl(network, wire)
    : network.handle(wire)
  if ('silent' in reaction) return
  const { afterMs = 0 } = reaction
  if (afterMs > 0) clock.after(afterMs, () => respond(response, reaction))
  else respond(response, reaction)
}

/** Node gives only cookies as a list, and no network sets any. */
const headersOf = ({ headers }: IncomingMessage): WireRequest['headers'] =>
  headers['set-cookie'] === undefined
    ? (headers as WireRequest['headers'])
    : { ...headers, 'set-cookie': headers['set-cookie'].join(', ') }

function respond(
  response: ServerResponse,
  reaction: Exclude<WireReaction, { silent: true }>,
): void {
  if ('cut' in reaction) {
    response.destroy()
    return
  }
  const { code, headers = {}, body } = reaction
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
  response.writeHead(code, isJson ? { 'content-type': 'application/json', ...headers } : headers)
  response.end(isJson ? JSON.stringify(body) : body)
}

// The control address, the same for all networks. README.md documents it.

const CONTROL_PATH = '/control'

const LONGEST_PERIOD_MS = 31 * 86_400_000

const DECISIONS: readonly PayerDecision[] = ['approve', 'decline', 'ignore', 'no_funds']

function answerControl(network: ConformanceNetwork, request: WireRequest): WireReaction {
  const { method, path } = request
  const [what = '', name = '', verb = ''] = path
    .slice(CONTROL_PATH.length + 1)
    .split('/')
    .map(decodeURIComponent)
  const { faults } = network
  switch (`${method} ${what}`) {
    case 'GET ':
      return { code: 200, body: described(network) }
    case 'GET payments':
      return { code: 200, body: network.books() }
    case 'POST payments':
      return verb === 'decision' ? decide(network, name, request) : NOT_FOUND
    case 'GET faults':
      return { code: 200, body: faults.active() }
    case 'POST faults':
      return switchOn(network, request)
    case 'DELETE faults':
      if (name === '') faults.allOff()
      else faults.off(name)
      return { code: 200, body: faults.active() }
    case 'GET statement':
      return download(network, request)
    case 'GET statement-faults':
      return { code: 200, body: network.planted() }
    case 'POST statement-faults':
      return plantFault(network, request)
    case 'POST reset':
      network.reset()
      return { code: 200, body: {} }
    default:
      return NOT_FOUND
  }
}

const described = ({ name, credentials, numbers, faults, tariff }: ConformanceNetwork): object => ({
  network: name,
  credentials,
  numbers,
  faults: faults.known,
  statementFaults: STATEMENT_FAULTS,
  tariff,
})

const NOT_FOUND: WireReaction = {
  code: 404,
  body: { error: 'no such control address: GET /control lists what there is' },
}

function switchOn({ faults }: ConformanceNetwork, { body }: WireRequest): WireReaction {
  const { name, times } = parseObject(body) ?? {}
  if (times !== undefined && !(Number.isSafeInteger(times) && (times as number) > 0))
    return { code: 400, body: { error: 'times is a whole number from 1, or is left out' } }
  if (typeof name === 'string' && faults.on(name, times as number | undefined))
    return { code: 200, body: faults.active() }
  return { code: 400, body: { error: `name is one of: ${Object.keys(faults.known).join(', ')}` } }
}

function decide(network: ConformanceNetwork, id: string, { body }: WireRequest): WireReaction {
  const { decision } = parseObject(body) ?? {}
  if (!DECISIONS.includes(decision as PayerDecision))
    return { code: 400, body: { error: `decision is one of: ${DECISIONS.join(', ')}` } }
  if (network.decide(id, decision as PayerDecision)) return { code: 200, body: {} }
  return { code: 404, body: { error: 'there is no such payment, or it is decided' } }
}

/** The file that a person downloads from the network's portal. */
function download(network: ConformanceNetwork, { query }: WireRequest): WireReaction {
  const asked = Object.fromEntries(query)
  const [from, to] = [Date.parse(asked.from ?? ''), Date.parse(asked.to ?? '')]
  if (!(from < to && to - from <= LONGEST_PERIOD_MS))
    return {
      code: 400,
      body: { error: 'from and to are times such as 2026-11-15T00:00:00Z, at most 31 days apart' },
    }
  const { format, bytes } = network.statement({ from, to })
  const disposition = `attachment; filename="${format.replace('-csv', '.csv')}"`
  return {
    code: 200,
    headers: { 'content-type': 'text/csv', 'content-disposition': disposition },
    body: bytes,
  }
}

function plantFault(network: ConformanceNetwork, { body }: WireRequest): WireReaction {
  const { kind, reference } = parseObject(body) ?? {}
  if (
    kind !== undefined &&
    (typeof kind !== 'string' || lookUp(STATEMENT_FAULTS, kind) === undefined)
  )
    return {
      code: 400,
      body: { error: `kind is left out, or one of: ${Object.keys(STATEMENT_FAULTS).join(', ')}` },
    }
  const wanted = {
    ...(kind !== undefined && { kind: kind as StatementFault }),
    ...(typeof reference === 'string' && { reference }),
  }
  const planted = network.plant(wanted)
  if (planted !== undefined) return { code: 200, body: planted }
  return {
    code: 404,
    body: { error: 'there is no such payment, or it has a fault, or a statement has shown it' },
  }
}
