// The fields of a body as rows of a table, those within fields under their whole names: `next.after`, `events[].id`.
import { type Html, html } from '../http/html.ts'
import type { Schema } from '../merchant-api/schema-form.ts'
import { type Api, follow } from './described-api.ts'
import { prose } from './page-document.ts'

/** Deeper than anything in the description. */
const DEEPEST = 5

export function fieldRows(api: Api, schema: Schema, before = '', depth = 0): Html[] {
  const whole = follow(api, schema)
  if (depth > DEEPEST) return []
  if (whole.oneOf !== undefined) return firstOf(api, whole.oneOf, before, depth)
  const { properties = {}, required = [] } = whole
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = follow(api, field)
    const path = before + name
    return [row(path, inner, required.includes(name)), ...within(api, inner, path, depth)]
  })
}

/** Of several forms the first: the others differ in one field that its text names. */
const firstOf = (api: Api, forms: readonly Schema[], before: string, depth: number): Html[] =>
  fieldRows(api, forms[0] as Schema, before, depth)

function within(api: Api, field: Schema, path: string, depth: number): Html[] {
  if (field.type === 'array') return fieldRows(api, field.items ?? {}, `${path}[].`, depth + 1)
  return fieldRows(api, field, `${path}.`, depth + 1)
}

function row(path: string, field: Schema, isRequired: boolean): Html {
  const { description } = field
  return html`<tr><th scope="row"><code>${path}</code></th><td>${isRequired ? html`<b>required</b>` : 'optional'}${field['x-addition'] && html` <em>addition</em>`}</td><td>${typeText(field)}${description && html`. ${prose(description)}`}</td></tr>`
}

/** Such as `integer, 25 to 999999999` or `one of mobile, card`. */
export function typeText(schema: Schema): Html {
  const { type = 'value', enum: values, const: constant, minimum, maximum, minLength, maxLength, format } = schema
  if (constant !== undefined) return html`<code>${String(constant)}</code>`
  if (values !== undefined) {
    const choices = values.map((value, at) => html`${at > 0 && ', '}<code>${String(value)}</code>`)
    return html`${values.length > 1 && 'one of '}${choices}`
  }
  const range = [minimum ?? minLength, maximum ?? maxLength]
  const unit = type === 'string' ? ' characters' : ''
  return html`${format ?? [type].flat().join(' or ')}${rangeText(range, unit)}${schema.default !== undefined && `; ${schema.default} by default`}`
}

function rangeText([least, most]: (number | undefined)[], unit: string): string | false {
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}${unit}`
  if (most !== undefined) return `, at most ${most}${unit}`
  return least !== undefined && `, at least ${least}${unit}`
}
