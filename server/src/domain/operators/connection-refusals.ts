// The refusals of connections to networks, with their facts.
import type { NoFacts } from '../refused.ts'

export interface ConnectionRefusals {
  // connections to networks
  connection_not_found: NoFacts
  connection_not_paused: NoFacts
  // a merchant's own connections (D-155)
  connector_not_available: NoFacts
  credentials_not_valid: { field: string }
  /** What the network answered. */
  credentials_refused: { why: string }
  network_not_reached: { why: string }
  connection_label_not_valid: { longest: number }
  connection_serves_not_valid: NoFacts
  too_many_connections: { most: number }
}
