// The public pages of the service: home page, API reference, errors, OpenAPI description, Postman
// collection, documents as Markdown, llms.txt, robots.txt and icon. The same for everyone: no key,
// no cookie, nothing of any merchant.
import type { FastifyInstance } from 'fastify'
import { MARK_FILE } from '../checkout/page-frame.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { type Document, serveDocument } from '../http/send-document.ts'
import { BASE_PATH } from '../merchant-api/contract.ts'
import { openApi } from '../merchant-api/openapi.ts'
import { postmanCollection } from '../merchant-api/postman.ts'
import { ERRORS_PATH } from '../wire/error.ts'
import { BUNDLE_ADDRESS, docsPage, scalarBundle } from './docs-page.ts'
import { errorsPage, homePage } from './pages.ts'
import {
  LLMS_ADDRESS,
  llmsText,
  POSTMAN_ADDRESS,
  SERVED_DOCUMENTS,
  servedDocument,
} from './served-documents.ts'

/**
 * Search engines must not read payments or the dashboard; the previews of links in messages may
 * show payments.
 */
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
Disallow: /r/
Disallow: /p/
Disallow: /checkout/
Disallow: /api/
Disallow: /dashboard
`

const DAY = 'public, max-age=86400'

export interface SiteDeps {
  clock: { now(): number }
  /**
   * Reads of public pages per second for each address (D-29). The largest is the API reference's
   * script, 1 MB.
   */
  publicRate: number
}

export function site(app: FastifyInstance, { clock, publicRate }: SiteDeps): void {
  const allow = rateLimit(clock, rateOf(publicRate))
  const serve = (url: string, make: () => Document): void => serveDocument(app, url, make, allow)
  serve('/', homePage)
  serve('/docs', docsPage)
  serve(ERRORS_PATH, errorsPage)
  serve(BUNDLE_ADDRESS, scalarBundle)
  serve(`${BASE_PATH}/openapi.json`, () => ({
    contentType: 'application/json',
    text: JSON.stringify(openApi()),
    // Tools on other sites may read it.
    headers: { 'access-control-allow-origin': '*' },
  }))
  serve(POSTMAN_ADDRESS, () => ({
    contentType: 'application/json',
    text: JSON.stringify(postmanCollection()),
    headers: { 'access-control-allow-origin': '*' },
  }))
  serve(LLMS_ADDRESS, llmsText)
  for (const document of SERVED_DOCUMENTS) serve(document.address, () => servedDocument(document))
  serve('/robots.txt', () => ({
    contentType: 'text/plain; charset=utf-8',
    text: ROBOTS,
    cacheControl: DAY,
  }))
  serve('/favicon.ico', () => ({
    contentType: 'image/svg+xml',
    text: MARK_FILE,
    cacheControl: DAY,
  }))
}
