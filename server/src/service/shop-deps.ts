// What a merchant's pages in the dashboard need of the running service. Part of the wiring: compose.ts calls it.
import type { FastifyInstance } from 'fastify'
import { targetRules } from '../config.ts'
import type { ShopDeps } from '../dashboard-api/route.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { COUNTRIES } from '../domain/country.ts'
import { type SlotHolder, type SlotLimits, sharedSlots } from '../domain/fair-shares.ts'
import { simulatedPhone } from '../simulator/network.ts'
import { SCENARIOS } from '../simulator/scenarios.ts'
import { isMerchantValidated } from '../store/people/members.ts'
import { accountWatcher } from './account-watcher.ts'
import { boxOf, secretsBox } from './master-key.ts'
import type { Worker } from './payment-worker.ts'
import type { Runtime } from './runtime.ts'

/** Half of the streams are for validated merchants. */
const STREAMS: SlotLimits = { most: 500, ofPerson: 10, unvalidated: { most: 250, ofNetwork: 50, ofWidest: 100 } }
const EXPORTS: SlotLimits = { most: 4, ofPerson: 1, unvalidated: { most: 2, ofNetwork: 1, ofWidest: 1 } }

export function shopDepsOf(
  app: FastifyInstance,
  runtime: Runtime,
  worker: Worker,
  pageUrl: ShopDeps['pageUrl'],
): ShopDeps {
  const { config, master, random } = runtime
  const watcher = accountWatcher(runtime)
  app.addHook('preClose', async () => watcher.stop())
  const [takeStream, takeExport] = [sharedSlots(STREAMS), sharedSlots(EXPORTS)]
  const holder = async ({ accountId, personId, network = '' }: MerchantPerson): Promise<SlotHolder> => ({
    ...{ personId, network, isValidated: await isMerchantValidated(runtime.db, accountId) },
  })
  return {
    ...runtime,
    ...sandboxPhone(runtime, worker),
    pageUrl,
    takeStream: async (caller) => takeStream(await holder(caller)),
    takeExport: async (caller) => takeExport(await holder(caller)),
    watchAccount: watcher.watch,
    publicRate: config.publicRate,
    linkMethods: worker.operators.linkMethods,
    askOperator: worker.dispatcher.ask,
    documentBox: boxOf(master, 'documents', random),
    box: secretsBox(master, random),
    rules: targetRules(config),
  }
}

/** Where sandbox is the simulated network, people can answer its prompts. */
function sandboxPhone({ config, db, clock }: Runtime, { simulated }: Worker): Pick<ShopDeps, 'phone' | 'testNumbers'> {
  if (!simulated.includes('sandbox')) return { phone: undefined, testNumbers: [] }
  return {
    phone: simulatedPhone({ db, clock, delayMs: config.sandboxDelayMs, seed: config.sandboxSeed }),
    testNumbers: SCENARIOS.map(({ msisdn, name }) => ({ country: COUNTRIES.join(', '), msisdn, outcome: name })),
  }
}
