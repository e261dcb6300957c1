// What is asked of any process of a world that answers.
import type { FastifyInstance } from 'fastify'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { Service } from '../../src/service/compose.ts'
import { TESTER } from '../kit/callers.ts'
import type { World } from './world.ts'

/** At a process that answers; nobody comes to one that does not. */
export const atAny =
  (come: (world: World, app: FastifyInstance, service: Service) => void) =>
  (world: World): void => {
    const service = world.anyService()
    if (service !== undefined) come(world, service.app, service)
  }

export function requestRefund({ merchants, random }: World, _app: FastifyInstance, service: Service): void {
  const known = merchants.orders.filter(({ answered }) => answered?.code === 200)
  if (known.length === 0) return
  const name = random.pick(known).answered?.reference as string
  // A full disk refuses it, as it refuses anything.
  void refundPayment(service, TESTER, { name }).catch(() => {})
}
