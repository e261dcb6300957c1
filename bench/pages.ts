// The page behind a payment link, relative to a bare answer of the same size.
import { compare, progress } from './compare.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import { load, type Measured, startKarba } from './servers.ts'

const PAGES = 4_000

export const pages: Part = {
  name: 'pages',
  measure: ({ store, bare, rounds }: Bench) =>
    inPlace(store, (place) => {
      const settings = { ...place, KARBA_ROLE: 'api', KARBA_PUBLIC_RATE: '0' }
      return running(startKarba(`${store.name}, pages`, settings), async (karba) => {
        progress(`${store.name}: the page of a link`)
        const { path, size } = await makeLink(karba)
        const loadBare = () => load(bare, 'page', PAGES, { path: `/page/${size}` })
        const loadKarba = () => load(karba, 'page', PAGES, { path })
        // The first only warms up.
        await loadKarba()
        const { ratio, last } = await compare(rounds, loadBare, loadKarba)
        const what = `${store.name}: page of a link, of a bare answer of ${size} bytes`
        return [{ what, value: ratio, detail: `${Math.round(last.perSecond)} a second`, atLeast: 0.3 }]
      })
    }),
}

async function makeLink({ port, secretKey }: Measured): Promise<{ path: string; size: number }> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${secretKey}`,
    'svc-target-environment': 'sandbox',
    'svc-payment-type': 'external_payment',
  }
  const body = JSON.stringify({ amount: 15_000, title: 'Commande 12', shouldExpire: false })
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/external_payments`, { method: 'POST', headers, body })
  const { reference } = (await answer.json()) as { reference: string }
  const page = await fetch(`http://127.0.0.1:${port}/pay/${reference}`)
  return { path: `/pay/${reference}`, size: (await page.arrayBuffer()).byteLength }
}
