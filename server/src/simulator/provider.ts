// The behaviour of the simulated card and wallet provider: a session is opened, the payer approves, declines or leaves,
// and status calls return the decision. No HTTP here: server.ts has the provider's API, routes.ts serves its page.
import type { Clock } from '../domain/clock-and-random.ts'
import type { Database } from '../store/engine/database.ts'
import type { WireAnswer } from './network.ts'
import * as sessions from './tables.ts'
import { insertSimulatedPayment } from './tables.ts'

/** A session without a decision expires after this time. */
const SESSION_LIFE_MS = 10 * 60_000
/** An approved session becomes a payment of the number that succeeds at once, so that it can be refunded. */
export const SUCCEEDS_AT_ONCE = '40410000100'

export type SimulatedProvider = ReturnType<typeof simulatedProvider>

export const SIMULATOR_PAGE_PATH = '/simulator/pay/'

export function simulatedProvider({ db, clock }: { db: Database; clock: Clock }) {
  async function status(reference: string): Promise<WireAnswer> {
    const session = await sessions.findSession(db, reference)
    if (session === undefined) return { status: 'not_known' }
    const { decision, amountXof: amount, requestedAt } = session
    if (decision === 'approve') {
      return { status: 'succeeded', amount, operator_reference: `PSP-${reference.slice(0, 10).toUpperCase()}` }
    }
    if (decision === 'decline') return { status: 'declined', reason: 'declined' }
    if (decision === 'cancel') return { status: 'declined', reason: 'cancelled' }
    const isOver = clock.now() >= requestedAt + SESSION_LIFE_MS
    // Recorded, so that the payer cannot approve a session that was reported as expired.
    if (isOver && (await sessions.decideSession(db, reference, 'cancel')))
      return { status: 'declined', reason: 'expired' }
    return isOver ? status(reference) : { status: 'accepted' }
  }

  return {
    status,
    /** For the provider's page; undefined when there is no such session. */
    find: (reference: string) => sessions.findSession(db, reference),
    open: async (session: Omit<sessions.SimulatedSession, 'requestedAt' | 'decision'>) => {
      await sessions.insertSession(db, { ...session, requestedAt: clock.now() })
      const page = new URL(SIMULATOR_PAGE_PATH + session.reference, session.returnUrl)
      return { status: 'accepted', page_url: page.href } as const
    },
    cancel: async (reference: string): Promise<WireAnswer> => {
      await sessions.decideSession(db, reference, 'cancel')
      return status(reference)
    },
    decide: async (reference: string, decision: 'approve' | 'decline'): Promise<void> => {
      const session = await sessions.findSession(db, reference)
      if (session === undefined || (await status(reference)).status !== 'accepted') return
      if (!(await sessions.decideSession(db, reference, decision)) || decision !== 'approve') return
      const { amountXof } = session
      await insertSimulatedPayment(db, { reference, msisdn: SUCCEEDS_AT_ONCE, amountXof, requestedAt: clock.now() })
    },
  }
}
