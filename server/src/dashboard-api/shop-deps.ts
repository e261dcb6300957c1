// What the actions behind a merchant's pages need.

import type { MakeKeyDeps } from '../actions/keys/make-key.ts'
import type { CloseLinkDeps } from '../actions/links/close-payment-link.ts'
import type { CreateLinkDeps } from '../actions/links/create-payment-link.ts'
import type { DocumentDeps } from '../actions/merchants/keep-documents.ts'
import type { RefundDeps } from '../actions/payments/refund-payment.ts'
import type { SandboxPhoneDeps } from '../actions/payments/sandbox-phone.ts'
import type { EndpointDeps } from '../actions/webhooks/add-endpoint.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import type { SlotRefusal } from '../domain/fair-shares.ts'
import type { LiveEvent, PhoneBody } from './shapes.ts'

type ForActions = RefundDeps &
  CreateLinkDeps &
  CloseLinkDeps &
  DocumentDeps &
  MakeKeyDeps &
  EndpointDeps &
  SandboxPhoneDeps

export interface ShopDeps extends ForActions {
  testNumbers: readonly PhoneBody['testNumbers'][number][]
  /** The address of a link's page. */
  pageUrl(linkReference: string): string
  /** Takes one of the slots for live streams or exports; what it returns gives it back. */
  takeStream(caller: MerchantPerson): Promise<(() => void) | SlotRefusal>
  takeExport(caller: MerchantPerson): Promise<(() => void) | SlotRefusal>
  /** Tells what changes in an account; undefined when too many look at it already. */
  watchAccount(
    accountId: string,
    tell: (changed: LiveEvent['changed']) => void,
    ended: () => void,
  ): (() => void) | undefined
  /** Reads a second for each address of what is for anybody (D-29). */
  publicRate: number
}
