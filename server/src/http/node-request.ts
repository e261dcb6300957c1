// A request that Node has read, and its answer.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { HouseError } from '../wire/error.ts'

export class NodeRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  readonly nameInPath: string | undefined
  readonly #request: IncomingMessage
  readonly #response: ServerResponse

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.method = request.method as string
    this.url = request.url as string
    this.headers = request.headers
    this.socket = request.socket
    this.nameInPath = request.nameInPath
    this.#request = request
    this.#response = response
  }

  get complete(): boolean {
    return this.#request.complete
  }

  get status(): number | undefined {
    return this.#response.headersSent ? this.#response.statusCode : undefined
  }

  /** Reads the whole body, then calls `done`; calls `refuse` when the body is longer than `limit` or is cut off. */
  receiveBody(limit: number, done: (body: Buffer) => void, refuse: (why: HouseError) => void): void {
    if (Number(this.headers['content-length']) > limit) {
      refuse('payload_too_large')
      return
    }
    const request = this.#request
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= limit) return
      end()
      refuse('payload_too_large')
    }
    const onEnd = (): void => {
      end()
      done(Buffer.concat(chunks, size))
    }
    const onError = (): void => {
      end()
      refuse('bad_request')
    }
    function end(): void {
      request.off('data', onData).off('end', onEnd).off('error', onError)
      // The caller may go away later too, and then nobody is left to be told.
      request.on('error', () => {})
    }
    request.on('data', onData).on('end', onEnd).on('error', onError)
  }

  /** Takes headers as names and values in turn. */
  answer(code: number, headers: readonly string[], text: string, closes: boolean): void {
    this.#response.writeHead(code, closes ? [...headers, 'connection', 'close'] : (headers as string[]))
    this.#response.end(text)
  }

  whenOver(over: () => void): void {
    this.#response.on('close', over)
  }

  cut(): void {
    this.#response.destroy()
  }
}
