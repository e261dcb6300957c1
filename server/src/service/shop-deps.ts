// What a merchant's pages in the dashboard need of the running service. Part of the wiring:
// compose.ts calls it.
import type { FastifyInstance } from 'fastify'
import { EventTail } from '../actions/events/event-tail.ts'
import { targetRules } from '../config.ts'
import type { ShopDeps } from '../dashboard-api/route.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { COUNTRIES } from '../domain/countries/country.ts'
import {
  type SlotHolder,
  type SlotLimits,
  type SlotRefusal,
  sharedSlots,
} from '../domain/limits/fair-shares.ts'
import type { MerchantCaller, MerchantPerson, ServicePerson } from '../domain/people/caller.ts'
import { simulatedPhone } from '../simulator/network.ts'
import { PHONE_MSISDN, SCENARIOS } from '../simulator/scenarios.ts'
import type { Database, Queries } from '../store/engine/database.ts'
import { type AccountMarks, listMarks } from '../store/figures/summaries.ts'
import { isMerchantValidated } from '../store/people/members.ts'
import { boxOf, secretsBox } from './master-key.ts'
import { merchantNetworks } from './merchant-networks.ts'
import type { Worker } from './payments-worker.ts'
import type { Runtime } from './runtime.ts'

/** Half of the streams are for validated merchants. */
const STREAMS: SlotLimits = {
  most: 500,
  ofPerson: 10,
  unvalidated: { most: 250, ofNetwork: 50, ofWidest: 100 },
}
const EXPORTS: SlotLimits = {
  most: 4,
  ofPerson: 1,
  unvalidated: { most: 2, ofNetwork: 1, ofWidest: 1 },
}

export function shopDepsOf(
  app: FastifyInstance,
  runtime: Runtime,
  worker: Worker,
  own: Pick<ShopDeps, 'pageUrl' | 'receiptUrl' | 'posterUrl' | 'receiptCodes' | 'counter'>,
): ShopDeps {
  const { config, master, random } = runtime
  const watcher = accountWatcher(runtime)
  app.addHook('preClose', async () => watcher.stop())
  const [takeStream, takeExport] = [sharedSlots(STREAMS), sharedSlots(EXPORTS)]
  const holder = async ({
    accountId,
    personId,
    network = '',
  }: MerchantPerson): Promise<SlotHolder> => ({
    personId,
    network,
    isValidated: await isMerchantValidated(runtime.db, accountId),
  })
  return {
    ...runtime,
    ...sandboxPhone(runtime, worker),
    ...own,
    takeStream: async (caller) => takeStream(await holder(caller)),
    takeExport: async (caller) => takeExport(await holder(caller)),
    watchAccount: watcher.watch,
    publicRate: config.publicRate,
    linkMethods: worker.operators.linkMethods,
    refundsInPart: worker.operators.refundsInPart,
    statementsOf: worker.operators.statementsOf,
    operatorFor: worker.operators.operatorFor,
    dispatcher: config.role === 'all' ? worker.dispatcher : undefined,
    leaseMs: worker.leaseMs,
    askOperator: (payment) => worker.dispatcher.ask(payment),
    networkCredentials: boxOf(master, 'network credentials', random),
    networks: merchantNetworks({
      config,
      clock: runtime.clock,
      open: worker.openNetwork,
      simulated: worker.simulated,
    }),
    documentBox: boxOf(master, 'documents', random),
    box: secretsBox(master, random),
    rules: targetRules(config),
  }
}

/** Where sandbox is the simulated network, people can answer its prompts. */
function sandboxPhone(
  { config, db, clock }: Runtime,
  { simulated }: Worker,
): Pick<ShopDeps, 'phone' | 'testNumbers'> {
  if (!simulated.includes('sandbox')) return { phone: undefined, testNumbers: [] }
  return {
    phone: {
      msisdn: PHONE_MSISDN,
      ...simulatedPhone({ db, clock, delayMs: config.sandboxDelayMs, seed: config.sandboxSeed }),
    },
    testNumbers: SCENARIOS.map(({ msisdn, name }) => ({
      country: COUNTRIES.join(', '),
      msisdn,
      outcome: name,
    })),
  }
}

// Reports changes of an account to its open pages: within a second, or every five seconds while
// payments succeed one after the other. One for a process: a single query a second for all accounts
// with open pages, and none without. It sees changes of other processes too.

type Changed = 'payments' | 'deliveries' | 'links' | 'phone' | 'home'

const EVERY_MS = 1_000
/**
 * With so many outcomes since its last report, an account is busy: its pages would read everything
 * each second.
 */
const BUSY = 20
/** Ten dashboards that read each second took two thirds of the creates of a process. */
const BUSY_EVERY_MS = 5_000
const MOST_OF_ACCOUNT = 20

type Page = { tell(changed: Changed): void; ended(): void }
type Watched = { pages: Set<Page>; marks: AccountMarks | undefined; reportedAt: number }

export function accountWatcher({ db, clock }: { db: Database; clock: Clock }) {
  const accounts = new Map<string, Watched>()
  const tail = new EventTail({
    clock,
    isFollowed: () => accounts.size > 0,
    look,
    // While the store is unavailable, there is no change to report.
    failed: () => {},
    everyMs: EVERY_MS,
    soonMs: EVERY_MS,
  })

  async function look(): Promise<void> {
    for (const marks of await listMarks(db, [...accounts.keys()])) {
      const account = accounts.get(marks.accountId)
      if (account === undefined) continue
      const before = account.marks
      const isBusy = before !== undefined && marks.lastSequence - before.lastSequence > BUSY
      if (isBusy && clock.now() - account.reportedAt < BUSY_EVERY_MS) continue
      account.marks = marks
      const changes = before === undefined ? [] : changesBetween(before, marks)
      if (changes.length > 0) account.reportedAt = clock.now()
      for (const changed of changes) for (const { tell } of account.pages) tell(changed)
    }
  }

  return {
    /**
     * Calls `tell` until the returned function is called; undefined when the account has too many
     * pages.
     */
    watch(accountId: string, tell: Page['tell'], ended: () => void): (() => void) | undefined {
      const account = accounts.get(accountId) ?? {
        pages: new Set(),
        marks: undefined,
        reportedAt: 0,
      }
      if (account.pages.size >= MOST_OF_ACCOUNT) return undefined
      const page = { tell, ended }
      account.pages.add(page)
      accounts.set(accountId, account)
      tail.followed()
      return () => {
        if (!account.pages.delete(page)) return
        if (account.pages.size === 0) accounts.delete(accountId)
      }
    },
    stop(): void {
      tail.stop()
      for (const { pages } of [...accounts.values()]) for (const { ended } of [...pages]) ended()
    },
  }
}

function changesBetween(before: AccountMarks, after: AccountMarks): Changed[] {
  const isMoved = before.lastSequence !== after.lastSequence
  const isNew = before.newestPayment !== after.newestPayment
  const isSent = before.endpoints !== after.endpoints || before.lastReplay !== after.lastReplay
  return [
    ...(isMoved || isNew ? (['payments', 'links', 'phone'] as const) : []),
    ...(isMoved || isSent ? (['deliveries'] as const) : []),
    ...(isNew || before.counted !== after.counted || before.failing !== after.failing
      ? (['home'] as const)
      : []),
  ]
}

// How many statements a process makes and imports at once: one for each account, and a few in all.
// One that it makes holds up to 10,000 movements in memory until its reader has them; an import
// holds up to 20,000 lines.

const LIMITS: SlotLimits = {
  most: 8,
  ofPerson: 1,
  unvalidated: { most: 4, ofNetwork: 2, ofWidest: 2 },
}

export type TakeStatement = (caller: MerchantCaller) => Promise<(() => void) | SlotRefusal>

export function statementSlots(db: Queries): TakeStatement {
  const take = sharedSlots(LIMITS)
  return async ({ accountId, network = '' }) =>
    take({ personId: accountId, network, isValidated: await isMerchantValidated(db, accountId) })
}

const IMPORTS: SlotLimits = {
  most: 4,
  ofPerson: 1,
  unvalidated: { most: 2, ofNetwork: 1, ofWidest: 1 },
}

export type TakeImport = (
  caller: MerchantPerson | ServicePerson,
) => Promise<(() => void) | SlotRefusal>

/** Of networks' statements: one of an account or a member of staff, and a few in all. */
export function importSlots(db: Queries): TakeImport {
  const take = sharedSlots(IMPORTS)
  return async (caller) => {
    const { network = '' } = caller
    if (caller.is === 'service_person')
      return take({ personId: caller.personId, network, isValidated: true })
    return take({
      personId: caller.accountId,
      network,
      isValidated: await isMerchantValidated(db, caller.accountId),
    })
  }
}
