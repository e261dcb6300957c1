// Memory of a process that only answers merchants: just started, and after a million creates through the API.
import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, inPlace, type Part, progress, running } from './part.ts'
import type { Figure } from './report.ts'
import { load, startKarba } from './servers.ts'

const MANY = 1_000_000
const IDLE_MS = 1_000

export const memory: Part = {
  name: 'memory',
  measure: ({ store, isQuick }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(store.name, { ...place, KARBA_ROLE: 'api' }), async (karba) => {
        await pause(IDLE_MS)
        const what = `${store.name}: memory when idle, MB`
        const figures: Figure[] = [{ what, value: await karba.residentMb(), atMost: 150 }]
        if (isQuick) return figures
        for (let part = 0; part < 10; part++) {
          progress(`${store.name}: creating a million payments, ${part * 10} %`)
          await load(karba, 'create', MANY / 10)
        }
        const whatThen = `${store.name}: memory after a million creates, MB`
        return [...figures, { what: whatThen, value: await karba.residentMb(), atMost: 300 }]
      }),
    ),
}
