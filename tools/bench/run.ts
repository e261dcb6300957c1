// npm run bench: the cost of Karba as ratios within one run, each with its aim.
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
  roleApi,
  roleAll,
  settling,
  newConnections,
  memory,
  growth,
  cost,
  statements,
  counter,
  dashboards,
  search,
  retention,
]

const NAMES = PARTS.map(({ name }) => name)
const USAGE = `npm run bench -- [--quick] [--store sqlite|postgres] [--only parts] [--most N]
  --quick   fewer rounds, without growth and cost
  --store   only this store
  --only    some of these, separated by commas: ${NAMES.join(', ')}
  --most    the largest number of stored payments or statement lines; 10,000,000 by default`

const options = readOptions()
const only = options.only?.split(',')
if (only?.some((name) => !NAMES.includes(name)))
  refuse(`--only takes these names: ${NAMES.join(', ')}`)
const parts = PARTS.filter(({ name, isLong }) => only?.includes(name) ?? !(isLong && options.quick))
const figures: Figure[] = []
const stores = await openStores(options.store)
const bare = await startBare()
try {
  await warmUp(bare)
  const size = options.quick ? { rounds: 5, requests: 5_000 } : { rounds: 9, requests: 10_000 }
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

function readOptions() {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        store: { type: 'string' },
        only: { type: 'string' },
        most: { type: 'string', default: '10000000' },
      },
    }).values
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n\n${USAGE}\n`)
  process.exit(2)
}
