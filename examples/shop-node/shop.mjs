// A small shop: order, pay, webhook, deliver once. One process, orders in a file.
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Karba, KarbaError, verifyWebhook } from '@karba/sdk'

const { KARBA_URL, SECRET_KEY, SECRET_HASH, SIGNING_SECRET, PORT = '3000', DATA = '.' } = process.env
const PRICE = 2500

const karba = new Karba({ secretKey: SECRET_KEY, url: KARBA_URL })
const ordersFile = join(DATA, 'orders.json')
const orders = new Map(existsSync(ordersFile) ? Object.entries(JSON.parse(readFileSync(ordersFile, 'utf8'))) : [])

/** Writes the order to disk first. */
function save(order) {
  orders.set(order.id, order)
  writeFileSync(`${ordersFile}.new`, JSON.stringify(Object.fromEntries(orders)))
  renameSync(`${ordersFile}.new`, ordersFile)
}

function deliver(order) {
  if (order.status === 'delivered') return
  save({ ...order, status: 'delivered' })
  appendFileSync(join(DATA, 'deliveries.log'), `${order.id}\n`)
}

async function placeOrder(form) {
  const order = { id: crypto.randomUUID(), amount: PRICE, status: 'pending', why: '' }
  save(order)
  try {
    await karba.createPayment({
      amount: order.amount,
      country: 'NE',
      currency: 'XOF',
      msisdn: form.get('msisdn') ?? '',
      transaction_id: order.id,
      customer_name: form.get('name') ?? '',
    })
  } catch (error) {
    if (!(error instanceof KarbaError)) throw error
    // Without an outcome the order stays pending: if there is a payment, its webhook arrives.
    const isUnknown = error.status === undefined || error.status >= 500
    save({ ...order, status: isUnknown ? 'pending' : 'failed', why: error.message })
  }
  return order
}

function takeEvent({ event, data }) {
  const order = orders.get(data.external_reference)
  if (order === undefined || data.amount !== order.amount) return
  if (event === 'payment.succeeded') deliver(order)
  if (event === 'payment.failed' && order.status === 'pending') {
    save({ ...order, status: 'failed', why: data.failure_reason ?? '' })
  }
}

async function answer(request) {
  const { method, url, headers } = request
  if (method === 'POST' && url === '/hook') {
    const body = await text(request)
    try {
      takeEvent(await verifyWebhook(body, headers, { secretHash: SECRET_HASH, signingSecret: SIGNING_SECRET }))
      return { status: 204 }
    } catch (error) {
      if (error instanceof KarbaError) return { status: 401 }
      throw error
    }
  }
  if (method === 'POST' && url === '/orders') {
    const order = await placeOrder(new URLSearchParams(await text(request)))
    return { status: 303, headers: { location: `/orders/${order.id}` } }
  }
  const order = orders.get(url.replace('/orders/', ''))
  if (order !== undefined) return page(`<p>Order ${order.id}: <b>${order.status}</b> ${escapeHtml(order.why)}</p>`)
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
