// Every command of `karba` as a process (promise 36), on one store: with a normal, an empty, a
// large and a wrong input. It ends, with the right exit code, and one line says what happened. A
// command that is not in the table fails the test.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Command } from 'commander'
import { Cli } from '../../src/cli/cli.ts'
import { karbaCommand } from '../../src/cli/run-karba.ts'
import { makePostgres, type PostgresServer } from '../kit/postgres.ts'
import { type Ran, spawnKarba, spawnKarbaUntil } from '../kit/process.ts'
import type { StoreKind } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { ALONE, type Call, EVERY_COMMAND, type Row } from './commands-and-inputs.ts'
import { type Prepared, prepareStores } from './prepared-stores.ts'

const PACKAGES = '/usr/lib/postgresql'

/** Debian's binaries: those of the npm package lack pg_dump. */
function binariesOfPostgres(): string | undefined {
  const versions = existsSync(PACKAGES)
    ? readdirSync(PACKAGES).sort((a, b) => Number(a) - Number(b))
    : []
  const newest = versions.at(-1)
  return newest === undefined ? undefined : join(PACKAGES, newest, 'bin')
}

/** Two cores: more processes at a time would only wait for each other. */
const AT_ONCE = 3

const INPUTS = ['normal', 'empty', 'large', 'wrong'] as const
type Input = (typeof INPUTS)[number]

export function everyCommandOn(store: StoreKind): void {
  let postgres: PostgresServer | undefined
  let prepared: Prepared
  const takesJson = new Map<string, boolean>()

  before(async () => {
    const karba = await karbaCommand(new Cli([], process as never))
    for (const [words, command] of leaves(karba)) takesJson.set(words, hasJson(command))
    const binaries = binariesOfPostgres()
    if (store.name === 'PostgreSQL' && binaries !== undefined)
      postgres = await makePostgres(binaries)
    prepared = await prepareStores(store, postgres)
  })
  after(async () => {
    await prepared?.remove()
    await postgres?.stop()
  })

  it(`karba on ${store.name}: the table has every command`, () => {
    const inTable = [...EVERY_COMMAND, ...ALONE].map(([command]) => command)
    assert.deepEqual([...takesJson.keys()].sort(), inTable.toSorted())
  })

  const tests = (table: readonly Row[]): void => {
    for (const [nth, [command, inputs]] of table.entries())
      for (const input of INPUTS) {
        const { [input]: call } = inputs
        if (call !== null && isFor(store, input, nth, call))
          it(`karba ${command} on ${store.name}, ${input} input: ${call.args}`.trim(), () =>
            run(command, input, call),
          )
      }
  }

  async function run(command: string, input: Input, call: Call): Promise<void> {
    const asJson = takesJson.get(command) === true && (input === 'normal' || input === 'wrong')
    const words = [
      command,
      ...(call.args === '' ? [] : [call.args]),
      ...(asJson ? ['--json'] : []),
    ].join(' ')
    const place = input === 'empty' && call.on === undefined ? 'empty' : (call.on ?? 'things')
    const { env, fill } = prepared.at(place)
    const args = wordsOf(fill(words))
    const given = { ...env, ...call.env }
    const ran =
      call.until === undefined
        ? await spawnKarba(args, given, fill(call.input ?? ''))
        : await spawnKarbaUntil(args, given, call.until)
    check(ran, { ...call, says: new RegExp(fill(call.says.source), call.says.flags) }, asJson)
    tried(1)
  }

  describe(`karba, every command on ${store.name}`, { concurrency: AT_ONCE }, () =>
    tests(EVERY_COMMAND),
  )
  describe(`karba, commands that need a store alone on ${store.name}`, () => tests(ALONE))
}

/**
 * A usage error never opens the store, so that one of both shows it. In the quick form, so do an
 * empty and a wrong input: of 500 processes, each of 0.4 s of CPU, 330 are left.
 */
function isFor(store: StoreKind, input: Input, nth: number, { code, stores, on }: Call): boolean {
  if (stores !== undefined) return stores === store.name
  if (code === 2) return store.name === 'SQLite'
  const isOfStore = input === 'normal' || (input === 'large' && on !== undefined)
  return isOfStore || tries(1, 2) > 1 || nth % 2 === Number(store.name === 'PostgreSQL')
}

function check(ran: Ran, { code, says, printsToo = false }: Call, asJson: boolean): void {
  const shown = JSON.stringify({ ...ran, stdout: ran.stdout.slice(0, 2_000) })
  assert.equal(ran.code, code, shown)
  assert.doesNotMatch(ran.stderr, /\n\s+at |unsettled|Warning:/)
  const said = code === 0 || printsToo ? ran.stdout : ran.stderr
  assert.match(said, says)
  if (asJson) JSON.parse(said)
  if (code === 0) return
  if (!printsToo) assert.equal(ran.stdout, '')
  // The reason is one line; after a usage error a second one names the help.
  const lines = ran.stderr.trimEnd().split('\n').length
  assert.ok(printsToo || lines === (code === 2 && !asJson ? 2 : 1), shown)
}

/** Words are separated by blanks, except in quotation marks. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')

/** The commands that do something themselves, with the words that call them. */
function* leaves(command: Command, words = ''): Generator<[string, Command]> {
  const { _actionHandler } = command as unknown as { _actionHandler: unknown }
  if (_actionHandler !== null) yield [words, command]
  for (const child of command.commands) yield* leaves(child, `${words} ${child.name()}`.trim())
}

const hasJson = (command: Command): boolean => command.options.some(({ long }) => long === '--json')
