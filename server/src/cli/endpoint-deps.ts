// The dependencies of the actions that make and change an endpoint: the store, the box that encrypts its secrets, the rules for its
// address.
import type { EndpointDeps } from '../actions/webhooks/add-endpoint.ts'
import { targetRules } from '../config.ts'
import { secretsBox } from '../service/master-key.ts'
import type { Runtime } from '../service/runtime.ts'

export const endpointDeps = ({ db, clock, random, master, config }: Runtime): EndpointDeps => ({
  db,
  clock,
  random,
  box: secretsBox(master, random),
  rules: targetRules(config),
})

/** For help texts. */
export const SECRET_HASH =
  'the value of the header Secret-Hash, of your choice, 16 characters or more; - reads it from standard input'
