// Validates answers of the service against docs/openapi.json: status, body and headers of each
// operation. A field or header that the document does not name is a fault too.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { RawAnswer } from './refusal-walk.ts'

type Described = {
  operationId: string
  requestBody?: Content
  responses: Record<string, Response | Reference>
}

type Content = { content?: Record<string, { schema: object }> }

type Response = Content & { description: string; headers: Record<string, Header | Reference> }

type Header = { required: boolean; schema: object }

type Reference = { $ref: string }

interface Document {
  servers: { url: string }[]
  paths: Record<string, Record<string, Described> & { servers?: { url: string }[] }>
  components: { responses: Record<string, Response>; schemas: Record<string, object> }
}

const METHODS = ['get', 'post', 'options']
/** Standard HTTP headers, which every server sends. */
const OF_HTTP = [
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
]

export function readDescription() {
  const file = new URL('../../../docs/openapi.json', import.meta.url)
  const asWritten = JSON.parse(readFileSync(file, 'utf8')) as Document
  // A merchant may send unknown fields; the service may not.
  const document = closed(asWritten) as Document
  const [requests, bodies, headers] = [
    ajv(asWritten, false),
    ajv(document, false),
    ajv(document, true),
  ]
  const validators = new Map<object, ValidateFunction>()
  const held: string[] = []

  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const { url } = (item.servers ?? document.servers)[0] as { url: string }
      return {
        method: method.toUpperCase(),
        address: url.replace(/\/$/, '') + path,
        ...(item[method] as Described),
      }
    }),
  )

  function find(operationId: string): Described {
    const found = described.find((each) => each.operationId === operationId)
    assert.ok(found, `${operationId} is not described`)
    return found
  }

  function follow<Part extends object>(part: Part | Reference): Part {
    if (!('$ref' in part)) return part
    const steps = part.$ref.slice('#/'.length).split('/')
    return steps.reduce<unknown>(
      (at, step) => (at as Record<string, unknown>)[step],
      document,
    ) as Part
  }

  function check(schema: object, value: unknown, about: string, by = bodies): void {
    const validate = validators.get(schema) ?? by.compile(named(schema))
    validators.set(schema, validate)
    assert.ok(
      validate(value),
      `${about}: ${by.errorsText(validate.errors)}: ${JSON.stringify(value)}`,
    )
  }

  const headerSchemas = new Map<Response, object>()
  function headersOf(response: Response): object {
    const entries = Object.entries(response.headers).map(
      ([name, header]) => [name.toLowerCase(), follow<Header>(header)] as const,
    )
    const schema = headerSchemas.get(response) ?? {
      type: 'object',
      required: entries.filter(([, { required }]) => required).map(([name]) => name),
      properties: Object.fromEntries(entries.map(([name, header]) => [name, header.schema])),
      additionalProperties: false,
    }
    headerSchemas.set(response, schema)
    return schema
  }

  function holdResponse(
    response: Response,
    { code, text, headers: sent }: RawAnswer,
    about: string,
  ): void {
    const ours = Object.entries(sent).filter(([name]) => !OF_HTTP.includes(name))
    check(headersOf(response), Object.fromEntries(ours), `headers of ${about}`, headers)
    const [mediaType] = `${sent['content-type'] ?? ''}`.split(';')
    if (response.content === undefined) {
      assert.equal(mediaType + text, '', about)
    } else {
      const content = response.content[mediaType as string]
      assert.ok(content, `${about} is ${mediaType}`)
      // A file has no schema.
      if (mediaType === 'application/json')
        check(content.schema, JSON.parse(text), `${code} of ${about}`)
    }
  }

  return {
    operations: described.map(({ operationId: id, method, address, responses }) => ({
      id,
      method,
      address,
      statuses: Object.keys(responses).map(Number),
    })),
    /** Fails unless the operation documents this answer. */
    holdAnswer(operationId: string, answer: RawAnswer): void {
      const response = find(operationId).responses[answer.code]
      assert.ok(response, `${operationId} does not document ${answer.code}: ${answer.text}`)
      holdResponse(follow<Response>(response), answer, `${operationId} ${answer.code}`)
      held.push(`${operationId} ${answer.code}`)
    },
    /** Fails unless this is one of the answers that belong to no operation. */
    holdShared(name: string, code: number, answer: RawAnswer): void {
      assert.equal(answer.code, code, answer.text)
      holdResponse(document.components.responses[name] as Response, answer, name)
      held.push(`${name} ${code}`)
    },
    /** Fails unless the operation documents such a request. */
    holdRequest(operationId: string, body: unknown): void {
      const content = find(operationId).requestBody?.content?.['application/json']
      assert.ok(content, `${operationId} describes no body`)
      check(content.schema, body, `the request of ${operationId}`, requests)
    },
    /** `readPayment 404`, for every validated answer. */
    held,
  }
}

/** Header values are text, from which numbers are parsed. */
function ajv(document: Document, coerceTypes: boolean): Ajv2020 {
  const judge = new Ajv2020({ coerceTypes, strictTypes: false, allErrors: true })
  addFormats.default(judge)
  judge.addKeyword('x-addition')
  for (const [name, schema] of Object.entries(document.components.schemas))
    judge.addSchema(named(schema), name)
  return judge
}

/** The document itself is no schema, so its schemas are added by name. */
function named(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', ''))
}

/** Forbids properties that the schema does not name, unless the document permits more. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== 'object' || part === null) return part
  const inside = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, closed(value)]),
  )
  const isOpen =
    inside.type === 'object' && 'properties' in inside && !('additionalProperties' in inside)
  return isOpen ? { ...inside, additionalProperties: false } : inside
}
