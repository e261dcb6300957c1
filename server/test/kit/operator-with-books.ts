// An operator outside our walls, behind real HTTP in the simulated network's wire form, with books of its own: how often each payment was
// requested. What it has debited is the truth that the service is measured against.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface OperatorWithBooks {
  url: string
  /** How often each payment was requested, by reference. A payment that was requested was debited. */
  requests: Map<string, number>
  close(): void
}

/** It answers a request after so many milliseconds, and says `accepted`; the debit is known by asking a little later. */
export async function openOperatorWithBooks({
  answersAfterMs = 50,
  decidesAfterMs = 200,
} = {}): Promise<OperatorWithBooks> {
  const requests = new Map<string, number>()
  const requestedAt = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request.on('error', () => {})) chunks.push(chunk)
    const sent = request.method === 'POST' ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
    const reference: string = sent?.reference ?? (request.url as string).split('/').pop()
    if (sent !== undefined) {
      requests.set(reference, (requests.get(reference) ?? 0) + 1)
      if (!requestedAt.has(reference)) requestedAt.set(reference, performance.now())
      await pause(answersAfterMs)
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answerAbout(reference)))
  })

  function answerAbout(reference: string): object {
    const at = requestedAt.get(reference)
    if (at === undefined) return { status: 'not_known' }
    if (performance.now() < at + decidesAfterMs) return { status: 'accepted' }
    return { status: 'succeeded', amount: 1500, operator_reference: `OP-${reference}` }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
