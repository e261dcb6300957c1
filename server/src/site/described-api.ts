// The parts of the OpenAPI description that the reference shows, and the way from a reference to what it names.
import type { Schema } from '../merchant-api/schema-form.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}

interface Content {
  content?: Readonly<Record<string, { schema: Schema; example?: unknown }>>
}

export interface Answer extends Content {
  $ref?: string
  description: string
  headers?: Readonly<Record<string, { $ref?: string; description?: string }>>
}

export interface Described {
  operationId: string
  summary: string
  description?: string
  security?: readonly object[]
  parameters?: readonly Parameter[]
  requestBody?: Content
  responses: Readonly<Record<string, Answer>>
  'x-addition'?: boolean
}

export interface Api {
  info: { title: string; version: string; description: string }
  servers: readonly { url: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Described>> & { servers?: readonly { url: string }[] }>>
  webhooks: Readonly<Record<string, { post: Described }>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

/** What `#/components/…` names. */
export function follow<Part extends { $ref?: string }>(api: Api, part: Part): Part {
  if (part.$ref === undefined) return part
  const steps = part.$ref.slice('#/'.length).split('/')
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], api) as Part
}

export const bodyOf = ({ content }: Content) => content?.['application/json']
