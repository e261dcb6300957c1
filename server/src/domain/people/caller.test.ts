// Callers as a table: what each kind may see, and how the audit log names it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  type AccountCaller,
  actorOf,
  type Caller,
  isOfService,
  type Payer,
  type Person,
  scopeOf,
  type Visitor,
  whereOf,
} from './caller.ts'

const KEY = {
  is: 'merchant_key',
  accountId: 'acc_1',
  environment: 'live',
  keyId: 'key_7',
  kind: 'secret',
} as const
const PERSON = {
  is: 'merchant_person',
  accountId: 'acc_2',
  environment: 'live',
  personId: 'per_1',
} as const
const SELF: Person = { is: 'person', personId: 'per_1', sessionId: 'ses_1', network: '192.0.2.1' }
const VISITOR: Visitor = { is: 'visitor', network: '192.0.2.1' }
const PAYER: Payer = { is: 'payer', linkReference: 'link' }

const CALLERS: [caller: AccountCaller, seesAccount: string | null, actor: string][] = [
  [KEY, 'acc_1', 'key key_7'],
  [{ ...KEY, kind: 'public' }, 'acc_1', 'key key_7'],
  [{ ...PERSON, role: 'owner' }, 'acc_2', 'owner per_1'],
  [{ ...PERSON, role: 'viewer' }, 'acc_2', 'viewer per_1'],
  [{ is: 'service_person', personId: 'per_9', role: 'support' }, null, 'support per_9'],
  [{ is: 'shell', user: 'awa', host: 'pay-1' }, null, 'shell awa@pay-1'],
  [{ is: 'service', part: 'worker' }, null, 'service: worker'],
]

for (const [caller, seesAccount, actor] of CALLERS) {
  const sees = seesAccount === null ? 'every account' : `${seesAccount} alone`
  it(`callers: a ${caller.is} sees ${sees}, and is named ${actor}`, () => {
    assert.deepEqual(
      [scopeOf(caller).accountId, isOfService(caller)],
      [seesAccount, seesAccount === null],
    )
    assert.equal(actorOf(caller), actor)
  })
}

it('callers: a payer is not of the service, and is named without the link, which would let others pay it', () =>
  assert.deepEqual([isOfService(PAYER), actorOf(PAYER)], [false, 'payer']))

it('callers: a person is named without a role where it does not matter, and a visitor has no name; both come from a network', () => {
  assert.deepEqual([isOfService(SELF), isOfService(VISITOR)], [false, false])
  assert.deepEqual([actorOf(SELF), actorOf(VISITOR)], ['person per_1', 'visitor'])
  assert.deepEqual([SELF, VISITOR, KEY, PAYER].map(whereOf), ['192.0.2.1', '192.0.2.1', null, null])
})

it('callers: the table has every kind of caller', () => {
  // A kind that is new in caller.ts does not compile here until it has its line.
  const kinds: Record<Caller['is'], true> = {
    merchant_key: true,
    merchant_person: true,
    service_person: true,
    person: true,
    visitor: true,
    shell: true,
    payer: true,
    service: true,
  }
  const covered = new Set([
    ...CALLERS.map(([{ is }]) => is),
    ...[PAYER, SELF, VISITOR].map(({ is }) => is),
  ])
  assert.deepEqual(covered, new Set(Object.keys(kinds)))
})
