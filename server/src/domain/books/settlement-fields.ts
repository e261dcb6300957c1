// Every field of a settlement and of its lines that merchants see, once. Bodies of the API, their
// schemas and the dashboard's rows come from these rows, in their order.
import { BOOKS_CLOCK, citiesAt } from '../countries/country.ts'
import type { Fields } from '../fields.ts'
import { ENTRY_FIELDS } from '../ledger/entry-fields.ts'
import {
  SETTLEMENT_STATES,
  type SettledLine,
  type Settlement,
  settlementName,
  settlementState,
} from './settlement.ts'
import { LINE_TYPES } from './statement.ts'

const CITIES = citiesAt(BOOKS_CLOCK.utcOffsetMinutes, 'en')

export const SETTLED_LINE_FIELDS = {
  type: {
    is: 'choice',
    of: LINE_TYPES,
    wire: 'type',
    about: 'The kind of the line.',
    dashboard: 'row',
    value: ({ type }) => type,
  },
  amount: {
    is: 'francs',
    wire: 'amount',
    about: 'In francs; negative for what left the wallet.',
    dashboard: 'row',
    value: ({ amountXof }) => amountXof,
  },
  fee: {
    is: 'francs',
    least: 0,
    wire: 'fee',
    about: 'The network’s fee on it.',
    dashboard: 'row',
    value: ({ feeXof }) => feeXof,
  },
  tax: {
    is: 'francs',
    least: 0,
    wire: 'tax',
    about: 'The tax on that fee.',
    dashboard: 'row',
    value: ({ taxXof }) => taxXof,
  },
  bookedAt: {
    is: 'time',
    wire: 'booked_at',
    about: 'When the network booked it.',
    dashboard: 'row',
    value: ({ bookedAt }) => bookedAt,
  },
  day: {
    is: 'day',
    wire: 'value_date',
    about: ENTRY_FIELDS.day.about,
    value: ({ day }) => day,
  },
  reference: {
    is: 'text',
    wire: 'payment_reference',
    about: ENTRY_FIELDS.paymentReference.about,
    isOptional: true,
    dashboard: 'row',
    value: ({ reference }) => reference,
  },
  publicReference: {
    is: 'text',
    wire: 'public_reference',
    about: 'The payment’s short reference, if it is about one.',
    isOptional: true,
    dashboard: 'row',
    value: ({ publicReference }) => publicReference,
  },
  transactionId: {
    is: 'text',
    wire: 'external_reference',
    about: 'Your transaction_id, if it is about a payment.',
    isOptional: true,
    dashboard: 'row',
    value: ({ externalReference }) => externalReference,
  },
  refundReference: {
    is: 'text',
    wire: 'refund_reference',
    about: ENTRY_FIELDS.refundReference.about,
    isOptional: true,
    value: ({ refundReference }) => refundReference,
  },
  operatorReference: {
    is: 'text',
    wire: 'operator_reference',
    about: 'The network’s own reference, if it gave one.',
    isOptional: true,
    dashboard: 'row',
    value: ({ networkReference }) => networkReference || null,
  },
} as const satisfies Fields<SettledLine>

export const SETTLEMENT_FIELDS = {
  settlement: {
    is: 'text',
    wire: 'settlement',
    about: 'The name of the settlement.',
    dashboard: 'row',
    value: settlementName,
  },
  connection: {
    is: 'text',
    wire: 'connection',
    about: ENTRY_FIELDS.connection.about,
    dashboard: 'row',
    value: ({ connection }) => connection,
  },
  amount: {
    is: 'francs',
    wire: 'amount',
    about: 'What left the wallet; negative for money that came back.',
    dashboard: 'row',
    value: ({ amountXof }) => amountXof,
  },
  state: {
    is: 'choice',
    of: SETTLEMENT_STATES,
    wire: 'status',
    about:
      '`in_transit`: on its way to your bank. `received`: you confirmed it. `returned`: it came back.',
    dashboard: 'row',
    value: settlementState,
  },
  leftAt: {
    is: 'time',
    wire: 'left_at',
    about: 'When the money left the wallet.',
    dashboard: 'row',
    value: ({ leftAt }) => leftAt,
  },
  leftDay: {
    is: 'day',
    wire: 'left_on',
    about: `That day in ${CITIES}.`,
    value: ({ leftDay }) => leftDay,
  },
  operatorReference: {
    is: 'text',
    wire: 'operator_reference',
    about: SETTLED_LINE_FIELDS.operatorReference.about,
    isOptional: true,
    dashboard: 'row',
    value: ({ networkReference }) => networkReference || null,
  },
  received: {
    is: 'francs',
    wire: 'received_amount',
    about: 'What your bank has, as you confirmed it.',
    isOptional: true,
    dashboard: 'row',
    value: ({ receivedXof }) => receivedXof,
  },
  receivedDay: {
    is: 'day',
    wire: 'received_on',
    about: 'The day on which your bank had it, as you confirmed it.',
    isOptional: true,
    dashboard: 'row',
    value: ({ receivedDay }) => receivedDay,
  },
  bankReference: {
    is: 'text',
    wire: 'bank_reference',
    about: 'Your bank’s own reference, as you gave it.',
    isOptional: true,
    dashboard: 'row',
    value: ({ bankReference }) => bankReference || null,
  },
} as const satisfies Fields<Settlement>
