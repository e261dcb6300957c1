// Many bad clients in their own process, so that their work is not measured as the service's: idle,
// slow, or with endless headers. Prints `ready` when all are connected, and exits when its input
// ends: crowd.ts <port> <kind> <count>
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

export type CrowdKind = 'idle' | 'slow heads' | 'slow bodies' | 'endless headers'

export const CROWD = fileURLToPath(import.meta.url)

/**
 * No proxy uses these addresses, so the limits for an address apply, and each client stays within
 * them.
 */
const ADDRESSES = ['127.0.0.11', '127.0.0.12', '127.0.0.13', '127.0.0.14']
const A_BYTE_EVERY_MS = 500
/** A refused client reconnects after this time, with jitter. */
const BACK_AFTER_MS = 50
const CONNECTING_AT_ONCE = 200
const HEADER = `x-more: ${'x'.repeat(1_000)}\r\n`
const HEAD = 'POST /api/v1/payments HTTP/1.1\r\nhost: karba\r\n'

const BEHAVIOURS: Readonly<Record<CrowdKind, (socket: Socket) => void>> = {
  idle: () => {},
  'slow heads': (socket) => dripping(socket, HEAD + HEADER),
  'slow bodies': (socket) => {
    // Without a key its body is not read: a server that reads it first has to hold it.
    socket.write(`${HEAD}content-type: application/json\r\ncontent-length: 5000\r\n\r\n`)
    dripping(socket, ' '.repeat(5_000))
  },
  // Four times the limit of a head: more would only fill the system's buffers, which costs the
  // clients and not the service.
  'endless headers': (socket) => socket.write(HEAD + HEADER.repeat(64)),
}

function dripping(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length] as string), A_BYTE_EVERY_MS)
  socket.once('close', () => clearInterval(timer))
}

let leaving = false

async function join(port: number, kind: CrowdKind, nth: number): Promise<void> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    localAddress: ADDRESSES[nth % ADDRESSES.length] as string,
  })
  socket.on('error', () => {}).resume()
  socket.once('close', () => {
    const backAfterMs = BACK_AFTER_MS + (nth % 100)
    if (!leaving) setTimeout(() => void join(port, kind, nth), backAfterMs)
  })
  await once(socket, 'connect').catch(() => {})
  BEHAVIOURS[kind](socket)
}

async function command([port, kind, count]: readonly string[]): Promise<void> {
  process.stdin.on('end', () => {
    leaving = true
    process.exit(0)
  })
  process.stdin.resume()
  for (let nth = 0; nth < Number(count); nth += CONNECTING_AT_ONCE) {
    const some = Array.from(
      { length: Math.min(CONNECTING_AT_ONCE, Number(count) - nth) },
      (_, at) => nth + at,
    )
    await Promise.all(some.map((each) => join(Number(port), kind as CrowdKind, each)))
  }
  process.stdout.write('ready\n')
}

if (process.argv[1] === CROWD) await command(process.argv.slice(2))
