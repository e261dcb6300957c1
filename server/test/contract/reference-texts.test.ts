// The texts of the API reference: every operation, parameter, header and field has a sentence,
// every operation a group and samples. No public text names our decisions or sections of the
// specification.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { it } from 'node:test'
import type { Command } from 'commander'
import { Cli } from '../../src/cli/cli.ts'
import { karbaCommand } from '../../src/cli/run-karba.ts'
import { generatedDocs } from '../../src/cli/write-docs.ts'
import { openApi } from '../../src/merchant-api/openapi.ts'
import { errorsPage, homePage } from '../../src/site/pages.ts'
import { REFUSALS } from '../../src/wire/refusals.ts'
import { readDocument } from '../docs/printed-code.ts'

interface Part {
  [name: string]: unknown
}

const DOCUMENT = JSON.parse(JSON.stringify(openApi())) as {
  paths: Record<string, Record<string, Part>>
  webhooks: Record<string, Record<string, Part>>
  components: { schemas: Record<string, Part>; headers: Record<string, Part> }
  tags: { name: string; description: string }[]
  'x-tagGroups': { name: string; tags: string[] }[]
}
const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null
const OPERATIONS = [...Object.values(DOCUMENT.paths), ...Object.values(DOCUMENT.webhooks)].flatMap(
  (item) => Object.values(item).filter((each) => each.operationId !== undefined),
)
const SENTENCE = /^[A-Z`0-9][\s\S]*[.)]$/

/** Every schema property, parameter and header, with its place. */
function* described(part: unknown, place: string): Generator<[place: string, part: Part]> {
  if (!isPart(part)) return
  for (const [name, value] of Object.entries(part)) {
    if (name === 'example' || name === 'examples' || name === 'x-codeSamples') continue
    const isNamed =
      ['properties', 'headers', 'schemas'].includes(name) && isPart(value) && !Array.isArray(part)
    // The message of an error lists its texts next to the schema that describes it.
    const isOfRef = name === 'properties' && '$ref' in part
    if (isNamed && !isOfRef)
      for (const [each, inner] of Object.entries(value)) yield [`${place}.${each}`, inner as Part]
    if (name === 'parameters')
      for (const each of value as Part[]) yield [`${place}.${each.name}`, each]
    if (!isOfRef) yield* described(value, `${place}.${name}`)
  }
}

it('API reference: every schema, field, parameter and header has a sentence', () => {
  const missing = [...described(DOCUMENT, '')]
    .filter(([, part]) => !('$ref' in part))
    .filter(([, { description = '' }]) => !SENTENCE.test(String(description)))
  assert.deepEqual(
    missing.map(([place, { description }]) => `${place}: ${description}`),
    [],
  )
})

it('API reference: every operation has a title, a sentence, a group and samples', () => {
  const tags = new Set(DOCUMENT.tags.map(({ name }) => name))
  for (const {
    operationId,
    summary,
    description,
    tags: own,
    'x-codeSamples': samples,
  } of OPERATIONS) {
    assert.match(String(summary), /^[A-Z].*[^.]$/, String(operationId))
    assert.match(String(description), SENTENCE, String(operationId))
    assert.ok((own as string[]).length === 1 && tags.has((own as [string])[0]), String(operationId))
    if (operationId === 'receiveEvent' || operationId === 'askBeforeLinkFromPage') continue
    const labels = (samples as { label: string }[]).map(({ label }) => label).join(' ')
    assert.equal(
      labels,
      operationId === 'createLinkFromPage' ? 'curl JavaScript' : 'curl Node PHP Python',
    )
  }
})

it('API reference: groups are in the order of a merchant’s day, the contract first', () => {
  const [contract, extensions, ...rest] = DOCUMENT['x-tagGroups']
  assert.deepEqual(contract, { name: 'Contract', tags: ['Payments', 'Payment links', 'Webhooks'] })
  assert.deepEqual([extensions?.name, rest], ['API extensions', []])
  const grouped = DOCUMENT['x-tagGroups'].flatMap(({ tags }) => tags)
  assert.deepEqual(
    grouped,
    DOCUMENT.tags.map(({ name }) => name),
  )
  for (const { name, description } of DOCUMENT.tags) assert.match(description, SENTENCE, name)
})

it('public texts: none names a decision or a section of the specification', async () => {
  const guides = ['en', 'fr'].flatMap((language) =>
    readdirSync(new URL(`../../../docs/guides/${language}/`, import.meta.url)).map(
      (file) => `docs/guides/${language}/${file}`,
    ),
  )
  const files = [
    ...guides,
    'README.md',
    'sdk/README.md',
    'merchant-cli/README.md',
    'examples/README.md',
    'CHANGELOG.md',
    'sdk/src/api-types.ts',
    'docs/operating.md',
    'docs/payment-links.md',
    'docs/operators.md',
    'docs/security.md',
    'docs/proof.md',
  ]
  const karba = await karbaCommand(new Cli([], process))
  const TEXTS: [what: string, text: string][] = [
    ...files.map((file): [string, string] => [file, readDocument(file)]),
    ...Object.entries(generatedDocs()),
    ['the page of errors', String(errorsPage().text)],
    ['the home page', String(homePage().text)],
    [
      'the refusals',
      Object.values(REFUSALS)
        .map(({ en, fr }) => `${en} ${fr}`)
        .join('\n'),
    ],
    ...helpOf(karba),
  ]
  const found = TEXTS.flatMap(([what, text]) =>
    (text.match(/\bD-\d{2,3}\b|spec §/g) ?? []).map((cited) => `${what}: ${cited}`),
  )
  assert.deepEqual(found, [])
})

const helpOf = (command: Command): [string, string][] => [
  [`the help of ${command.name()}`, command.helpInformation()],
  ...command.commands.flatMap(helpOf),
]
