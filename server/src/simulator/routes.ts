// Serves the simulated provider's page: the payer approves, declines or leaves, and is redirected to the link.
import type { FastifyInstance } from 'fastify'
import { looksLikeReference } from '../domain/reference.ts'
import { sendHouseError } from '../http/errors.ts'
import { readForm, redirect, sendPage } from '../http/html.ts'
import { simulatorPage } from './page.ts'
import { SIMULATOR_PAGE_PATH, type SimulatedProvider } from './provider.ts'

const BODY_LIMIT_BYTES = 1_024

export function simulatorPages(app: FastifyInstance, provider: SimulatedProvider): void {
  const url = `${SIMULATOR_PAGE_PATH}:reference`
  /** A text that cannot be a reference needs no look-up: PostgreSQL raises an error for a NUL. */
  const find = async (reference: string) => (looksLikeReference(reference) ? provider.find(reference) : undefined)

  app.get(url, async (request, reply) => {
    const { reference } = request.params as { reference: string }
    const session = await find(reference)
    if (session === undefined) return sendHouseError(reply, 'not_found')
    if (session.decision !== null) return redirect(reply, session.returnUrl)
    const { origin } = new URL(session.returnUrl)
    const page = simulatorPage({ ...session, action: SIMULATOR_PAGE_PATH + reference, formsMayLeadTo: [origin] })
    return sendPage(reply, 200, page)
  })

  app.post(url, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    const { reference } = request.params as { reference: string }
    const session = await find(reference)
    if (session === undefined) return sendHouseError(reply, 'not_found')
    const decision = readForm(request.body).get('decision')
    if (decision === 'approve' || decision === 'decline') await provider.decide(reference, decision)
    return redirect(reply, session.returnUrl)
  })
}
