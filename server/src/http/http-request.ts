// A request as the routes see it, and the way back for its answer, whoever has read it: Node (node-request.ts), or we ourselves where the
// request was plain (plain-connection.ts).
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { HouseError } from '../wire/error.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  /** The name in an opaque path, still encoded. */
  readonly nameInPath: string | undefined
  /** Whether all of it is there. */
  readonly complete: boolean
  /** Of the answer; undefined until there is one. */
  readonly status: number | undefined
  /** Reads the whole body and then calls `done`; or `refuse`, when it is longer than it may be, or does not come whole. */
  receiveBody(limit: number, done: (body: Buffer) => void, refuse: (why: HouseError) => void): void
  /** Takes headers as names and values in turn, and ends the connection after the answer if it must. */
  answer(code: number, headers: readonly string[], text: string, size: number, closes: boolean): void
  /** Calls `over` once, when the answer was sent or its caller has gone away. */
  whenOver(over: () => void): void
  /** Ends the connection. */
  cut(): void
}
