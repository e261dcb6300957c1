// What `karba operators check` checks for Airtel: token, balance, signing key, clock and callback
// address.
import type { CredentialTest } from '../../../domain/merchants/merchant-connection.ts'
import {
  type CheckLine,
  type ConnectionDeps,
  clockLines,
  credentialTest,
  notKnown,
  plainCallbackUrl,
  right,
  wrong,
} from '../../connector.ts'
import { type Answered, asObject, asText, wholeFrancs } from '../../http-call.ts'
import type { Unknown } from '../../operator.ts'
import type { AirtelOptions, Gateway } from './calls.ts'
import { readEnvelope } from './translate.ts'

/** Longer than a call about a payment may take: no claim depends on it. */
const CHECK_MS = 30_000
const BALANCE = '/standard/v1/users/balance'

export async function checkConnection(
  deps: ConnectionDeps,
  gateway: Gateway,
  options: AirtelOptions,
): Promise<CheckLine[]> {
  const { clock } = deps
  const balance = await gateway.get(BALANCE, clock.now() + CHECK_MS)
  const lines =
    'is' in balance
      ? [unanswered(balance)]
      : [...balanceLines(balance, options), ...clockLines(balance, clock.now())]
  if (options.version === 2) lines.push(keyLine(await gateway.publicKey(clock.now() + CHECK_MS)))
  return [...lines, callbackLine(plainCallbackUrl(deps))]
}

/** The balance of the wallet. */
export async function testCredentials(
  { clock }: ConnectionDeps,
  gateway: Gateway,
): Promise<CredentialTest> {
  const balance = await gateway.get(BALANCE, clock.now() + CHECK_MS)
  if ('is' in balance) return credentialTest(balance)
  const why = `balance: HTTP ${balance.code}`
  return credentialTest(
    balance.code < 400 ? undefined : { is: 'unknown', why, misconfigured: true },
  )
}

function unanswered({ why, misconfigured }: Unknown): CheckLine {
  const about = `access token and balance: ${why}`
  const remedy =
    'Compare clientId and clientSecret with the portal, and ask Airtel whether our address is on its list.'
  return misconfigured === undefined ? notKnown(about) : wrong(about, remedy)
}

/** A sample of a success has `success` false, so the balance itself decides. */
function balanceLines({ code, body }: Answered, { country, currency }: AirtelOptions): CheckLine[] {
  const { balance, currency: reported } = asObject(asObject(body)?.data) ?? {}
  const amount = wholeFrancs(balance)
  const token = right('access token')
  if (amount === undefined) {
    const codes = readEnvelope(body)?.codes.join(' ') ?? ''
    const remedy = `Ask Airtel whether the application is approved for ${country} and ${currency}, with a wallet of its own.`
    return [token, wrong(`balance: HTTP ${code} ${codes}`.trim(), remedy)]
  }
  if ((asText(reported) ?? currency) !== currency) {
    return [
      token,
      wrong(
        'balance: in another currency',
        `The wallet is not in ${currency}: see the option currency.`,
      ),
    ]
  }
  return [token, right(`balance: ${amount} ${currency}`)]
}

function keyLine(key: string | Unknown): CheckLine {
  const about = 'key for signing messages'
  if (typeof key === 'string') return right(about)
  return wrong(
    `${about}: ${key.why}`,
    'Turn message signing on in the portal, or set version to 1.',
  )
}

function callbackLine(address: string | undefined): CheckLine {
  const remedy =
    'Give the service a public https address, and write it in the portal as the callback URL of the application.'
  if (address === undefined) return wrong('callback address: none', remedy)
  if (!address.startsWith('https://'))
    return wrong(`callback address: ${address} is not https`, remedy)
  return notKnown(`callback address: the portal must have ${address}`)
}
