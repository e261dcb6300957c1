// The real networks of a simulated world: a conformance simulator for each, whose books survive crashes, the processes'
// connections to it, the recorded wire traffic, and the actions of people once the faults have stopped.
import type { BookedPayment, ConformanceNetwork, WireCallback, WireReaction } from '../../../simulators/src/network.ts'
import { endRefundByHand, listRefundTasks } from '../../src/actions/payments/record-refund-outcome.ts'
import type { Clock } from '../../src/domain/clock-and-random.ts'
import type { Call, Send } from '../../src/operators/http-call.ts'
import type { Connected } from '../../src/operators/registry.ts'
import type { Service } from '../../src/service/compose.ts'
import type { ConnectDeps } from '../../src/service/connect-operators.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import { granted, TESTER } from '../kit/callers.ts'
import type { CrashingProcess } from '../kit/crashing-service.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import { heard, reactionTo } from '../networks/harness.ts'
import type { DrawnManner } from './manners/draw.ts'
import type { Manner, MoneyCall, Phone } from './manners/manner.ts'
import type { World } from './world.ts'

interface WireNetwork {
  manner: Manner
  network: ConformanceNetwork
  operators: readonly string[]
  options: object
  /** How long a look-up does not find an accepted request. */
  lagMs: number
  /**
   * The next call of this kind reaches the network, and its answer is lost: on the line, or by a crash of the waiting
   * process.
   */
  loses: { answerTo: 'money' | 'preparation'; by: 'line' | 'crash' } | undefined
}

/** The line's effect on a call, which may never leave. */
export type WireLine = (
  call: { isRefund: boolean; heldMs: number },
  make: () => WireReaction,
) => WireReaction | { unreached: true }

/** The recorded wire traffic, by the reference that was sent to the network. */
export const nothingSeen = () => ({
  /** Requests that arrived in time for a payment that the network had accepted, without a reason for a repetition. */
  repeated: new Map<string, number>(),
  /** Refunds that arrived in time and were not refused. */
  refunds: new Map<string, number>(),
  /** Sent by a process that was frozen between its last check and the sending. */
  held: new Set<string>(),
  /** The network denied a payment that it had accepted. */
  denied: new Set<string>(),
  /** The failure statuses that the books have had for it. */
  failures: new Map<string, Set<string>>(),
  /** A callback was acknowledged after the debit. */
  calledBack: new Set<string>(),
  calls: 0,
  callbacks: 0,
  /** Answers that a step of the world lost on purpose. */
  lost: 0,
})

export type Seen = ReturnType<typeof nothingSeen>

export interface WireNetworks {
  all: readonly WireNetwork[]
  phones: readonly Phone[]
  seen: Seen
  /** The connections of one process. */
  connect(deps: ConnectDeps, process: CrashingProcess): Connected[]
  /** Undefined for a payment in no real network's books. */
  booked(reference: string): (BookedPayment & { manner: Manner }) | undefined
  /** Whether the payment is for a real network, by the name of its connection. */
  isWire(connection: string): boolean
}

export interface WireDeps {
  clock: Clock
  random: SeededRandom
  line: WireLine
  /** The status code of the answer, or undefined. */
  sendCallback(callback: WireCallback): Promise<number | undefined>
}

const ENVIRONMENT = 'live'
const ADDRESS = `https://karba.example/operators/${ENVIRONMENT}`
/** How long payers take at one network: an open prompt may be sent again by mistake. */
const DECIDED_AFTER_MS = [2_000, 20_000, 60_000] as const
/** Status codes with which a network refuses a call. */
const TURNED_AWAY = [401, 403, 429, 503]

export function wireNetworks(drawn: readonly DrawnManner[], deps: WireDeps): WireNetworks {
  const seen = nothingSeen()
  const mayRepeat = new Set<string>()
  /** When the network first had it, by the reference that was sent. */
  const takenAt = new Map<string, number>()
  const noteTaken = (reference: string): void => void takenAt.set(reference, takenAt.get(reference) ?? deps.clock.now())
  const all = drawn.map((each): WireNetwork => open(each))

  function open({ manner, operators }: DrawnManner): WireNetwork {
    const random = deps.random.fork()
    const sendCallback = (callback: WireCallback) => tell(manner, callback)
    const networkDeps = { clock: deps.clock, random, decideAfterMs: random.pick(DECIDED_AFTER_MS), sendCallback }
    const callbackUrl = `${ADDRESS}/${manner.name}/callback`
    const opened = manner.open(networkDeps, callbackUrl, deps.random.fork())
    return { manner, operators, ...opened, lagMs: 0, loses: undefined }
  }

  async function tell(manner: Manner, callback: WireCallback): Promise<number | undefined> {
    look()
    seen.callbacks++
    const reference = manner.calledBackAbout(callback) ?? ''
    const isDebited = (booked(reference)?.debits ?? 0) > 0
    const code = await deps.sendCallback(callback)
    if (isDebited && code !== undefined && code < 300) seen.calledBack.add(reference)
    return code
  }

  /** Failures that may change are recorded while they last. */
  function look(): void {
    for (const { manner, network } of all) {
      for (const each of network.books()) {
        noteTaken(manner.referenceOf(each))
        if (!manner.failed.includes(each.status)) continue
        const reference = manner.referenceOf(each)
        seen.failures.set(reference, (seen.failures.get(reference) ?? new Set()).add(each.status))
      }
    }
  }

  function booked(reference: string): (BookedPayment & { manner: Manner }) | undefined {
    for (const { manner, network } of all) {
      const found = network.books().find((each) => manner.referenceOf(each) === reference)
      if (found !== undefined) return { ...found, manner }
    }
    return undefined
  }

  const isTaken = (reference: string): boolean => {
    const found = booked(reference)
    return found?.manner.isTaken(found) === true
  }

  /** The call arrives, and the network reacts. */
  function arrive({ manner, network, lagMs }: WireNetwork, call: Call, heldMs: number): WireReaction {
    seen.calls++
    look()
    const money = manner.moneyCallOf(call, network)
    const wasTaken = money?.kind === 'request' && isTaken(money.reference)
    const asked = manner.askedAbout(call, network)
    const isHidden = deps.clock.now() < (takenAt.get(asked ?? '') ?? Number.NEGATIVE_INFINITY) + lagMs
    const reaction = reactionTo(network, isHidden ? manner.aboutNothing(call) : call)
    if (money?.kind === 'refund') noteTaken(money.reference)
    look()
    const isTurnedAway =
      'code' in reaction && (TURNED_AWAY.includes(reaction.code) || manner.rejects?.(reaction) === true)
    if (money !== undefined) noteMoneyCall(money, { heldMs, wasTaken, isTurnedAway })
    if (asked !== undefined && 'code' in reaction && manner.denies(reaction)) seen.denied.add(asked)
    return reaction
  }

  function noteMoneyCall(
    { kind, reference }: MoneyCall,
    { heldMs, wasTaken, isTurnedAway }: { heldMs: number; wasTaken: boolean; isTurnedAway: boolean },
  ): void {
    if (heldMs > 0) seen.held.add(reference)
    else if (kind === 'refund' && !isTurnedAway) add(seen.refunds, reference)
    else if (wasTaken && !isTurnedAway && !mayRepeat.has(reference) && !seen.denied.has(reference))
      add(seen.repeated, reference)
  }

  /** The connector's answer may make it repeat the request, independent of the network's reaction. */
  function noteHeard(each: WireNetwork, call: Call, reaction: WireReaction | { unreached: true }): void {
    const money = each.manner.moneyCallOf(call, each.network)
    const isCause = 'code' in reaction && each.manner.repeatsAfter.includes(reaction.code)
    if (money !== undefined && isCause) mayRepeat.add(money.reference)
  }

  function connect({ config, clock, random }: ConnectDeps, process: CrashingProcess): Connected[] {
    const { operatorTimeoutMs } = config
    return all.map((each) => {
      const { manner, options, operators: prompts } = each
      const send: Send = async (call) => {
        const money = manner.moneyCallOf(call, each.network)
        const reaction = await process.call(async (heldMs) => {
          let hasArrived = false
          const came = deps.line({ isRefund: money?.kind === 'refund', heldMs }, () => {
            hasArrived = true
            return arrive(each, call, heldMs)
          })
          const kind = money !== undefined ? 'money' : manner.prepares?.(call) ? 'preparation' : undefined
          const isLost = hasArrived && kind !== undefined && each.loses?.answerTo === kind
          const by = isLost ? each.loses?.by : undefined
          if (isLost) {
            each.loses = undefined
            seen.lost++
          }
          if (by === 'crash') process.crash()
          const answer = by === 'line' ? ({ cut: true } as const) : came
          noteHeard(each, call, answer)
          return answer
        })
        if ('unreached' in reaction) return { failed: 'no answer: ECONNREFUSED', neverLeft: true }
        return heard(reaction, { clock: process.clock, timeoutMs: call.timeoutMs ?? operatorTimeoutMs })
      }
      const { operator } = manner.connector.connect(
        {
          ...{ name: manner.name, environment: ENVIRONMENT, send, clock, random, deadlineMs: operatorTimeoutMs },
          callbackUrl: (reference) => `${ADDRESS}/${manner.name}/callback/${reference}`,
        },
        options,
      )
      return { environment: ENVIRONMENT, operator, prompts, pages: [] }
    })
  }

  return {
    all,
    phones: all.flatMap(({ manner, operators }) => operators.flatMap((operator) => manner.phones[operator] ?? [])),
    seen,
    connect,
    booked,
    isWire: (connection) => all.some(({ manner }) => manner.name === connection),
  }
}

const add = (counts: Map<string, number>, reference: string): void =>
  void counts.set(reference, (counts.get(reference) ?? 0) + 1)

/** Payers decide every open prompt now, so that nothing is pending for ever. */
export function everybodyDecides({ wire, random }: World): void {
  for (const { manner, network } of wire.all) {
    const waiting = network.books().filter((each) => manner.waiting.includes(each.status) && manner.isTaken(each))
    for (const { id } of waiting) network.decide(id, random.pick(['approve', 'decline', 'ignore', 'no_funds']))
  }
}

/** Payments that a network accepted and does not have: they are pending for ever, and listed for staff. */
export async function leftToPersons({ wire }: World, db: Queries): Promise<string[]> {
  if (wire.all.length === 0) return []
  const rows = await db.rows<{ reference: string; asked: string }>(
    `select p.reference, coalesce(p.attempt_reference, p.reference) as asked from payments p
     join payment_anomalies a on a.request_reference = coalesce(p.attempt_reference, p.reference)
     where p.status = 'pending' and a.kind = 'forgotten_by_operator'`,
  )
  return rows.filter(({ asked }) => wire.booked(asked) === undefined).map(({ reference }) => reference)
}

/** By the network's books. False when there was none. */
export async function endRefundsByHand({ wire, counts, note }: World, service: Service): Promise<boolean> {
  if (wire.all.length === 0) return false
  const { rows } = await listRefundTasks(service, TESTER)
  for (const { refundReference, reference } of rows) {
    const [payment] = await service.db.rows<{ asked: string }>(
      'select coalesce(attempt_reference, reference) as asked from payments where reference = $1',
      [reference],
    )
    const isMade = (wire.booked(payment?.asked ?? '')?.refunds ?? 0) > 0
    granted(await endRefundByHand(service, TESTER, { refundReference, isMade, proof: 'seen in the portal' }))
    note(`a person ends the refund of ${reference}: ${isMade ? 'made' : 'not made'}`)
    counts.refundsByHand++
  }
  return rows.length > 0
}
