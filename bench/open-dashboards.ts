// Dashboards that are open beside the load, in a process of their own: each has its stream of live updates, and reads its page again whenever it is
// told that something has changed, as the page in a browser does. Says `ready` when all are open, and goes when its input ends, with how often it
// has read: open-dashboards.ts <order>
import { Agent, request } from 'undici'

export interface DashboardsOrder {
  url: string
  email: string
  password: string
  accountId: string
  count: number
}

/** Half of them show the first page, half the list of payments. */
const PAGES = ['home', 'payments'] as const

const { url, email, password, accountId, count } = JSON.parse(process.argv[2] as string) as DashboardsOrder
const agent = new Agent({ connections: 2 * count })
const api = `${url}/dashboard/api`
let reads = 0

const signedIn = await request(`${api}/sign-in`, {
  method: 'POST',
  headers: { origin: url, 'content-type': 'application/json' },
  body: JSON.stringify({ email, password }),
})
if (signedIn.statusCode !== 200) throw new Error(await signedIn.body.text())
const cookie = String(signedIn.headers['set-cookie']).split(';')[0] as string

async function open(nth: number): Promise<void> {
  const page = `${api}/accounts/${accountId}/${PAGES[nth % PAGES.length]}`
  const live = await request(`${api}/accounts/${accountId}/live`, { dispatcher: agent, headers: { cookie } })
  if (live.statusCode !== 200) throw new Error(await live.body.text())
  await read(page)
  void follow(live.body, page)
}

async function follow(events: AsyncIterable<Buffer>, page: string): Promise<void> {
  for await (const chunk of events) if (chunk.includes('data:')) await read(page)
}

async function read(page: string): Promise<void> {
  const { statusCode, body } = await request(page, { dispatcher: agent, headers: { cookie } })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(text)
  reads++
}

process.stdin.resume().on('end', () => {
  process.stdout.write(`${reads}\n`, () => process.exit(0))
})
for (let nth = 0; nth < count; nth++) await open(nth)
process.stdout.write('ready\n')
