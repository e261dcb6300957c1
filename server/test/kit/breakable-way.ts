// A way to a database that can go silent: bytes are no longer passed on, and nobody is told, as when a firewall forgets a connection or a
// machine loses its power. New connections work.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface BreakableWay {
  url: string
  /** What is connected now is never heard of again. */
  silence(): void
  close(): void
}

export async function openBreakableWay(databaseUrl: string): Promise<BreakableWay> {
  const target = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  const silent: Socket[] = []
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(databaseUrl)
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    silence() {
      // Those of the last time: a server's keep-alive ends them too, and would it not, it had no place for new ones after some rounds.
      for (const socket of silent.splice(0)) socket.destroy()
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        for (const socket of [near, far]) {
          socket.removeAllListeners('close').pause()
          silent.push(socket)
        }
      }
      pairs.clear()
    },
    close() {
      server.close()
      for (const socket of [...silent, ...[...pairs].flat()]) socket.destroy()
    },
  }
}
