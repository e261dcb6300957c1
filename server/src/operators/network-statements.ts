// Statements that a network gives by its API: asked for, made by the network in its own time, then read.
import { type FetchFailure, type FetchPeriod, fetchFailure } from '../domain/statement-fetch.ts'
import type { CallResult } from './http-call.ts'
import { asObject } from './wire-values.ts'

export interface NetworkStatements {
  /** Asks for one. The id is kept, so that a later process goes on with it. Never throws. */
  request(period: FetchPeriod): Promise<{ is: 'requested'; requestId: string } | FetchFailure>
  /** The file of a statement that was asked for. Never throws; reading the content may throw `StatementBrokeOff`. */
  open(requestId: string, period: FetchPeriod): Promise<OpenedStatement | { is: 'not_ready' } | FetchFailure>
}

/** The bytes of a CSV file, or of one in GZIP. They can be read once. */
export type OpenedStatement = { is: 'ready'; content: AsyncIterable<Uint8Array> }

/** Gets a file from an address that a network has named. Guarded: the address is not trusted. Never throws. */
export type Download = (address: string) => Promise<OpenedStatement | FetchFailure>

/** For an answer without the expected content. */
export function failureOf(result: CallResult): FetchFailure {
  if ('failed' in result) return fetchFailure('not_reached', result.failed)
  const { code, body } = result
  const why = `HTTP ${code}`
  if (code === 401 || code === 403) return fetchFailure('credentials_refused', why)
  if (code === 408 || code === 429 || code >= 500) return fetchFailure('not_reached', why)
  return fetchFailure('answer_not_valid', asObject(body) === undefined ? `${why} without JSON` : why)
}
