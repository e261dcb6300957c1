// Everything that the actions behind the dashboard's routes need, joined: compose.ts fills it.
import type { PauseDeps } from '../actions/operators/pause-connection.ts'
import type { PeopleDeps, SessionDeps } from '../actions/people/sessions.ts'
import type { KnownConnection } from './connection-row.ts'
import type { FiguresBody } from './shapes.ts'
import type { ShopDeps } from './shop-deps.ts'

export interface DashboardDeps extends SessionDeps, PeopleDeps, PauseDeps, ShopDeps {
  /** The connections to networks, as every process sees them. */
  readConnections(): Promise<readonly KnownConnection[]>
  /** The last hour of all processes. */
  readFigures(): Promise<FiguresBody>
  /** The address that browsers reach the service by; empty when it is not set. */
  publicUrl: string
}
