// The real networks of a simulated world: a conformance simulator for each, whose books survive
// crashes, the processes' connections to it, the recorded wire traffic, and the actions of people
// once the faults have stopped.
import type {
  BookedPayment,
  ConformanceNetwork,
  WireCallback,
  WireReaction,
} from '../../../simulators/src/network.ts'
import {
  endRefundByHand,
  listRefundTasks,
} from '../../src/actions/payments/record-refund-outcome.ts'
import type { Clock } from '../../src/domain/clock-and-random.ts'
import {
  CONNECTION_ID_BYTES,
  makeConnectionId,
} from '../../src/domain/merchants/merchant-connection.ts'
import type { Connection } from '../../src/operators/connector.ts'
import type { Call, Send } from '../../src/operators/http-call.ts'
import type { Connected } from '../../src/operators/registry.ts'
import type { Service } from '../../src/service/compose.ts'
import type { ConnectDeps, OpenNetwork } from '../../src/service/connect-operators.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import { granted, TESTER } from '../kit/callers.ts'
import type { CrashingProcess } from '../kit/crashing-service.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import { walletOf } from '../kit/wallets.ts'
import { heard, reactionTo } from '../networks/harness.ts'
import type { DrawnNetwork, MoneyCall, NetworkKind, Phone } from './network-kinds.ts'
import type { World } from './world.ts'

export interface WireNetwork {
  networkKind: NetworkKind
  /** The name of its connection, which payments refer to. */
  name: string
  /**
   * Of a merchant's own connection: the wallet's owner, and the credentials that its network
   * accepts.
   */
  owned: OwnedWallet | undefined
  network: ConformanceNetwork
  operators: readonly string[]
  options: object
  /** How long a look-up does not find an accepted request. */
  lagMs: number
  /**
   * The next call of this kind reaches the network, and its answer is lost: on the line, or by a
   * crash of the waiting process.
   */
  loses: { answerTo: 'money' | 'preparation'; by: 'line' | 'crash' } | undefined
}

interface OwnedWallet {
  /** Which merchant of the world. */
  merchant: number
  /** Of that merchant, once it exists. */
  accountId: string
  /** The newest is the last: earlier ones still work, as after a rotation at a real network. */
  credentials: string[]
}

/** The line's effect on a call, which may never leave. */
export type WireLine = (
  call: { isRefund: boolean; heldMs: number },
  make: () => WireReaction,
) => WireReaction | { unreached: true }

/** The recorded wire traffic, by the reference that was sent to the network. */
export const nothingSeen = () => ({
  /**
   * Requests that arrived in time for a payment that the network had accepted, without a reason for
   * a repetition.
   */
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
  /** The installation's connections of one process. */
  connect(deps: ConnectDeps, process: CrashingProcess): Connected[]
  /** Opens merchants' connections in one process. */
  openNetwork(deps: ConnectDeps, process: CrashingProcess): OpenNetwork
  /** Undefined for a payment in no real network's books. */
  booked(reference: string): (BookedPayment & { networkKind: NetworkKind }) | undefined
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

/**
 * The network that a call reaches, and the call as it arrives there; undefined for unknown
 * credentials.
 */
type FindNetwork = (call: Call) => { each: WireNetwork; call: Call } | undefined

export function wireNetworks(drawn: readonly DrawnNetwork[], deps: WireDeps): WireNetworks {
  const seen = nothingSeen()
  const mayRepeat = new Set<string>()
  /** When the network first had it, by the reference that was sent. */
  const takenAt = new Map<string, number>()
  const noteTaken = (reference: string): void =>
    void takenAt.set(reference, takenAt.get(reference) ?? deps.clock.now())
  const all = drawn.map(open)

  function open({ networkKind, operators, merchant }: DrawnNetwork, at: number): WireNetwork {
    const random = deps.random.fork()
    const sendCallback = (callback: WireCallback) => deliver(networkKind, callback)
    const networkDeps = {
      clock: deps.clock,
      random,
      decideAfterMs: random.pick(DECIDED_AFTER_MS),
      sendCallback,
    }
    const name =
      merchant === undefined
        ? networkKind.name
        : makeConnectionId(random.bytes(CONNECTION_ID_BYTES))
    const opened = networkKind.open(networkDeps, `${ADDRESS}/${name}/callback`, deps.random.fork())
    const owned =
      merchant === undefined ? undefined : { merchant, accountId: '', credentials: [`w${at}`] }
    return { networkKind, name, owned, operators, ...opened, lagMs: 0, loses: undefined }
  }

  async function deliver(
    networkKind: NetworkKind,
    callback: WireCallback,
  ): Promise<number | undefined> {
    noteFailures()
    seen.callbacks++
    const reference = networkKind.calledBackAbout(callback) ?? ''
    const isDebited = (booked(reference)?.debits ?? 0) > 0
    const code = await deps.sendCallback(callback)
    if (isDebited && code !== undefined && code < 300) seen.calledBack.add(reference)
    return code
  }

  /** Failures that may change are recorded while they last. */
  function noteFailures(): void {
    for (const { networkKind, network } of all) {
      for (const each of network.books()) {
        noteTaken(networkKind.referenceOf(each))
        if (!networkKind.failed.includes(each.status)) continue
        const reference = networkKind.referenceOf(each)
        seen.failures.set(reference, (seen.failures.get(reference) ?? new Set()).add(each.status))
      }
    }
  }

  function booked(reference: string): (BookedPayment & { networkKind: NetworkKind }) | undefined {
    for (const { networkKind, network } of all) {
      const found = network.books().find((each) => networkKind.referenceOf(each) === reference)
      if (found !== undefined) return { ...found, networkKind }
    }
    return undefined
  }

  const isTaken = (reference: string): boolean => {
    const found = booked(reference)
    return found?.networkKind.isTaken(found) === true
  }

  /** The call arrives, and the network reacts. */
  function arrive(
    { networkKind, network, lagMs }: WireNetwork,
    call: Call,
    heldMs: number,
  ): WireReaction {
    seen.calls++
    noteFailures()
    const money = networkKind.moneyCallOf(call, network)
    const wasTaken = money?.kind === 'request' && isTaken(money.reference)
    const asked = networkKind.askedAbout(call, network)
    const isHidden =
      deps.clock.now() < (takenAt.get(asked ?? '') ?? Number.NEGATIVE_INFINITY) + lagMs
    const reaction = reactionTo(network, isHidden ? networkKind.aboutNothing(call) : call)
    if (money?.kind === 'refund') noteTaken(money.reference)
    noteFailures()
    const isTurnedAway =
      'code' in reaction &&
      (TURNED_AWAY.includes(reaction.code) || networkKind.rejects?.(reaction) === true)
    if (money !== undefined) noteMoneyCall(money, { heldMs, wasTaken, isTurnedAway })
    if (asked !== undefined && 'code' in reaction && networkKind.denies(reaction))
      seen.denied.add(asked)
    return reaction
  }

  function noteMoneyCall(
    { kind, reference }: MoneyCall,
    {
      heldMs,
      wasTaken,
      isTurnedAway,
    }: { heldMs: number; wasTaken: boolean; isTurnedAway: boolean },
  ): void {
    if (heldMs > 0) seen.held.add(reference)
    else if (kind === 'refund' && !isTurnedAway) add(seen.refunds, reference)
    else if (wasTaken && !isTurnedAway && !mayRepeat.has(reference) && !seen.denied.has(reference))
      add(seen.repeated, reference)
  }

  /**
   * The connector's answer may make it repeat the request, independent of the network's reaction.
   */
  function noteHeard(
    each: WireNetwork,
    call: Call,
    reaction: WireReaction | { unreached: true },
  ): void {
    const money = each.networkKind.moneyCallOf(call, each.network)
    const isCause = 'code' in reaction && each.networkKind.repeatsAfter.includes(reaction.code)
    if (money !== undefined && isCause) mayRepeat.add(money.reference)
  }

  /** `find` gives the network that a call is for. */
  function sendTo(find: FindNetwork, process: CrashingProcess, usualMs: number): Send {
    return async (sent) => {
      const found = find(sent)
      if (found === undefined) return { code: 401, headers: {}, body: {} }
      const { each, call } = found
      const money = each.networkKind.moneyCallOf(call, each.network)
      const reaction = await process.call(async (heldMs) => {
        let hasArrived = false
        const came = deps.line({ isRefund: money?.kind === 'refund', heldMs }, () => {
          hasArrived = true
          return arrive(each, call, heldMs)
        })
        const beside = each.networkKind.prepares?.(call) ? 'preparation' : undefined
        const kind = money === undefined ? beside : 'money'
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
      return heard(reaction, { clock: process.clock, timeoutMs: call.timeoutMs ?? usualMs })
    }
  }

  function connectTo(
    { config, clock, random }: ConnectDeps,
    process: CrashingProcess,
    {
      name,
      connector,
      options,
    }: { name: string; connector: NetworkKind['connector']; options: unknown },
    find: FindNetwork,
  ): Connection {
    const { operatorTimeoutMs } = config
    return connector.connect(
      {
        name,
        environment: ENVIRONMENT,
        clock,
        random,
        deadlineMs: operatorTimeoutMs,
        send: sendTo(find, process, operatorTimeoutMs),
        callbackUrl: (reference) => `${ADDRESS}/${name}/callback/${reference}`,
      },
      options,
    )
  }

  function connect(connectDeps: ConnectDeps, process: CrashingProcess): Connected[] {
    const installed = all.filter(({ owned }) => owned === undefined)
    return installed.map((each) => {
      const { name, networkKind, options, operators: prompts } = each
      const connection = { name, connector: networkKind.connector, options }
      const { operator } = connectTo(connectDeps, process, connection, (call) => ({ each, call }))
      return { environment: ENVIRONMENT, operator, prompts, pages: [] }
    })
  }

  /** All wallets of a network have one address: the credentials of a call decide whose it is. */
  function findWallet(connector: string, sent: Call): ReturnType<FindNetwork> {
    const { wallet = '', call } = walletOf(sent)
    const each = all.find(
      ({ networkKind, owned }) =>
        networkKind.connector.name === connector && owned?.credentials.includes(wallet) === true,
    )
    return each && { each, call }
  }

  const openNetwork =
    (connectDeps: ConnectDeps, process: CrashingProcess): OpenNetwork =>
    (connection) => {
      const { connector, prompts } = connection
      const find: FindNetwork = (call) => findWallet(connector.name, call)
      const { operator, test } = connectTo(connectDeps, process, connection, find)
      const ended = async (): Promise<void> => {}
      const connected = { environment: ENVIRONMENT, operator, prompts, pages: [] } as const
      return { connected, test, close: ended, destroy: ended }
    }

  return {
    all,
    phones: all.flatMap(({ networkKind, operators }) =>
      operators.flatMap((operator) => networkKind.phones[operator] ?? []),
    ),
    seen,
    connect,
    openNetwork,
    booked,
    isWire: (connection) => all.some(({ name }) => name === connection),
  }
}

const add = (counts: Map<string, number>, reference: string): void =>
  void counts.set(reference, (counts.get(reference) ?? 0) + 1)

/** Payers decide every open prompt now, so that nothing is pending for ever. */
export function payersDecide({ wire, random }: World): void {
  for (const { networkKind, network } of wire.all) {
    const waiting = network
      .books()
      .filter((each) => networkKind.waiting.includes(each.status) && networkKind.isTaken(each))
    for (const { id } of waiting)
      network.decide(id, random.pick(['approve', 'decline', 'ignore', 'no_funds']))
  }
}

/**
 * Payments that a network accepted and does not have: they are pending for ever, and listed for
 * staff.
 */
export async function leftToPersons({ wire }: World, db: Queries): Promise<string[]> {
  if (wire.all.length === 0) return []
  const rows = await db.read<{ reference: string; asked: string }>(
    `select p.reference, coalesce(p.attempt_reference, p.reference) as asked from payments p
     join payment_anomalies a on a.request_reference = coalesce(p.attempt_reference, p.reference)
     where p.status = 'pending' and a.kind = 'forgotten_by_operator'`,
  )
  return rows
    .filter(({ asked }) => wire.booked(asked) === undefined)
    .map(({ reference }) => reference)
}

/** By the network's books. False when there was none. */
export async function endRefundsByHand(
  { wire, counts, note }: World,
  service: Service,
): Promise<boolean> {
  if (wire.all.length === 0) return false
  const { rows } = await listRefundTasks(service, TESTER)
  for (const { refundReference, reference } of rows) {
    const [payment] = await service.db.read<{ asked: string }>(
      `select coalesce(attempt_reference, reference) as asked from payments
        where reference = :reference`,
      { reference },
    )
    const isMade = (wire.booked(payment?.asked ?? '')?.refunds ?? 0) > 0
    granted(
      await endRefundByHand(service, TESTER, {
        refundReference,
        isMade,
        proof: 'seen in the portal',
      }),
    )
    note(`a person ends the refund of ${reference}: ${isMade ? 'made' : 'not made'}`)
    counts.refundsByHand++
  }
  return rows.length > 0
}
