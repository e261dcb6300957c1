// The process that runs tests for the mutation tester. It loads a mutant's module and the modules
// that depend on it anew, and shares all others with the runs before: a run takes milliseconds.
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Mutant } from './mutants.ts'
import { ROUND, withCountedLoops } from './mutants.ts'
import { runTests } from './test-runner.ts'
import { ROOT } from './unit-tests.ts'

/** Which parts of a file ran, and how often: the innermost range around a position decides. */
export interface Range {
  startOffset: number
  endOffset: number
  count: number
}

export type Request =
  | { kind: 'measure'; test: string; files: readonly string[] }
  | {
      kind: 'try'
      mutant: Mutant
      tests: readonly string[]
      dependents: readonly string[]
    }

/** `failed`: what failed; absent if nothing did. */
export type Answer =
  | {
      kind: 'measured'
      failed?: string
      ms: number
      covered: Record<string, Range[]>
    }
  | {
      kind: 'tried'
      failed?: string
      isInvalid?: true
      rss: number
    }

/** A mutant's loop ends here; the code's own loops make a tenth of these rounds in a test file. */
const MOST_ROUNDS = 3_000_000

const RUNNER = new URL('./test-runner.ts', import.meta.url).href
const urlOf = (file: string): string => pathToFileURL(join(ROOT, file)).href

const stripped = new Map<string, string>()
function textOf(url: string): string {
  const kept = stripped.get(url)
  if (kept !== undefined) return kept
  const text = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'))
  stripped.set(url, text)
  return text
}

/** What is loaded anew, under which version, and the one module that is another. */
let version = 0
let isReloaded: (url: string) => boolean = () => false
let mutated: { url: string; text: string } | undefined
let rounds = 0

Object.assign(globalThis, {
  [ROUND]: () => {
    rounds++
    if (rounds > MOST_ROUNDS) throw new Error('a loop without end')
  },
})

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:test') return { url: RUNNER, shortCircuit: true }
    const found = next(specifier, context)
    return isReloaded(found.url) ? { ...found, url: `${found.url}?run=${version}` } : found
  },
  load(url, context, next) {
    const [path = ''] = url.split('?')
    if (!path.startsWith('file:') || !path.endsWith('.ts') || path.includes('/node_modules/'))
      return next(url, context)
    const isMutated = mutated?.url === path && url !== path
    const source = isMutated ? (mutated?.text as string) : textOf(path)
    return { format: 'module', source, shortCircuit: true }
  },
})

/** Rejections outside of a test's own promise, and tests that wait for nothing. */
let fail: (reason: unknown) => void = () => undefined
process.on('uncaughtException', (reason) => fail(reason))
process.on('disconnect', () => process.exit())
process.on('beforeExit', () => fail(new Error('waits without end')))

async function run(test: string, loaded?: () => void): Promise<string | undefined> {
  const outside = new Promise<never>((_, reject) => {
    fail = reject
  })
  // While the tests run, the channel to the parent keeps no empty event loop alive.
  process.channel?.unref()
  rounds = 0
  try {
    await Promise.race([runTests(() => import(urlOf(test)), loaded), outside])
    return undefined
  } catch (error) {
    return `${test}: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    fail = () => undefined
    process.channel?.ref()
  }
}

const session = new Session()
session.connect()

function takeCoverage(files: readonly string[]): Record<string, Range[]> {
  const fileOf = new Map(files.map((file) => [urlOf(file), file]))
  const covered: Record<string, Range[]> = {}
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error
    for (const { url, functions } of result) {
      const file = fileOf.get(url.split('?')[0] ?? '')
      if (file !== undefined) covered[file] = functions.flatMap(({ ranges }) => ranges)
    }
  })
  return covered
}

async function measure({ test, files }: Request & { kind: 'measure' }): Promise<Answer> {
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  version++
  isReloaded = (url) => url.startsWith(urlOf('')) && !url.includes('/node_modules/')
  mutated = undefined
  const before = process.cpuUsage()
  const failed = await run(test)
  const { user, system } = process.cpuUsage(before)
  const ms = (user + system) / 1_000
  const covered = takeCoverage(files)
  session.post('Profiler.stopPreciseCoverage')
  return { kind: 'measured', ms, covered, ...(failed !== undefined && { failed }) }
}

async function tryMutant(request: Request & { kind: 'try' }): Promise<Answer> {
  const { mutant, tests, dependents } = request
  const url = urlOf(mutant.file)
  const text = textOf(url)
  const changed = text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end)
  const counted = withCountedLoops(mutant.file, changed)
  const answer = { kind: 'tried' as const, rss: process.memoryUsage.rss() }
  if (counted === undefined) return { ...answer, isInvalid: true }
  version++
  const reloaded = new Set(dependents.map(urlOf))
  isReloaded = (each) => reloaded.has(each)
  mutated = { url, text: counted }
  for (const test of tests) {
    const failed = await run(test)
    if (failed !== undefined) return { ...answer, failed }
  }
  return answer
}

process.on('message', async (request: Request) => {
  process.send?.(await (request.kind === 'measure' ? measure(request) : tryMutant(request)))
})
