// Creates beside open dashboards, relative to the same without them: what people look at must not slow down what merchants' servers do.
import { compare, progress, speedOf } from './compare.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import { load, openDashboards, startKarba, warmUpAll } from './servers.ts'

const OPEN = 10

export const dashboards: Part = {
  name: 'dashboards',
  measure: ({ store, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, dashboards`, place), async (karba) => {
        await warmUpAll(karba)
        progress(`${store.name}: create beside ${OPEN} dashboards against create without them`)
        let reads = 0
        const create = () => load(karba, 'create', requests)
        const { ratio, last } = await compare(rounds, create, async () => {
          const open = await openDashboards(karba, OPEN)
          const result = await create()
          reads += await open.close()
          return result
        })
        const what = `${store.name}: create beside ${OPEN} open dashboards, of create without them`
        return [{ what, value: ratio, detail: `${speedOf(last)}, pages read ${reads} times`, atLeast: 0.9 }]
      }),
    ),
}
