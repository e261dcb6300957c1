// Shows the emails of a development server. Their links open any account, so the page has a secret
// address, which the start prints. The caller's address is no proof: a proxy on this machine may
// rewrite Host and add no header.
import type { FastifyInstance } from 'fastify'
import type { Email } from '../actions/emails/emails.ts'
import { hashOfToken } from '../domain/people/person.ts'
import { sendGeneralError } from '../http/errors.ts'
import { contentSecurityPolicy, html, policyHash, sendPage, trusted } from '../http/html.ts'

const STYLE = `:root{color-scheme:light dark}
body{max-width:44rem;margin:0 auto;padding:1.5rem 1rem 4rem;font:1rem/1.5 system-ui,Roboto,"Noto Sans",sans-serif;color:light-dark(#221e33,#f0edf6);background:light-dark(#f8f6f1,#12101d)}
article{margin:1.25rem 0;padding:1.25rem;border:1px solid light-dark(#e6e0d5,#322d47);border-radius:1rem;background:light-dark(#fff,#1b182a)}
h1{font-size:1.5rem;margin:0}
h2{font-size:1.125rem;margin:0}
p{margin:.25rem 0 0;color:light-dark(#625c6e,#aaa4bb)}
pre{margin:1rem 0 0;font:inherit;white-space:pre-wrap;overflow-wrap:anywhere}
a{color:light-dark(#2b3583,#b8bef0)}`

const THIS_MACHINE = ['127.0.0.1', '::1', '::ffff:127.0.0.1']

export const mailPagePath = (token: string): string => `/dashboard/mail/${token}`

/** Only opened in development. */
export function mailPage(
  app: FastifyInstance,
  token: string,
  emails: () => readonly Email[],
): void {
  app.get(mailPagePath(':token'), async (request, reply) => {
    const { token: given } = request.params as { token: string }
    const isHere = THIS_MACHINE.includes(request.socket.remoteAddress ?? '')
    if (!isHere || hashOfToken(given) !== hashOfToken(token))
      return sendGeneralError(reply, 'not_found')
    const shown = emails().map(
      ({ to, subject, text }) =>
        html`<article><h2>${subject}</h2><p>${to}</p><pre>${linked(text)}</pre></article>`,
    )
    const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Emails</title><style>${trusted(STYLE)}</style></head><body>
<h1>Emails</h1><p>Development only: KARBA_SMTP_URL is not set.</p>
${shown.length === 0 ? html`<article>No email yet.</article>` : shown}</body></html>`
    const policy = contentSecurityPolicy({ styles: [policyHash(STYLE)], scripts: [] })
    return sendPage(reply, 200, { html: page.toString(), contentSecurityPolicy: policy })
  })
}

const ADDRESS = /(https?:\/\/\S+)/

const linked = (text: string) =>
  text
    .split(ADDRESS)
    .map((part) => (ADDRESS.test(part) ? html`<a href="${part}">${part}</a>` : part))
