// The tables of fields as zod schemas, from which OpenAPI and the SDK's types are generated. Types
// alone are imported at run time.
import { z } from 'zod'
import type { Field, Fields } from '../domain/fields.ts'
import { METADATA_LIMITS } from '../domain/payments/payment.ts'
import { ADDITIONS, type Addition, PAYMENT_FIELDS } from '../domain/payments/payment-fields.ts'

type ValueOf<Each> = Each extends { is: 'choice'; of: readonly (infer Choice)[] }
  ? Choice
  : Each extends { is: 'francs' | 'count' }
    ? number
    : Each extends { is: 'texts' }
      ? Record<string, string>
      : Each extends { is: 'group'; fields: infer Inner extends Fields<never> }
        ? BodyOf<Inner>
        : string

type SchemaOf<Each> = Each extends { isOptional: true }
  ? z.ZodOptional<z.ZodType<ValueOf<Each>, ValueOf<Each>>>
  : z.ZodType<ValueOf<Each>, ValueOf<Each>>

type Shape<Table extends Fields<never>> = {
  -readonly [Name in keyof Table as Table[Name]['wire']]: SchemaOf<Table[Name]>
}

/** The body that has these fields. */
export type BodyOf<Table extends Fields<never>> = z.input<z.ZodObject<Shape<Table>>>

export function schemaOf<Table extends Fields<never>>(table: Table): z.ZodObject<Shape<Table>> {
  const shape = Object.fromEntries(
    Object.values<Field<never>>(table).map((field) => [field.wire, fieldSchema(field)]),
  )
  return z.object(shape) as z.ZodObject<z.ZodRawShape> as z.ZodObject<Shape<Table>>
}

function fieldSchema(field: Field<never>): z.ZodType {
  const held = heldBy(field)
  const described = field.isAddition
    ? addition(held, field.about)
    : held.meta({ ...held.meta(), description: field.about })
  return field.isOptional ? described.optional() : described
}

/** A field that the original contract does not have. */
export const addition = <Schema extends z.ZodType>(schema: Schema, about: string): Schema =>
  schema.meta({ ...schema.meta(), description: `API extension. ${about}`, 'x-addition': true })

/**
 * A length in characters, as JSON Schema and the checks count them: zod's own `max` counts an emoji
 * twice.
 */
export const text = (most: number) =>
  z
    .string()
    .refine((value) => [...value].length <= most)
    .meta({ maxLength: most })
export const filled = (most: number) => text(most).min(1)

/** D-89 */
const texts = z
  .record(filled(METADATA_LIMITS.key), text(METADATA_LIMITS.value))
  .refine((fields) => Object.keys(fields).length <= METADATA_LIMITS.keys)
  .meta({ maxProperties: METADATA_LIMITS.keys })

function heldBy(field: Field<never>): z.ZodType {
  switch (field.is) {
    case 'choice':
      return z.enum(field.of)
    case 'francs':
      return field.least === undefined ? z.int() : z.int().min(field.least)
    case 'count':
      return z.int().min(1)
    case 'day':
      return z.iso.date()
    case 'time':
      return z.iso.datetime()
    case 'texts':
      return texts
    case 'group':
      return schemaOf(field.fields)
    default:
      return z.string()
  }
}

// What a merchant may add to an order, as the order has it.

type GivenShape = {
  [Name in Addition as (typeof PAYMENT_FIELDS)[Name]['wire']]: SchemaOf<
    (typeof PAYMENT_FIELDS)[Name]
  >
}

export const additionSchemas = Object.fromEntries(
  ADDITIONS.map((name): [string, z.ZodType] => {
    const field = PAYMENT_FIELDS[name]
    const held = field.is === 'text' ? filled(field.most) : texts
    const described = addition(held, field.given.about)
    const examples = [field.given.example]
    return [field.wire, described.meta({ ...described.meta(), examples }).optional()]
  }),
) as GivenShape
