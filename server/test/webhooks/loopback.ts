// A server on every address of this machine. It records each connection, the address it was made
// to, and its bytes. The test decides the answers.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach } from 'node:test'
import type { Clock } from '../../src/domain/clock-and-random.ts'

/** The real agent without the service: loading compose.ts takes longer than these tests run. */
export const wallClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** Answers each request, which the tests send in one piece, and keeps the connection open. */
export const answering = (text: string) => (socket: Socket) =>
  void socket.on('data', () => socket.write(text))

export type Loopback = Awaited<ReturnType<typeof listen>>

export async function listen(serve: (socket: Socket) => void = answering(OK)) {
  const sockets = new Set<Socket>()
  const reached: string[] = []
  let bytes = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    reached.push((socket.localAddress ?? 'unknown').replace('::ffff:', ''))
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    // Some tests want a receiver that is cut off.
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    serve(socket)
  })
  server.listen(0)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    reached,
    bytes: () => bytes,
    open: () => sockets.size,
    async close(): Promise<void> {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** After each test of the suite, closes every server passed to it. */
export function closedAfterEach(): <T extends { close(): Promise<void> }>(one: T) => T {
  let opened: { close(): Promise<void> }[] = []
  afterEach(async () => {
    const closing = opened
    opened = []
    await Promise.all(closing.map((one) => one.close()))
  })
  return (one) => {
    opened.push(one)
    return one
  }
}
