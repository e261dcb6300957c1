// Sends emails by SMTP. In development without a server, they are shown in the log and on a local page.
import type { Transporter } from 'nodemailer'
import type { Logger } from 'pino'
import type { Email } from '../actions/people/emails.ts'
import type { Config } from '../config.ts'
import type { MailSender } from '../worker/send-mails.ts'

const DEADLINE_MS = 30_000
const MOST_SHOWN = 50

export interface OpenMail extends MailSender {
  /** The latest first; empty where emails are sent. */
  shown(): readonly Email[]
}

/** Whether emails are shown to developers and not sent. */
export const showsMails = ({ smtpUrl, mode }: Config): boolean => smtpUrl === '' && mode === 'development'

export function openMail(config: Config, log: Logger): OpenMail {
  const { smtpUrl, mailFrom } = config
  if (smtpUrl !== '') return byServer(smtpUrl, mailFrom)
  return showsMails(config) ? byShowing(log) : byNobody()
}

function byServer(smtpUrl: string, from: string): OpenMail {
  let transport: Promise<Transporter> | undefined
  return {
    send: async ({ to, subject, text, html }) => {
      transport ??= openTransport(smtpUrl)
      await (await transport).sendMail({ from, to, subject, text, ...(html !== undefined && { html }) })
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
    // Emails have no attachments: no content may make the library read a file or fetch an address.
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
function byNobody(): OpenMail {
  const send = () => Promise.reject(new Error('KARBA_SMTP_URL is not set'))
  return { send, shown: () => [], close: async () => {} }
}
