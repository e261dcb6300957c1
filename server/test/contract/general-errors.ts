// Provokes the errors that belong to no operation, at the path of any operation: by malformed
// bytes, a failing store, oversized bodies and the rate limit.

import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Config } from '../../src/config.ts'
import { OPERATIONS, type Operation, type OperationId } from '../../src/merchant-api/contract.ts'
import { type Database, StoreUnavailable } from '../../src/store/engine/database.ts'
import type { GeneralError } from '../../src/wire/error.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { openWatchedStore, SQLITE } from '../kit/stores.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { until } from '../kit/waiting.ts'
import { ask, makeWorld, pathOf, type RawAnswer, type Sent, walk } from './refusal-walk.ts'

const REQUEST_TIMEOUT_MS = 200
const LONG_TIMEOUT_MS = 60_000
const TOO_LONG = 'x'.repeat(70_000)
/** Above the rate limit of any address. */
const TOO_OFTEN = 40

export type Troubled = Awaited<ReturnType<typeof openTroubled>>

export async function openTroubled() {
  const clock = virtualClock()
  /** While it has an error, every store call throws it. */
  const trouble: { error: Error | undefined } = { error: undefined }
  const openStore = (config: Config): Database => failing(openWatchedStore(config, clock), trouble)
  const service = await openTestService(SQLITE, { KARBA_PUBLIC_RATE: '1' }, { clock, openStore })
  // Node reads these settings when it begins to listen.
  const timeouts = { headersTimeout: REQUEST_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS }
  Object.assign(service.app.server, timeouts, {
    connectionsCheckingInterval: REQUEST_TIMEOUT_MS / 4,
  })
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as AddressInfo
  const world = await makeWorld(service)
  /** A request of each operation that gets 200. */
  const valid: Partial<Record<OperationId, Sent>> = {}
  for (const { id } of Object.values(OPERATIONS))
    for await (const { refusal, sent } of walk(world, id))
      if (refusal === undefined) valid[id] = sent
  // A stop waits for open connections, and they for the clock.
  const remove = (): Promise<void> => clock.advanceUntil('end of the service', service.remove())
  return { world, port, valid: valid as Record<OperationId, Sent>, trouble, remove }
}

function failing(db: Database, trouble: { error: Error | undefined }): Database {
  return new Proxy(db, {
    get(target, name: keyof Database) {
      if (trouble.error === undefined || name === 'close') return target[name]
      return () => Promise.reject(trouble.error)
    },
  })
}

type Give = (troubled: Troubled, operation: (typeof OPERATIONS)[OperationId]) => Promise<RawAnswer>

const byBytes =
  (head: string): Give =>
  ({ port, valid }, operation) =>
    answerTo(
      port,
      `${operation.method} ${pathOf(operation, valid[operation.id])} HTTP/1.1\r\n${head}`,
    )

const byStore =
  (error: Error): Give =>
  async ({ world, valid, trouble }, operation) => {
    trouble.error = error
    try {
      return await ask(world.service, operation, valid[operation.id])
    } finally {
      trouble.error = undefined
    }
  }

const GIVE = {
  bad_request: byBytes('Connection: close\r\n\r\n'),
  request_timeout: byBytes('Host: karba\r\n'),
  headers_too_large: byBytes(`Host: karba\r\nX: ${TOO_LONG}\r\n\r\n`),
  internal: byStore(new Error('a bug')),
  unavailable: byStore(new StoreUnavailable('away')),
  payload_too_large: ({ world, valid }, operation) => {
    const sent = valid[operation.id]
    return ask(world.service, operation, { ...sent, body: { ...sent.body, note: TOO_LONG } })
  },
  too_many_requests: async ({ world, valid }, operation) => {
    // An account has one statement at a time.
    if (operation.id === 'readStatement' || operation.id === 'downloadMonth') {
      const [, second] = await Promise.all(
        [1, 2].map(() => ask(world.service, operation, valid[operation.id])),
      )
      return second as RawAnswer
    }
    const from = '198.51.100.7'
    for (let asked = 0; asked < TOO_OFTEN; asked++)
      await ask(world.service, operation, valid[operation.id], from)
    return ask(world.service, operation, valid[operation.id], from)
  },
} satisfies Partial<Record<GeneralError, Give>>

/** The errors to provoke on every operation, whether or not it documents them. */
export const TRIED = Object.keys(GIVE) as (keyof typeof GIVE)[]

export const tryGeneralError = (
  troubled: Troubled,
  name: (typeof TRIED)[number],
  operation: (typeof OPERATIONS)[OperationId],
): Promise<RawAnswer> => GIVE[name](troubled, operation)

/** Sends no headers but Host and Connection. */
export const askPlainly = ({ port }: Troubled, method: string, path: string): Promise<RawAnswer> =>
  answerTo(port, `${method} ${path} HTTP/1.1\r\nHost: karba\r\nConnection: close\r\n\r\n`)

/** Every request begins before the service stops, and ends after. */
export async function askWhileStopping(
  service: TestService,
  operations: readonly Operation[],
): Promise<[id: string, answer: RawAnswer][]> {
  const { server } = service.app
  const { port } = server.address() as AddressInfo
  Object.assign(server, { headersTimeout: LONG_TIMEOUT_MS, requestTimeout: LONG_TIMEOUT_MS })
  const accepted: Socket[] = []
  server.on('connection', (socket: Socket) => accepted.push(socket))
  const begun = operations.map((operation) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `${operation.method} ${pathOf(operation, { reference: 'x' })} HTTP/1.1\r\nHost: karba\r\n`,
    )
    return { id: operation.id, socket, answering: heardBy(socket).then(parsed) }
  })
  const haveBegun = (): boolean =>
    accepted.length === begun.length && accepted.every(({ bytesRead }) => bytesRead > 0)
  await until('first bytes of every request', haveBegun)
  const closing = service.close()
  await until('stop of the server', () => !server.listening)
  for (const { socket } of begun) socket.write('\r\n')
  const answers = await Promise.all(
    begun.map(async ({ id, answering }): Promise<[string, RawAnswer]> => [id, await answering]),
  )
  await closing
  return answers
}

const answerTo = async (port: number, bytes: string): Promise<RawAnswer> =>
  parsed(await rawAnswerTo(port, bytes))

/**
 * All that the server sends to these bytes until it closes the connection; `end` closes our side of
 * it.
 */
export function rawAnswerTo(
  port: number,
  bytes: string | Buffer,
  how: 'write' | 'end' = 'write',
): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket[how](bytes)
  return heardBy(socket)
}

async function heardBy(socket: Socket): Promise<string> {
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
  })
  // Bytes in flight when the server closes cause a reset, after the answer has arrived. `once`
  // would reject on it.
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('close', resolve))
  return heard
}

function parsed(heard: string): RawAnswer {
  const [top, text] = heard.split('\r\n\r\n') as [string, string]
  const [line, ...headers] = top.split('\r\n') as [string, ...string[]]
  return {
    code: Number(line.split(' ')[1]),
    text,
    headers: Object.fromEntries(headers.map(nameAndValue)),
  }
}

function nameAndValue(header: string): [name: string, value: string] {
  const [name, value] = header.split(/: (.*)/s) as [string, string]
  return [name.toLowerCase(), value]
}
