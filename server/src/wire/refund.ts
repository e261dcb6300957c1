// A refund as a payment's story and the audit log show it.
export const refundDetail = <More extends object>(refundReference: string, more: More) => ({
  refund_reference: refundReference,
  ...more,
})
