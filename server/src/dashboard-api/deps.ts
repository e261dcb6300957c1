// Everything that the actions behind the dashboard's routes need, joined: compose.ts fills it.
import type { SessionDeps } from '../actions/people/open-session.ts'
import type { PeopleDeps } from '../actions/people/people-deps.ts'

export interface DashboardDeps extends SessionDeps, PeopleDeps {
  /** The address that browsers reach the service by; empty when it is not set. */
  publicUrl: string
}
