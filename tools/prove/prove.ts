// npm run prove: runs the long form of every promise, one after the other, and writes docs/proof.md
// with the results. The tests are those of npm run test:all with more tries: `--scale 0.1` for a
// tenth of them, `--only 3,4` for some promises. The page is written after each promise, and keeps
// the rows of promises that were not run.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run as runTests } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openPostgresOnDemand } from '../../server/test/kit/postgres.ts'
import { NOTED_IN, NOTED_TEXT, SCALE } from '../../server/test/kit/tries.ts'
import { PROMISES, type Promised } from './promises.ts'
import { proofPage, type Shown } from './proof-page.ts'

const TESTS = fileURLToPath(new URL('../../server/test/', import.meta.url))
const PAGE = fileURLToPath(new URL('../../docs/proof.md', import.meta.url))
const EACH_TEST_SAYS_ITS_NAME_MS = 20_000

process.exitCode = await command()

async function command(): Promise<number> {
  const options = readOptions()
  if (options === undefined) return 2
  const shown: Record<number, Shown> = {}
  const postgres = await openPostgresOnDemand()
  const chosen = PROMISES.filter(
    ({ number }) => options.only.length === 0 || options.only.includes(number),
  )
  try {
    for (const promised of chosen) {
      shown[promised.number] = await show(promised, options.scale)
      writeFileSync(PAGE, proofPage(shown, readFileSync(PAGE, 'utf8')))
    }
  } finally {
    await postgres.stop()
  }
  const broken = chosen.filter(({ number }) => (shown[number]?.breaks ?? 0) > 0)
  print(`${chosen.length} promises, ${broken.length} broken; docs/proof.md is written\n`)
  return broken.length === 0 ? 0 : 1
}

function readOptions(): { only: readonly number[]; scale: number } | undefined {
  try {
    const { values } = parseArgs({
      options: { only: { type: 'string', default: '' }, scale: { type: 'string', default: '1' } },
    })
    const only = values.only.split(',').filter((part) => part !== '')
    const numbers = only.map(Number)
    const scale = Number(values.scale)
    const areKnown = numbers.every((number) =>
      PROMISES.some((promised) => promised.number === number),
    )
    if (areKnown && scale > 0 && scale <= 100) return { only: numbers, scale }
  } catch {
    // The usage below is printed, as for any other invalid call.
  }
  print(
    'npm run prove -- [--only 3,4] [--scale 0.1]: numbers of promises, and a share of the long form\n',
  )
  return undefined
}

async function show({ number, about, tests }: Promised, scale: number): Promise<Shown> {
  print(`${number}. ${about}\n`)
  const startedAt = performance.now()
  const sums = { passed: 0, breaks: 0, noted: 0 }
  let text = ''
  for (const [file, title] of tests) {
    const { passed, breaks, noted, shown } = await runFile(
      join(TESTS, `${file}.test.ts`),
      title,
      scale,
    )
    sums.passed += passed
    sums.breaks += breaks
    sums.noted += noted
    text += shown
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  const tries = sums.noted > 0 ? sums.noted : sums.passed
  // A title that matches no test would show nothing.
  const breaks = sums.passed === 0 ? Math.max(1, sums.breaks) : sums.breaks
  print(`   ${tries} tries, ${breaks} breaks, ${seconds} s\n`)
  return { tries, breaks, seconds, scale, text }
}

async function runFile(file: string, title: string | undefined, scale: number) {
  const folder = mkdtempSync(join(tmpdir(), 'karba-prove-'))
  const notes = join(folder, 'tries')
  process.env[SCALE] = String(scale)
  process.env[NOTED_IN] = notes
  const counts = { passed: 0, breaks: 0, noted: 0, shown: '' }
  let saidAt = performance.now()
  const only = title === undefined ? {} : { testNamePatterns: [title] }
  const events = runTests({ files: [file], concurrency: 1, ...only })
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { name, skip, details } = data as {
      name: string
      skip?: unknown
      details: { type?: string; error?: Error }
    }
    if (details.type === 'suite' || skip !== undefined || name === file) continue
    if (type === 'test:pass') counts.passed++
    else counts.breaks++
    if (type === 'test:fail')
      print(`   BROKEN ${name}\n   ${details.error?.cause ?? details.error?.message}\n`)
    if (performance.now() - saidAt < EACH_TEST_SAYS_ITS_NAME_MS) continue
    saidAt = performance.now()
    print(`   … ${name}\n`)
  }
  if (existsSync(notes)) {
    const lines = readFileSync(notes, 'utf8').trim().split('\n')
    counts.noted = lines.reduce((sum, line) => sum + Number(line), 0)
  }
  if (existsSync(`${notes}${NOTED_TEXT}`))
    counts.shown = readFileSync(`${notes}${NOTED_TEXT}`, 'utf8').trim()
  rmSync(folder, { recursive: true, force: true })
  return counts
}

function print(text: string): void {
  process.stdout.write(text)
}
