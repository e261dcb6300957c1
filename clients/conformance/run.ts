// Tests a client by its driver: node clients/conformance/run.ts [name …] [--orders 1000] [--seed 1]
// [--only words]. Without names, every client of clients.ts that this machine can run.
import { parseArgs } from 'node:util'
import { type Case, casesOf } from './cases.ts'
import { CLIENTS, type ClientKind, isRunnable } from './clients.ts'
import { type Kit, openKit, passes } from './kit.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    orders: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})

async function runOne(kit: Kit, { title, run }: Case): Promise<boolean> {
  const begunAt = performance.now()
  kit.line.next = passes
  const error = await run(kit).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  const seconds = ((performance.now() - begunAt) / 1_000).toFixed(1)
  process.stdout.write(
    `${error === undefined ? 'passed' : 'FAILED'} (${seconds} s) ${kit.kind.name}: ${title}\n`,
  )
  if (error !== undefined)
    process.stdout.write(`${error instanceof Error ? error.stack : error}\n\n`)
  return error === undefined
}

async function runAll(kind: ClientKind): Promise<number> {
  const wanted = casesOf(kind).filter(({ title }) => title.includes(values.only))
  const kit = await openKit(kind, { orders: Number(values.orders), seed: Number(values.seed) })
  let failed = 0
  for (const each of wanted) if (!(await runOne(kit, each))) failed++
  await kit.close()
  process.stdout.write(`${kind.name}: ${wanted.length - failed} of ${wanted.length} cases passed\n`)
  return failed
}

const unknown = positionals.filter((name) => !CLIENTS.some((kind) => kind.name === name))
if (unknown.length > 0) throw new Error(`There is no client ${unknown.join(', ')} in clients.ts.`)
const chosen = CLIENTS.filter(({ name }) =>
  positionals.length === 0 ? true : positionals.includes(name),
)
let failed = 0
for (const kind of chosen) {
  if (isRunnable(kind)) failed += await runAll(kind)
  else process.stdout.write(`${kind.name}: this machine cannot run ${kind.program}\n`)
}
process.exitCode = failed === 0 ? 0 : 1
