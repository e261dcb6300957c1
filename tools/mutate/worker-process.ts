// The worker of the mutation tester, as its parent sees it: a question and its answer.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Answer, Request } from './worker.ts'

/** Modules of earlier mutants stay in memory until their process ends. */
const MOST_RSS = 900 * 1024 * 1024
/**
 * For what the counted loops do not end: a pattern that backtracks. A busy machine has taken a
 * minute for a test file of one second.
 */
const LONGEST_MS = 300_000

/** One process at a time, begun again after a timeout or when it has grown. */
export class Worker {
  #child: ChildProcess | undefined

  async ask(request: Request): Promise<Answer | undefined> {
    this.#child ??= fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    const child = this.#child
    const ended = new AbortController()
    const { signal } = ended
    child.send(request)
    try {
      return await Promise.race([
        once(child, 'message', { signal }).then(([answer]) => answer as Answer),
        once(child, 'exit', { signal }).then(() => undefined),
        once(AbortSignal.timeout(LONGEST_MS), 'abort', { signal }).then(() => undefined),
      ]).then((answer) => {
        if (answer === undefined || (answer.kind === 'tried' && answer.rss > MOST_RSS)) this.end()
        return answer
      })
    } finally {
      ended.abort()
    }
  }

  end(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}
