// What `karba operators check` looks at for Airtel: the token, the balance, the signing key, the clock and the callback address.
import type { CheckLine, ConnectionDeps } from '../../connector.ts'
import type { Gateway } from './gateway.ts'
import type { AirtelOptions } from './options.ts'
import type { Reply, Unknown } from './translate.ts'
import { isObject, readEnvelope, text, wholeFrancs } from './wire.ts'

/** Longer than a verb may take: nobody's claim depends on it. */
const CHECK_MS = 30_000
const MOST_SKEW_MS = 60_000

export async function checkConnection(
  { clock, callbackUrl }: ConnectionDeps,
  gateway: Gateway,
  options: AirtelOptions,
): Promise<CheckLine[]> {
  const balance = await gateway.get('/standard/v1/users/balance', clock.now() + CHECK_MS)
  const lines =
    'is' in balance ? [unanswered(balance)] : [...balanceLines(balance, options), clockLine(balance, clock.now())]
  if (options.version === 2) lines.push(keyLine(await gateway.publicKey(clock.now() + CHECK_MS)))
  return [...lines, callbackLine(callbackUrl(''))]
}

function unanswered({ why, misconfigured }: Unknown): CheckLine {
  const about = `access token and balance: ${why}`
  if (misconfigured === undefined) return { is: 'not_known', about }
  const mend = 'Compare clientId and clientSecret with the portal, and ask Airtel whether our address is on its list.'
  return { is: 'wrong', about, mend }
}

/** A sample of a success has `success` false, so the balance itself decides. */
function balanceLines({ code, body }: Reply, { country, currency }: AirtelOptions): CheckLine[] {
  const data = isObject(body) && isObject(body.data) ? body.data : {}
  const amount = wholeFrancs(data.balance)
  const token: CheckLine = { is: 'right', about: 'access token' }
  if (amount === undefined) {
    const codes = readEnvelope(body)?.codes.join(' ') ?? ''
    const mend = `Ask Airtel whether the application is approved for ${country} and ${currency}, with a wallet of its own.`
    return [token, { is: 'wrong', about: `balance: HTTP ${code} ${codes}`.trim(), mend }]
  }
  const told = text(data.currency)
  if (told !== undefined && told !== currency) {
    return [
      token,
      {
        is: 'wrong',
        about: 'balance: in another currency',
        mend: `The wallet is not in ${currency}: see the option currency.`,
      },
    ]
  }
  return [token, { is: 'right', about: `balance: ${amount} ${currency}` }]
}

function clockLine({ headers }: Reply, now: number): CheckLine {
  const theirs = Date.parse(String(headers.date ?? ''))
  if (Number.isNaN(theirs)) return { is: 'not_known', about: 'clock: the network tells no time' }
  const seconds = Math.round(Math.abs(now - theirs) / 1_000)
  if (seconds * 1_000 <= MOST_SKEW_MS) return { is: 'right', about: 'clock' }
  return {
    is: 'wrong',
    about: `clock: ${seconds} s from the network’s`,
    mend: 'Let a time server set this machine’s clock.',
  }
}

function keyLine(key: string | Unknown): CheckLine {
  if (typeof key === 'string') return { is: 'right', about: 'key for signing messages' }
  const mend = 'Turn message signing on in the portal, or set version to 1.'
  return { is: 'wrong', about: `key for signing messages: ${key.why}`, mend }
}

function callbackLine(url: string | undefined): CheckLine {
  const mend =
    'Give the service a public https address, and write it in the portal as the callback URL of the application.'
  if (url === undefined) return { is: 'wrong', about: 'callback address: none', mend }
  const address = url.replace(/\/$/, '')
  if (!address.startsWith('https://')) return { is: 'wrong', about: `callback address: ${address} is not https`, mend }
  return { is: 'not_known', about: `callback address: the portal must have ${address}` }
}
