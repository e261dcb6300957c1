// Signs in to the dashboard as the demo merchant's owner.
import type { Measured } from './servers.ts'

export interface DashboardSession {
  /** The address of the account in the dashboard's API. */
  account: string
  cookie: string
}

export async function signIn({ port, printed }: Measured): Promise<DashboardSession> {
  const origin = `http://127.0.0.1:${port}`
  const [, email, password] = /owner\s+(\S+@\S+)\s+(\S+)/.exec(printed) ?? []
  const answer = await fetch(`${origin}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const { merchants } = (await answer.json()) as SessionAnswer
  const account = merchants[0]?.accounts.find(({ environment }) => environment === 'sandbox')
  return { account: `${origin}/dashboard/api/accounts/${account?.accountId}`, cookie }
}

type SessionAnswer = { merchants: { accounts: { accountId: string; environment: string }[] }[] }

/** The data of each event of a stream, until the stream or the signal ends it. */
export async function* eventsOf(
  { account, cookie }: DashboardSession,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const answer = await fetch(`${account}/${path}`, { headers: { cookie }, signal })
  if (answer.status !== 200) throw new Error(`the stream answered ${answer.status}`)
  let text = ''
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    const events = text.split('\n\n')
    text = events.pop() as string
    for (const event of events) {
      const data = /^data: (.+)$/m.exec(event)?.[1]
      if (data !== undefined) yield data
    }
  }
}
