// Who makes a request. Every action gets the caller, every query is limited to what the caller may see, and the audit
// log names the caller. Only an entry point creates one: from an API key, a session, the CLI's user, or an opened
// payment link.
import type { KeyKind } from './api-key.ts'
import type { Environment } from './environment.ts'
import { type MerchantRole, SERVICE_ROLES, type ServiceRole } from './role.ts'

/** Where the request came from: an address, or the first 64 bits of an IPv6 address. */
interface FromNetwork {
  network?: string | undefined
}

/** A secret key, or a public key that came from one of the sites that its account lists. */
export interface MerchantKey extends FromNetwork {
  is: 'merchant_key'
  accountId: string
  environment: Environment
  keyId: string
  kind: KeyKind
}

/** A person who works for the merchant, in one account at a time: sandbox or live. */
export interface MerchantPerson extends FromNetwork {
  is: 'merchant_person'
  accountId: string
  environment: Environment
  personId: string
  role: MerchantRole
}

/** A person who works for the company that runs the service. */
export interface ServicePerson extends FromNetwork {
  is: 'service_person'
  personId: string
  role: ServiceRole
}

/** A signed-in person, for their own matters: password, sessions. */
export interface Person {
  is: 'person'
  personId: string
  sessionId: string
  network: string
}

/** A visitor of the dashboard who is not signed in. */
export interface Visitor {
  is: 'visitor'
  network: string
}

/** A user of the CLI, who can open the service's files and may do everything. */
export interface Shell {
  is: 'shell'
  user: string
  host: string
}

/** A payer knows the link's reference, and may see and pay that link alone. */
export interface Payer {
  is: 'payer'
  linkReference: string
}

/** Karba itself: the worker, the operators' callbacks, the first start. */
export interface ServiceItself {
  is: 'service'
  part: string
}

export type Caller = MerchantKey | MerchantPerson | ServicePerson | Person | Visitor | Shell | Payer | ServiceItself

/** A caller that acts for one account and for no other. */
export type MerchantCaller = MerchantKey | MerchantPerson

/** Callers that act for accounts. A payer has a link and no account; a person acts for one only in a role. */
export type AccountCaller = Exclude<Caller, Payer | Person | Visitor>

/** Callers that manage every merchant. */
export type ServiceCaller = ServicePerson | Shell | ServiceItself

export const isOfService = (caller: Caller): caller is ServiceCaller =>
  caller.is === 'service_person' || caller.is === 'shell' || caller.is === 'service'

/** Which rows a statement may touch: those of one account, or of every account when null. */
export interface Scope {
  accountId: string | null
}

export const EVERY_ACCOUNT: Scope = { accountId: null }

/** The scope of the caller's statements: rows of other accounts are not found. */
export const scopeOf = (caller: AccountCaller): Scope => (isOfService(caller) ? EVERY_ACCOUNT : caller)

/** How the audit log and a payment's history name the caller. */
export function actorOf(caller: Caller): string {
  switch (caller.is) {
    case 'merchant_key':
      return `key ${caller.keyId}`
    case 'merchant_person':
    case 'service_person':
      return `${caller.role} ${caller.personId}`
    case 'person':
      return `person ${caller.personId}`
    case 'visitor':
      return 'visitor'
    case 'shell':
      return `shell ${caller.user}@${caller.host}`
    case 'payer':
      return 'payer'
    case 'service':
      return `service: ${caller.part}`
  }
}

/** Whether `actorOf` named staff, a CLI user, or the service itself. */
export const isActorOfService = (actor: string): boolean =>
  [...SERVICE_ROLES, 'shell', 'service:'].includes(actor.split(' ')[0] ?? '')

/** From where, for the audit log; null where there is no network between. */
export const whereOf = (caller: Caller): string | null => ('network' in caller ? (caller.network ?? null) : null)
