// The code samples of the API reference: each operation in curl, Node, PHP and Python, made from
// one request, and receivers of webhooks. A test runs them. Keys and the address of the service
// come from the environment, as in the guides.
import { OPERATIONS, type Operation, type OperationId } from './contract.ts'

/**
 * What a sample asks: the name in the path and the query. Its body is the example of the request's
 * schema.
 */
interface Asked {
  name?: string
  query?: Readonly<Record<string, string>>
  /** The name under which the sample saves the file that answers it. */
  file?: string
}

/** Names that the samples ask for. */
export const SAMPLE_NAMES = {
  payment: 'order-2026-0001',
  link: '5f0c2a7d9be14c3e8a61f2b07d4c95e3',
  settlement: 'mtn-benin-412',
  endpoint: 'whe_0123456789abcdef',
}

const ASKED: Readonly<Record<OperationId, Asked>> = {
  createPayment: {},
  readPayment: { name: SAMPLE_NAMES.payment },
  createLink: {},
  readLink: { name: SAMPLE_NAMES.link },
  listPayments: { query: { status: 'succeeded', from: '2026-11-01' } },
  refundPayment: { name: SAMPLE_NAMES.payment },
  readRefund: { name: SAMPLE_NAMES.payment },
  listRefunds: { query: { status: 'open' } },
  cancelLink: { name: SAMPLE_NAMES.link },
  createLinkFromPage: {},
  createWebhookEndpoint: {},
  listWebhookEndpoints: {},
  changeWebhookEndpoint: { name: SAMPLE_NAMES.endpoint },
  rollWebhookSecret: { name: SAMPLE_NAMES.endpoint },
  deleteWebhookEndpoint: { name: SAMPLE_NAMES.endpoint },
  testWebhookEndpoint: { name: SAMPLE_NAMES.endpoint },
  listEvents: { query: { after: '0' } },
  readBalance: {},
  listEntries: { query: { after: '0' } },
  readStatement: { query: { connection: 'mtn-benin', from: '2026-11-01', to: '2026-11-30' } },
  downloadMonth: { query: { month: '2026-10' }, file: 'accounting-2026-10.zip' },
  listSettlements: {},
  readSettlement: { name: SAMPLE_NAMES.settlement },
  confirmSettlement: { name: SAMPLE_NAMES.settlement },
  showAccount: {},
}

/** The parameters that the samples of an operation send. */
export const sampleQuery = (id: OperationId): Asked['query'] => ASKED[id].query

interface SampleRequest {
  id: OperationId
  method: 'GET' | 'POST'
  name: string | undefined
  query: Asked['query']
  file: string | undefined
  /** With its query. */
  path: string
  headers: readonly [name: string, value: string][]
  /** The variable that has the key; undefined where none is needed. */
  key: 'SECRET_KEY' | 'PUBLIC_KEY' | undefined
  body: object | undefined
}

interface CodeSample {
  lang: 'shell' | 'javascript' | 'php' | 'python'
  label: 'curl' | 'Node' | 'JavaScript' | 'PHP' | 'Python'
  source: string
}

export function codeSamples(id: OperationId, body: object | undefined): CodeSample[] {
  const request = requestOf(id, body)
  const curl: CodeSample = { lang: 'shell', label: 'curl', source: curlOf(request) }
  // The button's operation works from a page of the merchant's site only.
  if (id === 'createLinkFromPage')
    return [curl, { lang: 'javascript', label: 'JavaScript', source: pageOf(request) }]
  return [
    curl,
    { lang: 'javascript', label: 'Node', source: nodeOf(request) },
    { lang: 'php', label: 'PHP', source: phpOf(request) },
    { lang: 'python', label: 'Python', source: pythonOf(request) },
  ]
}

/** A receiver of webhooks that answers an event with 204, and any other request with 401. */
export const receiverSamples = (): CodeSample[] => [
  {
    lang: 'javascript',
    label: 'Node',
    source: `import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { verifyWebhook } from '@karba/sdk'

const secrets = { signingSecret: process.env.SIGNING_SECRET }
if (!secrets.signingSecret) throw new Error('Set SIGNING_SECRET.')

createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await text(request), request.headers, secrets)
    console.log(event.event, event.data)
    response.writeHead(204).end()
  } catch {
    response.writeHead(401).end()
  }
}).listen(process.env.PORT)`,
  },
  {
    lang: 'php',
    label: 'PHP',
    source: `<?php
$secret = getenv('SIGNING_SECRET');
if (!$secret) {
    http_response_code(500);
    exit('Set SIGNING_SECRET.');
}
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$key = base64_decode(substr($secret, strlen('whsec_')));
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
$matching = fn (string $signature): bool => hash_equals($expected, $signature);
$isGenuine = abs(time() - (int) $timestamp) <= 300
    && array_filter(explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? ''), $matching) !== [];
http_response_code($isGenuine ? 204 : 401);
if ($isGenuine) {
    error_log(json_decode($body, true)['event']);
}`,
  },
  {
    lang: 'python',
    label: 'Python',
    source: `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ.get("SIGNING_SECRET", "").removeprefix("whsec_"))
if not KEY:
    raise SystemExit("Set SIGNING_SECRET.")


def is_genuine(headers, body):
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    digest = hmac.new(KEY, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, signature.encode()) for signature in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(self.headers, body)
        if genuine:
            print(json.loads(body)["event"])
        self.send_response(204 if genuine else 401)
        self.end_headers()


HTTPServer(("", int(os.environ["PORT"])), Receiver).serve_forever()`,
  },
]

function requestOf(id: OperationId, body: object | undefined): SampleRequest {
  const { method, base, path, paymentTypes, refusals }: Operation = OPERATIONS[id]
  const { name, query, file } = ASKED[id]
  const asked = query === undefined ? '' : `?${new URLSearchParams(query)}`
  const isPage = refusals.includes('public_key_not_valid')
  const isOpen = !isPage && !refusals.includes('key_not_valid')
  const [paymentType = ''] = paymentTypes
  const key = isPage ? 'PUBLIC_KEY' : 'SECRET_KEY'
  return {
    id,
    method,
    name,
    query,
    file,
    body,
    path: base + path.replace('{reference}', name ?? '') + asked,
    key: isOpen ? undefined : key,
    headers: [
      ...(isOpen ? [] : [['Content-Type', 'application/json'] as [string, string]]),
      ...(isPage ? [['Origin', 'https://shop.example'] as [string, string]] : []),
      ...(isOpen || isPage
        ? []
        : ([
            ['Svc-Target-Environment', 'sandbox'],
            ['Svc-Payment-Type', paymentType],
          ] as [string, string][])),
    ],
  }
}

function curlOf({ method, path, headers, key, body, file }: SampleRequest): string {
  const lines = [
    `curl -s ${file === undefined ? '' : `--fail -o ${file} `}${method === 'POST' && body === undefined ? '-X POST ' : ''}"$KARBA_URL${path}"`,
    ...(key === undefined ? [] : [`-H "Authorization: Bearer $${key}"`]),
    ...headers.map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : [`-d '${literal(body, JSON_TEXT, '  ')}'`]),
  ]
  return lines.join(' \\\n  ')
}

/**
 * The SDK has a method for each operation, by the operation's name: the name in the path, then the
 * body or query.
 */
function nodeOf({ id, name, query, body, file }: SampleRequest): string {
  const values = [
    ...(name === undefined ? [] : [name]),
    ...((body ?? query) ? [body ?? query] : []),
  ]
  return `${file === undefined ? '' : "import { writeFile } from 'node:fs/promises'\n"}import { Karba } from '@karba/sdk'

const karba = new Karba({ secretKey: process.env.SECRET_KEY, url: process.env.KARBA_URL })
const answer = await karba.${id}(${values.map((value) => literal(value, JAVASCRIPT)).join(', ')})
${file === undefined ? 'console.log(answer)' : `await writeFile('${file}', answer)`}`
}

const pageOf = ({ path, body }: SampleRequest): string =>
  `const answer = await fetch('https://karba.example${path}', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer pk_sandbox_…' },
  body: JSON.stringify(${literal(body, JAVASCRIPT, '  ')}),
})
const { page_url } = await answer.json()
location.assign(page_url)`

function phpOf({ method, path, headers, key, body, file }: SampleRequest): string {
  const sent = [
    ...headers.map(([name, value]) => `        '${name}: ${value}',`),
    ...(key === undefined ? [] : [`        'Authorization: Bearer ' . getenv('${key}'),`]),
  ]
  return `<?php
$options = [
    'method' => '${method}',
    'header' => [${sent.length === 0 ? '' : `\n${sent.join('\n')}\n    `}],
${body === undefined ? '' : `    'content' => json_encode(${literal(body, PHP, '    ')}),\n`}    'ignore_errors' => true,
    'timeout' => 30,
];
$context = stream_context_create(['http' => $options]);
$answer = file_get_contents(getenv('KARBA_URL') . '${path}', false, $context);
${file === undefined ? 'print_r(json_decode($answer, true));' : `file_put_contents('${file}', $answer);`}`
}

function pythonOf({ method, path, headers, key, body, file }: SampleRequest): string {
  const sent = [
    ...headers.map(([name, value]) => `        "${name}": "${value}",`),
    ...(key === undefined ? [] : [`        "Authorization": "Bearer " + os.environ["${key}"],`]),
  ]
  return `import json, os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    os.environ["KARBA_URL"] + "${path}",
    method="${method}",
    headers={${sent.length === 0 ? '' : `\n${sent.join('\n')}\n    `}},
${body === undefined ? '' : `    data=json.dumps(${literal(body, PYTHON, '    ')}).encode(),\n`})
try:
    answer = urlopen(request, timeout=30)
except HTTPError as refusal:
    answer = refusal
${file === undefined ? 'print(json.load(answer))' : `open("${file}", "wb").write(answer.read())`}`
}

interface Dialect {
  indent: string
  brackets: readonly [open: string, close: string]
  text(value: string): string
  /** What comes before a value in an object. */
  label(key: string): string
  /** After the last field. */
  end: string
}

const quoted = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`

const JSON_TEXT: Dialect = {
  indent: '  ',
  brackets: ['{', '}'],
  end: '',
  text: (value) => JSON.stringify(value),
  label: (key) => `${JSON.stringify(key)}: `,
}
/** A JSON text or number is one of Python too. */
const PYTHON: Dialect = { ...JSON_TEXT, indent: '    ', end: ',' }
const JAVASCRIPT: Dialect = { ...JSON_TEXT, text: quoted, label: (key) => `${key}: `, end: ',' }
const PHP: Dialect = {
  indent: '    ',
  brackets: ['[', ']'],
  end: ',',
  text: quoted,
  label: (key) => `${quoted(key)} => `,
}

/** Texts, numbers, and flat objects and lists of them: all that examples of requests have. */
function literal(value: unknown, dialect: Dialect, before = ''): string {
  if (typeof value === 'string') return dialect.text(value)
  if (typeof value !== 'object' || value === null) return String(value)
  // A list is written alike in every language.
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, dialect)).join(', ')}]`
  const inside = before + dialect.indent
  const fields = Object.entries(value).map(
    ([key, each]) => `${inside}${dialect.label(key)}${literal(each, dialect, inside)}`,
  )
  return `${dialect.brackets[0]}\n${fields.join(',\n')}${dialect.end}\n${before}${dialect.brackets[1]}`
}
