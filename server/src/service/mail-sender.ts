// Sends emails by SMTP. In development without a server, they are shown in the log and on a local
// page.
import type { Transporter } from 'nodemailer'
import type { Logger } from 'pino'
import type { Email } from '../actions/emails/emails.ts'
import type { Config } from '../config.ts'
import { html } from '../http/html.ts'
import type { MailSender } from '../worker/send-mails.ts'

const DEADLINE_MS = 30_000
const MOST_SHOWN = 50

export interface OpenMail extends MailSender {
  /** The latest first; empty where emails are sent. */
  shown(): readonly Email[]
}

/** Whether emails are shown to developers and not sent. */
export const showsMails = ({ smtpUrl, mode }: Config): boolean =>
  smtpUrl === '' && mode === 'development'

export function openMail(config: Config, log: Logger): OpenMail {
  const { smtpUrl, mailFrom } = config
  if (smtpUrl !== '') return byServer(smtpUrl, mailFrom)
  return showsMails(config) ? byShowing(log) : withoutServer()
}

function byServer(smtpUrl: string, from: string): OpenMail {
  let transport: Promise<Transporter> | undefined
  return {
    send: async (email) => {
      const { to, subject, text } = email
      transport ??= openTransport(smtpUrl)
      await (await transport).sendMail({ from, to, subject, text, html: htmlOf(email) })
    },
    shown: () => [],
    close: async () => (await transport)?.close(),
  }
}

/** The library is loaded for the first email: it would take a fifth of the CPU of every start. */
async function openTransport(smtpUrl: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: smtpUrl,
    connectionTimeout: DEADLINE_MS / 3,
    greetingTimeout: DEADLINE_MS / 3,
    socketTimeout: DEADLINE_MS / 3,
    // No content may make the library read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function byShowing(log: Logger): OpenMail {
  const emails: Email[] = []
  return {
    send: async (email) => {
      emails.unshift(email)
      emails.length = Math.min(emails.length, MOST_SHOWN)
      const { to, subject, text } = email
      log.info({ to, subject, text }, 'an email would leave now: KARBA_SMTP_URL is not set')
    },
    shown: () => emails,
    close: async () => {},
  }
}

/** In production emails are never logged: they stay queued until a server is configured. */
function withoutServer(): OpenMail {
  const send = () => Promise.reject(new Error('KARBA_SMTP_URL is not set'))
  return { send, shown: () => [], close: async () => {} }
}

// The HTML of an email, from the same parts as its plain text. Nothing in it is fetched: no image,
// no style sheet.

const FONT = 'font:16px/1.5 system-ui,-apple-system,Roboto,"Noto Sans",Arial,sans-serif'

export function htmlOf({
  language,
  subject,
  before,
  tables = [],
  button,
  address,
  after,
}: Email): string {
  const paragraphs = (texts: readonly string[], style: string) =>
    texts
      .flatMap((text) => text.split('\n\n'))
      .map((text) => html`<p style="margin:0 0 16px;${style}">${text}</p>`)
  return html`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${subject}</title></head>
<body style="margin:0;padding:24px 12px;background:#f8f6f1;color:#221e33;${FONT}">
<div style="max-width:560px;margin:0 auto;padding:28px 24px;background:#ffffff;border:1px solid #e6e0d5;border-radius:16px">
<p style="margin:0 0 20px;font-weight:700;color:#2b3583">Karba</p>
${paragraphs(before, '')}
${tables.map(tableOf)}
<p style="margin:24px 0"><a href="${address}" style="display:inline-block;padding:12px 20px;border-radius:12px;background:#2b3583;color:#ffffff;font-weight:600;text-align:center;text-decoration:none">${button}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#625c6e;overflow-wrap:anywhere;word-break:break-all">${address}</p>
${paragraphs(after, 'font-size:14px;color:#625c6e')}
</div></body></html>`.toString()
}

const tableOf = ({ name, rows }: NonNullable<Email['tables']>[number]) =>
  html`<table style="width:100%;margin:0 0 24px;border-collapse:collapse;font-size:15px"><caption style="padding:0 0 6px;text-align:left;font-weight:600">${name}</caption>
${rows.map(([label, amount]) => html`<tr><th scope="row" style="padding:6px 12px 6px 0;border-top:1px solid #e6e0d5;text-align:left;font-weight:400">${label}</th><td style="padding:6px 0;border-top:1px solid #e6e0d5;text-align:right;white-space:nowrap">${amount}</td></tr>`)}</table>
`
