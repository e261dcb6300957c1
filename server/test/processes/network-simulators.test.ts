// The simulators as processes: each ends soon after SIGTERM, whatever waits. Timers of callbacks and of slow payers reach minutes ahead, and clients
// keep connections open.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, it } from 'node:test'
import { runKarba } from '../kit/karba.ts'
import { startSimulator } from '../kit/process.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'

/** A quiet machine takes a second, a busy one several. The timers reach five minutes ahead. */
const ENDS_WITHIN_MS = 30_000

let place: StorePlace
before(async () => {
  place = await SQLITE.makePlace()
})
after(() => place.remove())

async function openSocket(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

/** A request for a payment whose payer takes five minutes: its callback waits until then. */
async function requestPayment(url: string): Promise<void> {
  const { credentials } = (await (await fetch(`${url}/control`)).json()) as { credentials: Record<string, string> }
  const common = {
    'ocp-apim-subscription-key': credentials.subscriptionKey ?? '',
    'x-target-environment': 'mtnbenin',
    'content-type': 'application/json',
  }
  const basic = `Basic ${btoa(`${credentials.apiUser}:${credentials.apiKey}`)}`
  const token = await fetch(`${url}/collection/token/`, {
    method: 'POST',
    headers: { ...common, authorization: basic },
  })
  const { access_token } = (await token.json()) as { access_token: string }
  const answer = await fetch(`${url}/collection/v1_0/requesttopay`, {
    method: 'POST',
    headers: {
      ...common,
      authorization: `Bearer ${access_token}`,
      'x-reference-id': '3f9d2c4e-8a51-4b6e-9c1d-0a2b3c4d5e6f',
      'x-callback-url': 'http://127.0.0.1:9/callback',
    },
    body: JSON.stringify({
      ...{ amount: '100', currency: 'XOF', externalId: '1', payerMessage: 'a', payeeNote: 'b' },
      payer: { partyIdType: 'MSISDN', partyId: '2290197000004' },
    }),
  })
  assert.equal(answer.status, 202)
}

for (const network of ['mtn-momo', 'airtel-money', 'fedapay', 'pawapay', undefined]) {
  it(`simulator ${network ?? 'of the service'}: SIGTERM ends it although connections are open and timers wait`, async () => {
    if (network === undefined) assert.equal((await runKarba(['migrate'], place.env)).code, 0)
    const args = network === undefined ? ['--callbacks-to', 'http://127.0.0.1:9'] : ['--network', network]
    const simulator = await startSimulator([...args, '--port', '0', '--decide-after', '600000'], place.env)
    const half = 'POST /collection/token/ HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf'
    const sockets = [await openSocket(simulator.url, ''), await openSocket(simulator.url, half)]
    if (network === 'mtn-momo') await requestPayment(simulator.url)
    const begun = performance.now()
    try {
      assert.equal(await simulator.end('SIGTERM'), 0)
      const took = Math.round(performance.now() - begun)
      assert.ok(took < ENDS_WITHIN_MS, `it took ${took} ms`)
    } finally {
      simulator.child.kill('SIGKILL')
      for (const socket of sockets) socket.destroy()
    }
  })
}
