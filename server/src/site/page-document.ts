// The layout of the site's pages, with style and script inlined and allowed by their hashes, and nothing else.
import { readFileSync } from 'node:fs'
import { MARK, MARK_ADDRESS } from '../checkout/icons.ts'
import { contentSecurityPolicy, type Html, html, policyHash, trusted } from '../http/html.ts'
import type { Document } from '../http/send-document.ts'

export interface SitePage {
  language: 'fr' | 'en'
  title: string
  description: string
  body: Html
  /** The text of a script. */
  script?: string
}

const STYLE = readFileSync(new URL('styles/site.css', import.meta.url), 'utf8')

export function pageDocument({ language, title, description, body, script }: SitePage): Document {
  const page = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="description" content="${description}">
<link rel="icon" href="${MARK_ADDRESS}">
<style>${trusted(STYLE)}</style></head>
<body>
<header><a href="/">${MARK}Karba</a><nav><a href="/docs">API</a><a href="/dashboard/">Dashboard</a></nav></header>
${body}
${script !== undefined && html`<script>${trusted(script)}</script>`}</body></html>
`
  return {
    contentType: 'text/html; charset=utf-8',
    text: page.toString(),
    headers: {
      'content-security-policy': contentSecurityPolicy({
        styles: [policyHash(STYLE)],
        scripts: script === undefined ? [] : [policyHash(script)],
      }),
      'referrer-policy': 'no-referrer',
    },
  }
}

/** Text in which `code` is marked by backticks. */
export function prose(text: string): Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}
