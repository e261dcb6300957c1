// Calls a simulated network in the same process: replaces undici's agent and passes calls on without a socket.
// Callbacks use no socket either (compose.ts). HTTP connections within one process cost more than the rest of a
// settlement, and would distort measurements of the service.
import { Dispatcher } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'
import type { SimulatorAnswer, SimulatorCall } from './server.ts'

type Options = { clock: Clock; answers(call: SimulatorCall): Promise<SimulatorAnswer> }

/** Supports only a text body or none, and headers as an object. */
export class InProcessDispatcher extends Dispatcher {
  readonly #options: Options
  /** Aborts an in-flight call. */
  readonly #underWay = new Set<(why: Error) => void>()

  constructor(options: Options) {
    super()
    this.#options = options
  }

  override dispatch(call: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { clock, answers } = this.#options
    const underWay = this.#underWay
    const controller = {
      aborted: false,
      paused: false,
      reason: null as Error | null,
      abort: fail,
      pause() {},
      resume() {},
    }
    underWay.add(fail)

    function fail(why: Error): void {
      if (!underWay.delete(fail)) return
      controller.aborted = true
      controller.reason = why
      handler.onResponseError?.(controller, why)
    }

    function end({ code, text }: { code: number; text: string }): void {
      if (!underWay.delete(fail)) return
      handler.onResponseStart?.(controller, code, { 'content-type': 'application/json' })
      handler.onResponseData?.(controller, Buffer.from(text))
      handler.onResponseEnd?.(controller, {})
    }

    handler.onRequestStart?.(controller, {})
    if (controller.aborted) return true
    const { authorization } = call.headers as Record<string, string | undefined>
    const body = (call.body ?? '') as string
    void answers({ method: call.method, path: call.path, authorization, body }).then((answered) => {
      if (!('does' in answered)) {
        if (answered.afterMs === 0) end(answered)
        else clock.after(answered.afterMs, () => end(answered))
      } else if (answered.does === 'cut') fail(failure('UND_ERR_SOCKET'))
      // `hang` never answers: the caller's deadline ends the call.
    })
    return true
  }

  /** Aborts all in-flight calls, as an agent does. */
  override async destroy(): Promise<void> {
    for (const fail of this.#underWay) fail(failure('UND_ERR_DESTROYED'))
  }
}

/** With the code that undici gives it. */
const failure = (code: string): Error => Object.assign(new Error('the call has ended'), { code })
