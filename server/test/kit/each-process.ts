// In the process of every test file, before any other module (node --import).
import hooks, { AsyncLocalStorage, type HookCallbacks } from 'node:async_hooks'

// Node's runner follows every promise by an async hook, to know the suite or test that a line of
// code belongs to. That took 30 % of the CPU of tests with a whole service. The runner gets the
// same knowledge from an AsyncLocalStorage, which costs nothing for a promise.

const { AsyncResource, createHook, executionAsyncId } = hooks
/** The id of the running suite, test or hook. */
const current = new AsyncLocalStorage<number>()
let runnerHook: HookCallbacks | undefined

/** Each suite, test and hook of the runner is one. */
class TrackedResource extends AsyncResource {
  constructor(...given: ConstructorParameters<typeof AsyncResource>) {
    super(...given)
    runnerHook?.init?.(this.asyncId(), given[0], this.triggerAsyncId(), this)
  }

  override runInAsyncScope<This, Result>(
    work: (this: This, ...args: unknown[]) => Result,
    thisArg?: This,
    ...args: unknown[]
  ): Result {
    return super.runInAsyncScope(() =>
      current.run(this.asyncId(), () => work.apply(thisArg as This, args)),
    )
  }
}

const forRunner: Partial<typeof hooks> = {
  AsyncResource: TrackedResource,
  createHook: (callbacks) => {
    runnerHook = callbacks
    return createHook({})
  },
  executionAsyncId: () => current.getStore() ?? executionAsyncId(),
}

// The runner takes these three when it is loaded. Everything else gets Node's own.
Object.assign(hooks, forRunner)
const { after } = await import('node:test')
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId })

// When the tests are over and the process still does not end, it prints the open handles and fails.
// --test-timeout ends tests, not processes: a server that a failed test left listening would block
// the whole run.

/** For resources that the file's own hooks close after its last test. */
const PATIENCE_MS = 60_000

after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ')
    process.stderr.write(
      `The tests of this file are over, and a minute later something is still open: ${open}\n`,
    )
    process.exit(1)
  }, PATIENCE_MS).unref()
})
