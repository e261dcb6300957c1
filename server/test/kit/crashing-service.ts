// A service in a process that can crash or freeze at any step and restarts on its store. The books
// of the network and the provider survive crashes: the checks compare the store with their debits.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import type { MachineClock, Random } from '../../src/domain/clock-and-random.ts'
import { makeLog } from '../../src/observability/log.ts'
import type { Connected } from '../../src/operators/registry.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import type { ConnectDeps, OpenNetwork } from '../../src/service/connect-operators.ts'
import { followStore } from '../../src/service/store-clock.ts'
import {
  type Reaction,
  type SimulatedCallback,
  type SimulatedNetwork,
  type SimulatedProvider,
  simulatedNetwork,
  simulatedProvider,
} from '../../src/simulator/network.ts'
import {
  type Database,
  type Queries,
  StoreUnavailable,
  type Transaction,
} from '../../src/store/engine/database.ts'
import { migrate } from '../../src/store/engine/migrate.ts'
import type { WebhookSender } from '../../src/webhooks/send.ts'
import { type Call, connectDirectly } from './direct-operators.ts'
import { openWatchedFile } from './stores.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'
import { within } from './waiting.ts'

export interface CrashingProcess {
  store: Database
  /** The clock of its machine. */
  clock: MachineClock
  hasCrashed(): boolean
  /** Resolves when it has. */
  crashed: Promise<void>
  crash(): void
  /** It will crash after this many steps. */
  crashAfter(steps: number): void
  /** It will freeze after this many steps, for this long. */
  freezeAfter(steps: number, ms: number): void
  /** It will freeze after its next claim from this table or insert, before it gets the result. */
  freezeAtClaim(table: string, ms: number): void
  isFrozen(): boolean
  /**
   * A call to another process: made while this one runs, and answered if it still runs. `heldMs`:
   * how long a freeze delayed it.
   */
  call<T>(make: (heldMs: number) => Promise<T>): Promise<T>
  /** Whether the disk is full. */
  diskIsFull: boolean
  /** Called for each call to the store. */
  storeFault(during: 'read' | 'write' | 'transaction'): StoreFault | undefined
  /** Releases the resources of the process. */
  close(): Promise<void>
}

/** A call to the store that fails, after a silence, before or after the store has executed it. */
export interface StoreFault {
  error: Error
  isDone: boolean
  afterMs: number
}

/** How far a machine's clock is ahead of the true time; all processes on that machine use it. */
export interface Wall {
  aheadMs: number
}

class Crashed extends Error {}

const never = <T>(): Promise<T> => new Promise(() => {})

export function crashingProcess(db: Database, time: VirtualClock, wall: Wall): CrashingProcess {
  const stops = stopping(time)
  const { hasCrashed, isFrozen, step, pass, clock } = {
    ...stops,
    clock: clockOf(time, wall, stops),
  }

  async function call<T>(make: (heldMs: number) => Promise<T>): Promise<T> {
    const heldMs = await pass()
    if (hasCrashed()) return never()
    const [made] = await Promise.allSettled([make(heldMs)])
    await pass()
    if (hasCrashed()) return never()
    if (made.status === 'rejected') throw made.reason
    return made.value
  }

  const reach = <T>(during: 'read' | 'write', make: () => Promise<T>): Promise<T> =>
    call(async () => {
      const fault = self.storeFault(during)
      if (fault === undefined) return make()
      if (fault.afterMs > 0)
        await new Promise<void>((resolve) => time.after(fault.afterMs, resolve))
      if (fault.isDone) await make()
      throw fault.error
    })

  const write = <T>(make: () => Promise<T>): Promise<T> =>
    reach('write', async () => {
      if (self.diskIsFull) throw new StoreUnavailable('the disk is full')
      return make()
    })

  /** The table from which a write claims rows, as `with due … update` does. */
  const claimedTable = (sql: string): string | undefined =>
    /^\s*(?:with due|update)\b/.test(sql) ? /update (\w+)/.exec(sql)?.[1] : undefined

  const claimed = <Row>(table: string, make: () => Promise<Row[]>): Promise<Row[]> =>
    write(async () => {
      const rows = await make()
      if (rows.length > 0) stops.hasClaimed(table)
      return rows
    })

  const inTransaction = (tx: Transaction, claims: Set<string>): Transaction => {
    const inside = <T>(make: () => Promise<T>): Promise<T> => {
      step()
      // Thrown, not left unanswered: the engine rolls back on an error, as it rolls back what a
      // crashed process leaves open. A frozen process keeps no lock for long either: the database
      // ends its transaction, and the process learns of that when it resumes.
      if (hasCrashed()) throw new Crashed('the process crashed')
      if (isFrozen()) throw new StoreUnavailable('the transaction was idle for too long')
      const fault = self.storeFault('transaction')
      if (fault !== undefined) throw fault.error
      return make()
    }
    return {
      read: async (sql, values) => inside(() => tx.read(sql, values)),
      write: async (sql, values) =>
        inside(async () => {
          const rows = await tx.write<never>(sql, values)
          const table = claimedTable(sql)
          if (table !== undefined && rows.length > 0) claims.add(table)
          return rows
        }),
      change: async (sql, values) => inside(() => tx.change(sql, values)),
      many: async (statement, rows) => inside(() => tx.many(statement, rows)),
      changeEach: async (statement, rows) => inside(() => tx.changeEach(statement, rows)),
    }
  }

  const store: Database = {
    skipLocked: db.skipLocked,
    read: (sql, values) => reach('read', () => db.read(sql, values)),
    write: (sql, values) => {
      const table = claimedTable(sql)
      const make = (): Promise<never[]> => db.write<never>(sql, values)
      return table === undefined ? write(make) : claimed(table, make)
    },
    change: (sql, values) => write(() => db.change(sql, values)),
    insert: (into, row) =>
      write(async () => {
        const isNew = await db.insert(into, row)
        if (isNew) stops.hasClaimed(into.table)
        return isNew
      }),
    find: (sql, keys) => reach('read', () => db.find(sql, keys)),
    transaction: (work) =>
      write(async () => {
        const claims = new Set<string>()
        const result = await db.transaction((tx) => work(inTransaction(tx, claims)))
        for (const table of claims) stops.hasClaimed(table)
        return result
      }),
    alone: (work) =>
      write(() => db.alone((tx, script) => work(inTransaction(tx, new Set()), script))),
    ping: () => reach('read', () => db.ping()),
    time: () => reach('read', () => db.time()),
    close: () => (hasCrashed() ? never() : db.close()),
  }
  const self: CrashingProcess = {
    ...stops,
    store,
    clock,
    call,
    diskIsFull: false,
    storeFault: () => undefined,
    close: () => {
      stops.crash()
      return db.close()
    },
  }
  return self
}

type Stopping = ReturnType<typeof stopping>

function stopping(time: VirtualClock) {
  /** The timers of the process, and the work for when it wakes. */
  const [timers, late] = [new Set<() => void>(), new Set<() => void>()]
  let stepsLeft = Number.POSITIVE_INFINITY
  let stepsUntilFreeze = Number.POSITIVE_INFINITY
  let freezeMs = 0
  let freezesAtClaim: string | undefined
  let hasCrashed = false
  let frozen: Promise<void> | undefined
  const { promise: crashed, resolve: resolveCrashed } = Promise.withResolvers<void>()

  function crash(): void {
    hasCrashed = true
    for (const cancel of timers) cancel()
    timers.clear()
    late.clear()
    resolveCrashed()
  }

  function freeze(): void {
    frozen = new Promise((resolve) => {
      time.after(freezeMs, () => {
        frozen = undefined
        // As in an event loop: due timers run before any answer is read.
        for (const work of late) work()
        late.clear()
        resolve()
      })
    })
  }

  /** One step: the process may crash or freeze during it. */
  function step(): void {
    if (--stepsLeft <= 0) crash()
    if (--stepsUntilFreeze > 0) return
    stepsUntilFreeze = Number.POSITIVE_INFINITY
    if (!hasCrashed && frozen === undefined) freeze()
  }

  return {
    timers,
    late,
    hasCrashed: () => hasCrashed,
    crashed,
    crash,
    crashAfter: (steps: number): void => {
      stepsLeft = steps
    },
    freezeAfter: (steps: number, ms: number): void => {
      stepsUntilFreeze = steps
      freezeMs = ms
      freezesAtClaim = undefined
    },
    freezeAtClaim: (table: string, ms: number): void => {
      freezesAtClaim = table
      freezeMs = ms
    },
    hasClaimed: (table: string): void => {
      if (table !== freezesAtClaim) return
      freezesAtClaim = undefined
      if (!hasCrashed && frozen === undefined) freeze()
    },
    isFrozen: () => frozen !== undefined,
    step,
    /** One step, and the wait until the process is awake; resolves with the length of the wait. */
    pass: async (): Promise<number> => {
      step()
      const from = time.now()
      while (frozen !== undefined && !hasCrashed) await frozen
      return time.now() - from
    },
  }
}

function clockOf(
  time: VirtualClock,
  wall: Wall,
  { timers, late, hasCrashed, isFrozen }: Stopping,
): MachineClock {
  return {
    now: () => time.now() + wall.aheadMs,
    monotonic: time.monotonic,
    after(ms, work) {
      let isCancelled = false
      const run = (): void => {
        if (!isCancelled && !hasCrashed()) work()
      }
      const cancel = time.after(ms, () => {
        timers.delete(cancel)
        if (isFrozen()) late.add(run)
        else run()
      })
      timers.add(cancel)
      return () => {
        isCancelled = true
        timers.delete(cancel)
        cancel()
      }
    },
  }
}

/**
 * The parts that survive a crash: time, the network and the provider with their books, and the file
 * of the store.
 */
export interface Surroundings {
  /** Its own `now` is the true time. */
  clock: VirtualClock
  network: SimulatedNetwork
  provider: SimulatedProvider
  /** The tables of the network and the provider. */
  books: Queries
  /** The clock of a shared database's machine. */
  databaseWall: Wall
  /** For a new process on a machine with this clock. */
  openStore(wall: Wall): Database
  close(): Promise<void>
}

export interface CrashingService extends Omit<Surroundings, 'openStore'> {
  wall: Wall
  /** The running process and service. */
  service: Service
  process: CrashingProcess
  /** Kills the process at any point, and starts another. */
  crash(): Promise<void>
  /** As a person does it. */
  restart(): Promise<void>
  /**
   * Does something while the process may crash after this many steps. False when it crashed; it has
   * then been restarted.
   */
  crashingAfter(steps: number, work: (service: Service) => Promise<unknown>): Promise<boolean>
}

interface SurroundingsOptions {
  sendCallback?(callback: SimulatedCallback): Promise<void>
  /** The store is a separate database, shared by all processes, which no crash closes. */
  isShared?: boolean
}

export interface CrashingOptions {
  random: Random
  /** The faults of calls to the network, and how long a freeze had delayed them. */
  line?(call: Call & { heldMs: number }, make: () => Promise<Reaction>): Promise<Reaction>
  senderOf?(process: CrashingProcess): WebhookSender
  /** Connections to other networks, instead of the simulated operators that they prompt. */
  connectAlso?(deps: ConnectDeps, process: CrashingProcess): Connected[]
  /** Opens connections of merchants. */
  openNetwork?(deps: ConnectDeps, process: CrashingProcess): OpenNetwork
  /** Before the service opens in a new process, which may be made to crash during that. */
  starting?(process: CrashingProcess): void
  /** The service in it is open. */
  started?(process: CrashingProcess): void
  /** A process has crashed, and another is started. */
  crashed?(): void
}

const config = readConfig({ KARBA_MASTER_KEY: 'ab'.repeat(32) })
/**
 * One for all: each logger to standard output would keep polling for lines after its service has
 * crashed.
 */
const log = makeLog('silent', { write: () => {} })

/**
 * In memory where the system has a folder for that: such a service writes and syncs thousands of
 * times.
 */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** An empty database, made once: its migrations took a tenth of the time of a simulated world. */
let migrated: Promise<Buffer> | undefined

async function makeMigrated(file: string, clock: VirtualClock): Promise<Buffer> {
  const db = openWatchedFile(file, clock)
  await migrate(db, clock.now())
  await db.close()
  return readFileSync(file)
}

export async function openSurroundings(options: SurroundingsOptions = {}): Promise<Surroundings> {
  const { sendCallback = async () => {}, isShared = false } = options
  const folder = mkdtempSync(join(FOLDER, 'karba-crashing-'))
  const clock = virtualClock()
  migrated ??= makeMigrated(join(folder, 'migrated.db'), clock)
  for (const name of ['network.db', 'karba.db']) writeFileSync(join(folder, name), await migrated)
  const books = openWatchedFile(join(folder, 'network.db'), clock)
  const openFile = (): Database => openWatchedFile(join(folder, 'karba.db'), clock)
  const databaseWall: Wall = { aheadMs: 0 }
  const shared = isShared ? openFile() : undefined
  return {
    clock,
    network: simulatedNetwork({ db: books, clock, delayMs: 2_000, sendCallback }),
    provider: simulatedProvider({ db: books, clock }),
    books,
    databaseWall,
    // A database has the time of its own machine, a file that of the process's.
    openStore: (wall) =>
      shared === undefined
        ? { ...openFile(), time: async () => clock.now() + wall.aheadMs }
        : {
            ...shared,
            time: async () => clock.now() + databaseWall.aheadMs,
            close: async () => {},
          },
    close: async () => {
      await shared?.close()
      await books.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Alone in its own surroundings, or with other processes in shared ones. */
export async function openCrashingService(
  options: CrashingOptions,
  around?: Surroundings,
): Promise<CrashingService> {
  const {
    random,
    line = (_call, make) => make(),
    senderOf,
    connectAlso,
    starting,
    started,
    crashed,
  } = options
  const { openNetwork } = options
  const surroundings = around ?? (await openSurroundings())
  const { clock, network, provider } = surroundings
  const wall: Wall = { aheadMs: 0 }

  const openIn = async (process: CrashingProcess): Promise<Service> =>
    openService(config, {
      clock: await followStore(process.clock, process.store.time),
      random,
      log,
      store: process.store,
      ...(senderOf !== undefined && { sender: senderOf(process) }),
      connect: async (deps) => ({
        ...connectDirectly({
          network,
          provider,
          token: deps.token,
          timeoutMs: deps.config.operatorTimeoutMs,
          clock: process.clock,
          line: (call, make) => process.call((heldMs) => line({ ...call, heldMs }, make)),
          others: connectAlso?.(deps, process) ?? [],
        }),
        ...(openNetwork && { openNetwork: openNetwork(deps, process) }),
      }),
    })

  async function start(): Promise<void> {
    const process = crashingProcess(surroundings.openStore(wall), clock, wall)
    self.process = process
    starting?.(process)
    const opened = openIn(process)
    const service = await within('start of the service', Promise.race([opened, process.crashed]))
    if (service === undefined || process.hasCrashed()) return self.crash()
    process.crashAfter(Number.POSITIVE_INFINITY)
    self.service = service
    started?.(process)
  }

  async function endProcess(): Promise<void> {
    await self.process.close()
    // It never listened, but checks its connections by the system's timer.
    self.service?.app.server.close()
  }

  // The first start fills in the process and the service.
  const self = { ...surroundings, wall } as unknown as CrashingService
  self.crash = async () => {
    await endProcess()
    crashed?.()
    await start()
  }
  self.restart = async () => {
    const { process, service } = self
    process.freezeAfter(Number.POSITIVE_INFINITY, 0)
    let hasStopped = false
    const stopped = service.close().then(() => {
      hasStopped = true
    })
    await clock.advance(config.stopWithinMs)
    if (process.hasCrashed()) return
    // A store that repeatedly goes silent can delay a stop for longer; then start.ts ends the
    // process at any point.
    if (!hasStopped) return self.crash()
    await stopped
    await process.close()
    await start()
  }
  self.crashingAfter = async (steps, work) => {
    const { process, service } = self
    process.crashAfter(steps)
    await within('end of the work, or a crash', Promise.race([work(service), process.crashed]))
    await clock.settle()
    if (process.hasCrashed()) await self.crash()
    else process.crashAfter(Number.POSITIVE_INFINITY)
    return self.process === process
  }
  self.close = async () => {
    await endProcess()
    if (around === undefined) await surroundings.close()
  }
  await start()
  return self
}
