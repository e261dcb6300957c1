// Another account calls every action that takes a name: it gets "not found" and changes nothing
// (promise 17). The owner’s same call succeeds. An action without a line in calls-of-actions.ts
// fails the test.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isShownFact } from '../../../dashboard/src/parts/facts.ts'
import { words } from '../../../dashboard/src/words/fr.ts'
import type { MerchantCaller } from '../../src/domain/people/caller.ts'
import { granted, merchantKey, TESTER } from '../kit/callers.ts'
import { rowsByTable } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import {
  BY_PAYERS,
  CALLS,
  type Denial,
  FOR_THE_SERVICE,
  type Line,
  NOT_IN_THE_TABLE,
} from './calls-of-actions.ts'
import {
  depsOf,
  digestOf,
  makeArchive,
  makeOwned,
  NOT_COMPARED,
  type Owned,
  ownerOf,
  payerOf,
} from './owned-things.ts'

// Reads the actions from the source: every exported function in src/actions whose second parameter
// is a caller.
const ACTIONS = fileURLToPath(new URL('../../src/actions/', import.meta.url))

const EXPORTED =
  /export (?:async )?function (\w+)(?:<[^(]*>)?\(|export const (\w+) = (?:async )?(?:<[^(]*>)?\(/g

/** The types of domain/people/caller.ts, at the end of a parameter. */
const IS_CALLER =
  /:\s*(?:\w*Caller|MerchantKey|MerchantPerson|ServicePerson|Person|Visitor|ServiceItself|Shell|Payer)$/

const actionsInSource = (): string[] =>
  globSync('**/*.ts', { cwd: ACTIONS, exclude: (name) => name.endsWith('.test.ts') })
    .flatMap((file) => actionsIn(readFileSync(`${ACTIONS}${file}`, 'utf8')))
    .sort()

function actionsIn(source: string): string[] {
  // Remove arrows first: `=>` would look like the end of a type argument.
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replaceAll('=>', '')
  return [...code.matchAll(EXPORTED)].flatMap((match) => {
    const [, second] = parametersOf(code.slice(match.index + match[0].length))
    return second !== undefined && IS_CALLER.test(second) ? [(match[1] ?? match[2]) as string] : []
  })
}

/** Splits at commas, up to the parenthesis that closes the list. */
function parametersOf(code: string): string[] {
  const parameters = ['']
  let depth = 0
  for (const character of code) {
    if (character === ')' && depth === 0) break
    if ('({[<'.includes(character)) depth++
    if (')}]>'.includes(character)) depth--
    if (character === ',' && depth === 0) parameters.push('')
    else parameters[parameters.length - 1] += character
  }
  return parameters.map((parameter) => parameter.trim())
}

it('isolation of actions: every action has a line or a listed exemption', () => {
  const inTable = [...CALLS, ...FOR_THE_SERVICE, ...BY_PAYERS].map(([action]) => action)
  assert.deepEqual(
    actionsInSource(),
    [...new Set([...inTable, ...Object.keys(NOT_IN_THE_TABLE)])].sort(),
  )
})

const SOURCES: [source: string, actions: string[]][] = [
  [
    'export async function refund(\n  deps: Deps<A, B>,\n  caller: AccountCaller,\n): Promise<void> {}',
    ['refund'],
  ],
  ['export const open = (deps: { db: Db }, { accountId }: MerchantKey): Promise<X> => y', ['open']],
  [
    'export function read({ db }: Deps, /** Who. */ _caller: ServiceItself, x: number) {}',
    ['read'],
  ],
  ['function hidden(deps: Deps, caller: Caller) {}', []],
  ['export function scope(caller: Caller, name: string) {}', []],
  ['export const batch = (run: (a: A, caller: Caller) => B, size: number) => {}', []],
]
for (const [source, actions] of SOURCES) {
  it(`isolation of actions: the parser finds ${actions[0] ?? 'no action'} in ${JSON.stringify(source.slice(0, 40))}`, () => {
    assert.deepEqual(actionsIn(source), actions)
  })
}

const LINES: [line: Line, rightful: (own: Owned) => MerchantCaller][] = [
  ...CALLS.map((line): (typeof LINES)[number] => [line, ({ accountId }) => merchantKey(accountId)]),
  ...FOR_THE_SERVICE.map((line): (typeof LINES)[number] => [
    line,
    () => TESTER as unknown as MerchantCaller,
  ]),
]

for (const store of STORES_IN_HALVES) {
  describe(`isolation of actions on ${store.name}`, () => {
    // No receiver answers, so deliveries stay queued, and the clock does not advance.
    const attempt = {
      status: null,
      durationMs: 0,
      answer: '',
      error: 'refused',
      retryAfterMs: null,
    }
    const sender = { send: async () => attempt, close: async () => {} }
    const service = shared(() => openVirtualService(store, {}, { sender }))
    let deps: ReturnType<typeof depsOf>
    let own: Owned
    let other: Owned
    /** Every table, once both accounts have one of everything. */
    let rows: Awaited<ReturnType<typeof rowsByTable>>
    before(async () => {
      deps = depsOf(service)
      own = await makeOwned(service, await makeArchive(service))
      other = await makeOwned(service)
      rows = await rowsByTable(service)
    })

    const strangers = (): Record<string, MerchantCaller> => ({
      'a key of another merchant': merchantKey(other.accountId),
      'the owner of another merchant': ownerOf(other.accountId),
      'a key of the other environment': merchantKey(own.merchant.accounts.live.accountId, 'live'),
    })

    /** Whether a list contains a row of the account. */
    const shows = (outcome: object, { accountId }: Owned): boolean =>
      'rows' in granted(outcome) && JSON.stringify(outcome).includes(accountId)

    function assertDenied(denial: Denial, outcome: object, who: string): void {
      if (denial === 'none of its rows') assert.ok(!shows(outcome, own), who)
      else assert.deepEqual(outcome, { refused: denial }, who)
    }

    // Other accounts first: they change nothing, so all can use the same account.
    for (const [[action, of, denial, call]] of LINES) {
      it(`${action} by ${of}: other accounts get ${denial}`, async () => {
        for (const [who, stranger] of Object.entries(strangers())) {
          assertDenied(denial, await call(deps, stranger, own), who)
        }
      })
    }

    // Once for all actions: the rows that differ name the action.
    it('isolation of actions: the calls of other accounts changed no row of any table', async () => {
      const after = await rowsByTable(service)
      for (const [table, before] of Object.entries(rows))
        if (table !== NOT_COMPARED) assert.deepEqual(sorted(after[table]), sorted(before), table)
    })

    for (const [action, denial, call] of BY_PAYERS) {
      it(`${action} by a payer: an unknown link gets ${denial}, and another link does not change this one`, async () => {
        const held = heldFor(action, own)
        const before = await digestOf(service)
        assert.deepEqual(await call(deps, payerOf('n0b0dys'.repeat(5)), held), { refused: denial })
        assert.equal(await digestOf(service), before)
        const ownBefore = await digestOf(service, own.accountId)
        await call(deps, payerOf(other.link), held)
        assert.equal(await digestOf(service, own.accountId), ownBefore)
      })
    }

    for (const [[action, of, , call], rightful] of LINES) {
      it(`${action} by ${of}: granted to the owner`, async () => {
        const theirs = ONLY_READS.test(action) ? own : await makeOwned(service)
        const outcome = granted(await call(deps, rightful(theirs), theirs))
        if ('rows' in outcome) assert.ok(shows(outcome, theirs), 'the list has its row')
      })
    }

    for (const [action, , call] of BY_PAYERS) {
      it(`${action} by a payer: granted for the payer’s own link`, async () => {
        const held = heldFor(action, await makeOwned(service))
        granted(await call(deps, payerOf(held), held))
      })
    }

    it('activity log: every action and fact that these calls recorded has its words', async () => {
      const { actions, facts } = words.activity
      const entries = await service.db.read<Record<'action' | 'earlier' | 'detail', string | null>>(
        'select action, earlier, detail from audit_log',
      )
      const recorded = entries.flatMap(({ earlier, detail }) => [
        JSON.parse(earlier ?? '{}'),
        JSON.parse(detail ?? '{}'),
      ])
      const lacking = (table: object, names: (string | null)[]): unknown[] =>
        [...new Set(names)].filter((name) => !Object.hasOwn(table, name ?? ''))
      assert.deepEqual(
        lacking(
          actions,
          entries.map(({ action }) => action),
        ),
        [],
      )
      assert.deepEqual(lacking(facts, recorded.flatMap(factsIn)), [])
    })
  })
}

/** The words of a statement file in `types` are its own. */
function factsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(factsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .filter(([fact, each]) => isShownFact(fact, each))
    .flatMap(([fact, each]) => (fact === 'types' ? [fact] : [fact, ...factsIn(each)]))
}

const sorted = (rows: readonly object[] = []): string[] =>
  rows.map((row) => JSON.stringify(row)).sort()

/** Read-only actions can all use the same account. */
const ONLY_READS = /^(list|show|find|read(?!Refund)|search|waitFor|verify)/

/** Some actions need an attempt in flight. */
const heldFor = (action: string, { link, linkUnderWay }: Owned): string =>
  ['abandonAttempt', 'returnFromProvider'].includes(action) ? linkUnderWay : link
