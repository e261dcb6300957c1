// The actions about people and about the whole service, each with a call that names what an account has; lines of the table in
// calls-of-actions.ts.

import { verifyAudit } from '../../src/actions/audit/audit-log.ts'
import { rotateMasterKey } from '../../src/actions/master-key/rotate-master-key.ts'
import { askForStatus } from '../../src/actions/merchants/change-account.ts'
import { listMerchants } from '../../src/actions/merchants/show-merchants.ts'
import { removeDemo } from '../../src/actions/people/demo-people.ts'
import {
  createServicePerson,
  listOperators,
  removeOperator,
  resetOperator,
} from '../../src/actions/people/service-people.ts'
import { inviteToMerchant } from '../../src/actions/people/team.ts'
import { erasePayer } from '../../src/actions/privacy/erase-payer.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { useOf } from '../../src/service/master-key.ts'
import type { Line } from './calls-of-actions.ts'

const SUSPENDED = { environment: 'sandbox', status: 'suspended', reason: 'papers are missing' } as const
const OPERATOR = { name: 'Awa', role: 'support', language: 'fr' } as const

export const FOR_THE_SERVICE_ABOUT_PEOPLE: Line[] = [
  [
    'rotateMasterKey',
    'service',
    'caller_not_allowed',
    (d, c) => rotateMasterKey(d, c, { from: useOf(d.master, d.random), to: useOf(d.master, d.random) }),
  ],
  ['erasePayer', 'payer', 'caller_not_allowed', (d, c) => erasePayer(d, c, { number: '+227 96 99 99 99' })],
  ['verifyStore', 'service', 'caller_not_allowed', (d, c) => verifyStore(d, c)],
  ['listMerchants', 'service', 'caller_not_allowed', (d, c) => listMerchants(d, c, { limit: 1_000 })],
  ['removeDemo', 'service', 'caller_not_allowed', (d, c) => removeDemo(d, c)],
  ['verifyAudit', 'service', 'caller_not_allowed', (d, c) => verifyAudit(d, c)],
  [
    'createServicePerson',
    'service',
    'caller_not_allowed',
    (d, c, { accountId }) => createServicePerson(d, c, { ...OPERATOR, email: `${accountId}@karba.example` }),
  ],
  [
    'askForStatus',
    'merchant',
    'merchant_not_found',
    (d, c, { merchant: { merchantId } }) => askForStatus(d, c, { merchantId, ...SUSPENDED }),
  ],
  [
    'inviteToMerchant',
    'merchant',
    'merchant_not_found',
    (d, c, { merchant: { merchantId } }) =>
      inviteToMerchant(d, c, { merchantId, email: 'moussa@example.com', role: 'owner' }),
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
const OF_CONSOLE = 'test/dashboard/console.test.ts asks it as a stranger'
const BY_TYPE = 'its caller is one of the service’s people by its type, and the routes ask it with every other'
const SERVICE_ITSELF = 'only the service itself calls it, and its caller’s type says so'
const MAKES_ITS_OWN = 'makes or shows what is the caller’s own merchant’s, and names nothing that is there'
export const ABOUT_PEOPLE_NOT_IN_THE_TABLE: Record<string, string> = {
  showTeam: MAKES_ITS_OWN,
  invitePerson: MAKES_ITS_OWN,
  changeRole: OF_TEAM,
  removeFromTeam: OF_TEAM,
  withdrawInvitation: OF_TEAM,
  actForAccount: ACTS_FOR,
  listOwnViewings: OF_CONSOLE,
  listLongWaits: OF_CONSOLE,
  ...Object.fromEntries(
    [
      ...['listTasks', 'takeTaskFor', 'releaseTaskOf', 'settleTask', 'decideApproval'],
      ...['viewMerchant', 'findAccountName'],
    ].map((action) => [action, BY_TYPE]),
  ),
  endView: OF_ONESELF,
  writeEmail: SERVICE_ITSELF,
  ...Object.fromEntries(
    [
      ...['openSession', 'listWorkplaces', 'listOwnSessions', 'endSession', 'endAllSessions'],
      ...[
        'signIn',
        'signUp',
        'askForReset',
        'resetPassword',
        'askForConfirmation',
        'confirmAddress',
        'readInvitation',
        'acceptInvitation',
      ],
      ...['changePassword', 'changeProfile', 'beginTotp', 'confirmTotp', 'renewRecoveryCodes', 'removeTotp'],
    ].map((action) => [action, OF_ONESELF]),
  ),
}
