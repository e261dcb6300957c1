// A merchant's site as a browser sees one: its pages, its own script, a strict policy of its own, and the button. It knows Karba by its address alone.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Shop {
  origin: string
  close(): Promise<void>
}

export interface ShopDeps {
  karba: string
  key: string
  /** An order that the shop's server signed. */
  order: string
}

/** What the site's own functions were told, in order, for the test to read. */
export interface Told {
  by: 'function' | 'event'
  outcome: 'success' | 'failure' | 'close'
  detail: { reference?: string; publicReference?: string; status: string; message?: string }
}

const STYLE = `body{margin:0;font:16px/1.5 Georgia,serif;color:#2a2a2a;background:#faf7f2}header{padding:16px 24px;background:#fff;border-bottom:1px solid #ddd}
main{max-width:720px;margin:24px auto;padding:0 24px}button{padding:12px 24px;font:inherit;color:#fff;background:#9a3412;border:0;border-radius:4px}
article{height:1600px}iframe,dialog{border:12px dashed red;opacity:.5}p{max-width:60ch}`

const SCRIPT = `const told = []
for (const outcome of ['success', 'failure', 'close']) {
  window['on_' + outcome] = (detail) => told.push({ by: 'function', outcome, detail })
  document.addEventListener('karba:' + outcome, ({ detail }) => told.push({ by: 'event', outcome, detail }))
}`

const CONTENT_TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' }

/** On localhost, which for a browser is another site than 127.0.0.1. */
export async function openShop({ karba, key, order }: ShopDeps): Promise<Shop> {
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
    response.end(path === '/shop.js' ? SCRIPT : path === '/shop.css' ? STYLE : page)
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
