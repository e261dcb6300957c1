// The server's connections and their limits. Limits the in-flight requests of a connection and the
// connections of a network. At the process's maximum a new connection evicts the one that has been
// idle, or its request incomplete, longest. When the server stops, idle connections are closed at
// once, the others after a deadline.
import type { Server as HttpServer } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { networkOf } from './rate-limit.ts'

export interface ConnectionLimits {
  most: number
  mostPerNetwork: number
  /** Unanswered requests, or answers that the caller does not read. */
  mostRequests: number
}

type ConnectionEnd = 'too_many_requests' | 'too_many_of_network' | 'too_many'

/** A request that may still be incomplete. */
type ComingRequest = { readonly complete: boolean }

export type Connections = ReturnType<typeof watchConnections>

interface OpenConnection {
  network: string
  underWay: number
  /** The latest request that has begun. All requests before it are complete. */
  last: ComingRequest | undefined
  endsAfterAnswers: boolean
}

export interface ConnectionDeps {
  limits: ConnectionLimits
  /** Proxies and this machine, behind which there are many callers. */
  isManyCallers(address: string): boolean
  refused(because: ConnectionEnd): void
}

export function watchConnections(
  server: HttpServer,
  { limits, isManyCallers, refused }: ConnectionDeps,
) {
  const open = new Map<Socket, OpenConnection>()
  /**
   * In the order in which they became idle or began a request, which may have been completed since.
   */
  const idle = new Set<Socket>()
  const perNetwork = new Map<string, number>()

  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const network = networkOf(address)
    const others = perNetwork.get(network) ?? 0
    if (others >= limits.mostPerNetwork && !isManyCallers(address))
      return refuse(socket, 'too_many_of_network')
    if (open.size >= limits.most && !endLongestIdle()) return refuse(socket, 'too_many')
    open.set(socket, { network, underWay: 0, last: undefined, endsAfterAnswers: false })
    idle.add(socket)
    perNetwork.set(network, others + 1)
    socket.once('close', () => forget(socket, network))
  })

  function forget(socket: Socket, network: string): void {
    open.delete(socket)
    idle.delete(socket)
    const left = (perNetwork.get(network) ?? 1) - 1
    if (left === 0) perNetwork.delete(network)
    else perNetwork.set(network, left)
  }

  function refuse(socket: Socket, because: ConnectionEnd): void {
    refused(because)
    socket.destroy()
  }

  function endLongestIdle(): boolean {
    for (const socket of idle) {
      idle.delete(socket)
      if (isOwedAnswer(open.get(socket))) continue
      socket.destroy()
      return true
    }
    return false
  }

  /** Whether a complete request is unanswered. */
  const isOwedAnswer = (connection: OpenConnection | undefined): boolean =>
    connection !== undefined && connection.underWay > (connection.last?.complete ? 0 : 1)

  return {
    /** A request begins; false when its connection has too many, and was ended. */
    begin(socket: Socket, request: ComingRequest): boolean {
      const connection = open.get(socket)
      // A request that a test injects has no connection.
      if (connection === undefined) return !socket.destroyed
      if (socket.destroyed) return false
      if (connection.underWay >= limits.mostRequests) {
        refuse(socket, 'too_many_requests')
        return false
      }
      connection.last = request
      connection.underWay++
      idle.delete(socket)
      if (!isOwedAnswer(connection)) idle.add(socket)
      return true
    },
    /** A request was answered, and the answer was sent. */
    end(socket: Socket): void {
      const connection = open.get(socket)
      if (connection === undefined) return
      connection.underWay--
      // The remaining request may never be completed.
      if (isOwedAnswer(connection)) return
      idle.add(socket)
      if (connection.endsAfterAnswers) socket.end()
    },
    /**
     * Its next bytes cannot be parsed. True when it ends after the answers to complete earlier
     * requests.
     */
    endAfterAnswers(socket: Socket): boolean {
      const connection = open.get(socket)
      if (connection === undefined || !isOwedAnswer(connection)) return false
      connection.endsAfterAnswers = true
      return true
    },
    /** How long nothing may be sent or read on it. */
    mayBeSilent(socket: Socket, ms: number): void {
      if (open.has(socket)) socket.setTimeout(ms)
    },
    /**
     * Closes the connections without an in-flight request, including those that have not sent
     * anything yet.
     */
    endSilent(): void {
      for (const [socket, { underWay }] of open) if (underWay === 0) socket.destroy()
    },
    endAll(): void {
      for (const socket of open.keys()) socket.destroy()
    },
  }
}

/** In so short a turn next to nothing can have arrived. */
const SHORT_TURN_MS = 1
/** As many connections wait at a listener. */
const MOST_TURNS = 511

/**
 * Accepts the connections that have arrived, one in each turn of the event loop: the system would
 * reset those that wait when the listener closes.
 */
export async function acceptWaiting(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const startedAt = performance.now()
    await nextTurn()
    if (performance.now() - startedAt < SHORT_TURN_MS) return
  }
}

/**
 * Accepts no more connections. The HTTP server's own close would also end its idle connections, on
 * which a request may be under way.
 */
export function stopListening(server: HttpServer): void {
  if (server.listening) Server.prototype.close.call(server)
}
