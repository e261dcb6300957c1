// A service that can crash at any step and is started again on what it left, beside a network and a provider whose books no crash of
// ours touches: what they have debited is the truth that the store is measured against.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import type { Random } from '../../src/domain/clock-and-random.ts'
import { makeLog } from '../../src/observability/log.ts'
import type { Connected } from '../../src/operators/registry.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import type { ConnectDeps } from '../../src/service/connect-operators.ts'
import { followStore } from '../../src/service/store-clock.ts'
import {
  type Reaction,
  type SimulatedCallback,
  type SimulatedNetwork,
  simulatedNetwork,
} from '../../src/simulator/network.ts'
import { type SimulatedProvider, simulatedProvider } from '../../src/simulator/provider.ts'
import type { Database, Queries } from '../../src/store/engine/database.ts'
import { migrate } from '../../src/store/engine/migrate.ts'
import type { WebhookSender } from '../../src/webhooks/send.ts'
import { type CrashingProcess, crashingProcess, type Wall } from './crashing-process.ts'
import { type Call, connectDirectly } from './direct-operators.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'
import { within } from './waiting.ts'
import { openWatchedFile } from './watched-store.ts'

/** What no crash of ours touches: time, the network and the provider with their books, and the file of the store. */
export interface Surroundings {
  /** Its own `now` is the true time. */
  clock: VirtualClock
  network: SimulatedNetwork
  provider: SimulatedProvider
  /** The tables of the network and the provider. */
  books: Queries
  /** Of the machine of a shared database. */
  databaseWall: Wall
  /** For a new process on a machine with this clock. */
  openStore(wall: Wall): Database
  close(): Promise<void>
}

export interface CrashingService extends Omit<Surroundings, 'openStore'> {
  wall: Wall
  /** The ones that live now. */
  service: Service
  process: CrashingProcess
  /** Ends the process without a word, wherever it is, and starts another. */
  crash(): Promise<void>
  /** As a person does it. */
  restart(): Promise<void>
  /** Does something while the process may crash after so many steps. False when it crashed, and was started again since. */
  crashingAfter(steps: number, work: (service: Service) => Promise<unknown>): Promise<boolean>
}

interface SurroundingsOptions {
  sendCallback?(callback: SimulatedCallback): Promise<void>
  /** The store is a database beside the processes: one for all of them, which no crash closes. */
  isShared?: boolean
}

export interface CrashingOptions {
  random: Random
  /** What happens to calls to the network, and how long a freeze had kept them back. */
  line?(call: Call & { heldMs: number }, make: () => Promise<Reaction>): Promise<Reaction>
  senderOf?(process: CrashingProcess): WebhookSender
  /** Connections to other networks, in the place of the simulated operators that they prompt. */
  connectAlso?(deps: ConnectDeps, process: CrashingProcess): Connected[]
  /** Before the service opens in a new process, which may be made to crash over it. */
  starting?(process: CrashingProcess): void
  /** The service in it is open. */
  started?(process: CrashingProcess): void
  /** A process has crashed, and another is started. */
  crashed?(): void
}

const config = readConfig({ KARBA_MASTER_KEY: 'ab'.repeat(32) })
/** One for all: each to standard output would go on looking for lines after its service has crashed. */
const log = makeLog('silent', { write: () => {} })

/** In memory where the system has a folder for that: such a service writes and syncs thousands of times. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** An empty database, made once: its migrations were a tenth of what a simulated world took. */
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
        : { ...shared, time: async () => clock.now() + databaseWall.aheadMs, close: async () => {} },
    close: async () => {
      await shared?.close()
      await books.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Alone in surroundings of its own, or beside others in theirs. */
export async function openCrashingService(options: CrashingOptions, around?: Surroundings): Promise<CrashingService> {
  const { random, line = (_call, make) => make(), senderOf, connectAlso, starting, started, crashed } = options
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
      connect: async (deps) =>
        connectDirectly({
          ...{ network, provider, token: deps.token, timeoutMs: deps.config.operatorTimeoutMs, clock: process.clock },
          line: (call, make) => process.call((heldMs) => line({ ...call, heldMs }, make)),
          others: connectAlso?.(deps, process) ?? [],
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
    // It never listened, but looks after its connections by the system's timer.
    self.service?.app.server.close()
  }

  // What lives in it is filled in by the first start.
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
    // A store that is silent again and again can hold up a stop for longer; then start.ts ends the process wherever it is.
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
