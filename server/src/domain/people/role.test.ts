// What each role may do, which keys it may make, and which emails it gets: written out once more,
// so that a right which changes by accident is noticed.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  CHOSEN_NOTICES,
  isNoticeKind,
  merchantRolesFor,
  NOTICE_KINDS,
  noticesOf,
  ONE_NOTICE_EVERY_MS,
  placeOf,
  staffRolesFor,
} from './notice.ts'
import {
  canBeTogether,
  isPermitted,
  KEY_PERMISSIONS,
  MERCHANT_RIGHTS,
  MERCHANT_ROLE_WORDS,
  MERCHANT_ROLES,
  type MerchantRight,
  mayInAccount,
  permissionsOfKey,
  permissionsOfRole,
  readPermissions,
  SERVICE_RIGHTS,
  USUAL_PERMISSIONS,
} from './role.ts'

const ROLES_OF: Record<MerchantRight, string> = {
  read: 'owner developer accountant cashier viewer staff',
  seeTurnover: 'owner developer accountant staff',
  seeDevelopers: 'owner developer staff',
  makeLinks: 'owner developer cashier',
  refund: 'owner',
  manageKeys: 'owner developer',
  manageWebhooks: 'owner developer',
  useSandboxPhone: 'owner developer cashier',
  changeSettings: 'owner',
  manageConnections: 'owner',
  manageStatements: 'owner',
  manageTeam: 'owner',
  seeActivity: 'owner',
  seeBooks: 'owner developer accountant staff',
  keepBooks: 'owner',
  closeDifferences: 'owner accountant',
  chooseStatementMails: 'owner developer accountant',
}

for (const [right, roles] of Object.entries(ROLES_OF))
  it(`roles: ${right} is for ${roles}`, () => {
    assert.equal(MERCHANT_RIGHTS[right as MerchantRight].join(' '), roles)
    for (const role of [...MERCHANT_ROLES, 'staff'] as const)
      assert.equal(mayInAccount(role, right as MerchantRight), roles.split(' ').includes(role))
  })

it('roles: every right has its row here', () => {
  assert.deepEqual(Object.keys(MERCHANT_RIGHTS), Object.keys(ROLES_OF))
  assert.deepEqual(
    Object.fromEntries(
      Object.entries(SERVICE_RIGHTS).map(([right, roles]) => [right, roles.join(' ')]),
    ),
    {
      read: 'support finance administrator',
      changeStatus: 'support administrator',
      reviewFiles: 'support administrator',
      approveLive: 'administrator',
      approveRefund: 'finance administrator',
      pauseConnections: 'support administrator',
      takeTasks: 'support finance administrator',
      settleTasks: 'finance administrator',
      manageStatements: 'finance administrator',
      viewAsMerchant: 'support administrator',
    },
  )
})

it('roles: every role has its own word in both languages', () => {
  assert.deepEqual(Object.values(MERCHANT_ROLE_WORDS.fr), [
    'Propriétaire',
    'Développeur',
    'Comptable',
    'Caissier',
    'Lecture seule',
  ])
  assert.deepEqual(Object.values(MERCHANT_ROLE_WORDS.en), [
    'Owner',
    'Developer',
    'Accountant',
    'Cashier',
    'Read only',
  ])
})

it('keys: a person allows a key only what they may do (D-135)', () => {
  assert.deepEqual(KEY_PERMISSIONS, ['read', 'create', 'refund', 'webhooks'])
  assert.deepEqual(USUAL_PERMISSIONS, ['read', 'create'])
  assert.deepEqual(permissionsOfRole('owner'), ['read', 'create', 'refund', 'webhooks'])
  assert.deepEqual(permissionsOfRole('developer'), ['read', 'create', 'webhooks'])
  assert.deepEqual(permissionsOfRole('viewer'), ['read'])
})

it('keys: a stored list is read in the order of the permissions; a public key makes links alone', () => {
  assert.equal(readPermissions(null), null)
  assert.deepEqual(readPermissions('refund,read'), ['read', 'refund'])
  assert.deepEqual(readPermissions('reading'), [])
  assert.deepEqual(permissionsOfKey('public', null), ['create'])
  assert.deepEqual(permissionsOfKey('public', ['read']), ['create'])
  assert.deepEqual(permissionsOfKey('secret', null), KEY_PERMISSIONS)
  assert.deepEqual(permissionsOfKey('secret', ['read']), ['read'])
})

for (const [permissions, asked, environment, isAllowed] of [
  [null, 'refund', 'live', true],
  [null, 'webhooks', 'live', false],
  [null, 'webhooks', 'sandbox', true],
  [['webhooks'], 'webhooks', 'live', true],
  [['webhooks'], 'read', 'live', false],
] as const)
  it(`keys: ${asked} in ${environment} with ${permissions ?? 'no list'} is ${isAllowed ? '' : 'not '}permitted (D-217)`, () =>
    assert.equal(isPermitted(permissions, asked, environment), isAllowed))

it('keys: the permission for webhooks stands alone (D-217)', () => {
  for (const permissions of [[], ['webhooks'], ['read', 'refund']] as const)
    assert.equal(canBeTogether(permissions), true)
  assert.equal(canBeTogether(['webhooks', 'read']), false)
})

it('notices: each kind goes to the roles with its right', () => {
  const audience = NOTICE_KINDS.map((kind) => [
    kind,
    merchantRolesFor(kind).join(' '),
    staffRolesFor(kind).join(' '),
  ])
  assert.deepEqual(audience, [
    ['account_status', 'owner', ''],
    ['endpoint_failing', 'owner developer', ''],
    ['late_money', 'owner', 'finance administrator'],
    ['file_waiting', '', 'support administrator'],
    ['refund_waiting', '', 'finance administrator'],
    ['money_change', 'owner', 'support administrator'],
    ['owner_change', 'owner', 'support administrator'],
    ['new_sign_in', MERCHANT_ROLES.join(' '), 'support finance administrator'],
  ])
  assert.equal(isNoticeKind('late_money'), true)
  for (const kind of ['other', 'toString']) assert.equal(isNoticeKind(kind), false)
  assert.equal(ONE_NOTICE_EVERY_MS, 3_600_000)
})

it('notices: nobody can switch off a change of where live money goes, or of the owners', () => {
  assert.deepEqual(
    CHOSEN_NOTICES,
    NOTICE_KINDS.filter((kind) => kind !== 'money_change' && kind !== 'owner_change'),
  )
  assert.deepEqual(noticesOf(['viewer'], null), ['new_sign_in'])
  assert.deepEqual(noticesOf(['viewer', 'developer'], null), ['endpoint_failing', 'new_sign_in'])
  assert.deepEqual(noticesOf([], 'finance'), ['late_money', 'refund_waiting', 'new_sign_in'])
  assert.deepEqual(noticesOf([], null), [])
})

it('notices: a place is half of an IPv4 address, or 32 bits of an IPv6 one', () => {
  assert.equal(placeOf('41.138.5.6'), '41.138')
  assert.equal(placeOf('2001:db8:1:2::/64'), '2001:db8')
})
