// In the process of every test file, before anything loads node:test (node --import): its runner follows every promise and timer of the
// process with an asynchronous hook, to name the test that an uncaught error belongs to. That is a quarter of the CPU of a file in which a service
// works (14.8 s instead of 11.1). Here the runner is told of its own tests alone, which is how a test finds the suite it stands in. An error
// that nobody catches still fails its file, with its message; the runner only no longer says during which test it came.
import asyncHooks, { type HookCallbacks } from 'node:async_hooks'

const { AsyncResource, createHook } = asyncHooks

let announce: HookCallbacks['init']

asyncHooks.createHook = ({ init }) => {
  // Only the runner's own: it is the first to ask.
  asyncHooks.createHook = createHook
  asyncHooks.AsyncResource = AsyncResource
  announce = init
  return createHook({})
}

asyncHooks.AsyncResource = class extends AsyncResource {
  constructor(...of: ConstructorParameters<typeof AsyncResource>) {
    super(...of)
    announce?.(this.asyncId(), of[0], this.triggerAsyncId(), this)
  }
}
