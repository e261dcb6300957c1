// Actions of merchants and payers on a link: create it, read it, open its page, send its forms,
// decide on the provider’s page.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { closePaymentLink } from '../../src/actions/links/close-payment-link.ts'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import type { Refused } from '../../src/domain/refusals/refusal.ts'
import type { Service } from '../../src/service/compose.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { type Answer, get, head, postTo } from '../kit/service.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { until as waitUntil } from '../kit/waiting.ts'

export const LINK = { amount: 15_000, title: 'Commande 12' }
export const SHOP = 'https://shop.example'
export const SUCCEEDS = '40410000000'
export const SUCCEEDS_AT_ONCE = '40410000100'
export const FAILS_AT_ONCE = '40410000101'
export const SUCCEEDS_AFTER_3_MINUTES = '40410000008'
export const DECLINES = '40410000006'

export function postLink(
  service: Service,
  secretKey: string,
  body: unknown,
  change: Record<string, string | undefined> = {},
): Promise<Answer> {
  const headers = head(secretKey, { 'svc-payment-type': 'external_payment', ...change })
  return postTo(service, '/api/v1/external_payments', headers, body)
}

export async function newLink(
  service: Service,
  secretKey: string,
  change: Record<string, unknown> = {},
): Promise<string> {
  const { code, body } = await postLink(service, secretKey, { ...LINK, ...change })
  assert.equal(code, 200, JSON.stringify(body))
  return body.reference as string
}

export async function readLink(service: Service, path: string): Promise<Answer> {
  const url = `/api/v1/external_payments/${path}`
  const answer = await service.app.inject({ method: 'GET', url, remoteAddress: address() })
  return { code: answer.statusCode, body: answer.json(), headers: answer.headers }
}

export const statusOfLink = async (service: Service, link: string): Promise<unknown> =>
  (await readLink(service, link)).body.status

export interface Shown {
  code: number
  text: string
  headers: Record<string, string | string[] | number | undefined>
  /** The target of the redirect; empty without one. */
  goTo: string
}

let addresses = 0

/** Each request comes from its own address, so that no rate limit per address applies. */
export function address(): string {
  const count = ++addresses
  return `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`
}

/** The default cookie jar: the cookies of one browser, by path. */
const COOKIES = new Map<string, string>()

/** The headers of another browser with the same link. */
export const ELSEWHERE = { 'sec-fetch-site': 'same-origin', cookie: '' }

/** The cookie with which a browser can abandon its own attempt on a link. */
export const browserTokenOf = (link: string): string | undefined =>
  COOKIES.get(`/pay/${link}`)?.split('=')[1]

const cookiesFor = (url: string): Record<string, string> => {
  const path = [...COOKIES.keys()].find((each) => url.startsWith(each))
  return path === undefined ? {} : { cookie: COOKIES.get(path) as string }
}

export async function look(
  service: Service,
  url: string,
  headers: Record<string, string> = {},
): Promise<Shown> {
  const sent = { ...cookiesFor(url), ...headers }
  return shown(
    await service.app.inject({ method: 'GET', url, headers: sent, remoteAddress: address() }),
  )
}

export type Fields = Record<string, string>

/** Sends a form as a browser does from our own page, by default. */
export async function send(
  service: Service,
  url: string,
  fields: Fields | string | Buffer,
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
): Promise<Shown> {
  const payload =
    typeof fields === 'string' || Buffer.isBuffer(fields)
      ? fields
      : `${new URLSearchParams(fields)}`
  const typed = {
    'content-type': 'application/x-www-form-urlencoded',
    ...cookiesFor(url),
    ...headers,
  }
  return shown(
    await service.app.inject({
      method: 'POST',
      url,
      headers: typed,
      payload,
      remoteAddress: address(),
    }),
  )
}

type Injected = { statusCode: number; body: string; headers: Shown['headers'] }

function shown({ statusCode: code, body: text, headers }: Injected): Shown {
  const [, cookie, path] = /^([^;]+); Path=([^;]+)/.exec(String(headers['set-cookie'] ?? '')) ?? []
  if (cookie !== undefined && path !== undefined) COOKIES.set(path, cookie)
  return { code, text, headers, goTo: String(headers.location ?? '') }
}

/** The merchant closes a link: payers cannot. */
export const closeLink = (
  service: Service,
  linkReference: string,
): Promise<{ accountId: string } | Refused> =>
  closePaymentLink(service, TESTER, { linkReference, because: 'cancelled' })

/** The state of the link as its page has it: open:0, waiting:1, succeeded:0 … */
export async function stateOf(service: Service, link: string): Promise<string> {
  const { code, text } = await look(service, `/pay/${link}/status`)
  assert.equal(code, 200)
  return JSON.parse(text).state
}

export const byPhone = (msisdn: string, attempt = 0): Fields => ({
  method: 'mobile',
  country: 'NE',
  msisdn,
  attempt: String(attempt),
})

export const onPage = (method: 'bank_card' | 'wallet', attempt = 0): Fields => ({
  method,
  attempt: String(attempt),
})

export const pay = (service: Service, link: string, fields: Fields): Promise<Shown> =>
  send(service, `/pay/${link}`, fields)

/** Chooses a hosted method; returns the path of the provider’s page. */
export async function toProvider(service: Service, link: string, fields: Fields): Promise<string> {
  const { code, goTo } = await pay(service, link, fields)
  assert.equal(code, 303)
  const { pathname } = new URL(goTo, 'http://localhost')
  assert.match(pathname, /^\/simulator\/pay\/[0-9a-z]{24}$/)
  return pathname
}

/** Decides on the provider’s page, and follows the redirect back by default. */
export async function decide(
  service: Service,
  providerPath: string,
  decision: 'approve' | 'decline',
  follows = true,
): Promise<void> {
  const { code, goTo } = await send(service, providerPath, { decision })
  assert.equal(code, 303)
  if (follows) await look(service, goTo.replace(/^https?:\/\/[^/]+/, ''))
}

export const eventsOf = async (
  { db }: Service,
  link: string,
): Promise<{ event: string; data: Record<string, unknown> }[]> =>
  (
    await db.read<{ payload: string }>(
      `select e.payload from events e join payment_links l on l.account_id = e.account_id
        and l.number = e.number
       where l.reference = :link order by e.sequence`,
      { link },
    )
  ).map(({ payload }) => JSON.parse(payload))

export const attemptsOf = (
  { db }: Service,
  link: string,
): Promise<{ reference: string; status: string; failure_reason: string | null }[]> =>
  db.read(
    `select t.reference, t.status, t.failure_reason from payment_links l
     join payment_attempts t on t.account_id = l.account_id and t.number = l.number
     where l.reference = :link order by t.attempt`,
    { link },
  )

/** For real time: polls until the link has this state. */
export async function until(service: Service, link: string, state: string): Promise<void> {
  await waitUntil(`link in state ${state}`, async () => (await stateOf(service, link)) === state)
}

const ACTS = {
  readLink,
  statusOfLink,
  look,
  send,
  pay,
  closeLink,
  stateOf,
  toProvider,
  decide,
  eventsOf,
  attemptsOf,
  until,
}
type Act<Rest extends unknown[], Result> = (service: Service, ...rest: Rest) => Result
type Here<Of> = Of extends Act<infer Rest, infer Result> ? (...rest: Rest) => Result : never

/** The functions above for one service, whose links are those of one account. */
export function linksOf(service: Service, { secretKey }: Pick<NewAccount, 'secretKey'>) {
  const here = Object.entries(ACTS).map(([name, act]) => [
    name,
    (act as Act<unknown[], unknown>).bind(null, service),
  ])
  return {
    ...(Object.fromEntries(here) as { [Name in keyof typeof ACTS]: Here<(typeof ACTS)[Name]> }),
    postLink: (body: unknown) => postLink(service, secretKey, body),
    newLink: (change?: Record<string, unknown>) => newLink(service, secretKey, change),
    abandon: (link: string) => send(service, `/pay/${link}/abandon`, {}),
    /** The payment of a link, as the merchant reads it. */
    read: async (name: string) => (await get(service, secretKey, name)).body,
  }
}

/**
 * A service on a virtual clock with one merchant that has a site, for all tests of a file or suite.
 */
export async function openShop() {
  const service = await openVirtualService()
  after(() => service.remove())
  const merchant = await service.merchant()
  const account = merchant.accounts.sandbox
  granted(
    await changeCheckoutSettings(service, TESTER, {
      accountId: account.accountId,
      origins: [SHOP],
    }),
  )
  const links = linksOf(service, account)
  return {
    service,
    clock: service.clock,
    merchant,
    account,
    ...links,
    /** Pays, and advances the clock to the outcome. */
    async settle(link: string, msisdn = SUCCEEDS, attempt = 0): Promise<void> {
      await links.pay(link, byPhone(msisdn, attempt))
      await service.clock.advance(5_000)
    },
    /** A new link whose payer is on the page of the provider. */
    async atProvider(
      method: 'bank_card' | 'wallet',
      change?: object,
    ): Promise<[link: string, page: string]> {
      const link = await links.newLink({ ...change })
      return [link, await links.toProvider(link, onPage(method))]
    },
  }
}
