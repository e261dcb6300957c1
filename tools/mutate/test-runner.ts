// What test files get for node:test in the mutation tester: Node's own runner serves one run in a
// process, and this one thousands. A run ends at the first failing test.
import { AsyncLocalStorage } from 'node:async_hooks'

type Work = (context: Context) => unknown
type Given = [title: string, ...rest: unknown[]]

interface Context {
  name: string
  after: (work: Work) => void
  diagnostic: () => void
  test: (...given: Given) => Promise<void>
}

interface Suite {
  title: string
  parent: Suite | undefined
  tests: (() => Promise<void>)[]
  hooks: Record<Hook, Work[]>
  /** Suites may wait before they name their tests. */
  isReady: Promise<unknown>
}

type Hook = 'before' | 'after' | 'beforeEach' | 'afterEach'

const current = new AsyncLocalStorage<Suite>()

function newSuite(title: string, parent?: Suite): Suite {
  return {
    title,
    parent,
    tests: [],
    hooks: { before: [], after: [], beforeEach: [], afterEach: [] },
    isReady: Promise.resolve(),
  }
}

function currentSuite(): Suite {
  const suite = current.getStore()
  if (suite === undefined) throw new Error('a test outside of a run')
  return suite
}

const workOf = (given: readonly unknown[]): Work => given.at(-1) as Work

const isSkipped = ([, options]: Given): boolean =>
  typeof options === 'object' && options !== null && 'skip' in options && Boolean(options.skip)

export function describe(...given: Given): Promise<void> {
  if (isSkipped(given)) return Promise.resolve()
  const suite = newSuite(given[0], currentSuite())
  suite.isReady = current.run(suite, async () => workOf(given)({} as Context))
  // Awaited below; until then a rejection has no handler.
  suite.isReady.catch(() => undefined)
  suite.parent?.tests.push(() => runSuite(suite))
  return Promise.resolve()
}

/** A failing test; its message says which. */
export class TestFailed extends Error {}

export function it(...given: Given): Promise<void> {
  const suite = currentSuite()
  if (!isSkipped(given)) suite.tests.push(() => runTest(suite, given))
  return Promise.resolve()
}

async function runTest(suite: Suite, given: Given): Promise<void> {
  const [title] = given
  const after: Work[] = []
  const context: Context = {
    name: title,
    after: (work) => after.push(work),
    diagnostic: () => undefined,
    test: (...inner) => runTest(suite, inner),
  }
  const suites = [suite]
  for (const each of suites) if (each.parent !== undefined) suites.push(each.parent)
  try {
    for (const each of suites.toReversed())
      for (const work of each.hooks.beforeEach) await work(context)
    await workOf(given)(context)
  } catch (cause) {
    throw cause instanceof TestFailed ? cause : new TestFailed(title, { cause })
  } finally {
    for (const work of after.toReversed()) await work(context)
    for (const each of suites) for (const work of each.hooks.afterEach) await work(context)
  }
}

async function runSuite(suite: Suite): Promise<void> {
  await suite.isReady
  const context = { name: suite.title } as Context
  try {
    for (const work of suite.hooks.before) await work(context)
    for (const test of suite.tests) await test()
  } finally {
    for (const work of suite.hooks.after) await work(context)
  }
}

const hook =
  (name: Hook) =>
  (work: Work): void => {
    currentSuite().hooks[name].push(work)
  }

export const before = hook('before')
export const after = hook('after')
export const beforeEach = hook('beforeEach')
export const afterEach = hook('afterEach')

/** Loads a test file and runs it; throws at the first failing test. */
export async function runTests(load: () => Promise<unknown>, loaded?: () => void): Promise<void> {
  const suite = newSuite('')
  suite.isReady = current.run(suite, load)
  await suite.isReady
  loaded?.()
  await runSuite(suite)
}
