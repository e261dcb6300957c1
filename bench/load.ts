// The load generator, in a process of its own: a fixed number of requests over keep-alive connections, each sent when the one before it is
// answered. Raw sockets and prepared bytes, so that the server is the bottleneck: on the bare server it is as fast as wrk. Checks every
// answer's status. Loopback only; ends by itself.
import { connect } from 'node:net'

export interface LoadOrder {
  port: number
  kind: 'create' | 'read' | 'page'
  requests: number
  connections: number
  secretKey: string
  /** Makes the transaction_ids of this run unique; reads use those of an earlier run. */
  prefix: string
  msisdn: string
  /** For creates: the first number after the prefix. */
  first: number
  /** For pages: the address. */
  path: string
  /** For reads: how many payments with this prefix there are to choose from. */
  known: number
}

export interface LoadResult {
  perSecond: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

const order = JSON.parse(process.argv[2] as string) as LoadOrder
process.stdout.write(`${JSON.stringify(await run(order))}\n`)

async function run({
  port,
  kind,
  requests,
  connections,
  secretKey,
  prefix,
  msisdn,
  first,
  path,
  known,
}: LoadOrder): Promise<LoadResult> {
  const head =
    'Host: 127.0.0.1\r\nContent-Type: application/json\r\n' +
    `Authorization: Bearer ${secretKey}\r\nSvc-Target-Environment: sandbox\r\nSvc-Payment-Type: mobile\r\n`
  let sent = 0
  let answered = 0
  const took = new Float64Array(requests)

  function nextRequest(): string {
    const n = sent++
    if (kind === 'page') return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
    if (kind === 'read') {
      // A stride that visits every known payment in a scattered order.
      const which = (n * 7_919) % known
      return `GET /api/v1/payments/${prefix}${which} HTTP/1.1\r\n${head}\r\n`
    }
    const body = `{"amount":1500,"country":"NE","currency":"XOF","msisdn":"${msisdn}","transaction_id":"${prefix}${first + n}","customer_name":"Awa Diallo"}`
    return `POST /api/v1/payments HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`
  }

  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, () => runConnection()))
  const seconds = (performance.now() - startedAt) / 1_000
  took.sort()
  const at = (share: number) => took[Math.floor(requests * share)] as number
  return { perSecond: requests / seconds, seconds, p50Ms: at(0.5), p99Ms: at(0.99) }

  function runConnection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      let sentAt = 0
      const send = () => {
        if (sent >= requests) {
          socket.destroy()
          return resolve()
        }
        sentAt = performance.now()
        socket.write(nextRequest(), 'latin1')
      }
      socket.on('connect', send)
      socket.on('error', reject)
      // One request at a time. JSON is far smaller than a TCP segment, so a chunk is an answer. A page may come in several chunks.
      let missing = 0
      socket.on('data', (chunk) => {
        if (missing > 0) missing -= chunk.length
        else {
          if (chunk.toString('latin1', 9, 12) !== '200') return reject(new Error(chunk.toString()))
          if (kind === 'page') missing = sizeOf(chunk) - chunk.length
        }
        if (missing > 0) return
        took[answered++] = performance.now() - sentAt
        send()
      })
    })
  }
}

/** The size of headers and body together. */
function sizeOf(firstChunk: Buffer): number {
  const headEnd = firstChunk.indexOf('\r\n\r\n') + 4
  const length = /content-length: (\d+)/i.exec(firstChunk.toString('latin1', 0, headEnd))?.[1]
  return headEnd + Number(length)
}
