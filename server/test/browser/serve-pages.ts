// A small server for rendered pages, with the content security policy that the service would send.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Page } from '../../src/http/html.ts'
import { listenLocally } from '../kit/process.ts'

export type PageServer = Awaited<ReturnType<typeof servePages>>

export async function servePages() {
  const pages = new Map<string, Page>()
  /** The answer of /pay/…/status from now on; undefined is an outage. */
  const status: { state: string | undefined } = { state: undefined }
  /** Until when forms wait for their answer: a slow line. */
  const slow = { until: Promise.resolve() }
  /** Method and address of every request so far, and the form of those that carry one. */
  const requests: string[] = []
  const server = createServer((request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url as string, 'http://localhost').pathname
    const form = await text(request)
    requests.push([request.method, request.url, form].join(' ').trim())
    if (request.method === 'POST') await slow.until
    const page = pages.get(path)
    if (path.endsWith('/status')) {
      response.writeHead(status.state === undefined ? 503 : 200, {
        'content-type': 'application/json',
      })
      response.end(JSON.stringify(status))
    } else if (page === undefined) {
      response.writeHead(404).end()
    } else {
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': page.contentSecurityPolicy,
      })
      response.end(page.html)
    }
  }

  return {
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    put: (path: string, page: Page) => void pages.set(path, page),
    status,
    slow,
    requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
