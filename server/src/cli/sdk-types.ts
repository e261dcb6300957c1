// The types of the SDK, made from the schemas of the OpenAPI description: what a merchant's editor shows is what the API answers.
import { SCHEMAS } from '../merchant-api/openapi-schemas.ts'
import type { Schema } from '../merchant-api/schema-form.ts'

const NOTICE =
  '// Generated from the OpenAPI description by `npm run docs`: do not edit. What the API takes and answers.'

/** Names that mean something else in every JavaScript program. */
const RENAMED: Readonly<Record<string, string>> = { Error: 'ErrorBody', Failure: 'FailureBody', Event: 'KarbaEvent' }

export function sdkTypes(): string {
  const types = Object.entries(SCHEMAS).map(([name, schema]) => typeNamed(nameOf(name), schema as Schema))
  return `${[NOTICE, ...types].join('\n\n')}\n`
}

function typeNamed(name: string, schema: Schema): string {
  const before = comment(schema, '')
  if (schema.properties === undefined) return `${before}export type ${name} = ${typeOf(schema, '')}`
  return `${before}export interface ${name} ${bodyOf(schema, '')}`
}

const nameOf = (schemaName: string): string => RENAMED[schemaName] ?? schemaName

function bodyOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(field, inner)}${inner}${name}${mark}: ${typeOf(field, inner)}`
  })
  return `{\n${fields.join('\n')}\n${indent}}`
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref.replace(/^.*\//, ''))
  const choices = schema.oneOf ?? (schema.properties === undefined ? schema.anyOf : undefined)
  if (choices !== undefined) return choices.map((each) => typeOf(each, indent)).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (schema.type === 'array') return listOf(typeOf(schema.items ?? {}, indent))
  if (schema.type === 'object') return objectOf(schema, indent)
  const names = [schema.type ?? []].flat()
  return names.map((name) => SIMPLE[name] ?? 'unknown').join(' | ') || 'unknown'
}

function objectOf(schema: Schema, indent: string): string {
  if (schema.properties !== undefined) return bodyOf(schema, indent)
  const values =
    typeof schema.additionalProperties === 'object' ? typeOf(schema.additionalProperties, indent) : 'unknown'
  return `Record<string, ${values}>`
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value))
const listOf = (type: string): string => (type.includes('|') && !type.startsWith('{') ? `(${type})[]` : `${type}[]`)
const comment = ({ description }: Schema, indent: string): string =>
  description === undefined ? '' : `${indent}/** ${description} */\n`
