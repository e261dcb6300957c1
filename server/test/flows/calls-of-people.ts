// The actions about a merchant's people and about the service's, each with a call that names what an account has; lines of the table in
// calls-of-actions.ts.
import { verifyAudit } from '../../src/actions/audit/verify-audit.ts'
import {
  createServicePerson,
  listOperators,
  removeOperator,
  resetOperator,
} from '../../src/actions/people/service-people.ts'
import type { Line } from './calls-of-actions.ts'

const OPERATOR = { name: 'Awa', role: 'support', language: 'fr' } as const

export const FOR_THE_SERVICE_ABOUT_PEOPLE: Line[] = [
  ['verifyAudit', 'service', 'caller_not_allowed', (d, c) => verifyAudit(d, c)],
  [
    'createServicePerson',
    'service',
    'caller_not_allowed',
    (d, c, { accountId }) => createServicePerson(d, c, { ...OPERATOR, email: `${accountId}@karba.example` }),
  ],
  ['listOperators', 'service', 'caller_not_allowed', (d, c) => listOperators(d, c)],
  [
    'removeOperator',
    'operator',
    'caller_not_allowed',
    (d, c, { operatorEmail: email }) => removeOperator(d, c, { email }),
  ],
  [
    'resetOperator',
    'operator',
    'caller_not_allowed',
    (d, c, { operatorEmail: email }) => resetOperator(d, c, { email }),
  ],
]

const OF_ONESELF = 'names nothing but what the caller holds: a token, a session, their own name'
const ACTS_FOR = 'test/dashboard/routes.test.ts asks it with strangers: the account is not found'
const OF_TEAM = 'a team is of both environments and no key’s: test/dashboard/team.test.ts asks it as a stranger'
const SERVICE_ITSELF = 'only the service itself calls it, and its caller’s type says so'
const MAKES_ITS_OWN = 'makes or shows what is the caller’s own merchant’s, and names nothing that is there'
export const ABOUT_PEOPLE_NOT_IN_THE_TABLE: Record<string, string> = {
  showTeam: MAKES_ITS_OWN,
  invitePerson: MAKES_ITS_OWN,
  changeRole: OF_TEAM,
  removeFromTeam: OF_TEAM,
  withdrawInvitation: OF_TEAM,
  actForAccount: ACTS_FOR,
  writeLetter: SERVICE_ITSELF,
  chainAudit: SERVICE_ITSELF,
  ...Object.fromEntries(
    [
      ...['openSession', 'listWorkplaces', 'listOwnSessions', 'endSession', 'endAllSessions'],
      ...['signIn', 'signUp', 'askForReset', 'resetPassword', 'readInvitation', 'acceptInvitation'],
      ...['changePassword', 'changeProfile', 'beginTotp', 'confirmTotp', 'renewRecoveryCodes', 'removeTotp'],
    ].map((action) => [action, OF_ONESELF]),
  ),
}
