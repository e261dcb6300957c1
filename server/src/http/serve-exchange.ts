// What holds for every exchange, whatever its route: it is counted among the requests under way, refused while the server stops, answered in
// our own form when its route fails, and recorded when it is over.
import type { Connections } from './connections.ts'
import { type AnswerHeaders, Exchange, type ExchangeRoute } from './exchange.ts'
import type { NodeRequest } from './node-request.ts'

export interface ServeExchangeDeps {
  makeRequestId(): string
  connections: Connections
  /** How many requests are unanswered now, and how many have begun since the start. */
  counts: { underWay: number; begun: number }
  answerHeaders: AnswerHeaders
  isStopping(): boolean
  /** Told of each request before it is answered. */
  begins(request: NodeRequest): void
  /** Answers for a route that failed. */
  fail(exchange: Exchange, error: unknown): void
  /** Told of each request that was answered. */
  record(exchange: Exchange): void
  /** How long a connection may be silent. */
  silentMs: number
}

export function exchangeServer(deps: ServeExchangeDeps) {
  const { makeRequestId, connections, counts, answerHeaders, isStopping, begins, fail, record, silentMs } = deps

  return (route: ExchangeRoute, request: NodeRequest, isAmbiguous: boolean): void => {
    const { socket } = request
    if (!connections.begin(socket, request)) return
    counts.underWay++
    counts.begun++
    let [isWaiting, isOver] = [false, false]
    // One that waits because its caller wishes it has nobody wait for us.
    const waits = (longestMs: number | undefined): void => {
      if (isOver) return
      isWaiting = longestMs !== undefined
      counts.underWay += isWaiting ? -1 : 1
      connections.mayBeSilent(socket, silentMs + (longestMs ?? 0))
    }
    const exchange = new Exchange(route, request, makeRequestId(), answerHeaders, waits)
    // Also when the caller goes away before its answer.
    request.whenOver(() => {
      isOver = true
      if (!isWaiting) counts.underWay--
      connections.end(socket)
      if (request.status !== undefined) record(exchange)
      exchange.over()
    })
    if (isStopping() || isAmbiguous) {
      exchange.answerHouseError(isStopping() ? 'unavailable' : 'bad_request')
      return
    }
    begins(request)
    const failed = (error: unknown): void => fail(exchange, error)
    const handle = (): void => void route.handle(exchange).catch(failed)
    try {
      const entered = route.enter(exchange, route.method === 'GET' ? handle : () => exchange.receiveBody(handle))
      if (entered instanceof Promise) entered.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
