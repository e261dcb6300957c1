// Who asks. Every action is told, what the caller may see is part of every query, and the audit log names the caller. Only a door
// makes one: from a key, a session, the shell's own user, or a link that somebody opened.
import type { KeyKind } from './api-key.ts'
import type { Environment } from './environment.ts'

type MerchantRole = 'owner' | 'developer' | 'cashier' | 'viewer'
type ServiceRole = 'support' | 'finance' | 'administrator'

/** A secret key, or a public key that came from one of the sites that its account lists. */
export interface MerchantKey {
  is: 'merchant_key'
  accountId: string
  environment: Environment
  keyId: string
  kind: KeyKind
}

/** In one account at a time: sandbox or live. */
interface MerchantPerson {
  is: 'merchant_person'
  accountId: string
  environment: Environment
  personId: string
  role: MerchantRole
}

/** Somebody who works for the company that runs the service. */
interface ServicePerson {
  is: 'service_person'
  personId: string
  role: ServiceRole
}

/** Whoever may open the service's files may do everything: the system's user and the machine say who it was. */
export interface Shell {
  is: 'shell'
  user: string
  host: string
}

/** Knows the link's reference, and so may see and pay that link alone. */
export interface Payer {
  is: 'payer'
  linkReference: string
}

/** The worker, the callbacks' door, the first start: nobody asked by hand. */
export interface ServiceItself {
  is: 'service'
  part: string
}

export type Caller = MerchantKey | MerchantPerson | ServicePerson | Shell | Payer | ServiceItself

/** Who acts for one account and for no other. */
export type MerchantCaller = MerchantKey | MerchantPerson

/** Callers who are told apart by the account they act for. A payer is not one: they have a link and no account. */
export type AccountCaller = Exclude<Caller, Payer>

/** Those who look after every merchant. */
export type ServiceCaller = ServicePerson | Shell | ServiceItself

export const isOfService = (caller: Caller): caller is ServiceCaller =>
  caller.is === 'service_person' || caller.is === 'shell' || caller.is === 'service'

/** Which rows a statement may touch: those of one account, or with null those of all. */
export interface Scope {
  accountId: string | null
}

export const EVERY_ACCOUNT: Scope = { accountId: null }

/** For a statement about what the caller named: rows of other accounts are not there. */
export const scopeOf = (caller: AccountCaller): Scope => (isOfService(caller) ? EVERY_ACCOUNT : caller)

/** How the audit log and a payment's story name the caller. */
export function actorOf(caller: Caller): string {
  switch (caller.is) {
    case 'merchant_key':
      return `key ${caller.keyId}`
    case 'merchant_person':
    case 'service_person':
      return `${caller.role} ${caller.personId}`
    case 'shell':
      return `shell ${caller.user}@${caller.host}`
    case 'payer':
      return 'payer'
    case 'service':
      return `service: ${caller.part}`
  }
}
