// Every metric and label that the documents and the sample alerts name is in /metrics of a server
// that has worked.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openReceiver } from '../kit/receiver.ts'
import { openTestService, order, post } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { deliveries, newEndpoint } from '../kit/webhooks.ts'
import { readDocument } from './printed-code.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const DOCUMENTS = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map((file) => `docs/${file}`)
    .filter((file) => file.endsWith('.md')),
]
const ALERTS = readDocument('deploy/alerts.yml')

/** A name of Karba's or of the process, with its labels if it has any. */
const METRIC = /\b((?:karba|process|nodejs)_[a-z_]+)(?:\{([^}]*)\})?/g
/** Other names with this prefix are databases. */
const IS_METRIC = /_(total|seconds|up|misconfigured|waiting|calls|size|under_way|bytes)$/

interface Named {
  place: string
  metric: string
  labels: string[]
}

const namesOfLabels = (text: string): string[] =>
  [...text.matchAll(/(\w+)!?=~?"/g)].map(([, label = '']) => label)

function namedIn(place: string, text: string): Named[] {
  return [...text.matchAll(METRIC)]
    .filter(([, metric = '']) => IS_METRIC.test(metric))
    .map(([, metric = '', labels = '']) => ({ place, metric, labels: namesOfLabels(labels) }))
}

/** What an alert groups by has to be a label of its metric. */
function groupedIn(text: string): Named[] {
  const expressions = [...text.matchAll(/by \(([\w, ]+)\) \((?:rate\()?(karba_\w+)/g)]
  return expressions.map(([, labels = '', metric = '']) => ({
    place: 'deploy/alerts.yml',
    metric,
    labels: labels.split(', '),
  }))
}

describe('documents: metrics', () => {
  const service = shared(() => openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '20' }))
  /** Of each metric, the labels that it has. */
  const labelsOf = new Map<string, Set<string>>()

  before(async () => {
    const receiver = await openReceiver()
    const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
    await newEndpoint(service, accountId, receiver.url)
    assert.equal((await post(service, secretKey, order())).code, 200)
    await until('delivered webhook', async () =>
      (await deliveries(service, accountId)).some(({ status }) => status === 'delivered'),
    )
    await receiver.close()
    await refuseOneConnection(Number(new URL(await service.listen()).port))
    const { body } = await service.app.inject({ url: '/metrics' })
    for (const line of body.split('\n')) {
      const [, name = '', labels = ''] = /^(?:# HELP )?(\w+)(?:\{(.*)\})? /.exec(line) ?? []
      const known = labelsOf.get(name) ?? new Set()
      for (const label of namesOfLabels(labels)) known.add(label)
      labelsOf.set(name, known)
    }
  })

  /** By thousands of requests that it does not wait for. */
  async function refuseOneConnection(port: number): Promise<void> {
    const greedy = connect(port, '127.0.0.1')
    greedy.on('error', () => {})
    greedy.write('GET /healthz HTTP/1.1\r\nHost: karba\r\n\r\n'.repeat(2_000))
    await until('end of the connection', () => greedy.resume().closed)
  }

  it('documents: every metric that they and the sample alerts name exists, with its labels', () => {
    const named = [
      ...DOCUMENTS.flatMap((document) => namedIn(document, readDocument(document))),
      ...namedIn('deploy/alerts.yml', ALERTS),
      ...groupedIn(ALERTS),
    ]
    assert.ok(named.length > 15)
    assert.ok(named.some(({ labels }) => labels.length > 0))
    const wrong = named.filter(({ metric, labels }) => {
      const known = labelsOf.get(metric)
      return known === undefined || labels.some((label) => !known.has(label))
    })
    assert.deepEqual(wrong, [])
  })

  it('documents: every metric of Karba’s says in a sentence what it is', async () => {
    const { body } = await service.app.inject({ url: '/metrics' })
    const helps = [...body.matchAll(/^# HELP (karba_\w+) (.*)$/gm)]
    assert.ok(helps.length > 10)
    for (const [, name, help = ''] of helps) assert.match(help, /^[A-Z0-9].{10,}\.$/, name)
  })
})
