// The baseline for webhooks: undici posts prepared bodies with a fixed concurrency, and does nothing else. Loopback only; ends by itself.
import { Agent } from 'undici'

const [url, body, count, underWay] = JSON.parse(process.argv[2] as string) as [string, string, number, number]
const { origin, pathname } = new URL(url)
const agent = new Agent({ connections: 32, pipelining: 1 })
const headers = { 'content-type': 'application/json', 'secret-hash': 'shared', 'user-agent': 'bench' }
let sent = 0

async function post(): Promise<void> {
  while (sent++ < count) {
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body })
    await answer.body.dump()
  }
}

await Promise.all(Array.from({ length: underWay }, post))
await agent.close()
