// The fields of a query as the routes of lists read them. A field that is empty is the same as one that is left out.
import { z } from 'zod'
import { dayOf, startOfDay } from '../domain/business-day.ts'

export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

export const wholeNumber = (least: number, most: number) => z.coerce.number().int().min(least).max(most)

const LAST_TIME = 8_640_000_000_000_000

/** A time in milliseconds, or a day such as `2026-03-31`; `days` is added to a day: 1 for its end. */
export const time = (days: 0 | 1) =>
  z.union([
    z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .transform((day) => startOfDay(dayOf(Date.parse(day)) + days))
      .refine((at) => !Number.isNaN(at)),
    wholeNumber(0, LAST_TIME),
  ])

/** Which page of a list. */
export const PAGE_FIELDS = { after: optional(z.string().max(200)), limit: optional(wholeNumber(1, 200)) }
