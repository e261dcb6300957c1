// The twelve ways in which shops lose paid orders, each against the real shop. A case returns how
// many orders it made and what it saw; it throws where the plugin does something else.
import assert from 'node:assert/strict'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../../server/test/kit/waiting.ts'
import { Customer, type Placed } from './customer.ts'
import {
  DECLINES,
  inParallel,
  isRead,
  losesEach,
  type MadeOrder,
  NOT_CLEAR,
  type OrderState,
  passesEach,
  repeatsEach,
  STAYS_OPEN,
  type Stand,
  SUCCEEDS,
  workersOf,
} from './stand.ts'

export interface CaseResult {
  orders: number
  saw: string
}

export interface Case {
  number: number
  title: string
  /** How often at full size. */
  times: number
  run(stand: Stand, times: number): Promise<CaseResult>
}

const AT_ONCE = 6

const timesNoted = (state: OrderState, what: string): number =>
  state.noted.filter((each) => each === what).length

/** Paid once: one completion, one mail to the customer, stock reduced once. */
function assertPaidOnce(states: readonly OrderState[]): void {
  for (const state of states) {
    assert.equal(state.status, 'processing', JSON.stringify(state))
    for (const what of ['complete', 'stock', 'mail customer', 'to processing'])
      assert.equal(timesNoted(state, what), 1, `${what} of order ${state.id}: ${state.noted}`)
  }
}

/** On hold with a reason that somebody reads. */
function assertHeld(states: readonly OrderState[], says: RegExp): void {
  for (const state of states) {
    assert.equal(state.status, 'on-hold', JSON.stringify(state))
    assert.equal(timesNoted(state, 'complete'), 0, `order ${state.id}`)
    assert.ok(
      state.notes.some((note) => says.test(note)),
      state.notes.join('\n'),
    )
    assert.ok(
      state.noted.some((each) => /^letter to merchant.*needs a look/.test(each)),
      `${state.noted}`,
    )
  }
}

async function closedBrowser(stand: Stand, times: number): Promise<CaseResult> {
  const product = Number(
    (
      await stand.shop.probe('sql', {
        sql: "select ID id from {prefix}posts where post_type = 'product' order by ID limit 1",
      })
    )[0].id,
  )
  const { shop } = stand
  const phone = { karba_way: 'prompt', karba_number: SUCCEEDS }
  const page = { karba_way: 'page' }
  const statusOf = ({ id, key }: Placed): string => `/?wc-api=karba_status&order=${id}&key=${key}`
  const leave = async (promise: (signal: AbortSignal) => Promise<unknown>, afterMs: number) => {
    const closing = new AbortController()
    setTimeout(() => closing.abort(), afterMs)
    await promise(closing.signal).catch(() => undefined)
  }
  const MOMENTS: readonly ((customer: Customer, nonce: string) => Promise<unknown>)[] = [
    // While the order is being placed.
    (customer, nonce) => leave((signal) => customer.placeOrder(nonce, phone, signal), 60),
    // Before the page that waits.
    (customer, nonce) => customer.placeOrder(nonce, phone),
    // While that page loads.
    async (customer, nonce) => {
      const placed = await customer.placeOrder(nonce, phone)
      await leave((signal) => customer.get(placed.redirect, signal), 30)
    },
    // While the page asks.
    async (customer, nonce) => {
      const placed = await customer.placeOrder(nonce, phone)
      await customer.get(placed.redirect)
      await leave((signal) => customer.get(statusOf(placed), signal), 30)
    },
    // After the approval, before the page of thanks.
    async (customer, nonce) => {
      const placed = await customer.placeOrder(nonce, phone)
      await until(
        'paid',
        async () => /"is":"paid"/.test((await customer.get(statusOf(placed))).text),
        60_000,
        300,
      )
    },
    // On Karba's page, after paying.
    async (customer, nonce) => {
      const placed = await customer.placeOrder(nonce, page)
      await payOnPage(placed.redirect)
    },
  ]
  const before = await lastOrder(stand)
  const visits = MOMENTS.flatMap((moment) => Array.from({ length: times }, () => moment))
  await inParallel(visits, AT_ONCE, async (moment) => {
    const customer = new Customer(shop)
    await moment(customer, await customer.fillCart(product))
  })
  await pause(3_000)
  await stand.catchUp()
  const after = await lastOrder(stand)
  const seen = await until(
    'outcome of all orders',
    async () => {
      const count = await stand.count([{ id: before + 1 }, { id: after }])
      return count.open === 0 && count
    },
    120_000,
    500,
  )
  assert.equal(seen.completed_twice + seen.stock_twice + seen.mailed_twice, 0, JSON.stringify(seen))
  assert.equal(seen.paid, seen.settled)
  assert.ok(seen.paid >= 5 * times, JSON.stringify(seen))
  return {
    orders: seen.orders,
    saw: `${MOMENTS.length} moments, ${times} each: ${seen.orders} orders, ${seen.settled} paid at Karba and in the shop`,
  }
}

async function lastOrder({ shop }: Stand): Promise<number> {
  const [row] = await shop.probe('sql', {
    sql: 'select coalesce(max(ID), 0) id from {prefix}posts',
  })
  const [other] = await shop.probe('sql', {
    sql: 'select coalesce(max(id), 0) id from {prefix}wc_orders',
  })
  return Math.max(Number(row.id), Number(other.id))
}

/** As the payer's browser, without scripts. */
async function payOnPage(address: string): Promise<void> {
  const shown = await fetch(address)
  const cookie = shown.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  await shown.text()
  const sent = await fetch(address, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      cookie,
    },
    body: new URLSearchParams({ method: 'mobile', country: 'NE', msisdn: SUCCEEDS, attempt: '0' }),
  })
  await sent.text()
  assert.ok(sent.status < 400, `the page answered ${sent.status}`)
}

async function noWebhook(stand: Stand, times: number): Promise<CaseResult> {
  losesEach(stand.post)
  const made = await stand.orders(times, { number: SUCCEEDS })
  await stand.decided(made)
  assert.equal((await stand.count(made)).paid, 0)
  await stand.catchUp()
  assertPaidOnce(await stand.states(made))
  // The shop is down for a day, and Karba has removed the events meanwhile.
  const later = await stand.orders(times, { number: SUCCEEDS })
  await stand.shop.php.kill()
  await stand.decided(later)
  await stand.shop.php.start()
  await stand.shop.probe('sql', {
    sql: `update {prefix}karba_attempts set created_at = created_at - interval 1 day, due_at = due_at + interval 1 day where order_id >= ${later[0]?.id}`,
  })
  const { next } = (await (await stand.karba('/events?after=latest')).json()) as {
    next: { after: number }
  }
  let refusals = 0
  stand.line.fate = async (message, passOn) => {
    if (!message.path.startsWith('/api/v1/events') || refusals > 0) return passOn(message)
    refusals++
    const headers = {
      'x-request-id': 'req_gone',
      'svc-error-code': 'cursor_too_old',
      'svc-kept-after': String(next.after),
    }
    return { status: 410, headers, body: '{"message":"Gone"}' }
  }
  await stand.catchUp()
  passesEach(stand.line)
  passesEach(stand.post)
  assert.equal(refusals, 1)
  assertPaidOnce(await stand.states(later))
  return {
    orders: 2 * times,
    saw: `${times} of ${times} by the feed; ${times} of ${times} after a day and 410`,
  }
}

async function manyWebhooks(stand: Stand, times: number): Promise<CaseResult> {
  repeatsEach(stand.post, 20)
  const made = await stand.orders(times, { number: SUCCEEDS })
  const thanks = inParallel(made, AT_ONCE, async (order) => {
    const path = `/classic-checkout/order-received/${order.id}/?key=${order.key}`
    for (let i = 0; i < 3; i++) await new Customer(stand.shop).get(path)
  })
  await stand.decided(made)
  await thanks
  await stand.settled(made)
  passesEach(stand.post)
  assertPaidOnce(await stand.states(made))
  return {
    orders: times,
    saw: `20 at once and the page of thanks: ${times} of ${times} completed, mailed and taken from stock once`,
  }
}

const KILL_POINTS = [
  'woocommerce_pre_payment_complete',
  'woocommerce_order_status_changed',
  'woocommerce_reduce_order_stock',
  'woocommerce_email_sent',
  'woocommerce_payment_complete',
]

async function armKills(stand: Stand, point: string, times: number): Promise<void> {
  await stand.shop.probe('sql', {
    sql: `replace into probe_kills (point, left_over) values ('${point}', ${times})`,
  })
  writeFileSync(join(stand.shop.folder, 'kills'), '')
}

const disarm = ({ shop }: Stand): void => {
  for (const name of ['kills', 'kill-database', 'at-point'])
    rmSync(join(shop.folder, name), { force: true })
}

async function killed(stand: Stand, times: number): Promise<CaseResult> {
  const each = Math.ceil(times / KILL_POINTS.length)
  const all: MadeOrder[] = []
  let kills = 0
  for (const point of KILL_POINTS) {
    await armKills(stand, point, each)
    const made = await stand.orders(each, { number: SUCCEEDS })
    all.push(...made)
    await stand.decided(made)
    await until(
      `${each} kills at ${point}`,
      async () => {
        const [row] = await stand.shop.probe('sql', {
          sql: `select left_over n from probe_kills where point = '${point}'`,
        })
        return Number(row.n) === 0
      },
      60_000,
      250,
    )
    kills += each
  }
  disarm(stand)
  await untilHealed(stand, all)
  const databaseKills = await killDatabase(stand, Math.ceil(times / 4), all)
  const seen = await stand.count(all)
  assert.deepEqual(
    [seen.paid, seen.settled, seen.stock_twice, seen.without_stock, seen.without_mail],
    [all.length, all.length, 0, 0, 0],
    JSON.stringify(seen),
  )
  return {
    orders: all.length,
    saw: `PHP killed ${kills} times at ${KILL_POINTS.length} points, MariaDB ${databaseKills} times: ${seen.paid} of ${all.length} paid, stock once each, ${seen.mailed_twice} second mails to customers`,
  }
}

/** What a process left is taken over half a minute later. */
async function untilHealed(stand: Stand, orders: readonly MadeOrder[]): Promise<void> {
  await until(
    'healing',
    async () => {
      await stand.catchUp()
      return (await stand.count(orders)).open === 0
    },
    240_000,
    2_000,
  )
}

async function killDatabase(stand: Stand, times: number, all: MadeOrder[]): Promise<number> {
  const marker = join(stand.shop.folder, 'at-point')
  const points = KILL_POINTS.slice(0, 4)
  for (let i = 0; i < times; i++) {
    await armKills(stand, points[i % points.length] as string, 1)
    writeFileSync(join(stand.shop.folder, 'kill-database'), '')
    const [order] = await stand.orders(1, { number: SUCCEEDS })
    all.push(order as MadeOrder)
    await until('a process inside of the update', () => existsSync(marker), 60_000)
    await stand.shop.database.kill()
    rmSync(marker, { force: true })
    await stand.shop.database.start()
    disarm(stand)
  }
  await untilHealed(stand, all)
  return times
}

/** Orders that WooCommerce's job would cancel: older than the hours for which it holds stock. */
async function makeOld(stand: Stand, orders: readonly MadeOrder[]): Promise<void> {
  const ids = orders.map(({ id }) => id).join(',')
  await stand.shop.probe('sql', {
    sql: `update {prefix}wc_orders set date_updated_gmt = '2020-01-01' where id in (${ids})`,
  })
  await stand.shop.probe('sql', {
    sql: `update {prefix}posts set post_modified = '2020-01-01', post_modified_gmt = '2020-01-01' where ID in (${ids})`,
  })
}

async function stockJob(stand: Stand, times: number): Promise<CaseResult> {
  losesEach(stand.post)
  const open = await stand.orders(times, { number: STAYS_OPEN })
  const paid = await stand.orders(times, { number: SUCCEEDS })
  const declined = await stand.orders(times, { number: DECLINES })
  const notClear = await stand.orders(times, { number: NOT_CLEAR })
  const pages = await stand.orders(times, { number: '', way: 'page' })
  await stand.decided(paid)
  await stand.decided(declined, 'failed')
  await stand.decided(notClear, 'failed')
  const all = [...open, ...paid, ...declined, ...notClear, ...pages]
  await makeOld(stand, all)
  stand.line.fate = async () => 'lost'
  await stand.shop.probe('hook', { name: 'woocommerce_cancel_unpaid_orders' })
  const unasked = await stand.count(all)
  passesEach(stand.line)
  assert.equal(unasked.cancelled, 0, 'without an answer nothing is cancelled')
  await makeOld(stand, all)
  await stand.shop.probe('hook', { name: 'woocommerce_cancel_unpaid_orders' })
  const statuses = async (orders: readonly MadeOrder[]): Promise<string[]> => [
    ...new Set((await stand.states(orders)).map(({ status }) => status)),
  ]
  assert.deepEqual(await statuses(open), ['pending'])
  assert.deepEqual(await statuses(paid), ['processing'])
  assert.deepEqual(await statuses(declined), ['cancelled'])
  assert.deepEqual(await statuses(notClear), ['pending'])
  assert.deepEqual(await statuses(pages), ['cancelled'])
  assertPaidOnce(await stand.states(paid))
  // Cancelled by hand, then paid.
  const byHand = await stand.orders(times, { number: SUCCEEDS })
  await stand.shop.probe('status', { ids: byHand.map(({ id }) => id), status: 'cancelled' })
  await stand.decided(byHand)
  await stand.catchUp()
  passesEach(stand.post)
  assertHeld(await stand.states(byHand), /after the order was closed/)
  assert.equal(await stand.shop.probe('refund', { id: byHand[0]?.id, amount: 1500 }), true)
  return {
    orders: all.length + byHand.length,
    saw: `${times} pending kept, ${times} paid, ${times} unclear kept, ${times} declined and ${times} unused pages cancelled; Karba down: 0 cancelled; ${times} of ${times} cancelled by hand and paid: on hold, note, mail, refundable`,
  }
}

async function twoAttempts(stand: Stand, times: number): Promise<CaseResult> {
  // The shop hears that the first attempt failed, and then it turns.
  losesEach(stand.post)
  stand.line.fate = async (message, passOn) => {
    const reply = await passOn(message)
    if (!isRead(message)) return reply
    const payment = JSON.parse(reply.body ?? '{}')
    const body = JSON.stringify({ ...payment, status: 'failed', failure_reason: 'expired' })
    return { ...reply, body }
  }
  const made = await stand.orders(times, { number: SUCCEEDS })
  await stand.decided(made)
  await stand.catchUp()
  await stand.settled(made)
  const answers = new Map<string, number>()
  await inParallel(made, AT_ONCE, async ({ id }) => {
    const { result } = await stand.shop.probe('pay', { id, number: SUCCEEDS })
    answers.set(result, (answers.get(result) ?? 0) + 1)
  })
  assert.deepEqual(Object.fromEntries(answers), { failure: times })
  passesEach(stand.line)
  await inParallel(await stand.states(made), AT_ONCE, async ({ attempts }) => {
    const { transaction_id: external_reference = '' } = attempts[0] ?? {}
    await stand.send(await stand.webhook('payment.succeeded', { external_reference }))
  })
  await until('paid orders', async () => (await stand.count(made)).settled === times)
  passesEach(stand.post)
  const states = await stand.states(made)
  assertPaidOnce(states)
  return {
    orders: times,
    saw: `the first succeeds late: ${times} of ${times} paid by it, and ${times} second attempts refused by Karba`,
  }
}

async function editedOrder(stand: Stand, times: number): Promise<CaseResult> {
  // Karba has decided before the shop hears of it, and the order is edited in between.
  losesEach(stand.post)
  const edited = await stand.orders(times, { number: SUCCEEDS })
  const foreign = await stand.orders(times, { number: SUCCEEDS })
  await inParallel(edited, AT_ONCE, async ({ id }) => {
    await stand.shop.probe('total', { id, total: 2500 })
  })
  await inParallel(foreign, AT_ONCE, async ({ id }) => {
    await stand.shop.probe('total', { id, total: 1500, currency: 'EUR' })
  })
  const both = [...edited, ...foreign]
  await stand.decided(both)
  await stand.catchUp()
  await stand.settled(both)
  passesEach(stand.post)
  assertHeld(await stand.states(edited), /It was not completed/)
  assertHeld(await stand.states(foreign), /another currency/)
  return {
    orders: both.length,
    saw: `${times} of another amount and ${times} of another currency: all on hold with note and mail, 0 completed`,
  }
}

async function forgeries(stand: Stand, times: number): Promise<CaseResult> {
  const [victim] = (await stand.orders(1, { number: STAYS_OPEN })) as [MadeOrder]
  const [other] = (await stand.orders(1, { number: STAYS_OPEN })) as [MadeOrder]
  const nameOf = async (order: MadeOrder): Promise<AttemptName> => {
    const [state] = await stand.states([order])
    const attempt = state?.attempts[0]
    return {
      external_reference: attempt?.transaction_id as string,
      order_reference: attempt?.order_reference as string,
      reference: attempt?.reference as string,
      amount: 1500,
    }
  }
  const name = await nameOf(victim)
  const otherName = await nameOf(other)
  const strange = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const KINDS = [
    async () => ({ ...(await stand.webhook('payment.succeeded', name)), headers: {} }),
    () => stand.webhook('payment.succeeded', name, strange),
    () =>
      stand.webhook('payment.succeeded', name, stand.secret(), new Date(Date.now() - 3_600_000)),
    () =>
      stand.webhook('payment.succeeded', {
        ...name,
        external_reference: 'aaaaaaaa-7-bb',
        order_reference: 'aaaaaaaa-7',
      }),
    () =>
      stand.webhook('payment.succeeded', {
        ...name,
        reference: otherName.reference,
        order_reference: otherName.order_reference,
      }),
  ]
  const statuses = new Map<number, number>()
  await inParallel(Array.from({ length: times }), 8, async (_, index) => {
    const make = KINDS[index % KINDS.length] as (typeof KINDS)[number]
    const status = await stand.send(await make())
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  const states = await stand.states([victim, other])
  assert.deepEqual(
    states.map(({ status }) => status),
    ['pending', 'pending'],
  )
  // The first three kinds have no valid signature; the others name what is not paid, or not ours.
  const refused = Array.from({ length: times }).filter((_, index) => index % KINDS.length < 3)
  assert.equal(statuses.get(401), refused.length)
  return {
    orders: 2,
    saw: `${times} forgeries in ${KINDS.length} kinds: 0 completed; answers ${JSON.stringify(Object.fromEntries(statuses))}`,
  }
}

interface AttemptName {
  external_reference: string
  order_reference: string
  reference: string
  amount: number
}

async function onePaymentTwoOrders(stand: Stand, times: number): Promise<CaseResult> {
  const paid = await stand.orders(times, { number: SUCCEEDS })
  const unpaid = await stand.orders(times, { number: STAYS_OPEN })
  await stand.decided(paid)
  await stand.settled(paid)
  const from = await stand.states(paid)
  const to = await stand.states(unpaid)
  // A signed event about the other order, and Karba's own answer with the payment of the first.
  const bodies = new Map<string, string>()
  await inParallel(from, AT_ONCE, async ({ attempts }, index) => {
    const read = await stand.karba(`/payments/${attempts[0]?.transaction_id}`)
    bodies.set(to[index]?.attempts[0]?.transaction_id as string, await read.text())
  })
  stand.line.fate = async (message, passOn) => {
    const name = message.path.split('/').pop() as string
    const body = isRead(message) ? bodies.get(name) : undefined
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_mixed' }
    return body === undefined ? passOn(message) : { status: 200, headers, body }
  }
  await inParallel(to, AT_ONCE, async ({ attempts }) => {
    const { transaction_id: external_reference = '' } = attempts[0] ?? {}
    await stand.send(await stand.webhook('payment.succeeded', { external_reference }))
  })
  await stand.catchUp()
  passesEach(stand.line)
  const seen = await stand.count(unpaid)
  assert.deepEqual([seen.paid, seen.held], [0, 0])
  return {
    orders: 2 * times,
    saw: `${times} pairs: 0 second orders paid, also when Karba’s answer is the other payment`,
  }
}

async function declineThenSuccess(stand: Stand, times: number): Promise<CaseResult> {
  let isTurned = false
  stand.line.fate = async (message, passOn) => {
    const reply = await passOn(message)
    if (isTurned || !isRead(message)) return reply
    const payment = {
      ...JSON.parse(reply.body ?? '{}'),
      status: 'failed',
      failure_reason: 'declined',
    }
    return { ...reply, body: JSON.stringify(payment) }
  }
  const made = await stand.orders(times, { number: SUCCEEDS })
  await stand.decided(made)
  await stand.settled(made)
  const before = await stand.count(made)
  assert.deepEqual([before.paid, before.cancelled], [0, 0])
  isTurned = true
  await inParallel(await stand.states(made), AT_ONCE, async ({ attempts }) => {
    const { transaction_id: external_reference = '' } = attempts[0] ?? {}
    await stand.send(await stand.webhook('payment.succeeded', { external_reference }))
  })
  await until('paid orders', async () => (await stand.count(made)).paid === times, 60_000, 300)
  passesEach(stand.line)
  await stand.settled(made)
  assertPaidOnce(await stand.states(made))
  return { orders: times, saw: `${times} of ${times} paid after their decline` }
}

async function forgetfulHost(stand: Stand, times: number): Promise<CaseResult> {
  losesEach(stand.post)
  stand.line.fate = async (message, passOn) => {
    await pause(400)
    return passOn(message)
  }
  const made = await stand.orders(times, { number: SUCCEEDS })
  await stand.shop.probe('forget')
  await stand.decided(made)
  // No job of WordPress runs: a visit of anybody starts the check once it is late.
  await stand.shop.probe('sql', {
    sql: "update {prefix}karba_state set updated_at = updated_at - interval 1 hour where name in ('catch-up', 'catch-up-visit')",
  })
  await until(
    'healing by a visit',
    async () => {
      await new Customer(stand.shop).get('/classic-checkout/')
      return (await stand.count(made)).open === 0
    },
    240_000,
    1_000,
  )
  passesEach(stand.line)
  passesEach(stand.post)
  assertPaidOnce(await stand.states(made))
  return {
    orders: times,
    saw: `caches and sessions gone, WP-Cron off, 400 ms more an answer: ${times} of ${times} healed by a visit`,
  }
}

async function refunds(stand: Stand, times: number): Promise<CaseResult> {
  const made = await stand.orders(3 * times, { number: SUCCEEDS })
  await stand.decided(made)
  await stand.settled(made)
  const whole = made.slice(0, times)
  const inParts = made.slice(times, 2 * times)
  const doubled = made.slice(2 * times)
  await inParallel(whole, AT_ONCE, async ({ id }) => {
    assert.equal(await stand.shop.probe('refund', { id, amount: 1500 }), true)
  })
  await inParallel(inParts, AT_ONCE, async ({ id }) => {
    assert.equal(await stand.shop.probe('refund', { id, amount: 500 }), true)
    assert.equal(await stand.shop.probe('refund', { id, amount: 400 }), true)
  })
  const answers = new Map<string, number>()
  await inParallel(doubled, AT_ONCE, async ({ id }) => {
    const two = await Promise.all([1, 2].map(() => stand.shop.probe('refund', { id, amount: 500 })))
    const right = two.filter((answer) => answer === true).length
    answers.set(`${right} of 2`, (answers.get(`${right} of 2`) ?? 0) + 1)
  })
  assert.deepEqual(Object.fromEntries(answers), { '1 of 2': times })
  const atKarba = async ({ id }: MadeOrder): Promise<number> => {
    const [state] = await stand.states([{ id, key: '' }])
    const read = await stand.karba(`/payments/${state?.attempts[0]?.transaction_id}/refund`)
    const { refunds: made } = (await read.json()) as {
      refunds: { amount: number; status: string }[]
    }
    return made
      .filter(({ status }) => status !== 'failed')
      .reduce((sum, { amount }) => sum + amount, 0)
  }
  for (const [orders, sum] of [
    [whole, 1500],
    [inParts, 900],
    [doubled, 500],
  ] as const)
    for (const order of orders) assert.equal(await atKarba(order), sum)
  // At Karba, not in the shop.
  const [elsewhere] = inParts
  const [state] = await stand.states([elsewhere as MadeOrder])
  await stand.karba(`/payments/${state?.attempts[0]?.transaction_id}/refund`, {
    method: 'POST',
    body: JSON.stringify({ amount: 100, refund_id: 'by-hand' }),
  })
  await until(
    'refund made elsewhere',
    async () => {
      await stand.catchUp()
      return (await stand.states([elsewhere as MadeOrder]))[0]?.refunded === 1000
    },
    60_000,
    500,
  )
  return {
    orders: made.length,
    saw: `${times} whole, ${times} in parts, ${times} double clicks: sums at Karba equal the shop’s; 1 made at Karba appears in the order`,
  }
}

async function changesOfPlugin(stand: Stand, times: number): Promise<CaseResult> {
  losesEach(stand.post)
  // A sandbox payment in a shop that went live meanwhile.
  const test = await stand.orders(times, { number: SUCCEEDS })
  await stand.decided(test)
  await stand.shop.probe('option', {
    name: 'woocommerce_karba_settings',
    value: { environment: 'live' },
  })
  await stand.shop.probe('sql', {
    sql: "update {prefix}karba_attempts set due_at = utc_timestamp() where state = 'open'",
  })
  await stand.catchUp()
  assertHeld(await stand.states(test), /TEST payment/)
  await stand.shop.probe('option', {
    name: 'woocommerce_karba_settings',
    value: { environment: 'sandbox' },
  })
  // The plugin is removed while payments are open, and installed again.
  const made = await stand.orders(times, { number: SUCCEEDS })
  const [settings] = await stand.shop.probe('sql', { sql: SETTINGS })
  const before = await stand.karba('/webhook_endpoints')
  assert.equal(((await before.json()) as { data: object[] }).data.length, 1)
  const plugin = ['karba/karba.php']
  await stand.shop.probe('run', { call: 'deactivate_plugins', arguments: plugin })
  await stand.shop.probe('run', { call: 'uninstall_plugin', arguments: plugin })
  const after = await stand.karba('/webhook_endpoints')
  assert.deepEqual(((await after.json()) as { data: object[] }).data, [])
  assert.deepEqual(await stand.shop.probe('sql', { sql: SETTINGS }), [])
  await stand.decided(made)
  await stand.shop.probe('restore', settings)
  await stand.install()
  await stand.catchUp()
  await stand.settled(made)
  passesEach(stand.post)
  assertPaidOnce(await stand.states(made))
  return {
    orders: 2 * times,
    saw: `${times} test payments in a live shop: on hold; plugin removed with ${times} open orders: endpoint, keys and settings gone, orders there, all ${times} found after the installation`,
  }
}

const SETTINGS =
  "select option_value value from {prefix}options where option_name = 'woocommerce_karba_settings'"

/** What is left to the size that was asked for, with everything against it. */
export async function storm(stand: Stand, times: number): Promise<CaseResult> {
  let seed = 1
  const random = (): number => {
    seed = (seed * 48271) % 2147483647
    return seed / 2147483647
  }
  stand.post.fate = async (message, passOn) => {
    const luck = random()
    if (luck < 0.4) return { status: 204 }
    if (luck < 0.7) {
      const replies = await Promise.all([passOn(message), passOn(message), passOn(message)])
      return replies[0] as { status: number }
    }
    return passOn(message)
  }
  stand.line.fate = async (message, passOn) => {
    const luck = random()
    if (luck < 0.05) return 'lost'
    const reply = await passOn(message)
    return luck < 0.12 ? 'lost' : reply
  }
  let isOver = false
  const kills = { php: 0, database: 0 }
  const killer = (async () => {
    for (let turn = 1; !isOver; turn++) {
      await pause(3_000)
      const workers = workersOf(stand.shop.php.pid())
      const worker = workers[Math.floor(random() * workers.length)]
      if (worker !== undefined) process.kill(worker, 'SIGKILL')
      kills.php++
      if (turn % 10 === 0) {
        await stand.shop.database.kill()
        await stand.shop.database.start()
        kills.database++
      }
    }
  })()
  const first = await lastOrder(stand)
  const madeSoFar = async (): Promise<number> => {
    const seen = await stand
      .count([{ id: first + 1 }, { id: Number.MAX_SAFE_INTEGER }])
      .catch(() => undefined)
    return seen?.orders ?? 0
  }
  while ((await madeSoFar()) < times) {
    await inParallel(Array.from({ length: 8 }), 4, async () => {
      // The process that makes them may be the one that is killed.
      await stand.orders(10, { number: SUCCEEDS }).catch(() => undefined)
    })
    await stand.catchUp().catch(() => undefined)
    await stand.shop
      .probe('hook', { name: 'woocommerce_cancel_unpaid_orders' })
      .catch(() => undefined)
  }
  isOver = true
  await killer
  passesEach(stand.line)
  const range = [{ id: first + 1 }, { id: await lastOrder(stand) }]
  await until(
    'healing',
    async () => {
      await stand.shop.probe('sql', {
        sql: "update {prefix}karba_attempts set due_at = utc_timestamp() where state = 'open'",
      })
      await stand.catchUp()
      const { open } = await stand.count(range)
      return open === 0 || (await onlyNeverSent(stand, range))
    },
    1_200_000,
    2_000,
  )
  passesEach(stand.post)
  const seen = await stand.count(range)
  assert.deepEqual(
    [seen.stock_twice, seen.without_stock, seen.without_mail, seen.held],
    [0, 0, 0, 0],
    JSON.stringify(seen),
  )
  return {
    orders: seen.orders,
    saw: `40 % of webhooks lost, 30 % three times, 12 % of answers lost, PHP killed ${kills.php} times, MariaDB ${kills.database}: ${seen.settled} paid once, ${seen.completed_twice} completed twice, ${seen.mailed_twice} second mails to customers`,
  }
}

/** A process that was killed before it asked Karba leaves an attempt that Karba does not know. */
async function onlyNeverSent(stand: Stand, range: readonly { id: number }[]): Promise<boolean> {
  const rows = (await stand.shop.probe('sql', {
    sql: `select transaction_id name from {prefix}karba_attempts where state in ('open', 'working')
      and order_id between ${range[0]?.id} and ${range[1]?.id}`,
  })) as { name: string }[]
  const answers = await Promise.all(rows.map(({ name }) => stand.karba(`/payments/${name}`)))
  return answers.every(({ status }) => status === 404)
}

export const CASES: readonly Case[] = [
  { number: 1, title: 'Browser closed at each of six moments', times: 50, run: closedBrowser },
  { number: 2, title: 'Webhooks never; the shop down for a day; 410', times: 100, run: noWebhook },
  {
    number: 3,
    title: 'Webhook 20 times at once with the return page',
    times: 50,
    run: manyWebhooks,
  },
  { number: 4, title: 'PHP and MariaDB killed inside of the update', times: 200, run: killed },
  { number: 5, title: 'Stock job and cancels', times: 40, run: stockJob },
  { number: 6, title: 'Two attempts, the first succeeds late', times: 50, run: twoAttempts },
  { number: 7, title: 'Order edited after the request', times: 50, run: editedOrder },
  { number: 8, title: 'Forged notifications', times: 10_000, run: forgeries },
  { number: 9, title: 'One payment for two orders', times: 50, run: onePaymentTwoOrders },
  { number: 10, title: 'Decline, then success', times: 50, run: declineThenSuccess },
  { number: 11, title: 'Caches gone, WP-Cron off, slow host', times: 50, run: forgetfulHost },
  { number: 12, title: 'Refunds', times: 30, run: refunds },
  { number: 12, title: 'Sandbox in a live shop; plugin removed', times: 50, run: changesOfPlugin },
]
