// A service that can die at any step and is started again on what it left, beside a network and a provider whose books no crash of ours
// touches: what they have debited is the truth that a link is measured against.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { HOSTED_METHODS } from '../../src/domain/payment-link.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import type { Connected } from '../../src/service/connect-operators.ts'
import { type Reaction, simulatedNetwork } from '../../src/simulator/network.ts'
import { type SimulatedProvider, simulatedProvider } from '../../src/simulator/provider.ts'
import { migrate } from '../../src/store/engine/migrate.ts'
import { directHosted } from '../kit/direct-hosted.ts'
import { directOperator } from '../kit/direct-operator.ts'
import { newMerchant } from '../kit/merchant.ts'
import { beginLife, type Life } from '../simulation/mortal-store.ts'
import { seededRandom } from '../simulation/seeded-random.ts'
import { type WorldClock, worldClock } from '../simulation/world-clock.ts'

export interface MortalService {
  clock: WorldClock
  secretKey: string
  /** The one that lives now. */
  service(): Service
  provider: SimulatedProvider
  /** The references under which the network and the provider have debited. */
  debits(): Promise<string[]>
  /** Does something while the process may die after so many steps. False when it died, and was started again since. */
  dyingAfter(steps: number, work: (service: Service) => Promise<unknown>): Promise<boolean>
  remove(): Promise<void>
}

const SEED = 20_261_115
const START = Date.UTC(2026, 10, 15, 9, 30)
/** In memory where the system has a folder for that. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

export async function openMortalService(): Promise<MortalService> {
  const folder = mkdtempSync(join(FOLDER, 'karba-mortal-'))
  const config = readConfig({ KARBA_MASTER_KEY: 'ab'.repeat(32), KARBA_LOG_LEVEL: 'silent' })
  const world = worldClock(START)
  const random = seededRandom(SEED)
  const books = beginLife(join(folder, 'network.db'), world)
  const bookClock = world.clockOf(books, false)
  await migrate(books.store, bookClock.now())
  const deps = { db: books.store, clock: bookClock }
  const network = simulatedNetwork({ ...deps, delayMs: 2_000, sendCallback: async () => {} })
  const provider = simulatedProvider(deps)
  let life: Life
  let service: Service

  /** A call leaves a living process, and its answer reaches nobody if that has died meanwhile. */
  function connect(of: Life): Connected {
    const clock = world.clockOf(of, true)
    async function call<T>(ask: () => Promise<T>): Promise<T> {
      of.step()
      if (of.isOver()) return new Promise(() => {})
      const answer = await ask()
      of.step()
      return of.isOver() ? new Promise(() => {}) : answer
    }
    const said = async (answering: ReturnType<SimulatedProvider['status']>): Promise<Reaction> => ({
      answer: await answering,
    })
    const line = {
      request: (asked: Parameters<typeof network.request>[0]) => call(() => network.request(asked)),
      status: (reference: string) => call(() => network.status(reference)),
      refund: (asked: Parameters<typeof network.refund>[0]) => call(() => network.refund(asked)),
    }
    const page = {
      open: (session: Parameters<SimulatedProvider['open']>[0]) => call(() => said(provider.open(session))),
      status: (reference: string) => call(() => said(provider.status(reference))),
      cancel: (reference: string) => call(() => said(provider.cancel(reference))),
      refund: line.refund,
    }
    const environment = 'sandbox'
    const parseCallback = () => undefined
    const timeoutMs = config.operatorTimeoutMs
    const phone = { ...directOperator('airtel_ne', line, clock, timeoutMs), parseCallback }
    const hosted = HOSTED_METHODS.map((name) => ({
      environment,
      operator: { ...directHosted(name, page, clock, timeoutMs), parseCallback },
    })) as Parameters<typeof operatorRegistry>[2]
    return { operators: operatorRegistry([{ environment, operator: phone }], [], hosted), close: async () => {} }
  }

  async function begin(): Promise<[Life, Service]> {
    const born = beginLife(join(folder, 'ours.db'), world)
    const clock = world.clockOf(born, true)
    return [born, await openService(config, { clock, random, store: born.store, connect: async () => connect(born) })]
  }

  async function bury(): Promise<void> {
    life.end()
    world.forget(life)
    await life.bury()
    // It never listened, but looks after its connections by the system's timer.
    service.app.server.close()
  }

  ;[life, service] = await begin()
  const merchant = await newMerchant(service)
  return {
    clock: world,
    secretKey: merchant.accounts.sandbox.secretKey,
    service: () => service,
    provider,
    debits: async () => {
      const rows = await books.store.rows<{ reference: string }>('select reference from simulated_payments')
      return rows.map(({ reference }) => reference)
    },
    dyingAfter: async (steps, work) => {
      life.endAfter(steps)
      await Promise.race([work(service), life.over])
      await world.settle()
      if (!life.isOver()) {
        life.endAfter(Number.POSITIVE_INFINITY)
        return true
      }
      await bury()
      ;[life, service] = await begin()
      return false
    },
    remove: async () => {
      await bury()
      await books.bury()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
