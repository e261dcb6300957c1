// Who makes a request. Every action gets the caller, every query is limited to what the caller may
// see, and the audit log names it. Only an entry point creates one: from an API key, a session, the
// CLI's user, or an opened link.

import type { Environment } from '../environment.ts'
import type { KeyKind } from './api-key.ts'
import { type AccountRole, SERVICE_ROLES, type ServiceRole } from './role.ts'

/** Where the request came from: an address, or the first 64 bits of an IPv6 address. */
type FromNetwork = { network?: string | undefined }

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
  role: AccountRole
}

/** A person who works for the company that runs the service. */
export interface ServicePerson extends FromNetwork {
  is: 'service_person'
  personId: string
  role: ServiceRole
}

/** A signed-in person, for their own matters: password, sessions. */
export type Person = {
  is: 'person'
  personId: string
  sessionId: string
  network: string
}

/** A visitor of the dashboard who is not signed in. */
export type Visitor = { is: 'visitor'; network: string }

/** A user of the CLI, who can open the service's files and may do everything. */
export type Shell = { is: 'shell'; user: string; host: string }

/** A payer knows the link's reference, and may see and pay that link alone. */
export type Payer = { is: 'payer'; linkReference: string }

/** Karba itself: the worker, the operators' callbacks, the first start. */
export type ServiceItself = { is: 'service'; part: string }

export type Caller =
  | MerchantKey
  | MerchantPerson
  | ServicePerson
  | Person
  | Visitor
  | Shell
  | Payer
  | ServiceItself

/** A caller that acts for one account and for no other. */
export type MerchantCaller = MerchantKey | MerchantPerson

/**
 * Callers that act for accounts. A payer has a link and no account; a person acts for one only in a
 * role.
 */
export type AccountCaller = Exclude<Caller, Payer | Person | Visitor>

/** Callers that manage every merchant. */
export type ServiceCaller = ServicePerson | Shell | ServiceItself

export const isOfService = (caller: Caller): caller is ServiceCaller =>
  caller.is === 'service_person' || caller.is === 'shell' || caller.is === 'service'

/** Which rows a statement may touch: those of one account, or of every account when null. */
export type Scope = { accountId: string | null }

export const EVERY_ACCOUNT: Scope = { accountId: null }

/** The scope of the caller's statements: rows of other accounts are not found. */
export const scopeOf = (caller: AccountCaller): Scope =>
  isOfService(caller) ? EVERY_ACCOUNT : caller

/** How the audit log and a payment's history name the caller. */
export const actorOf = (caller: Caller): string =>
  (ACTORS[caller.is] as (caller: Caller) => string)(caller)

const ACTORS: { readonly [Is in Caller['is']]: (caller: Extract<Caller, { is: Is }>) => string } = {
  merchant_key: ({ keyId }) => `key ${keyId}`,
  merchant_person: ({ role, personId }) => `${role} ${personId}`,
  service_person: ({ role, personId }) => `${role} ${personId}`,
  person: ({ personId }) => `person ${personId}`,
  visitor: () => 'visitor',
  shell: ({ user, host }) => `shell ${user}@${host}`,
  payer: () => 'payer',
  service: ({ part }) => `service: ${part}`,
}

/** Whether `actorOf` named staff, a CLI user, or the service itself. */
export const isActorOfService = (actor: string): boolean =>
  [...SERVICE_ROLES, 'staff', 'shell', 'service:'].includes(actor.split(' ')[0] ?? '')

/** From where, for the audit log; null where there is no network between. */
export const whereOf = (caller: Caller): string | null =>
  'network' in caller ? (caller.network ?? null) : null
