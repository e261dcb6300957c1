// Receipts for everyone who has their code, as a page and as a PDF; the page that takes a code; and
// the short addresses of posters. Forged codes, codes of the other environment and codes of no
// payment get the same answer (D-161). What strangers do costs only their own network: nothing here
// is limited for all networks together (D-166).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type OpenPosterDeps, openPoster } from '../actions/links/read-payment-link.ts'
import { type ReceiptDeps, readReceipt } from '../actions/payments/read-receipt.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import type { Visitor } from '../domain/people/caller.ts'
import { isRefused } from '../domain/refusals/refusal.ts'
import { isStoreFailure } from '../http/errors.ts'
import { readForm, redirect, sendPage } from '../http/html.ts'
import { networkOf, type Rate, rateLimit, rateOf } from '../http/rate-limit.ts'
import { languageOf, message } from './page-frame.ts'
import { receiptFiles, TooManyFiles } from './receipt-files.ts'
import { checkPage, type ReceiptView, receiptPage } from './receipt-page.ts'

export interface ReceiptRouteDeps extends ReceiptDeps, OpenPosterDeps {
  clock: Clock
  /** Page views a second for each address (D-29). */
  publicRate: number
  receiptUrl(code: string): string
  isSimulated(environment: Environment): boolean
}

/**
 * Codes that name nothing, for each network. A person mistypes a few. One network alone would need
 * 17,000 years for the 2^40 codes of one payment.
 */
const WRONG_CODES: Rate = { perSecond: 2, burst: 40 }
const PDFS: Rate = { perSecond: 1, burst: 10 }
const BODY_LIMIT_BYTES = 1_024
const NOT_INDEXED = { 'x-robots-tag': 'noindex, nofollow' }

export function receiptRoutes(app: FastifyInstance, deps: ReceiptRouteDeps): void {
  const { clock } = deps
  const allowPage = rateLimit(clock, rateOf(deps.publicRate))
  const allowPdf = rateLimit(clock, PDFS)
  /** Counts a wrong code; with 0 it only checks. */
  const wrongReceipts = rateLimit(clock, WRONG_CODES)
  const wrongPosters = rateLimit(clock, WRONG_CODES)
  const drawFile = receiptFiles(clock)

  app.get('/r', { exposeHeadRoute: true }, async (request, reply) =>
    allowPage(request.ip)
      ? sendPage(reply.headers(NOT_INDEXED), 200, checkPage(languageOf(request)))
      : message(request, reply, 'too_many'),
  )
  app.post('/r', { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    if (!allowPage(request.ip)) return message(request, reply, 'too_many')
    const code = plainCode(readForm(request.body).get('code') ?? '')
    return code === ''
      ? sendPage(reply.headers(NOT_INDEXED), 404, checkPage(languageOf(request), ''))
      : redirect(reply, `/r/${code}?lang=${languageOf(request)}`)
  })
  app.get('/r/:code', { exposeHeadRoute: true }, async (request, reply) => {
    const [, code = '', ending] =
      /^(.*?)(\.pdf)?$/s.exec((request.params as { code: string }).code) ?? []
    const { ip } = request
    if (!allowPage(ip) || !wrongReceipts(ip, 0)) return message(request, reply, 'too_many')
    return unlessDown(request, reply, async () => {
      const language = languageOf(request)
      const view = await find(request, code)
      reply.headers(NOT_INDEXED)
      if (view === undefined) {
        wrongReceipts(ip)
        return sendPage(reply, 404, checkPage(language, plainCode(code)))
      }
      if (ending === undefined) return sendPage(reply, 200, receiptPage(view, language))
      if (!allowPdf(ip)) return message(request, reply, 'too_many')
      return sendPdf(reply, view.code, await drawFile(networkOf(ip), view, language))
    })
  })
  app.get('/p/:code', { exposeHeadRoute: true }, async (request, reply) => {
    const { ip } = request
    if (!allowPage(ip) || !wrongPosters(ip, 0)) return message(request, reply, 'too_many')
    return unlessDown(request, reply, async () => {
      const { code } = request.params as { code: string }
      const poster = await openPoster(deps, visitorOf(request), { code })
      if (!isRefused(poster)) return redirect(reply, `/pay/${poster.linkReference}`)
      wrongPosters(ip)
      return message(request, reply, 'not_found')
    })
  })

  async function find(request: FastifyRequest, code: string): Promise<ReceiptView | undefined> {
    const found = await readReceipt(deps, visitorOf(request), { code })
    if (isRefused(found)) return undefined
    const { environment, ...receipt } = found
    const isTest = environment === 'sandbox' || deps.isSimulated(environment)
    return { ...receipt, url: deps.receiptUrl(receipt.code), isTest }
  }
}

/** What may be in a code: nothing else that is typed or in an address is shown again. */
const plainCode = (written: string): string =>
  written
    .replace(/[^0-9a-z-]/gi, '')
    .slice(0, 60)
    .toUpperCase()

const visitorOf = ({ ip }: FastifyRequest): Visitor => ({ is: 'visitor', network: networkOf(ip) })

async function unlessDown(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
) {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TooManyFiles) return message(request, reply, 'too_many')
    if (!isStoreFailure(error)) throw error
    return message(request, reply, 'unavailable')
  }
}

const sendPdf = (reply: FastifyReply, code: string, content: Buffer): FastifyReply =>
  reply
    .headers({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="karba-${code}.pdf"`,
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .send(content)
