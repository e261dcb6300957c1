// A payer at a merchant's site: a service, a listed site and an unlisted one, and a browser.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findCheckoutSettings, setCheckoutSettings } from '../../src/store/merchants/accounts.ts'
import { openBrowser } from '../kit/browser.ts'
import { openTestService, signOrder } from '../kit/service.ts'
import { until as waitUntil } from '../kit/waiting.ts'

export const PHONE = { width: 360, height: 740 }
export const DESK = { width: 1280, height: 900 }

export async function openShopVisit() {
  const service = await openTestService(undefined, { KARBA_SANDBOX_DELAY_MS: '50' })
  const karba = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const account = (await service.merchant()).accounts.sandbox
  const order = signOrder(account.secretKey, {
    transaction_id: 'cmd-signed',
    amount: 22_500,
    title: 'Trois théières',
  })
  const shop = await openShop({ karba, key: account.publicKey, order })
  // Has the same button, and is not listed.
  const stranger = await openShop({ karba, key: account.publicKey, order })
  const browser = await openBrowser()
  const context = await browser.newContext({
    viewport: PHONE,
    reducedMotion: 'reduce',
    locale: 'fr-FR',
  })
  const tab = await context.newPage()
  const complaints: string[] = []
  tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(error.message))
  let visits = 0

  async function list(origin: string): Promise<void> {
    const settings = await findCheckoutSettings(service.db, account.accountId)
    await setCheckoutSettings(service.db, account.accountId, {
      ...settings,
      origins: [...settings.origins, origin],
    })
  }

  /** Starts again with nothing kept, as in a new browser profile, which would cost 0.4 s of CPU. */
  async function visit(origin: string, viewport = PHONE): Promise<void> {
    await tab.goto('about:blank')
    complaints.length = 0
    for (const other of context.pages()) if (other !== tab) await other.close()
    await context.setOffline(false)
    await context.unrouteAll()
    await context.clearCookies()
    await context.addInitScript(
      `try { if (!(sessionStorage.visits >= ${++visits})) { sessionStorage.clear(); sessionStorage.visits = ${visits} } } catch {}`,
    )
    await tab.setViewportSize(viewport)
    await tab.goto(origin)
    await until('!!window.Karba')
  }

  /** Evaluated from here: the site's policy forbids evaluation in the page itself. */
  async function until(isSo: string): Promise<void> {
    await waitUntil(isSo, async () => (await tab.evaluate(isSo)) === true, undefined, 50)
  }

  const reports = (): Promise<Report[]> => tab.evaluate('reports')

  await list(shop.origin)
  return {
    karba,
    account,
    shop,
    stranger,
    list,
    visit,
    until,
    reports,
    context,
    tab,
    complaints,
    dialog: () => tab.getByRole('dialog'),
    inside: () => tab.frameLocator('dialog iframe'),
    /**
     * Waits for this many reports to the site: each outcome calls its function and sends an event.
     */
    async reportsAfter(count: number): Promise<Report[]> {
      await until(`reports.length >= ${count}`)
      const all = await reports()
      assert.equal(all.length, count)
      return all
    },
    async countLinks() {
      const [row] = await service.db.read<{ links: number }>(
        'select count(*) as links from payment_links',
      )
      return Number(row?.links)
    },
    async close() {
      await browser.close()
      await shop.close()
      await stranger.close()
      await service.remove()
    },
  }
}

/** A call of the site's functions, in order. */
export interface Report {
  by: 'function' | 'event'
  outcome: 'success' | 'failure' | 'close'
  detail: {
    reference?: string
    publicReference?: string
    status: string
    message?: string
  }
}

const STYLE = `body{margin:0;font:16px/1.5 Georgia,serif;color:#2a2a2a;background:#faf7f2}header{padding:16px 24px;background:#fff;border-bottom:1px solid #ddd}
main{max-width:720px;margin:24px auto;padding:0 24px}button{padding:12px 24px;font:inherit;color:#fff;background:#9a3412;border:0;border-radius:4px}
article{height:1600px}iframe,dialog{border:12px dashed red;opacity:.5}p{max-width:60ch}`

const SCRIPT = `const reports = []
for (const outcome of ['success', 'failure', 'close']) {
  window['on_' + outcome] = (detail) => reports.push({ by: 'function', outcome, detail })
  document.addEventListener('karba:' + outcome, ({ detail }) => reports.push({ by: 'event', outcome, detail }))
}`

const CONTENT_TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' }

/**
 * A merchant's site with a strict content policy, on localhost: for a browser another site than
 * 127.0.0.1.
 */
async function openShop({ karba, key, order }: Record<'karba' | 'key' | 'order', string>) {
  const hooks = 'data-on-success="on_success" data-on-failure="on_failure" data-on-close="on_close"'
  const button = (id: string, name: string, extra = ''): string =>
    `<button id="${id}" data-karba data-key="${key}" data-amount="15000" data-title="Commande ${id}" ${hooks} ${extra}>${name}</button>`
  const page = `<!doctype html><html lang="fr"><head><meta charset="utf-8"><title>Chez Awa</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/shop.css"><script src="/shop.js"></script><script src="${karba}/checkout.js" async></script></head>
<body><header><a href="/">Chez Awa</a></header><main><h1>Votre panier</h1><p>Deux pagnes wax, une théière.</p>
<form action="/never" method="post">${button('modal', 'Payer 15 000 F', 'data-transaction-id="cmd-modal"')}</form>
<p>${button('plain', 'Payer sans référence')} ${button('tab', 'Payer dans un onglet', 'data-mode="tab" data-lang="en"')}
${button('signed', 'Payer la commande', `data-order="${order}"`)}</p>
<article><p>${'Une longue page. '.repeat(80)}</p></article></main></body></html>`
  const policy = `default-src 'none'; script-src 'self' ${karba}; connect-src ${karba}; frame-src ${karba} http://localhost:*; style-src 'self'; img-src data:; form-action 'self'`
  const server = createServer(({ url = '/' }, response) => {
    const [path] = url.split('?')
    const kind = CONTENT_TYPES[path?.split('.').pop() ?? ''] ?? 'text/html; charset=utf-8'
    response.writeHead(200, { 'content-type': kind, 'content-security-policy': policy })
    const files = new Map([
      ['/shop.js', SCRIPT],
      ['/shop.css', STYLE],
    ])
    response.end(files.get(path ?? '') ?? page)
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
