// Door 4: callbacks from the networks. A callback is only ever a hint: it must be genuine where the network allows us to know,
// and all it does is make us ask for the status (D-15). Limited in size and in how many are looked at together.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isEnvironment } from '../domain/environment.ts'
import { HOUSE_ERRORS, sendError, sendJson } from '../http/errors.ts'
import type { Operators } from '../operators/registry.ts'
import type { Database } from '../store/database.ts'
import { findInHand } from '../store/pending-payments.ts'
import type { Desk } from '../worker/desk.ts'

const BODY_LIMIT_BYTES = 16 * 1024
const MOST_AT_ONCE = 200

export interface OperatorApiNeeds {
  db: Database
  operators: Operators
  desk: Desk
}

export function operatorApi(app: FastifyInstance, { db, operators, desk }: OperatorApiNeeds): void {
  let underWay = 0

  app.route({
    // Networks disagree about the method.
    method: ['POST', 'PUT'],
    url: '/operators/:environment/:operator/callback',
    bodyLimit: BODY_LIMIT_BYTES,
    handler: async (request: FastifyRequest, reply) => {
      const { environment, operator: name } = request.params as { environment: string; operator: string }
      const operator = isEnvironment(environment) ? operators.find(environment, name) : undefined
      if (operator === undefined) return sendError(reply, HOUSE_ERRORS.not_found)
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const reference = operator.parseCallback({ headers: request.headers, body })
      if (reference === undefined) return sendError(reply, HOUSE_ERRORS.unauthorized)
      if (underWay >= MOST_AT_ONCE) return sendError(reply, HOUSE_ERRORS.unavailable)
      underWay++
      try {
        const payment = await findInHand(db, reference)
        // A genuine callback about another operator's payment is still nobody's business here.
        if (payment?.operator === name && payment.environment === environment) await desk.ask(payment)
      } finally {
        underWay--
      }
      return sendJson(reply, 200, '{"status":"received"}')
    },
  })
}
