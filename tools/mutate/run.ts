// npm run mutate: changes the code in small ways, one at a time, and says which changes no unit
// test notices.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { EQUIVALENT, type Equivalent } from './equivalent.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { ROOT, readImports } from './unit-tests.ts'
import type { Answer, Range } from './worker.ts'
import { Worker } from './worker-process.ts'

/** What is measured, and in which parts the report sums up. */
const FOLDERS = ['server/src/domain', 'server/src/wire', 'server/src/operators/connectors']
const MEASURED = [
  'server/src/domain/**/*.ts',
  'server/src/wire/**/*.ts',
  'server/src/operators/connectors/*/translate.ts',
]
const LEAST_SCORE = 90
const USAGE = `npm run mutate -- [paths] [--changed [--base revision]] [--every N] [--workers N]
  paths      only files with one of these texts in their path
  --changed  only files that differ from the base, origin/main by default
  --every    only each Nth mutant, for an estimate
  --workers  processes; 1 by default`

type Result = 'killed' | 'survived' | 'timeout' | 'not covered'
interface Tried {
  mutant: Mutant
  result: Result
  by?: string
}

const { values: options, positionals } = readOptions()
const started = performance.now()
const files = wantedFiles()
const imports = readImports()
const mutants = files
  .flatMap((file) => mutantsOf(file, stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8'))))
  .filter((_, at) => at % Number(options.every) === 0)
print(`${mutants.length} mutants in ${files.length} files`)

const dependentsOf = new Map(files.map((file) => [file, imports.dependents(file)]))
const tests = imports.unitTests.filter((test) =>
  files.some((file) => dependentsOf.get(file)?.has(test)),
)
const measured = await measureTests()
const tried = await tryAll()
process.exitCode = report() ? 0 : 1

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        changed: { type: 'boolean', default: false },
        base: { type: 'string', default: 'origin/main' },
        every: { type: 'string', default: '1' },
        workers: { type: 'string', default: '1' },
      },
    })
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`)
    return process.exit(2)
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function wantedFiles(): string[] {
  const changed = options.changed ? changedFiles() : undefined
  return globSync(MEASURED, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => positionals.length === 0 || positionals.some((path) => file.includes(path)))
    .filter((file) => changed?.has(file) ?? true)
    .sort()
}

/** A changed test counts for the file beside it. */
function changedFiles(): ReadonlySet<string> {
  const listed = execFileSync('git', ['diff', '--name-only', '--merge-base', options.base], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return new Set(listed.split('\n').map((file) => file.replace(/\.test\.ts$/, '.ts')))
}

async function measureTests() {
  const worker = new Worker()
  const found = new Map<string, Answer & { kind: 'measured' }>()
  for (const test of tests) {
    const answer = await worker.ask({ kind: 'measure', test, files })
    if (answer?.kind !== 'measured' || answer.failed !== undefined) {
      print(`Without a mutant this test fails: ${answer?.failed ?? test}`)
      process.exit(1)
    }
    found.set(test, answer)
  }
  worker.end()
  const sum = [...found.values()].reduce((total, { ms }) => total + ms, 0)
  print(`${found.size} unit test files import them, ${(sum / 1000).toFixed(1)} s together`)
  return found
}

function isCovered(ranges: readonly Range[] | undefined, { start, end }: Mutant): boolean {
  const around = ranges?.filter((each) => each.startOffset <= start && each.endOffset >= end)
  const inner = around?.toSorted(
    (one, other) => one.endOffset - one.startOffset - (other.endOffset - other.startOffset),
  )[0]
  return inner !== undefined && inner.count > 0
}

/** The file's own test first, then those nearest by their time. */
function testsOf(mutant: Mutant): string[] {
  const own = mutant.file.replace(/\.ts$/, '.test.ts')
  const isFar = (test: string) => (dirname(test) === dirname(mutant.file) ? 0 : 1)
  return [...measured]
    .filter(([, { covered }]) => isCovered(covered[mutant.file], mutant))
    .sort(
      ([one, { ms }], [other, { ms: otherMs }]) =>
        Number(other === own) - Number(one === own) || isFar(one) - isFar(other) || ms - otherMs,
    )
    .map(([test]) => test)
}

async function tryAll(): Promise<Tried[]> {
  const queue = mutants.entries()
  const found: Tried[] = []
  const work = async (): Promise<void> => {
    const worker = new Worker()
    for (const [at, mutant] of queue) {
      const result = await tryOne(worker, mutant)
      if (result !== undefined) found.push(result)
      if (result?.result === 'survived' || result?.result === 'not covered') show(result)
      if ((at + 1) % 500 === 0) print(`${at + 1} of ${mutants.length}, ${minutes()} minutes`)
    }
    worker.end()
  }
  await Promise.all(Array.from({ length: Number(options.workers) }, work))
  return found
}

function isListed(mutant: Mutant): boolean {
  return EQUIVALENT.some((row) => isOf(row, mutant))
}

function isOf(row: Equivalent, mutant: Mutant): boolean {
  return (
    row.file === mutant.file &&
    row.original === mutant.original &&
    row.replacement === mutant.replacement &&
    row.line === lineOf(mutant)
  )
}

function lineOf({ file, line }: Mutant): string {
  return readFileSync(join(ROOT, file), 'utf8').split('\n')[line - 1]?.trim() ?? ''
}

async function tryOne(worker: Worker, mutant: Mutant): Promise<Tried | undefined> {
  const covering = testsOf(mutant)
  if (covering.length === 0) return { mutant, result: 'not covered' }
  const dependents = [...(dependentsOf.get(mutant.file) ?? [])]
  const answer = await worker.ask({ kind: 'try', mutant, tests: covering, dependents })
  if (answer === undefined) return { mutant, result: 'timeout' }
  if (answer.kind !== 'tried' || answer.isInvalid) return undefined
  if (answer.failed === undefined) return { mutant, result: 'survived' }
  return { mutant, result: 'killed', by: answer.failed }
}

function minutes(): string {
  return ((performance.now() - started) / 60_000).toFixed(1)
}

function short(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length === text.length && line.length <= 60 ? text : `${line.slice(0, 60)} …`
}

function show({ mutant, result }: Tried): void {
  if (isListed(mutant)) return
  const { file, line, operator, original, replacement } = mutant
  print(`${result} ${file}:${line} ${operator}: ${short(original)} → ${short(replacement)}`)
}

function report(): boolean {
  const scores = FOLDERS.filter((folder) => files.some((file) => file.startsWith(folder)))
    .map(scoreOf)
    .concat(scoreOf(''))
  const stale = options.every === '1' ? EQUIVALENT.filter(isStale) : []
  for (const { file, line } of stale) print(`no longer equivalent: ${file}: ${line}`)
  print(`${minutes()} minutes`)
  return stale.length === 0 && scores.every((score) => score >= LEAST_SCORE)
}

/** Of a file that was measured: its mutant is gone, or a test notices it. */
function isStale(row: Equivalent): boolean {
  const same = tried.filter(({ mutant }) => isOf(row, mutant))
  const isUnnoticed = same.some(({ result }) => result === 'survived' || result === 'not covered')
  return files.includes(row.file) && !isUnnoticed
}

/** In percent; a mutant that is listed as equivalent does not count. */
function scoreOf(folder: string): number {
  const some = tried.filter(({ mutant }) => mutant.file.startsWith(folder))
  const count = (result: Result) =>
    some.filter((each) => each.result === result && !isListed(each.mutant)).length
  const detected = count('killed') + count('timeout')
  const all = detected + count('survived') + count('not covered')
  const score = all === 0 ? 100 : (100 * detected) / all
  print(
    `${folder || 'all'}: ${score.toFixed(1)} % of ${all} mutants; ${count('killed')} killed, ` +
      `${count('timeout')} timeouts, ${count('survived')} survived, ` +
      `${count('not covered')} not covered, ${some.length - all} equivalent`,
  )
  return score
}
