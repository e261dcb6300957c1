// A driver as a process: one JSON command a line to its standard input, one JSON answer a line from
// its standard output, in the same order. README.md has the commands.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { within } from '../../server/test/kit/waiting.ts'
import type { ClientKind } from './clients.ts'

/** A case reads what it expects to be there. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Answer = Record<string, any>

export interface ErrorFacts {
  code: string
  message: string
  param?: string
  hint?: string
  status?: number
  request_id?: string
  existing_reference?: string
  kept_after?: number
  removed_until?: string
  /** What the language prints of the error where nothing catches it. */
  shown: string
}

interface Reply {
  id: number
  answer?: Answer
  request_id?: string
  error?: ErrorFacts
  fault?: string
}

/** An error of the client, as its driver reports it. */
export class ClientError extends Error {
  readonly facts: ErrorFacts

  constructor(facts: ErrorFacts) {
    super(`${facts.code}: ${facts.message}`)
    this.facts = facts
  }
}

export interface Answered {
  answer: Answer
  requestId: string | undefined
}

/** A call of any client ends in its own time: this only ends a driver that hangs. */
const LONGEST_COMMAND_MS = 120_000

export class Driver {
  readonly #name: string
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<Reply>>()
  #printed = ''
  #id = 0

  constructor({ name, program, driver, args = [] }: ClientKind) {
    this.#name = name
    this.#child = spawn(program, [driver, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.stdin?.on('error', () => {})
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#printed = (this.#printed + text).slice(-4_000)
    })
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
      this.#take(line),
    )
    this.#child.on('close', () => this.#failAll(`the driver of ${name} ended: ${this.#printed}`))
  }

  get pid(): number {
    return this.#child.pid as number
  }

  /** Throws a ClientError where the client threw its own error. */
  async command(command: object): Promise<Answered> {
    const id = ++this.#id
    const waiting = Promise.withResolvers<Reply>()
    this.#waiting.set(id, waiting)
    this.#child.stdin?.write(`${JSON.stringify({ id, ...command })}\n`)
    const what = `answer of the driver of ${this.#name} to ${JSON.stringify(command).slice(0, 200)}`
    const reply = await within(what, waiting.promise, LONGEST_COMMAND_MS)
    if (reply.error !== undefined) throw new ClientError(reply.error)
    if (reply.answer === undefined) throw new Error(`${this.#name}: ${reply.fault ?? 'no answer'}`)
    return { answer: reply.answer, requestId: reply.request_id }
  }

  /** Ends at the end of its input. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const closed = once(this.#child, 'close')
    this.#child.stdin?.end()
    await within(`end of the driver of ${this.#name}`, closed).catch((error: Error) => {
      this.#child.kill('SIGKILL')
      throw error
    })
  }

  async kill(): Promise<void> {
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await closed
  }

  #take(line: string): void {
    try {
      const reply = JSON.parse(line) as Reply
      const waiting = this.#waiting.get(reply.id)
      this.#waiting.delete(reply.id)
      if (waiting === undefined) this.#failAll(`an answer to no command: ${line}`)
      else waiting.resolve(reply)
    } catch {
      this.#failAll(`not JSON: ${line}`)
    }
  }

  #failAll(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`${this.#name}: ${why}`))
    this.#waiting.clear()
  }
}
