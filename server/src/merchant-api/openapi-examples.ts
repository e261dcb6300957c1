// One example for each body of the OpenAPI description. A test holds each against its schema.
import type { SchemaName } from './openapi-schemas.ts'

const LINK_REFERENCE = '5f0c2a7d9be14c3e8a61f2b07d4c95e3'

const CREATED_PAYMENT = {
  status: 'pending',
  reference: '60dvs8n73hy897smacktapcy',
  public_reference: 'XF5X-ZEBB-9',
  meta_data: { operator: 'airtel_ne' },
}

const PAYMENT = {
  public_reference: 'XF5X-ZEBB-9',
  external_reference: 'order-2026-0001',
  reference: '60dvs8n73hy897smacktapcy',
  status: 'succeeded',
  msisdn: '+227 96 12 34 56',
  amount: 1500,
  validated_at: '2026-11-15T09:30:00.000Z',
  meta_data: { operator: 'airtel_ne', operator_reference: 'MP261115.0930.A00001' },
}

const LINK_ORDER = { amount: 15000, title: 'Commande 12', description: 'Deux pagnes', transaction_id: 'cmd-12' }

const LINK = {
  reference: LINK_REFERENCE,
  status: 'initiated',
  amount: 15000,
  currency: 'XOF',
  title: 'Commande 12',
  description: 'Deux pagnes',
  expires_at: '2026-11-15T10:00:00.000Z',
  public_reference: 'K7QF-3MZP-2',
}

const EVENT = {
  id: 'evt_60dvtq2x9m4c81hz5k3nbw7e',
  event: 'payment.succeeded',
  created_at: '2026-11-15T09:30:00.000Z',
  environment: 'sandbox',
  data: PAYMENT,
}

const ACCOUNT = {
  account_id: 'acc_0123456789ab',
  merchant: 'Boutique Awa',
  environment: 'sandbox',
  status: 'validated',
  endpoints: [{ url: 'https://shop.example/hook', status: 'on', failing_since: null }],
  operators: [{ country: 'NE', operator: 'airtel_ne', name: 'Airtel Money', state: 'up' }],
}

const REFUND = {
  reference: '60e1a7p4c2k9w8xmz3dv5tnq',
  payment_reference: PAYMENT.reference,
  amount: 1500,
  status: 'pending',
  created_at: '2026-11-16T08:00:00.000Z',
  updated_at: '2026-11-16T08:00:00.000Z',
}

export const EXAMPLES: Readonly<Partial<Record<SchemaName, object>>> = {
  PaymentOrder: {
    amount: 1500,
    country: 'NE',
    currency: 'XOF',
    msisdn: '+227 96 12 34 56',
    transaction_id: 'order-2026-0001',
    customer_name: 'Awa Diallo',
  },
  CreatedPayment: CREATED_PAYMENT,
  Payment: PAYMENT,
  LinkOrder: LINK_ORDER,
  PageLinkOrder: LINK_ORDER,
  CreatedLink: { ...LINK, page_url: `https://karba.example/pay/${LINK_REFERENCE}` },
  Link: LINK,
  Event: EVENT,
  Account: ACCOUNT,
  PaymentList: { data: [{ ...PAYMENT, created_at: '2026-11-15T09:29:41.000Z' }], next: null },
  Refund: REFUND,
  Feed: { events: [{ sequence: 1, ...EVENT }], replays: [], has_more: false, next: { after: 1, replays_after: 0 } },
}
