// The facts of the API that clients in other languages are generated from, read from
// docs/openapi.json: codes of errors, kinds of events, states, bodies with their fields, and the
// parameters of lists. Knows no language.
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'

const DESCRIPTION = new URL('../docs/openapi.json', import.meta.url)

export interface Schema {
  type?: string | string[]
  enum?: string[]
  const?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  oneOf?: Schema[]
  $ref?: string
}

export interface Body {
  name: string
  schema: Schema
}

/** A closed list of values that several fields share. */
export interface ListOfValues {
  name: string
  about: string
  values: readonly string[]
}

export interface Operation {
  id: string
  about: string
  query: readonly { name: string; schema: Schema }[]
}

export interface ApiFacts {
  /** Every code that `Svc-Error-Code` can have. */
  errorCodes: readonly string[]
  lists: readonly ListOfValues[]
  bodies: readonly Body[]
  /** The operations of a merchant's server. */
  operations: readonly Operation[]
}

interface Description {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, Schema> }
}

interface DescribedOperation {
  operationId?: string
  summary?: string
  parameters?: {
    name: string
    in: string
    schema: Schema
    description?: string
  }[]
}

/** The operations of a page, which has no secret key. */
const OF_PAGES = ['createLinkFromPage', 'askBeforeLinkFromPage']

export function apiFacts(): ApiFacts {
  const description = JSON.parse(readFileSync(DESCRIPTION, 'utf8')) as Description
  const { schemas } = description.components
  const bodies = Object.entries(schemas).map(([name, schema]) => ({ name, schema }))
  return {
    errorCodes: [...new Set(codesIn(description))].sort(),
    lists: listsIn(schemas),
    bodies,
    operations: operationsIn(description),
  }
}

function codesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) =>
    name === 'Svc-Error-Code'
      ? (value as { schema: { enum: string[] } }).schema.enum
      : codesIn(value),
  )
}

function listsIn(schemas: Record<string, Schema>): ListOfValues[] {
  const valuesOf = (body: string, field: string): readonly string[] => {
    const values = schemas[body]?.properties?.[field]?.enum
    if (values === undefined) throw new Error(`${body}.${field} has no list of values`)
    return values
  }
  const kinds = (schemas.Event?.oneOf ?? []).flatMap(({ $ref = '' }) => {
    const { enum: values, const: value = '' } = schemas[nameIn($ref)]?.properties?.event ?? {}
    return values ?? [value]
  })
  return [
    {
      name: 'PaymentStatus',
      about: 'The states of a payment and of a link.',
      values: valuesOf('Payment', 'status'),
    },
    {
      name: 'FailureReason',
      about: 'Why a payment failed.',
      values: valuesOf('Payment', 'failure_reason'),
    },
    {
      name: 'RefundStatus',
      about: 'The states of a refund.',
      values: valuesOf('OneRefund', 'status'),
    },
    {
      name: 'RefundFailureReason',
      about: 'Why a refund failed.',
      values: valuesOf('OneRefund', 'reason'),
    },
    {
      name: 'EventKind',
      about: 'The kinds of events.',
      values: kinds,
    },
    {
      name: 'EntryKind',
      about: 'Why money moved, in an entry of the ledger.',
      values: valuesOf('Entry', 'kind'),
    },
    {
      name: 'LedgerAccount',
      about: 'The accounts of the ledger.',
      values: valuesOf('Entry', 'debit'),
    },
  ]
}

function operationsIn({ paths }: Description): Operation[] {
  const described = Object.values(paths).flatMap((item) => Object.values(item))
  return described.flatMap(({ operationId, summary = '', parameters = [] }) => {
    if (operationId === undefined || OF_PAGES.includes(operationId)) return []
    const query = parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema, description = '' }) => ({
        name,
        schema: { ...schema, description },
      }))
    return [{ id: operationId, about: summary, query }]
  })
}

/** The name of the body that a reference leads to. */
export const nameIn = (reference: string): string => reference.split('/').pop() as string

/** The shared list that these values are, if they are one. */
export const listOf = ({ lists }: ApiFacts, values: readonly string[]): ListOfValues | undefined =>
  lists.find((list) => isDeepStrictEqual([...list.values], values))
