// Reads the code blocks of a document and runs them. A block with a file name is a program; one in
// sh is a command whose answer may follow it. PHP and Python run if they are installed.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export interface Block {
  language: string
  /** Empty unless the block is a program. */
  file: string
  code: string
  /** The next block, if it is text or json. */
  output: string | undefined
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Where Python finds its client. */
export const PYTHON = { PYTHONPATH: join(ROOT, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' }
const OUTPUTS = ['text', 'json']

export const readDocument = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

export function blocksOf(document: string): Block[] {
  const fences = [...document.matchAll(/^```(\S*) ?(\S*)\n([\s\S]*?)^```$/gm)]
  return fences.map(([, language = '', file = '', code = ''], at) => {
    const [, nextLanguage = '', , nextCode] = fences[at + 1] ?? []
    return { language, file, code, output: OUTPUTS.includes(nextLanguage) ? nextCode : undefined }
  })
}

const PROGRAMS: Readonly<Record<string, string>> = {
  js: process.execPath,
  php: 'php',
  python: 'python3',
  sh: 'sh',
}

export function programFor(language: string): string | undefined {
  const program = PROGRAMS[language]
  if (program === undefined) return undefined
  return isInstalled(program, language === 'sh' ? ['-c', 'true'] : undefined) ? program : undefined
}

export function isInstalled(program: string, args = ['--version']): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * A folder in which the clients for Node and PHP can be imported, with a `curl` for the documents' options if none
 * is installed.
 */
export function makeWorkshop(): string {
  const folder = mkdtempSync(join(tmpdir(), 'karba-guide-'))
  mkdirSync(join(folder, 'node_modules', '@karba'), { recursive: true })
  symlinkSync(join(ROOT, 'sdk'), join(folder, 'node_modules', '@karba', 'sdk'))
  mkdirSync(join(folder, 'vendor'))
  const autoload = `<?php require '${join(ROOT, 'clients/php/tests/autoload.php')}';`
  writeFileSync(join(folder, 'vendor', 'autoload.php'), autoload)
  if (isInstalled('curl')) return folder
  writeFileSync(join(folder, 'curl'), CURL)
  chmodSync(join(folder, 'curl'), 0o755)
  return folder
}

export async function runBlock(
  folder: string,
  block: Block,
  env: Record<string, string>,
): Promise<string> {
  const name = block.file || 'command.sh'
  writeFileSync(join(folder, name), block.code)
  const whole = { ...PYTHON, ...env, PATH: `${folder}:${process.env.PATH}` }
  const program = PROGRAMS[block.language] as string
  const { stdout } = await promisify(execFile)(program, [name], {
    cwd: folder,
    env: whole,
    timeout: 60_000,
  })
  return stdout
}

const CHANGING = [
  'reference',
  'public_reference',
  'payment_reference',
  'page_url',
  'created_at',
  'updated_at',
  'refunds',
]

/**
 * `…` matches any text; CHANGING fields may differ. A command without a shown answer must be
 * answered without an error.
 */
export function assertAsShown({ language, output }: Block, printed: string): void {
  if (language === 'sh' && !output?.startsWith('svc-')) {
    const given = JSON.parse(printed) as Record<string, unknown>
    if (output === undefined) {
      assert.ok(!('message' in given), printed)
      return
    }
    const shown = JSON.parse(output) as Record<string, unknown>
    assert.deepEqual(Object.keys(given), Object.keys(shown))
    for (const key of CHANGING) if (key in shown) given[key] = shown[key]
    assert.deepEqual(given, shown)
  } else if (output !== undefined) {
    const escaped = output.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '\\S*')
    assert.match(printed.replaceAll('\r\n', '\n'), new RegExp(`^${escaped}$`))
  }
}

const CURL = `#!${process.execPath}
const { parseArgs } = require('node:util')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { s: { type: 'boolean', short: 's' }, i: { type: 'boolean', short: 'i' }, H: { type: 'string', short: 'H', multiple: true }, d: { type: 'string', short: 'd' }, X: { type: 'string', short: 'X' } },
})
const headers = Object.fromEntries((values.H ?? []).map((line) => line.split(/: (.*)/s)))
fetch(positionals[0], { method: values.X ?? (values.d === undefined ? 'GET' : 'POST'), headers, body: values.d })
  .then(async (answer) => {
    if (values.i) for (const [name, value] of answer.headers) console.log(name + ': ' + value)
    process.stdout.write(await answer.text())
  })
`
