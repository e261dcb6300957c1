// What making and changing an endpoint takes beside the store: the box for its secrets, and the rules for its address.
import type { EndpointDeps } from '../actions/webhooks/add-endpoint.ts'
import type { Runtime } from '../service/runtime.ts'
import { secretsBox, targetRules } from '../service/webhook-worker.ts'

export const endpointDeps = ({ db, clock, random, master, config }: Runtime): EndpointDeps => ({
  db,
  clock,
  random,
  box: secretsBox(master, random),
  rules: targetRules(config),
})

/** How the help texts say it. */
export const SECRET_HASH = 'the value of the header Secret-Hash, of your choice; - reads it from standard input'
