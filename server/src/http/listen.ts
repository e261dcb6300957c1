// Several listeners on one port, for one HTTP server. libuv accepts one connection from each listener in a turn of the
// event loop, and under load a turn is long: of 500 connections opened at once, the last waited for 500 turns.
import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The last of 500 connections under load waited 4 to 8 s with 1 listener, 0.8 to 1.3 with 8, 0.3 to 0.5 with 32. */
const LISTENERS = 32

export function listenersOf(app: FastifyInstance) {
  const others: Server[] = []

  async function openOther(at: ListenOptions): Promise<void> {
    // As an HTTP server opens its own listener.
    const other = createServer({ allowHalfOpen: true, noDelay: true })
    other.on('connection', (socket) => app.server.emit('connection', socket))
    await listening(other, at)
    others.push(other)
  }

  return {
    /** Returns the address of the server. */
    async open({ host, port: wanted }: { host: string; port: number }): Promise<string> {
      const port = await freePort(host, wanted)
      const shared = { host, port, reusePort: true }
      try {
        const address = await app.listen(shared)
        for (let other = 1; other < LISTENERS; other++) await openOther(shared)
        return address
      } catch (error) {
        // A system that cannot share a port fails at the first listener.
        if ((error as { code?: string }).code !== 'ENOTSUP') throw error
        return app.listen({ host, port })
      }
    },
    /** Stops accepting on the extra listeners; resolves when the connections that they accepted have ended. */
    close: async () => void (await Promise.all(others.splice(0).map((other) => once(other.close(), 'close')))),
  }
}

/** A port without another listener: shared ones would silently join those of another server of the same user. */
async function freePort(host: string, wanted: number): Promise<number> {
  const alone = createServer()
  await listening(alone, { host, port: wanted })
  const { port } = alone.address() as AddressInfo
  alone.close()
  return port
}

async function listening(server: Server, at: ListenOptions): Promise<void> {
  server.listen(at)
  await once(server, 'listening')
}
