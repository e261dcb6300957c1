// npm run bench: the cost of Karba as ratios within one run, each with its aim.
//   --quick   fewer rounds, without growth and cost
//   --store   sqlite or postgres: only that one
//   --only    these parts, separated by commas: api, all, settled, connections, memory, growth, cost, statements,
//             counter, dashboards, search, retention
//   --most    the largest number of stored payments of growth, search and retention, and of lines of statements;
//             10,000,000 by default
import { parseArgs } from 'node:util'
import { cost } from './cost.ts'
import { growth } from './growth.ts'
import type { Part } from './part.ts'
import { type Figure, printFigures } from './report.ts'
import { retention } from './retention.ts'
import { memory, newConnections, roleAll, roleApi } from './roles.ts'
import { counter, dashboards } from './screens.ts'
import { search } from './search.ts'
import { startBare, warmUp } from './servers.ts'
import { settling } from './settling.ts'
import { statements } from './statements.ts'
import { openStores } from './stores.ts'

const PARTS: readonly Part[] = [
  ...[roleApi, roleAll, settling, newConnections, memory, growth, cost, statements, counter, dashboards, search],
  retention,
]

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    store: { type: 'string' },
    only: { type: 'string' },
    most: { type: 'string', default: '10000000' },
  },
})

const parts = chooseParts(options.only?.split(','))
const figures: Figure[] = []
const stores = await openStores(options.store)
const bare = await startBare()
try {
  await warmUp(bare)
  const size = options.quick ? { rounds: 7, requests: 5_000 } : { rounds: 9, requests: 10_000 }
  const how = { bare, ...size, isQuick: options.quick, most: Number(options.most) }
  for (const store of stores) {
    for (const part of parts) figures.push(...(await part.measure({ store, ...how })))
  }
  for (const part of parts) part.finish?.()
} finally {
  await bare.stop()
  for (const store of stores) await store.close()
}
process.exitCode = printFigures(figures) ? 0 : 1

function chooseParts(names: readonly string[] | undefined): Part[] {
  const unknown = names?.find((name) => !PARTS.some((part) => part.name === name))
  if (unknown !== undefined) throw new Error(`--only takes these names: ${PARTS.map(({ name }) => name).join(', ')}`)
  return PARTS.filter(({ name, isLong }) => names?.includes(name) ?? !(isLong && options.quick))
}
