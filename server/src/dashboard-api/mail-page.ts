// The letters that would have left, for developers on this machine: without a mail server there is no other way to follow a link in one.
import type { FastifyInstance } from 'fastify'
import { sendHouseError } from '../http/errors.ts'
import { html } from '../http/html.ts'
import { pageHeaders } from './page-headers.ts'

interface ShownLetter {
  to: string
  subject: string
  text: string
}

const THIS_MACHINE = ['127.0.0.1', '::1', '::ffff:127.0.0.1']

/** Only opened in development. */
export function mailPage(app: FastifyInstance, letters: () => readonly ShownLetter[]): void {
  app.get('/dashboard/mail', async (request, reply) => {
    if (!THIS_MACHINE.includes(request.socket.remoteAddress ?? '')) return sendHouseError(reply, 'not_found')
    const shown = letters().map(
      ({ to, subject, text }) => html`<article><h2>${subject}</h2><p>${to}</p><pre>${linked(text)}</pre></article>`,
    )
    const body = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Letters</title></head><body>
<h1>Letters</h1><p>Development only: KARBA_SMTP_URL is not set.</p>
${shown.length === 0 ? html`<p>No letter yet.</p>` : shown}</body></html>`
    const headers = { ...pageHeaders(), 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
    return reply.headers(headers).send(body.toString())
  })
}

const ADDRESS = /(https?:\/\/\S+)/

const linked = (text: string) =>
  text.split(ADDRESS).map((part) => (ADDRESS.test(part) ? html`<a href="${part}">${part}</a>` : part))
