// The load generator, in its own process: a fixed number of requests over keep-alive connections,
// one in flight on each. Raw sockets, so that the server is the bottleneck: on the bare server it
// is as fast as wrk. Checks the status of every answer. Loopback only.
import { connect } from 'node:net'
import { type LoadOrder, requestMaker } from './requests.ts'

export interface LoadResult {
  answered: number
  /** The opening of the first connection, in milliseconds since 1970. */
  startedAt: number
  perSecond: number
  seconds: number
  /** From sending a request to its answer; the first of a connection from opening it. */
  times: Times
  burst: Times
}

export type Times = { p50Ms: number; p99Ms: number; maxMs: number }

/** The load ends here even if the burst is not answered: it has missed every aim by then. */
const MOST_FOR_BURST = 30_000

const order = JSON.parse(process.argv[2] as string) as LoadOrder
process.stdout.write(`${JSON.stringify(await run(order))}\n`)

async function run(order: LoadOrder): Promise<LoadResult> {
  const { port, requests, connections, burst, perSecond } = order
  const nextRequest = requestMaker(order)
  const times: number[] = []
  const burstTimes: number[] = []
  const opened: Promise<void>[] = []
  let sent = 0
  let written = 0

  const startedAt = performance.now()
  for (let nth = 0; nth < connections; nth++) opened.push(converse(times, next))
  await Promise.all(opened)
  const seconds = (performance.now() - startedAt) / 1_000
  // Includes the burst, which was opened half-way.
  await Promise.all(opened)
  return {
    answered: times.length + burstTimes.length,
    startedAt: performance.timeOrigin + startedAt,
    perSecond: times.length / seconds,
    seconds,
    times: summary(times),
    burst: summary(burstTimes),
  }

  function next(): string | undefined {
    if (burst > 0 && sent === Math.floor(requests / 2)) openBurst()
    const goesOn = sent < requests || (burstTimes.length < burst && sent < MOST_FOR_BURST)
    sent++
    return goesOn ? nextRequest() : undefined
  }

  function openBurst(): void {
    for (let nth = 0; nth < burst; nth++) {
      let request: string | undefined = nextRequest()
      const once = () => {
        const only = request
        request = undefined
        return only
      }
      opened.push(converse(burstTimes, once))
    }
  }

  /** Sends one request at a time on a new connection until none is left. */
  function converse(took: number[], take: () => string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let sentAt = performance.now()
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      const send = () => {
        const request = take()
        if (request === undefined) {
          socket.destroy()
          resolve()
          return
        }
        if (perSecond === 0) return void socket.write(request, 'latin1')
        // An answer counts from the time when its request was due.
        sentAt = startedAt + (written++ / perSecond) * 1_000
        setTimeout(() => socket.write(request, 'latin1'), sentAt - performance.now())
      }
      socket.on('connect', send)
      socket.on('error', reject)
      // An answer is far smaller than a TCP segment, so a chunk is an answer.
      socket.on('data', (chunk) => {
        if (chunk.toString('latin1', 9, 12) !== '200') return reject(new Error(chunk.toString()))
        const now = performance.now()
        took.push(now - sentAt)
        sentAt = now
        send()
      })
    })
  }
}

function summary(times: number[]): Times {
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}
