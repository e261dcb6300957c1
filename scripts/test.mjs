// npm test: types, lint, dead code and every quick test. npm run test:all: also the slow tests; npm
// run test:rest: only what npm test leaves out. npm test -- webhooks feed: only the test files
// whose path contains one of the words, slow or not, without types, lint and dead code. Other
// arguments that begin with a dash go to Node's own runner: npm test -- keys
// --test-name-pattern=revoked. Must also run on the machine's own Node (20 or later), without the
// PATH that npm sets.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Tests with a browser, a container, processes of their own, many simulated worlds, or every fault
 * on both stores.
 */
const SLOW = [
  'clients/python/tests/',
  'examples/',
  'merchant-cli/',
  'plugins/woocommerce/real/',
  'sdk/test/built-package',
  'sdk/test/packages',
  'server/test/books/endless-statement',
  'server/test/books/fetch-statements',
  'server/test/books/leap-month',
  'server/test/books/worlds',
  'server/test/browser/',
  'server/test/books/statement-formats',
  'server/test/clients/',
  'server/test/container/',
  'server/test/docs/',
  'server/test/flows/fetched-statements',
  'server/test/flows/late-money',
  'server/test/links/late-reports',
  'server/test/networks/every-fault',
  'server/test/processes/',
  'server/test/simulation/',
  'server/test/store/copy-store',
  'server/test/upgrade/',
  'server/test/webhooks/queues',
  'tools/bench/',
  'tools/soak/',
]

/** Slow files that take more than half a minute, each in a process of its own, longest first. */
const LONGEST = [
  'server/test/processes/commands-on-',
  'server/test/clients/',
  'server/test/processes/patroni',
  'clients/python/tests/client',
  'server/test/container/image',
  'server/test/browser/dashboard.test',
  'server/test/processes/outages',
  'server/test/browser/dashboard-journeys',
  'server/test/processes/start-and-stop',
  'server/test/browser/button',
  'server/test/browser/page-script',
  'server/test/browser/checkout',
  'server/test/browser/pages',
  'server/test/processes/disk',
  'server/test/books/worlds',
]

/**
 * Files that run on SQLite with the quick tests, and on PostgreSQL with the slow ones
 * (server/test/kit/stores.ts).
 */
const isInHalves = (file) => readFileSync(join(root, file), 'utf8').includes('STORES_IN_HALVES')
const STORE_OF_HALVES = { quick: 'SQLite', '--rest': 'PostgreSQL' }

/**
 * A process for each quick file would spend a quarter of the run on loading and warming up the same
 * code again.
 */
const QUICK_FILES_PER_PROCESS = 12

/**
 * Slow files that do not take long: loading takes a second of CPU. Those that measure their own
 * process run alone.
 */
const SLOW_FILES_PER_PROCESS = 5
const MEASURES_ITSELF = 'tools/soak/'

/**
 * For one test or suite: four times the 69 s of the slowest suite on two cores with ten busy
 * processes.
 */
const LONGEST_TEST_MS = 300_000

/**
 * Twice the cores: files wait for disks, timers and processes; with one for each core 42 % of the
 * machine was idle.
 */
const FILES_AT_ONCE = Math.max(2, 2 * availableParallelism())

const OURS = ['--all', '--rest']
const given = process.argv.slice(2)
const words = given.filter((argument) => !argument.startsWith('-'))
const options = given.filter((argument) => argument.startsWith('-') && !OURS.includes(argument))
const wanted =
  words.length > 0 ? 'words' : (OURS.find((option) => given.includes(option)) ?? 'quick')

const isSlow = (file) => SLOW.some((start) => file.startsWith(start))
const IS_WANTED = {
  words: (file) => words.some((word) => file.includes(word)),
  quick: (file) => !isSlow(file),
  '--rest': (file) => isSlow(file) || isInHalves(file),
  '--all': () => true,
}

const files = [
  'server/src',
  'server/test',
  'dashboard/src',
  'sdk',
  'simulators',
  'merchant-cli',
  'examples',
  'clients',
  'plugins',
  'tools',
]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, String(file))),
  )
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules/'))
  .filter(IS_WANTED[wanted])
  .sort()

if (files.length === 0) {
  process.stderr.write(`No test file has ${words.join(' or ')} in its path.\n`)
  process.exit(1)
}
// Node would take the first file as the pattern, find no other, and run everything below the
// folders named test.
const patternAlone = options.find((option) => /^--test-(name|skip)-pattern$/.test(option))
if (patternAlone !== undefined) {
  process.stderr.write(`Write the pattern after an equals sign: ${patternAlone}=text\n`)
  process.exit(1)
}
// At the same time as the tests, which leave a tenth of two cores idle.
const checks =
  wanted === 'quick' || wanted === '--all' ? start(npm(['run', '-s', 'check']), 'pipe') : undefined
// Once, before several files at the same time find it missing and build it.
if (files.some((file) => file.startsWith('server/test/browser/')))
  exitIfFailed(await start([node24(), 'scripts/build-dashboard.mjs', '--strict']).status)
const tests = start([
  node24(),
  '--import=./server/test/kit/each-process.ts',
  '--test',
  `--test-concurrency=${FILES_AT_ONCE}`,
  `--test-timeout=${LONGEST_TEST_MS}`,
  '--test-global-setup=server/test/kit/before-all.ts',
  ...options,
  ...entries(),
])
const checked = checks?.status.then((status) => {
  if (status !== 0) tests.child.kill('SIGTERM')
  return status
})
const tested = await tests.status
if (((await checked) ?? 0) !== 0) process.stderr.write(checks.printed.join(''))
exitIfFailed((await checked) || tested)

/**
 * A file for each process of Node's runner, which imports test files as suites: long files alone
 * and first, groups of the others, and last the files that measure their own process. The runner
 * starts them in the order of their names.
 */
function entries() {
  const folder = mkdtempSync(join(tmpdir(), 'karba-test-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const groupsOf = (some, size) => {
    const count = Math.ceil(some.length / size)
    // Neighbours in the list take about as long: spread over the groups, they can run at the same
    // time.
    return Array.from({ length: count }, (_, group) =>
      some.filter((_file, at) => at % count === group),
    )
  }
  const long = LONGEST.flatMap((start) => files.filter((file) => file.startsWith(start)))
  const alone = files.filter((file) => file.startsWith(MEASURES_ITSELF))
  const slow = files.filter((file) => isSlow(file) && !long.includes(file) && !alone.includes(file))
  const quick = files.filter((file) => !isSlow(file))
  const groups = [
    ...groupsOf(long, 1),
    ...groupsOf(slow, SLOW_FILES_PER_PROCESS),
    ...groupsOf(quick, QUICK_FILES_PER_PROCESS),
    ...groupsOf(alone, 1),
  ]
  return groups.map((group, at) => {
    const entry = join(folder, `${String(at + 1).padStart(3, '0')}.mjs`)
    writeFileSync(entry, `import { describe } from 'node:test'\n${group.map(suiteOf).join('')}`)
    return entry
  })
}

function suiteOf(file) {
  const url = pathToFileURL(join(root, file)).href
  return `describe(${JSON.stringify(file)}, () => import(${JSON.stringify(url)}))\n`
}

/** `status` resolves to the exit code; with `pipe`, `printed` is what it wrote. */
function start([command, ...rest], output = 'inherit') {
  const half = STORE_OF_HALVES[wanted]
  const env = half === undefined ? process.env : { ...process.env, TEST_STORE: half }
  const child = spawn(command, rest, { cwd: root, stdio: ['inherit', output, output], env })
  const printed = []
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => printed.push(text))
  // The terminal sends Ctrl-C to the child too; SIGTERM is forwarded.
  const ignore = () => {}
  const end = () => child.kill('SIGTERM')
  process.on('SIGINT', ignore).on('SIGTERM', end)
  const status = once(child, 'close').then(([code]) => {
    process.off('SIGINT', ignore).off('SIGTERM', end)
    return code ?? 1
  })
  return { child, status, printed }
}

function exitIfFailed(status) {
  if (status !== 0) process.exit(status)
}

/** By name alone, Windows would not find npm without a shell. */
function npm(parameters) {
  const script = process.env.npm_execpath
  return script === undefined ? ['npm', ...parameters] : [process.execPath, script, ...parameters]
}

function node24() {
  const bundled = join(root, 'node_modules', '.bin', 'node')
  return Number(process.versions.node.split('.')[0]) < 24 && existsSync(bundled)
    ? bundled
    : process.execPath
}
