// A small shop: order, pay, webhook, deliver once. One process; orders in a file, each delivery a
// file of its own.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Karba, KarbaError, verifyWebhook } from '@karba/sdk'

const {
  KARBA_URL,
  SECRET_KEY,
  SECRET_HASH,
  SIGNING_SECRET,
  PORT = '3000',
  DATA = '.',
} = process.env
const PRICE = 2500
/** With these the payment may exist: its webhook decides. */
const UNKNOWN = ['outcome_unknown', 'unexpected_answer', 'no_answer', 'aborted']

// Without one of them, a webhook would be checked by the other alone.
if (!SECRET_HASH || !SIGNING_SECRET) throw new Error('Set SECRET_HASH and SIGNING_SECRET.')
const karba = new Karba({ secretKey: SECRET_KEY, url: KARBA_URL })
const ordersFile = join(DATA, 'orders.json')
const orders = new Map(
  existsSync(ordersFile) ? Object.entries(JSON.parse(readFileSync(ordersFile, 'utf8'))) : [],
)
mkdirSync(join(DATA, 'deliveries'), { recursive: true })

/** Writes the order to disk first; the old file stays until the new one is whole. */
function save(order) {
  const changed = new Map(orders).set(order.id, order)
  writeFileSync(`${ordersFile}.new`, JSON.stringify(Object.fromEntries(changed)), { flush: true })
  renameSync(`${ordersFile}.new`, ordersFile)
  orders.set(order.id, order)
}

const deliveryOf = (id) => join(DATA, 'deliveries', id)

/**
 * One write, which succeeds once: a crash or a repeated event can neither lose a delivery nor make
 * a second one.
 */
function deliver(id) {
  try {
    writeFileSync(deliveryOf(id), '', { flag: 'wx', flush: true })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

/** Reads the order again: while a request waited for its answer, an event may have changed it. */
function fail(id, why) {
  const order = orders.get(id)
  if (order.status === 'pending') save({ ...order, status: 'failed', why })
}

const statusOf = (order) => (existsSync(deliveryOf(order.id)) ? 'delivered' : order.status)

async function placeOrder(form) {
  const id = crypto.randomUUID()
  save({ id, amount: PRICE, status: 'pending', why: '' })
  try {
    await karba.createPayment({
      amount: PRICE,
      country: 'NE',
      currency: 'XOF',
      msisdn: form.get('msisdn') ?? '',
      transaction_id: id,
      customer_name: form.get('name') ?? '',
    })
  } catch (error) {
    if (!(error instanceof KarbaError)) throw error
    // Without an outcome the order stays pending: if there is a payment, its webhook arrives.
    if (error.status < 500 && !UNKNOWN.includes(error.code)) fail(id, error.message)
  }
  return id
}

function takeEvent({ event, data }) {
  const order = orders.get(data.external_reference)
  if (order === undefined || data.amount !== order.amount) return
  if (event === 'payment.succeeded') deliver(order.id)
  if (event === 'payment.failed') fail(order.id, data.failure_reason ?? '')
}

async function answer(request) {
  const { method, url, headers } = request
  if (method === 'POST' && url === '/hook') {
    const body = await text(request)
    try {
      takeEvent(
        await verifyWebhook(body, headers, {
          secretHash: SECRET_HASH,
          signingSecret: SIGNING_SECRET,
        }),
      )
      return { status: 204 }
    } catch (error) {
      if (error instanceof KarbaError) return { status: 401 }
      throw error
    }
  }
  if (method === 'POST' && url === '/orders') {
    const id = await placeOrder(new URLSearchParams(await text(request)))
    return { status: 303, headers: { location: `/orders/${id}` } }
  }
  const order = orders.get(url.replace('/orders/', ''))
  if (order !== undefined)
    return page(`<p>Order ${order.id}: <b>${statusOf(order)}</b> ${escapeHtml(order.why)}</p>`)
  if (url !== '/') return { status: 404 }
  return page(`<form method="post" action="/orders"><p>A pagne, ${PRICE} F CFA</p>
<p><label>Name <input name="name" required></label></p><p><label>Mobile money <input name="msisdn" required></label></p>
<button>Pay</button></form>`)
}

const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

function page(body) {
  const html = `<!doctype html><meta charset="utf-8"><title>Shop</title>${body}`
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: html }
}

createServer(async (request, response) => {
  const {
    status,
    headers = {},
    body = '',
  } = await answer(request).catch((error) => {
    console.error(error)
    return { status: 500 }
  })
  response.writeHead(status, headers).end(body)
}).listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}`))
