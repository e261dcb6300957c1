// What the cases need: a real service, a line in front of it that loses, delays and repeats, and
// drivers of the client.
import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, openFaultyProxy } from '../../sdk/test/faulty-proxy.ts'
import type { NewAccount } from '../../server/src/actions/merchants/create-merchant.ts'
import { seededRandom } from '../../server/test/kit/seeded-random.ts'
import { openTestService, type TestService } from '../../server/test/kit/service.ts'
import { SQLITE } from '../../server/test/kit/stores.ts'
import { openVirtualService, type VirtualService } from '../../server/test/kit/virtual-service.ts'
import type { ClientKind } from './clients.ts'
import { type Answer, type Answered, Driver } from './driver.ts'

type NextFault = Parameters<typeof openFaultyProxy>[1]

export interface OpenWishes {
  url?: string
  secretKey?: string
  timeoutMs?: number
  maxRetries?: number
}

/** What a case calls: a driver with its client, and the account of its key. */
export interface Client {
  driver: Driver
  account: NewAccount
  call(operation: string, input?: object): Promise<Answer>
  each(operation: string, input?: object): Promise<Answer[]>
  create(order: object, input?: object): Promise<Answer>
  read(name: string): Promise<Answer>
  wait(name: string, timeoutMs?: number): Promise<Answer>
  events(input?: object): Promise<{ events: Answer[]; kept: number | null }>
  command(command: object): Promise<Answered>
}

export interface Kit {
  kind: ClientKind
  service: TestService
  /** The service's own address, without the line. */
  address: string
  line: {
    url: string
    /** Decides about each request, reads too. */
    next: NextFault
    met: ReadonlyMap<Fault, number>
    /** How much of endless answers was sent. */
    endlessBytes(): number
  }
  /** How many orders the long case creates. */
  orders: number
  seed: number
  /** The operations that the driver has called. */
  called: Set<string>
  account(): Promise<NewAccount>
  /** A client through the line, in sandbox; of a new account, unless it gets a key. */
  open(wishes?: OpenWishes): Promise<Client>
  /** The same, in a process of its own, which ends with the kit. */
  openAnother(wishes?: OpenWishes & { account?: NewAccount }): Promise<Client>
  /** A service on a virtual clock, for books and months. */
  books(): Promise<{ service: VirtualService; address: string }>
  close(): Promise<void>
}

export const passes: NextFault = () => 'passes'

/** Of a hundred answers, 35 are lost: before the service, after it, or in the middle. */
const LOSSES: readonly [fault: Fault, share: number][] = [
  ['is cut before the service', 8],
  ['is cut after the commit', 11],
  ['is cut in the middle of the answer', 8],
  ['gets a 504 of the proxy', 8],
  ['gets a 503', 5],
  ['is repeated to the service', 10],
]
const LONGEST_DELAY_MS = 20

/** Loses 35 % of the answers, repeats and delays others; the same for the same seed. */
export function lossyLine(seed: number): NextFault {
  const random = seededRandom(seed)
  return async () => {
    const delayMs = random.below(LONGEST_DELAY_MS)
    let draw = random.below(100)
    if (random.percent(10)) await pause(delayMs)
    for (const [fault, share] of LOSSES) {
      if (draw < share) return fault
      draw -= share
    }
    return 'passes'
  }
}

/** Loses the answers whose numbers are in the list, of requests of this method. */
export function losing(method: string, faults: readonly Fault[]): NextFault {
  const left = [...faults]
  return (asked) => (asked === method ? (left.shift() ?? 'passes') : 'passes')
}

export async function openKit(
  kind: ClientKind,
  { orders, seed }: { orders: number; seed: number },
): Promise<Kit> {
  const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '50' })
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const proxy = await openFaultyProxy(address, (...asked) => kit.line.next(...asked), {
    readsToo: true,
  })
  const drivers: Driver[] = [new Driver(kind)]
  const called = new Set<string>()
  let books: { service: VirtualService; address: string } | undefined

  async function openOn(
    driver: Driver,
    account: NewAccount,
    { url = proxy.url, secretKey = account.secretKey, timeoutMs, maxRetries }: OpenWishes,
  ): Promise<Client> {
    const [timeout_ms, max_retries] = [timeoutMs, maxRetries]
    await driver.command({ do: 'open', url, secret_key: secretKey, timeout_ms, max_retries })
    return clientOn(driver, account, called)
  }

  const kit: Kit = {
    kind,
    service,
    address,
    line: {
      url: proxy.url,
      next: passes,
      met: proxy.met,
      endlessBytes: proxy.endlessBytes,
    },
    orders,
    seed,
    called,
    account: async () => (await service.merchant()).accounts.sandbox,
    open: async (wishes = {}) => openOn(drivers[0] as Driver, await kit.account(), wishes),
    openAnother: async ({ account, ...wishes } = {}) => {
      const driver = new Driver(kind)
      drivers.push(driver)
      return openOn(driver, account ?? (await kit.account()), wishes)
    },
    books: async () => {
      if (books !== undefined) return books
      const virtual = await openVirtualService(SQLITE)
      books = {
        service: virtual,
        address: await virtual.app.listen({ host: '127.0.0.1', port: 0 }),
      }
      return books
    },
    close: async () => {
      for (const driver of drivers) await driver.close()
      await proxy.close()
      await service.remove()
      await books?.service.remove()
    },
  }
  return kit
}

function clientOn(driver: Driver, account: NewAccount, called: Set<string>): Client {
  async function call(operation: string, input: object = {}): Promise<Answer> {
    called.add(operation)
    return (await driver.command({ do: 'call', operation, ...input })).answer
  }
  return {
    driver,
    account,
    call,
    each: async (operation, input = {}) => {
      const { answer } = await driver.command({ do: 'each', operation, ...input })
      return answer.rows as Answer[]
    },
    create: (order, input = {}) => call('createPayment', { body: order, ...input }),
    read: (name) => call('readPayment', { name }),
    wait: async (name, timeoutMs = 30_000) =>
      (await driver.command({ do: 'wait', name, timeout_ms: timeoutMs })).answer,
    events: async (input = {}) => {
      const { answer } = await driver.command({ do: 'events', ...input })
      return answer as { events: Answer[]; kept: number | null }
    },
    command: (command) => driver.command(command),
  }
}

const PASSING_MS = 20

/** The virtual clock goes on while the work, which waits for real sockets, is not done. */
export async function whileTimePasses<T>(service: VirtualService, work: Promise<T>): Promise<T> {
  let isDone = false
  const end = (): void => {
    isDone = true
  }
  const settled = work.finally(end)
  settled.catch(() => {})
  while (!isDone) {
    await service.clock.advance(PASSING_MS)
    await Promise.race([settled.catch(() => {}), pause(2)])
  }
  return settled
}
