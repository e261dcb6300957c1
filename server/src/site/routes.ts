// The public pages of the service: home page, API reference, OpenAPI description, robots.txt and icon. The same for everyone: no key, no
// cookie, nothing of any merchant.
import type { FastifyInstance } from 'fastify'
import { MARK_FILE } from '../checkout/icons.ts'
import { serveDocument } from '../http/send-document.ts'
import { BASE_PATH } from '../merchant-api/contract.ts'
import { openApi } from '../merchant-api/openapi.ts'
import { BUNDLE_ADDRESS, docsPage, scalarBundle } from './docs-page.ts'
import { homePage } from './home-page.ts'

/** Search engines must not read payments or the dashboard; the previews of links in messages may show payments. */
const ROBOTS = `User-agent: facebookexternalhit
User-agent: WhatsApp
User-agent: TelegramBot
User-agent: Twitterbot
User-agent: LinkedInBot
User-agent: Slackbot-LinkExpanding
Disallow: /api/
Disallow: /dashboard

User-agent: *
Disallow: /pay/
Disallow: /checkout/
Disallow: /api/
Disallow: /dashboard
`

const DAY = 'public, max-age=86400'

export function site(app: FastifyInstance): void {
  serveDocument(app, '/', homePage)
  serveDocument(app, '/docs', docsPage)
  serveDocument(app, BUNDLE_ADDRESS, scalarBundle)
  serveDocument(app, `${BASE_PATH}/openapi.json`, () => ({
    contentType: 'application/json',
    text: JSON.stringify(openApi()),
    // Tools on other sites may read it.
    headers: { 'access-control-allow-origin': '*' },
  }))
  serveDocument(app, '/robots.txt', () => ({
    contentType: 'text/plain; charset=utf-8',
    text: ROBOTS,
    cacheControl: DAY,
  }))
  serveDocument(app, '/favicon.ico', () => ({ contentType: 'image/svg+xml', text: MARK_FILE, cacheControl: DAY }))
}
