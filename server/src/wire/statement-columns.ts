// How a source writes its statement, as a person gives it in JSON.
import { z } from 'zod'
import { type ColumnMapping, LINE_TYPES } from '../domain/statement.ts'

const heading = z.string().min(1).max(200)
const optional = heading.exactOptional()
const lineType = z.enum(LINE_TYPES).exclude(['not_made'])

export const columnMapping = z.strictObject({
  columns: z.strictObject({
    bookedAt: heading,
    amount: optional,
    credit: optional,
    debit: optional,
    fee: optional,
    tax: optional,
    balance: optional,
    type: optional,
    networkReference: optional,
    ourReference: optional,
    counterparty: optional,
    text: optional,
    status: optional,
    refundedAt: optional,
    currency: optional,
  }),
  types: z.record(z.string().max(200), lineType).default({}),
  outgoing: z.array(lineType).default([]),
  statuses: z.array(z.string().max(200)).default([]),
  failures: z.array(z.string().max(200)).exactOptional(),
  refunds: z.array(z.string().max(200)).exactOptional(),
  dateOrder: z.enum(['day_first', 'month_first', 'year_first']).default('day_first'),
  utcOffsetMinutes: z.int().min(-720).max(840).default(60),
}) satisfies z.ZodType<ColumnMapping, unknown>
