// Documents refer only to existing files, headings, commands and options.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { Cli } from '../src/cli/cli.ts'
import { karbaCommand } from '../src/cli/run-karba.ts'
import { SETTINGS } from '../src/config.ts'
import { anchorsOf } from './docs/anchors.ts'
import { readDocument } from './docs/printed-code.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const under = (folder: string, ending = '.md'): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map((file) => join(folder, String(file)))
    .filter((file) => file.endsWith(ending))
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...[
    'sdk',
    'clients/conformance',
    'clients/php',
    'clients/python',
    'plugins/woocommerce',
    'merchant-cli',
    'examples',
    'examples/django',
    'examples/fastapi',
    'simulators',
  ].map((folder) => `${folder}/README.md`),
  ...under('docs'),
  ...under('server/src/operators/connectors'),
]

it('documents: every link leads to an existing file and heading', () => {
  const broken: string[] = []
  for (const document of DOCUMENTS) {
    const text = readDocument(document).replace(/^```[\s\S]*?^```$/gm, '')
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? document : normalize(join(dirname(document), path))
      const isThere = existsSync(join(ROOT, file))
      const hasChapter =
        anchor === undefined || (isThere && anchorsOf(readDocument(file)).has(anchor))
      if (!isThere || !hasChapter) broken.push(`${document}: ${target}`)
    }
  }
  assert.deepEqual(broken, [])
})

/**
 * `karba order v1` is the text that signs orders, `karba = …` a client in Python; sources also
 * build commands from variables.
 */
const COMMANDS =
  /(?:npm run -s karba -- |^karba (?!= )|`karba (?!order v1))(?!\$\{)([^\n`#<|]*[^\n`#|]*)/gm

it('documents: every karba command exists, with its options', async () => {
  const wrong: string[] = []
  const texts = DOCUMENTS.filter((document) => !document.startsWith('merchant-cli/'))
  const lines = [...texts, ...under('server/src', '.ts'), 'deploy/alerts.yml'].flatMap((document) =>
    [...readDocument(document).matchAll(COMMANDS)].map(([, line = '']) =>
      line.replaceAll('\\', ''),
    ),
  )
  assert.ok(lines.length > 60)
  const karba = await karbaCommand(new Cli([], process))
  for (const line of lines) {
    const words = line.split(/\s+/).filter((word) => !['', 'help', '--help'].includes(word))
    if (words.length > 0 && !isKnown(karba, words)) wrong.push(line)
  }
  assert.deepEqual(wrong, [])
})

it('documents: every setting exists', () => {
  const known = new Set<string>([
    ...Object.values(SETTINGS).map(({ env }) => env),
    'KARBA_URL',
    'KARBA_KEEP_',
    // Of a shop with Laravel.
    'KARBA_SECRET_KEY',
    'KARBA_SECRET_HASH',
    'KARBA_SIGNING_SECRET',
    // Of a shop with WooCommerce, and of its test.
    'KARBA_LIVE_KEY',
    'KARBA_SANDBOX_KEY',
    'KARBA_WOOCOMMERCE',
    'KARBA_WORDPRESS',
  ])
  const samples = readdirSync(join(ROOT, 'deploy'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
  const texts = [...DOCUMENTS, ...samples].map(readDocument)
  const named = texts.flatMap((text) => text.match(/\bKARBA_[A-Z_]+/g) ?? [])
  const unknown = named.filter((name) => !known.has(name))
  assert.deepEqual(unknown, [])
})

function isKnown(program: Command, words: readonly string[]): boolean {
  let command = program
  let at = 0
  for (; at < words.length; at++) {
    const next = command.commands.find((each) => each.name() === words[at])
    if (next === undefined) break
    command = next
  }
  if (command === program && !words[0]?.startsWith('--')) return false
  const options = words.slice(at).filter((word) => /^--[a-z]/.test(word))
  // A default subcommand needs no name.
  const known = [command, ...command.commands].flatMap((each) =>
    each.options.map(({ long }) => long),
  )
  return options.every((option) => known.includes(option.split('=')[0]))
}
