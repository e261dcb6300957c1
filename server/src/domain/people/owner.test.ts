// Which owners count where a second one decides, by what the audit log has of the team.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { recentOwners, settledOwners, type TeamChange } from './owner.ts'

const [AWA, BINTA] = ['per_awa', 'per_binta']
const change = (action: string, subject: string, more: Partial<TeamChange> = {}): TeamChange => ({
  action: `team.${action}`,
  subject,
  actor: `owner ${AWA}`,
  detail: {},
  earlier: null,
  ...more,
})
const OWNER = { role: 'owner' }
const VIEWER = { role: 'viewer' }

const CASES: [what: string, changes: TeamChange[], made: string[], isOneRemoved: boolean][] = [
  ['nothing', [], [], false],
  ['an owner joined', [change('join', BINTA, { detail: OWNER })], [BINTA], false],
  ['a viewer joined', [change('join', BINTA, { detail: VIEWER })], [], false],
  [
    'a viewer became an owner',
    [change('role', BINTA, { detail: OWNER, earlier: VIEWER })],
    [BINTA],
    false,
  ],
  ['an owner was removed', [change('remove', BINTA, { earlier: OWNER })], [], true],
  [
    'an owner became a viewer',
    [change('role', BINTA, { detail: VIEWER, earlier: OWNER })],
    [],
    true,
  ],
  ['an owner left by herself', [change('remove', AWA, { earlier: OWNER })], [], false],
  ['a viewer was removed', [change('remove', BINTA, { earlier: VIEWER })], [], false],
  [
    'a new owner was removed again',
    [change('remove', BINTA, { earlier: OWNER }), change('join', BINTA, { detail: OWNER })],
    [BINTA],
    false,
  ],
  [
    'an owner was removed and came back',
    [change('join', BINTA, { detail: OWNER }), change('remove', BINTA, { earlier: OWNER })],
    [BINTA],
    true,
  ],
]

for (const [what, changes, made, isOneRemoved] of CASES)
  it(`recent owners: ${what}`, () =>
    assert.deepEqual(recentOwners(changes), { made: new Set(made), isOneRemoved }))

it('settled owners: those who were not made lately, and all while there is none of them', () => {
  const made = new Set([BINTA])
  assert.deepEqual(settledOwners([AWA, BINTA], { made }), [AWA])
  assert.deepEqual(settledOwners([BINTA], { made }), [BINTA])
})
