// The form of a schema of the OpenAPI description, for what reads it: the reference's page and the types of the SDK.

export interface Schema {
  type?: string | readonly string[]
  $ref?: string
  enum?: readonly unknown[]
  const?: unknown
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  items?: Schema
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  description?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  format?: string
  default?: unknown
  'x-addition'?: boolean
}
