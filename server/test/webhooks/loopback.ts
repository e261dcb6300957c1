// A server on every address of this machine that counts who comes: each connection, the address it was made to, and the
// bytes it brought. What it answers is the test's.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Clock } from '../../src/domain/clock-and-random.ts'

export interface Loopback {
  port: number
  /** The address that each connection was made to, in order. */
  reached: string[]
  bytes(): number
  /** How many connections are open now. */
  open(): number
  close(): Promise<void>
}

/** The real one, without the service around it: compose.ts takes longer to load than these tests to run. */
export const wallClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** Answers each request, which the tests send in one piece, on a connection that stays open. */
export const answering = (text: string) => (socket: Socket) => void socket.on('data', () => socket.write(text))

export async function listen(serve: (socket: Socket) => void = answering(OK)): Promise<Loopback> {
  const sockets = new Set<Socket>()
  const reached: string[] = []
  let bytes = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    reached.push((socket.localAddress ?? 'unknown').replace('::ffff:', ''))
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    // A receiver that is cut off is what some tests want.
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
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
