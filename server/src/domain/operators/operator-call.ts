// The calls to an operator, by kind, and how many of them a connection may make.
import type { ConnectionKey } from './connection-key.ts'

/** The call that a due payment waits for: a request or a status call. */
export const CALL_KINDS = ['request', 'status'] as const

export type CallKind = (typeof CALL_KINDS)[number]

/**
 * The calls that this process may make to one connection, by kind: requests for money, and status
 * calls.
 */
export type CallLimits = Readonly<Record<CallKind, CallLimit>>

/** Concurrent calls, and calls begun in a second: no limit without it. */
export type CallLimit = { atOnce: number; perSecond?: number | undefined }

export interface DueLine extends ConnectionKey {
  kind: CallKind
}
