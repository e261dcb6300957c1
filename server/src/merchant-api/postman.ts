// The Postman collection at /api/v1/postman.json, made from the OpenAPI description: a folder for
// each group of operations, one request for each operation, and variables for the address, the keys
// and the names of the examples. Run in its order it makes its own payment and link first.
import { SAMPLE_NAMES, sampleQuery } from './code-samples.ts'
import { BASE_PATH, type OperationId } from './contract.ts'
import { openApi } from './openapi.ts'

interface Description {
  info: { title: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, { servers?: { url: string }[] } & Record<string, Described>>
}

interface Described {
  operationId: OperationId
  summary: string
  description: string
  tags: string[]
  security?: object[]
  parameters: Parameter[]
  requestBody?: { content: Record<string, { example?: object }> }
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  schema: { const?: string; enum?: string[] }
}

interface Variable {
  key: string
  value: string
  description: string
}

/** A name in the examples of the description becomes the variable of this name. */
const NAMES: Readonly<Record<string, string>> = {
  transaction_id: SAMPLE_NAMES.payment,
  link_transaction_id: 'cmd-12',
  link: SAMPLE_NAMES.link,
  settlement: SAMPLE_NAMES.settlement,
  endpoint: SAMPLE_NAMES.endpoint,
}

const VARIABLES: readonly Variable[] = [
  variable('karba_url', 'http://127.0.0.1:8080', 'The address of the service.'),
  variable('secret_key', '', 'The secret key, sk_…: never share it with the collection.'),
  variable('public_key', '', 'The public key, pk_….'),
  variable('environment', 'sandbox', 'That of the secret key: sandbox or live.'),
  variable('site', 'https://shop.example', 'A site that the account lists, for the button.'),
  ...Object.entries(NAMES).map(([name, example]) =>
    variable(name, example, 'A name in the requests.'),
  ),
]

/** A name that is taken would be refused, so each run of the collection has its own. */
const BEFORE: Readonly<Partial<Record<OperationId, string>>> = {
  createPayment: setsAnew('transaction_id'),
  createLink: setsAnew('link_transaction_id'),
}

const AFTER: Readonly<Partial<Record<OperationId, string>>> = {
  createLink: keeps('link', 'reference'),
  createWebhookEndpoint: keeps('endpoint', 'id'),
}

/** Headers that differ between accounts. */
const HEADER_VALUES: Readonly<Record<string, string>> = {
  'Svc-Target-Environment': '{{environment}}',
  Origin: '{{site}}',
}

const ANSWERED = "pm.test('is answered with 200', () => pm.response.to.have.status(200))"

/** The first read waits for the outcome, because a refund needs one. */
const WAITING: Readonly<Partial<Record<OperationId, Readonly<Record<string, string>>>>> = {
  readPayment: { wait: '25' },
}

export function postmanCollection(): object {
  const { info, tags, paths } = openApi() as Description
  const requests = Object.entries(paths).flatMap(([path, { servers, ...operations }]) =>
    Object.entries(operations)
      .filter(([method]) => method !== 'options')
      .map(([method, operation]) => ({
        tag: operation.tags[0],
        item: requestOf({ ...operation, method, path: (servers ? '' : BASE_PATH) + path }),
      })),
  )
  const folders = tags.map(({ name, description }) => ({
    name,
    description,
    item: requests.filter(({ tag }) => tag === name).map(({ item }) => item),
  }))
  return {
    info: {
      name: info.title,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: bearer('secret_key'),
    variable: VARIABLES,
    event: [script('test', ANSWERED)],
    item: folders.filter(({ item }) => item.length > 0),
  }
}

type Request = Described & { method: string; path: string }

function requestOf(operation: Request): object {
  const { operationId: id, summary, description, method, requestBody } = operation
  const example = requestBody?.content['application/json']?.example
  const [before, after] = [BEFORE[id], AFTER[id]]
  return {
    name: summary,
    event: [
      ...(before === undefined ? [] : [script('prerequest', before)]),
      ...(after === undefined ? [] : [script('test', after)]),
    ],
    request: {
      method: method.toUpperCase(),
      description,
      ...authOf(operation),
      header: headersOf(operation),
      url: urlOf(operation),
      ...(example !== undefined && {
        body: { mode: 'raw', raw: withVariables(JSON.stringify(example, null, 2)) },
      }),
    },
  }
}

function authOf({ security }: Request): object {
  if (security === undefined) return {}
  return { auth: security.length === 0 ? { type: 'noauth' } : bearer('public_key') }
}

function headersOf({ parameters, requestBody }: Request): object[] {
  const named = parameters
    .filter((each) => each.in === 'header' && each.name !== 'Authorization')
    .map(({ name, description, schema }) => ({
      key: name,
      value: HEADER_VALUES[name] ?? schema.const ?? schema.enum?.[0] ?? '',
      description,
    }))
  // A page's request has no Content-Type among its parameters: its body implies it.
  const isMissing =
    requestBody !== undefined && !named.some(({ key }) => key.toLowerCase() === 'content-type')
  return isMissing ? [...named, { key: 'Content-Type', value: 'application/json' }] : named
}

function urlOf({ operationId, path, parameters }: Request): object {
  const asked: Readonly<Record<string, string>> = {
    ...sampleQuery(operationId),
    ...WAITING[operationId],
  }
  const query = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, description }) => ({
      key: name,
      value: asked[name] ?? '',
      description,
      disabled: asked[name] === undefined,
    }))
  const named = path.replace('{reference}', nameIn(path))
  const sent = new URLSearchParams(asked)
  return {
    raw: `{{karba_url}}${named}${sent.size > 0 ? `?${sent}` : ''}`,
    host: ['{{karba_url}}'],
    path: named.split('/').slice(1),
    query,
  }
}

function nameIn(path: string): string {
  if (path.includes('/external_payments/')) return '{{link}}'
  if (path.includes('/webhook_endpoints/')) return '{{endpoint}}'
  return path.includes('/settlements/') ? '{{settlement}}' : '{{transaction_id}}'
}

const withVariables = (body: string): string =>
  Object.entries(NAMES).reduce(
    (text, [name, example]) => text.replaceAll(`"${example}"`, `"{{${name}}}"`),
    body,
  )

function setsAnew(name: string): string {
  return `pm.collectionVariables.set('${name}', pm.variables.replaceIn('{{$guid}}'))`
}

function keeps(name: string, field: string): string {
  return `pm.collectionVariables.set('${name}', pm.response.json().${field})`
}

function variable(key: string, value: string, description: string): Variable {
  return { key, value, description }
}

const bearer = (key: string): object => ({
  type: 'bearer',
  bearer: [{ key: 'token', value: `{{${key}}}`, type: 'string' }],
})

const script = (listen: 'prerequest' | 'test', line: string): object => ({
  listen,
  script: { type: 'text/javascript', exec: [line] },
})
