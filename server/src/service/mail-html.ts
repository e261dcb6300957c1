// The HTML of an email, from the same parts as its plain text. Nothing in it is fetched: no image, no style sheet.
import type { Email } from '../actions/people/emails.ts'
import { html } from '../http/html.ts'

const FONT = 'font:16px/1.5 system-ui,-apple-system,Roboto,"Noto Sans",Arial,sans-serif'
const OPEN = { fr: 'Ouvrir', en: 'Open' } as const

/** French puts a space before these signs and inside quotation marks: a line must not break there. */
const keptTogether = (text: string): string => text.replace(/ (?=[:;?!»])|(?<=«) /g, '\u00a0')

export function htmlOf({ language, subject, before, address, after }: Email): string {
  const paragraphs = (texts: readonly string[], style: string) =>
    texts
      .flatMap((text) => (language === 'fr' ? keptTogether(text) : text).split('\n\n'))
      .map((text) => html`<p style="margin:0 0 16px;${style}">${text}</p>`)
  return html`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${subject}</title></head>
<body style="margin:0;padding:24px 12px;background:#f8f6f1;color:#221e33;${FONT}">
<div style="max-width:560px;margin:0 auto;padding:28px 24px;background:#ffffff;border:1px solid #e6e0d5;border-radius:16px">
<p style="margin:0 0 20px;font-weight:700;color:#2b3583">Karba</p>
${paragraphs(before, '')}
<p style="margin:24px 0"><a href="${address}" style="display:inline-block;padding:12px 24px;border-radius:12px;background:#2b3583;color:#ffffff;font-weight:600;text-decoration:none">${OPEN[language]}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#625c6e;overflow-wrap:anywhere;word-break:break-all">${address}</p>
${paragraphs(after, 'font-size:14px;color:#625c6e')}
</div></body></html>`.toString()
}
