// A connection for as long as its requests are plain (plain-request.ts): they are read and answered on the socket itself, one at a time. Node's
// HTTP costs a create or a read as much as all that we do for it: two streams, their events and a dozen timers and callbacks for one piece
// in and one piece out. At the first piece that is anything else the connection is given to Node, for good, with that piece unread.
import { type Server, STATUS_CODES, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../domain/clock-and-random.ts'
import type { HouseError } from '../wire/error.ts'
import type { HttpRequest } from './http-request.ts'
import { type PlainHeaders, type PlainRequest, plainRequestIn } from './plain-request.ts'

/** Longer headers are read again with each request: ten thousand connections remember theirs. */
const MOST_REMEMBERED = 2_048

export interface PlainRequestsDeps {
  /** Of a request's head. */
  headLimitBytes: number
  /** How long a new connection may be silent, and one that has sent a request; and how long it is told that it may. */
  timesMs: { first: number; silent: number; told: number }
  /** False when no route takes plain requests like this one: then it is Node's. */
  serve(request: RequestOnSocket): boolean
  clock: Pick<Clock, 'now'>
}

/** From now on connections are Node's only when they send what is not plain. */
export function servePlainRequests(server: Server, { clock, ...deps }: PlainRequestsDeps): void {
  const nodesOwn = server.listeners('connection').at(-1) as (this: Server, socket: Socket) => void
  const giveToNode = (socket: Socket): void => nodesOwn.call(server, socket)
  const answerTimeout = (socket: Socket): void => {
    const error = Object.assign(new Error('no request in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', error, socket)
  }
  const each = { ...deps, giveToNode, answerTimeout, dateHeader: dateHeader(clock) }
  server.off('connection', nodesOwn).on('connection', (socket) => {
    if (!socket.destroyed) new PlainConnection(socket, each)
  })
}

interface PlainConnectionDeps extends Omit<PlainRequestsDeps, 'clock'> {
  /** Node's own HTTP on a connection of which nothing was read. */
  giveToNode(socket: Socket): void
  /** For a new connection that was silent for too long. */
  answerTimeout(socket: Socket): void
  dateHeader(): string
}

class PlainConnection {
  readonly #socket: Socket
  readonly #deps: PlainConnectionDeps
  #isNew = true
  #lastHead: PlainHeaders | undefined
  /** The one that is not answered yet. */
  #request: RequestOnSocket | undefined
  /** What came before its answer. */
  #early: Buffer | undefined

  constructor(socket: Socket, deps: PlainConnectionDeps) {
    this.#socket = socket
    this.#deps = deps
    socket.setTimeout(deps.timesMs.first)
    socket.on('data', this.#onPiece).on('end', this.#onEnd).on('timeout', this.#onSilence)
    socket.on('error', this.#onError).on('close', this.#onClose)
  }

  #onPiece = (piece: Buffer): void => {
    if (this.#request !== undefined) {
      this.#socket.pause()
      this.#early = this.#early === undefined ? piece : Buffer.concat([this.#early, piece])
      return
    }
    const { headLimitBytes, timesMs, serve } = this.#deps
    const read = plainRequestIn(piece, headLimitBytes, this.#lastHead)
    if (read === undefined) {
      this.#leave(piece)
      return
    }
    if (this.#isNew) this.#socket.setTimeout(timesMs.silent)
    this.#isNew = false
    this.#lastHead = read.head.text.length <= MOST_REMEMBERED ? read.head : undefined
    this.#request = new RequestOnSocket(read, this.#socket, this)
    if (serve(this.#request)) return
    this.#request = undefined
    this.#leave(piece)
  }

  /** As Node does: who closes its side has gone away. */
  #onEnd = (): void => void this.#socket.end()
  /** What there is to do is done when it closes, which it does next. */
  #onError = (): void => {}
  #onClose = (): void => this.#request?.over()

  #onSilence = (): void => {
    if (!this.#isNew) {
      this.#socket.destroy()
      return
    }
    this.#leave()
    this.#deps.answerTimeout(this.#socket)
  }

  #leave(unread?: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onPiece).off('end', this.#onEnd).off('timeout', this.#onSilence)
    socket.off('error', this.#onError).off('close', this.#onClose)
    socket.pause()
    if (unread !== undefined) socket.unshift(unread)
    this.#deps.giveToNode(socket)
    socket.resume()
  }

  send(code: number, headers: readonly string[], text: string, size: number, closes: boolean): void {
    const socket = this.#socket
    // Nobody is left to be answered; it is over when the socket has closed.
    if (!socket.writable) return
    let head = `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n`
    for (let at = 0; at < headers.length; at += 2) {
      const [name, value] = [headers[at] as string, headers[at + 1] as string]
      validateHeaderValue(name, value)
      head += `${name}: ${value}\r\n`
    }
    const keeping = closes ? 'close' : `keep-alive\r\nKeep-Alive: timeout=${this.#deps.timesMs.told / 1_000}`
    const answer = `${head}Date: ${this.#deps.dateHeader()}\r\nConnection: ${keeping}\r\n\r\n${text}`
    // Letters of one byte each are the same in both, and copied faster as these.
    socket.write(answer, size === text.length ? 'latin1' : 'utf8', this.#onSent)
    if (closes) socket.destroySoon()
  }

  #onSent = (error?: Error | null): void => {
    if (error) return
    const request = this.#request
    this.#request = undefined
    request?.over()
    if (this.#early !== undefined && this.#socket.writable) this.#leave(this.#early)
  }
}

class RequestOnSocket implements HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: HttpRequest['headers']
  readonly socket: Socket
  readonly complete = true
  nameInPath: string | undefined
  status: number | undefined
  readonly #body: Buffer
  readonly #connection: PlainConnection
  #over: (() => void) | undefined

  constructor({ method, url, head, body }: PlainRequest, socket: Socket, connection: PlainConnection) {
    this.method = method
    this.url = url
    this.headers = head.headers
    this.socket = socket
    this.nameInPath = undefined
    this.status = undefined
    this.#body = body
    this.#connection = connection
    this.#over = undefined
  }

  receiveBody(limit: number, done: (body: Buffer) => void, refuse: (why: HouseError) => void): void {
    if (this.#body.length > limit) refuse('payload_too_large')
    else done(this.#body)
  }

  answer(code: number, headers: readonly string[], text: string, size: number, closes: boolean): void {
    this.#connection.send(code, headers, text, size, closes)
    this.status = code
  }

  whenOver(over: () => void): void {
    this.#over = over
  }

  over(): void {
    this.#over?.()
  }

  cut(): void {
    this.socket.destroy()
  }
}

/** The Date header of this second. */
function dateHeader(clock: Pick<Clock, 'now'>): () => string {
  let second = -1
  let text = ''
  return () => {
    const now = Math.floor(clock.now() / 1_000)
    if (now !== second) {
      second = now
      text = new Date(now * 1_000).toUTCString()
    }
    return text
  }
}
