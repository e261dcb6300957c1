// The examples of docs/openapi.json, which people copy: each is a body that its schema allows, and every body has one.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Content {
  schema: { $ref?: string }
  example?: unknown
}

const DOCUMENT = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))

/** Every body of requests and answers in the document. */
function contents(part: unknown): Content[] {
  if (typeof part !== 'object' || part === null) return []
  const own = Object.entries(part).flatMap(([name, value]) => (name === 'application/json' ? [value as Content] : []))
  return [...own, ...Object.values(part).flatMap(contents)]
}

const judge = new Ajv2020({ strict: false })
addFormats.default(judge)
judge.addSchema(DOCUMENT, 'openapi.json')

it('every body that has a name has an example, which its schema allows', () => {
  const named = contents([DOCUMENT.paths, DOCUMENT.webhooks]).filter(
    ({ schema }) => schema.$ref !== undefined && !/(Error|Failure)$/.test(schema.$ref),
  )
  assert.ok(named.length > 8)
  for (const { schema, example } of named) {
    const validate = judge.compile({ $ref: `openapi.json${schema.$ref}` })
    assert.ok(validate(example), `${schema.$ref}: ${judge.errorsText(validate.errors)}`)
  }
})

it('what is beside the contract says so, and nothing else does', () => {
  const operations = Object.values(DOCUMENT.paths).flatMap((item) =>
    Object.values(item as object).filter((each) => each.operationId !== undefined && each.description !== undefined),
  )
  for (const operation of operations) {
    assert.equal(operation['x-addition'] === true, /^An addition/.test(operation.description), operation.operationId)
  }
  const fields = Object.values(DOCUMENT.components.schemas).flatMap((schema) =>
    Object.entries((schema as { properties?: object }).properties ?? {}),
  )
  const marked = fields.filter(([, field]) => field['x-addition']).map(([name]) => name)
  assert.ok(marked.includes('failure_reason') && !marked.includes('transaction_id'))
})
