// A minimal merchant's server: accepts every webhook, records its arrival and its age, and never answers under /hang. GET /count returns
// how many arrived, GET /stats returns all figures and resets them.
import { createServer } from 'node:http'

export interface ReceiverStats {
  count: number
  /** Between the first and the last arrival. */
  seconds: number
  p50Ms: number
  p99Ms: number
}

let ages: number[] = []
let firstAt = 0
let lastAt = 0

const server = createServer((request, response) => {
  if (request.url === '/stats') return void response.end(JSON.stringify(stats()))
  if (request.url === '/count') return void response.end(String(ages.length))
  if (request.url?.startsWith('/hang')) return
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    lastAt = performance.now()
    if (ages.length === 0) firstAt = lastAt
    const createdAt = /"created_at":"([^"]+)"/.exec(body)?.[1]
    ages.push(createdAt === undefined ? 0 : Date.now() - Date.parse(createdAt))
    response.end('ok')
  })
})

function stats(): ReceiverStats {
  const sorted = ages.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  const figures = { count: sorted.length, seconds: (lastAt - firstAt) / 1_000, p50Ms: at(0.5), p99Ms: at(0.99) }
  ages = []
  return figures
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address() as { port: number }
  process.stdout.write(`ready at http://127.0.0.1:${address.port}\n`)
})
