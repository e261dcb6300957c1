// Merchants of a simulated world that own connections: how they are entered, and how their owners
// suspend, resume, remove and rotate them while payments are under way.
import { changeMerchantConnection } from '../../src/actions/operators/merchant-connections.ts'
import {
  credentialsPlace,
  setCredentialsIn,
} from '../../src/actions/operators/money-destinations.ts'
import type { MerchantPerson } from '../../src/domain/people/caller.ts'
import type { Service } from '../../src/service/compose.ts'
import { boxOf } from '../../src/service/master-key.ts'
import { insertMerchantConnection } from '../../src/store/operators/merchant-connections.ts'
import { credentialOf } from '../kit/wallets.ts'
import { atAny, type Step } from './steps.ts'
import type { WireNetwork } from './wire-networks.ts'
import type { World } from './world.ts'

type Owned = WireNetwork & { owned: NonNullable<WireNetwork['owned']> }

export const ownedIn = ({ all }: Pick<World['wire'], 'all'>): Owned[] =>
  all.filter((each): each is Owned => each.owned !== undefined)

const boxIn = ({ master, random }: Service) => boxOf(master, 'network credentials', random)

/** The names of options that travel in every call. */
const TAGGED = ['subscriptionKey', 'apiToken', 'secretKey']

/** The options as this wallet's owner has them. */
function optionsOf({ options, owned }: Owned): string {
  const wallet = owned.credentials.at(-1) as string
  const tagged = (value: unknown, name: string): unknown =>
    TAGGED.includes(name) ? credentialOf(value as string, wallet) : value
  return JSON.stringify(options, (name, value) => tagged(value, name))
}

/** Entered before the first payment; processes learn of them within a second. */
export async function enterConnections(
  service: Service,
  wire: World['wire'],
  accountOf: (merchant: number) => string,
): Promise<void> {
  for (const each of ownedIn(wire)) {
    const accountId = accountOf(each.owned.merchant)
    each.owned.accountId = accountId
    const at = service.clock.now()
    await insertMerchantConnection(service.db, {
      accountId,
      connectionId: each.name,
      environment: 'live',
      connector: each.networkKind.connector.name,
      label: each.name,
      serves: each.operators.join(','),
      state: 'active',
      createdAt: at,
      createdBy: 'world',
      credentials: boxIn(service).seal(optionsOf(each), credentialsPlace(each.name)),
      credentialsAt: at,
    })
  }
}

const ownerOf = ({ owned: { accountId } }: Owned): MerchantPerson => ({
  is: 'merchant_person',
  accountId,
  environment: 'live',
  personId: 'per_owner',
  role: 'owner',
})

/** A store that fails refuses it, like any write. */
const tried = (change: Promise<unknown>): void => void change.catch(() => {})

export const OWNED_STEPS: readonly Step[] = [
  {
    weight: 14,
    take: atAny(({ wire, merchants, random, counts, note }, _app, service) => {
      const each = random.pick(ownedIn(wire))
      const to = random.pick([
        'suspended',
        'active',
        'active',
        'suspended',
        'active',
        'removed',
      ] as const)
      if (to === 'suspended') merchants.suspended.add(each.owned.accountId)
      counts.connectionChanges++
      note(`the owner of ${each.name} (${each.networkKind.name}) makes it ${to}`)
      tried(changeMerchantConnection(service, ownerOf(each), { connectionId: each.name, to }))
    }),
  },
  {
    weight: 6,
    take: atAny(({ wire, random, counts, note }, _app, service) => {
      const each = random.pick(ownedIn(wire))
      each.owned.credentials.push(`${each.owned.credentials[0]}-${each.owned.credentials.length}`)
      counts.connectionChanges++
      note(`the owner of ${each.name} replaces its credentials`)
      const options = optionsOf(each)
      const deps = { ...service, networkCredentials: boxIn(service) }
      const owner = ownerOf(each)
      const wanted = { connectionId: each.name, options, askedBy: owner.personId }
      tried(service.db.transaction((tx) => setCredentialsIn(deps, tx, owner, wanted)))
    }),
  },
  { weight: 25, take: atAny(({ merchants }, app) => merchants.createPayment(app)) },
]
