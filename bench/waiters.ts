// What those who wait for an outcome cost those who create: the p99 of creates beside 5,000 reads with ?wait=25, each for a pending payment
// of its own and asked again when it is answered, of the p99 without them. Every create settles meanwhile, so there are outcomes to look at.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { compare, progress } from './compare.ts'
import type { LoadResult } from './load.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, WARM_UP_PAYMENTS, warmUpAll } from './servers.ts'

const WAITERS = 5_000
/** Within what the system queues of new connections. */
const OPENED_AT_ONCE = 100
/** A test number that decides nothing for 15 minutes. */
const UNDECIDED = '40410000127'
const AWAITED = 'awaited-'

export const waiters: Part = {
  name: 'waiters',
  measure: ({ store, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, role all`, place), async (karba) => {
        await warmUpAll(karba)
        await load(karba, 'create', WAITERS, { msisdn: UNDECIDED, prefix: AWAITED })
        progress(`${karba.name}: creates beside ${WAITERS} who wait`)
        let settled = WARM_UP_PAYMENTS
        let aloneP99Ms = 0
        async function create(): Promise<LoadResult> {
          const result = await load(karba, 'create', requests, { msisdn: AT_ONCE })
          settled += result.answered
          await karba.hasCounted(SETTLED, settled)
          return result
        }
        const { ratio, last } = await compare(
          rounds,
          async () => {
            const result = await create()
            aloneP99Ms = result.times.p99Ms
            return result
          },
          () => besideWaiters(karba, create),
          ({ times }) => times.p99Ms,
        )
        const what = `${store.name}: p99 of creates beside ${WAITERS} who wait, role all, of alone`
        const detail = `${last.times.p99Ms.toFixed(1)} and ${aloneP99Ms.toFixed(1)} ms`
        return [{ what, value: ratio, detail, atMost: 2 }]
      }),
    ),
}

async function besideWaiters(karba: Measured, work: () => Promise<LoadResult>): Promise<LoadResult> {
  const sockets: Socket[] = []
  let answered = 0
  try {
    while (sockets.length < WAITERS) {
      const opened = Array.from({ length: OPENED_AT_ONCE }, (_, nth) => wait(karba, sockets.length + nth))
      sockets.push(...(await Promise.all(opened)))
    }
    const result = await work()
    const lost = sockets.filter(({ destroyed }) => destroyed).length
    if (lost > 0) throw new Error(`${lost} of ${WAITERS} who waited were cut off`)
    progress(`  ${answered} of those who wait were answered meanwhile, and asked again`)
    return result
  } finally {
    for (const socket of sockets) socket.destroy()
  }

  async function wait({ port, secretKey }: Measured, nth: number): Promise<Socket> {
    const asked =
      `GET /api/v1/payments/${AWAITED}${nth}?wait=25 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer ${secretKey}\r\nSvc-Target-Environment: sandbox\r\nSvc-Payment-Type: mobile\r\n\r\n`
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(asked)
    socket.on('data', (answer) => {
      if (!answer.toString('latin1').startsWith('HTTP/1.1 200')) socket.destroy()
      answered++
      socket.write(asked)
    })
    return socket
  }
}
