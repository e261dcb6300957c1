// Everything that the actions behind the dashboard's routes need, joined: compose.ts fills it.
import type { SessionDeps } from '../actions/people/open-session.ts'
import type { ShopDeps } from './shop-deps.ts'

export interface DashboardDeps extends SessionDeps, ShopDeps {
  /** The address that browsers reach the service by; empty when it is not set. */
  publicUrl: string
}
