// What the actions behind a merchant's pages need.
import type { RefundDeps } from '../actions/payments/refund-payment.ts'

export interface ShopDeps extends RefundDeps {
  /** The address of a link's page. */
  pageUrl(linkReference: string): string
}
