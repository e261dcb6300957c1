// What else may happen in a world with real networks: payers decide, and the networks fail in the ways that they have in the field.
import type { PayerDecision } from '../../../simulators/src/network.ts'
import { atAny, requestRefund } from './at-any.ts'
import type { Step } from './steps.ts'

/** Some are longer than the quarter of an hour after which "not known" is believed. */
export const LAGS_MS = [0, 40_000, 120_000, 600_000, 1_200_000] as const

const DECISIONS: readonly PayerDecision[] = ['approve', 'approve', 'approve', 'decline', 'ignore', 'no_funds']

export const WIRE_STEPS: readonly Step[] = [
  { weight: 30, take: atAny(({ merchants }, app) => merchants.createPayment(app)) },
  { weight: 15, take: atAny(requestRefund) },
  {
    weight: 16,
    take: ({ wire, random, counts, note }) => {
      const { manner, network } = random.pick(wire.all)
      const faults = Object.keys(network.faults.known).filter((name) => !Object.hasOwn(manner.leftOut, name))
      for (let count = random.between(1, 3); count > 0; count--) {
        const [name, times] = [
          random.pick(random.percent(50) ? manner.worst : faults),
          random.pick([1, 2, 5, undefined]),
        ]
        if (!network.faults.on(name, times)) throw new Error(`${manner.name} has no fault ${name}`)
        counts.wireFaults++
        note(`${manner.name}: ${name}, ${times === undefined ? 'until it is mended' : `${times} times`}`)
      }
    },
  },
  {
    weight: 10,
    take: ({ wire, random, note }) => {
      const each = random.pick(wire.all)
      each.lagMs = random.pick(LAGS_MS)
      note(`look-ups at ${each.manner.name} lag by ${each.lagMs} ms`)
    },
  },
  {
    weight: 15,
    take: ({ wire, random, note }) => {
      const each = random.pick(wire.all)
      const isPreparation = each.manner.prepares !== undefined && random.percent(40)
      const loses = {
        answerTo: isPreparation ? 'preparation' : 'money',
        by: random.pick(['line', 'crash'] as const),
      } as const
      each.loses = loses
      // Both together: the network has it, and nobody on our side can see that yet.
      if (random.percent(70)) each.lagMs = random.pick(LAGS_MS)
      const { manner, lagMs } = each
      note(`${manner.name} lags by ${lagMs} ms, and its next answer about ${loses.answerTo} is lost by a ${loses.by}`)
    },
  },
  {
    weight: 7,
    take: ({ wire, random, note }) => {
      const { manner, network } = random.pick(wire.all)
      const active = Object.keys(network.faults.active())
      if (active.length === 0) return
      const mended = random.percent(60) ? active : [random.pick(active)]
      for (const name of mended) network.faults.off(name)
      note(`${manner.name} has mended ${mended.join(', ')}`)
    },
  },
  {
    weight: 10,
    take: ({ wire, random, note }) => {
      const { manner, network } = random.pick(wire.all)
      const asked = network.books().filter((each) => manner.isTaken(each))
      if (asked.length === 0) return
      const [{ id }, decision] = [random.pick(asked), random.pick(DECISIONS)]
      if (network.decide(id, decision)) note(`the payer of ${id} at ${manner.name}: ${decision}`)
    },
  },
]
