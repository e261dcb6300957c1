// Every field of a ledger entry that merchants see, once. Bodies of the API, their schemas and the
// lines of archives come from these rows, in their order.
import { BOOKS_CLOCK, citiesAt } from '../countries/country.ts'
import type { Fields } from '../fields.ts'
import { ENTRY_KINDS, LEDGER_ACCOUNTS, type ListedEntry } from './ledger.ts'

const CITIES = citiesAt(BOOKS_CLOCK.utcOffsetMinutes, 'en')

export const ENTRY_FIELDS = {
  entry: {
    is: 'count',
    wire: 'entry',
    about: 'Counts up by one within the account, without a gap.',
    value: ({ entry }) => entry,
  },
  kind: {
    is: 'choice',
    of: ENTRY_KINDS,
    wire: 'kind',
    about: 'Why the money moved. `reversal`: the network gave the money back on its own.',
    value: ({ kind }) => kind,
  },
  debit: {
    is: 'choice',
    of: LEDGER_ACCOUNTS,
    wire: 'debit',
    about: 'The ledger account that receives.',
    value: ({ debit }) => debit,
  },
  credit: {
    is: 'choice',
    of: LEDGER_ACCOUNTS,
    wire: 'credit',
    about: 'The ledger account that gives.',
    value: ({ credit }) => credit,
  },
  amount: {
    is: 'francs',
    least: 1,
    wire: 'amount',
    about: 'The amount in francs.',
    value: ({ amountXof }) => amountXof,
  },
  connection: {
    is: 'text',
    wire: 'connection',
    about: 'The connection to a network, by its name.',
    value: ({ connection }) => connection,
  },
  bookedAt: {
    is: 'time',
    wire: 'booked_at',
    about: 'When the network, or the service before its statement, booked it.',
    value: ({ bookedAt }) => bookedAt,
  },
  day: {
    is: 'day',
    wire: 'value_date',
    about: `The day in ${CITIES}.`,
    value: ({ day }) => day,
  },
  paymentReference: {
    is: 'text',
    wire: 'payment_reference',
    about: 'The service’s reference of the payment, if it is about one.',
    isOptional: true,
    value: ({ reference }) => reference,
  },
  refundReference: {
    is: 'text',
    wire: 'refund_reference',
    about: 'The service’s reference of the refund, if it is about one.',
    isOptional: true,
    value: ({ refundReference }) => refundReference,
  },
  corrects: {
    is: 'count',
    wire: 'corrects',
    about: 'The earlier entry that it corrects, or whose amount it explains.',
    isOptional: true,
    value: ({ corrects }) => corrects,
  },
} as const satisfies Fields<ListedEntry>
