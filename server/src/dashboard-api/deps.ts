// Everything that the actions behind the dashboard's routes need, joined: compose.ts fills it.
import type { SessionDeps } from '../actions/people/open-session.ts'

export interface DashboardDeps extends SessionDeps {
  /** The address that browsers reach the service by; empty when it is not set. */
  publicUrl: string
}
