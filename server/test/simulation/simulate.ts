// npm run simulate -- --seed N --steps M --runs K: runs simulated worlds on all cores, one for each
// seed from N on. It prints each broken invariant with the command that repeats the run. A single
// run prints its whole log. With --books the worlds are those of the books: payments, networks'
// statements with planted faults, and their import.
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { runBooks } from '../books/run-world.ts'
import { run, type RunResult as WorldResult } from './run.ts'

interface Options {
  seed: number
  steps: number
  runs: number
  /** Worlds of the books have no steps. */
  books: boolean
}

type RunResult = Omit<WorldResult, 'counts'> & { counts: object }

/** A thread gets slower after thousands of services: each batch has new threads. */
const BATCH = 500

/** A world without a real network. */
const SIMULATED = 'the simulated network alone'

/** The result of one of many runs. */
type EndedRun = Pick<RunResult, 'seed' | 'broken' | 'networkKinds' | 'counts'>

/** The runs of one thread. */
interface Share extends Options {
  nth: number
  every: number
}

if (isMainThread) process.exitCode = await command()
else await work(workerData as Share)

async function command(): Promise<number> {
  const options = readOptions()
  if (options === undefined) return 2
  if (options.runs === 1) return printOne(await runOne(options))
  return runMany(options)
}

function runOne({ seed, steps, books }: Options): Promise<RunResult> {
  return books ? runBooks(seed) : run(seed, steps)
}

function commandOf({ seed, steps, books }: Options): string {
  return `npm run simulate -- ${books ? `--books --seed ${seed}` : `--seed ${seed} --steps ${steps}`}`
}

function readOptions(): Options | undefined {
  const options = {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '60' },
    runs: { type: 'string', default: '1' },
    books: { type: 'boolean', default: false },
  } as const
  try {
    const { values } = parseArgs({ options })
    const [seed, steps, runs] = [values.seed, values.steps, values.runs].map(Number) as [
      number,
      number,
      number,
    ]
    if ([seed, steps, runs].every((value) => Number.isSafeInteger(value) && value > 0))
      return { seed, steps, runs, books: values.books }
  } catch {
    // The usage below is printed, as for any other invalid call.
  }
  process.stderr.write(
    'npm run simulate -- [--books] [--seed N] [--steps M] [--runs K]: whole numbers from 1 on\n',
  )
  return undefined
}

function printOne(result: RunResult): number {
  const { seed, story, digest, counts, networkKinds, broken } = result
  const networks = networkKinds.length === 0 ? SIMULATED : networkKinds.join(' and ')
  print([
    ...story,
    '',
    `seed ${seed} (${networks}): ${inWords(counts)}, digest ${digest}`,
    ...broken,
  ])
  print([broken.length === 0 ? 'every promise was kept' : `${broken.length} broken`])
  return broken.length === 0 ? 0 : 1
}

async function runMany(options: Options): Promise<number> {
  const startedAt = performance.now()
  const sums = { runs: 0, broken: 0 }
  const counts: Record<string, number> = {}
  const worlds: Record<string, number> = {}
  const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(0)

  function take(result: EndedRun): void {
    sums.runs++
    for (const name of result.networkKinds.length === 0 ? [SIMULATED] : result.networkKinds)
      worlds[name] = (worlds[name] ?? 0) + 1
    for (const [name, count] of Object.entries(result.counts))
      counts[name] = (counts[name] ?? 0) + count
    if (result.broken.length > 0) {
      sums.broken++
      print([`seed ${result.seed} is broken: ${commandOf({ ...options, seed: result.seed })}`])
      print(result.broken.map((sentence) => `  ${sentence}`))
    }
    const line = `${sums.runs} of ${options.runs} worlds, ${sums.broken} broken, ${seconds()} s`
    if (process.stderr.isTTY) process.stderr.write(`\r${line}`)
    else if (sums.runs % Math.ceil(options.runs / 20) === 0) process.stderr.write(`${line}\n`)
  }

  for (let done = 0; done < options.runs; done += BATCH) {
    await runBatch(
      { ...options, seed: options.seed + done, runs: Math.min(BATCH, options.runs - done) },
      take,
    )
  }
  if (process.stderr.isTTY) process.stderr.write('\n')
  print([`${sums.runs} worlds, ${inWords(counts)}: ${sums.broken} broken, in ${seconds()} s`])
  print([`worlds by network: ${inWords(worlds)}`])
  return sums.broken === 0 && sums.runs === options.runs ? 0 : 1
}

/** On all cores, in threads that end with the batch. */
async function runBatch(options: Options, take: (result: EndedRun) => void): Promise<void> {
  const every = Math.min(availableParallelism(), options.runs)
  const ended = Array.from({ length: every }, async (_, nth) => {
    for (let next = nth; next < options.runs; next += every) {
      const workerData = { ...options, nth: next, every } satisfies Share
      const worker = new Worker(new URL(import.meta.url), { workerData })
      worker.on('message', (result: EndedRun) => {
        next = result.seed - options.seed + every
        take(result)
      })
      const [code] = (await once(worker, 'exit')) as [number]
      // A thread ends early when nothing in its event loop can settle what the world waits for.
      if (next < options.runs) {
        take({
          seed: options.seed + next,
          broken: [`its thread ended with ${code}`],
          networkKinds: [],
          counts: {},
        })
      }
    }
  })
  await Promise.all(ended)
}

/** Runs every nth world. Its log is not kept: a run can be repeated. */
async function work({ nth, every, ...options }: Share): Promise<void> {
  for (let at = nth; at < options.runs; at += every) {
    parentPort?.postMessage(await runToItsEnd({ ...options, seed: options.seed + at }))
  }
}

/** A world that deadlocks counts as broken, and the others continue. */
async function runToItsEnd(options: Options): Promise<EndedRun> {
  const { seed } = options
  try {
    const { broken, networkKinds, counts } = await runOne(options)
    return { seed, broken, networkKinds, counts }
  } catch (error) {
    return { seed, broken: [String(error)], networkKinds: [], counts: {} }
  }
}

/** `lateMoney: 3` is "3 late money". */
function inWords(counts: object): string {
  const words = (name: string): string =>
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${words(name)}`)
    .join(', ')
}

function print(lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}
