// Who is signed in, as the page reads it.
import { listWorkplaces, type OpenSession } from '../actions/people/sessions.ts'
import { shownEmail } from '../domain/person.ts'
import type { DashboardDeps } from './deps.ts'
import type { SessionBody } from './shapes.ts'

export async function sessionBody(
  deps: DashboardDeps,
  { person, caller, viewing, mustDo }: OpenSession,
): Promise<SessionBody> {
  const { personId, name, unconfirmedEmail, language, totpSince, serviceRole } = person
  const workplaces = await listWorkplaces(deps, caller, { viewing })
  return {
    person: {
      ...{ personId, name, email: shownEmail(person), language },
      isConfirmed: unconfirmedEmail === null,
      totp: totpSince !== null,
    },
    merchants: workplaces.map((merchant) => ({
      ...merchant,
      accounts: merchant.accounts.map(({ accountId, environment, status, reason }) => ({
        accountId,
        environment,
        status,
        reason,
      })),
    })),
    service: serviceRole === null ? null : { role: serviceRole },
    viewing: viewing && { merchantId: viewing.merchantId, reason: viewing.reason, until: viewing.until },
    mustDo,
  }
}
